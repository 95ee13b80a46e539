#!/bin/sh
# Writes the shells' completions into completions/, for the archives. A nod without the
# command gives files that say so.
mkdir -p completions
for shell in bash zsh fish; do
  go run ./cmd/nod completion $shell >completions/nod.$shell 2>/dev/null ||
    echo "# this nod completes nothing" >completions/nod.$shell
done
