#!/bin/sh
# Installs nod for every user of the runner, its settings, and its hook at the managed level.
# Programs and settings belong to root, so that the agent, which does not, cannot change them.
set -eu
root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
root sh "$GITHUB_ACTION_PATH/../../../release/install.sh" --prefix "$NOD_PREFIX" \
  ${NOD_VERSION:+--version "$NOD_VERSION"} ${NOD_FROM:+--from "$NOD_FROM"}
echo "$NOD_PREFIX/bin" >>"$GITHUB_PATH"
root mkdir -p /etc/nod
printf 'mode = "enforce"\n%s\n' "$NOD_SETTINGS" | root tee /etc/nod/nod.toml >/dev/null
root chmod 644 /etc/nod/nod.toml
root "$NOD_PREFIX/bin/nod" install "$NOD_AGENT" --managed --unattended
