package nod

import "github.com/nodgate/nod/internal/match"

// ParsePermission reads one deny or ask rule in the grammar of Claude Code's settings,
// which lie in dir. It matches no less than Claude Code's does. The error is one line that
// says why nod cannot hold the rule; nothing is then matched.
func ParsePermission(text, origin, dir string) (Rule, error) {
	p, err := match.ReadPermission(text)
	if err != nil {
		return Rule{}, err
	}
	p.Dir = dir
	if err := p.Check(); err != nil {
		return Rule{}, err
	}
	return Rule{Text: text, Origin: origin, permission: &p}, nil
}

// ClaudeCode is the name of Claude Code's adapter.
const ClaudeCode = "claude-code"
