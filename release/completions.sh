#!/bin/sh
# Writes the shells' completions and the page for man into completions/, for the archives. A nod without the
# command gives files that say so.
set -e
mkdir -p completions
CGO_ENABLED=0 go build -trimpath -o completions/.nod ./cmd/nod
for shell in bash zsh fish; do
  completions/.nod completion $shell >completions/nod.$shell 2>/dev/null ||
    echo "# this nod completes nothing" >completions/nod.$shell
done
completions/.nod help --man >completions/nod.1
rm completions/.nod
