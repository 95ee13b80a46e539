package nod

import (
	"fmt"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/printable"
)

// ParsePermission reads one permission rule of Claude Code's settings, which
// lie in dir: its deny rules into [ListHardDeny], its ask rules into
// [ListAsk]. In both a rule matches no less than Claude Code's does. The error
// is one line that says why nod cannot hold the rule; nothing is then matched.
//
// Its allow rules become patterns of nod's own, for [ListAllow]: the Text is
// the pattern, it clears calls of Claude Code only, and it is an error if the
// pattern would match more than the person wrote, or any code at all.
func ParsePermission(list RuleList, text, origin, dir string) (Rule, error) {
	p, err := match.ReadPermission(text)
	if err != nil {
		return Rule{}, err
	}
	p.Dir = dir
	if list == ListAllow {
		return allowOf(p, origin)
	}
	if err := p.Check(); err != nil {
		return Rule{}, err
	}
	return Rule{Text: text, Origin: origin, permission: &p}, nil
}

// allowOf is the rule as a pattern of nod's.
func allowOf(p match.Permission, origin string) (Rule, error) {
	if p.Kind() != match.AboutCommand || p.Tool != "Bash" {
		if r, ok := allowToolOf(p, origin); ok {
			return r, nil
		}
		if p.Spec == "" && p.Tool == "Bash" {
			return Rule{}, fmt.Errorf("it would allow any command")
		}
		return Rule{}, fmt.Errorf("nod's allow patterns are commands")
	}
	pattern, open := match.OpenEnd(p.Spec)
	if strings.ContainsAny(pattern, "*\\") {
		return Rule{}, fmt.Errorf("a * that does not stand at the end has no equal in nod")
	}
	if open {
		if runsWhatFollows(pattern) {
			return Rule{}, fmt.Errorf("it would allow any code that stands behind %s; name what may run",
				printable.Text(pattern))
		}
		pattern += " *"
	}
	r, err := ParseRule(ListAllow, pattern, origin)
	if err == nil && len(r.command.Words) == 0 {
		err = fmt.Errorf("%q is not one simple command", pattern)
	}
	r.Agent = ClaudeCode
	return r, err
}

// allowToolOf is a rule for a tool of an MCP server, or for a tool of Claude Code's
// own of which nod reads no argument.
func allowToolOf(p match.Permission, origin string) (r Rule, ok bool) {
	switch p.Kind() {
	case match.AboutServer:
		ok = p.AllowsTools(p.Tool) == nil && p.Spec == ""
	case match.AboutTool:
		ok = !strings.Contains(p.Tool, "*") && !readsArguments(p.Tool)
	}
	return Rule{Text: p.Tool, Origin: origin, Agent: ClaudeCode, permission: &p}, ok
}

// readsArguments reports whether nod decides calls of a tool of Claude Code's by
// their arguments, so that a rule for all of them would allow anything.
func readsArguments(tool string) bool {
	switch tool {
	case "Bash", "PowerShell", "Monitor", "Read", "Grep", "Glob", "LS", "LSP", "NotebookRead",
		"Edit", "Write", "MultiEdit", "NotebookEdit", "WebFetch":
		return true
	}
	return false
}

// runsWhatFollows reports whether the words behind a prefix name the code that
// would run. Claude Code drops such rules when it enters its auto mode.
func runsWhatFollows(prefix string) bool {
	words := strings.Fields(prefix)
	switch path.Base(words[0]) {
	case "ssh":
		return true
	case "npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv", "bundle", "docker", "podman", "kubectl", "nix",
		"mise", "direnv", "devbox", "conda", "tox", "nox", "go", "cargo", "find", "awk", "gawk", "git":
	default:
		return false
	}
	if len(words) == 1 || len(words) == 3 && words[1] == "exec" {
		return true
	}
	switch words[1] {
	case "run", "run-script", "exec", "x", "dlx", "tool", "shell", "develop", "-c", "-C", "-exec", "--":
		return len(words) == 2
	}
	return false
}

// ClaudeCode is the name of Claude Code's adapter.
const ClaudeCode = "claude-code"
