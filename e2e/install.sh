#!/bin/sh
# Installs the pinned programs that the end-to-end tests run beside this file; with "deep" an agent for editors too,
# which runs the Claude Code that is there already. It does nothing where they are there.
set -eu
cd "$(dirname "$0")"
for program in "cc: the race detector needs it" "git: tests make repositories" "node: it runs real agents" \
	"npm: it installs them"; do
	command -v "${program%%:*}" >/dev/null || { echo "missing is $program" >&2; exit 1; }
done
sum() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

locks=package-lock.json
[ "${1-}" != deep ] || locks="$locks acp/package-lock.json"
wanted=$(sum install.sh $locks)
if [ "$(cat node_modules/.nod-tools 2>/dev/null)" = "$wanted" ]; then
	echo "npm programs are there (remove e2e/node_modules to install them again)"
	exit
fi
quiet="--ignore-scripts --no-audit --no-fund --loglevel error"
npm ci $quiet >&2
[ "${1-}" != deep ] || npm ci --prefix acp --omit=optional $quiet >&2

# Pi by itself: not all that it names as dependencies is published; its program is one file, and needs of them only
# jiti, which is pinned.
pi=@earendil-works/pi-coding-agent
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
npm pack --silent --pack-destination "$scratch" "$pi@1.5.2" >&2
mv "$scratch"/*.tgz "$scratch/pi.tgz"
echo "691bde186273b457d9d1c41d0fd47b57853b5e85ded1add1a1f6b78e66c261f4  $scratch/pi.tgz" | sum -c - >&2
mkdir -p "node_modules/$pi"
tar -xzf "$scratch/pi.tgz" --strip-components 1 -C "node_modules/$pi"
echo "$wanted" >node_modules/.nod-tools
echo "npm programs installed"
