#!/bin/sh
# Drives the newest version that npm has of agents that nod knows, in a copy of this clone, and prints as Markdown what
# docs/agents.md would say of them. It ends with 0 where only versions changed, with 1 where a cell of the table
# changed or a test failed, and with 2 where it could not find out.
#
#   sh e2e/newest.sh [AGENT...]    all where none is named
set -eu
cd "$(dirname "$0")/.."
fail() { echo "newest.sh: $1" >&2; exit 2; }
for program in git go node npm; do
	command -v "$program" >/dev/null || fail "$program is missing"
done
package_of() {
	case "$1" in
	claude-code) echo @anthropic-ai/claude-code ;;
	codex) echo @openai/codex ;;
	copilot) echo @github/copilot ;;
	gemini) echo @google/gemini-cli ;;
	opencode) echo opencode-ai ;;
	qwen) echo @qwen-code/qwen-code ;;
	*) return 1 ;;
	esac
}
[ $# -gt 0 ] || set -- claude-code codex copilot gemini opencode qwen
for agent; do
	package_of "$agent" >/dev/null || fail "$agent is no agent that npm installs: claude-code, codex, copilot, gemini, opencode, qwen"
done

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 2' INT TERM
git clone -q . "$scratch/nod"
cd "$scratch/nod"

# Where a version stands. A test holds the four to be the same.
places="agent/hosts.txt docs/agents.md e2e/machine_test.go e2e/testdata/driven.toml"
echo "| agent | measured | newest |"
echo "| --- | --- | --- |"
newer=''
for agent; do
	package=$(package_of "$agent")
	had=$(node -p "require('./e2e/package.json').dependencies['$package']")
	has=$(npm view "$package" version 2>/dev/null) || fail "the registry does not say the version of $package"
	echo "| $agent | $had | $has |"
	[ "$had" != "$has" ] || continue
	newer="$newer|$agent"
	(cd e2e && npm pkg set "dependencies.$package=$has")
	for file in $places; do
		[ ! -f "$file" ] || sed "s/$(printf %s "$had" | sed 's/\./\\./g')/$has/g" "$file" >"$scratch/text"
		[ ! -f "$file" ] || cat "$scratch/text" >"$file"
	done
done
echo
if [ -z "$newer" ]; then
	echo "Nothing is newer than what was measured."
	exit
fi
git -c user.name=nod -c user.email=nod@localhost commit -qam "newest versions"
npm install --prefix e2e --ignore-scripts --no-audit --no-fund --loglevel error >&2 || fail "npm could not install them"

changed=0
NOD_TOOLS="$scratch/nod/e2e" NOD_E2E=require NOD_E2E_WRITE=1 go test -count=1 -timeout 60m ./e2e \
	-run "^TestAgents\$/^(${newer#|})\$" >"$scratch/said" 2>&1 || changed=1
git diff --unified=0 -- docs/agents.md >"$scratch/table"
[ ! -s "$scratch/table" ] || changed=1
case $changed in
0) echo "They do what was measured." ;;
1)
	echo "docs/agents.md would change:"
	echo '```diff'
	grep -E '^[-+]- |^[-+]## ' "$scratch/table" || echo "(not: a test failed before its cell)"
	echo '```'
	echo "Tests:"
	echo '```'
	grep -vE '^=== |^ *--- (PASS|SKIP)' "$scratch/said" | head -n 60
	echo '```'
	;;
esac
exit $changed
