package hook_test

import (
	"bytes"
	"path/filepath"
	"testing"
)

// Who decides in each of Claude Code's modes, with and without a model, for
// each kind of call: the table of docs/agents.md, as the host hears it.
func TestWhoDecidesInEachMode(t *testing.T) {
	type calls struct{ cleared, ruled, open, loss, secret, forbidden string }
	without := map[string]calls{
		"default":           {"allow", "allow", "silence", "ask", "ask", "deny"},
		"acceptEdits":       {"allow", "allow", "silence", "ask", "ask", "deny"},
		"bypassPermissions": {"allow", "allow", "silence", "ask", "ask", "deny"},
		"auto":              {"allow", "allow", "silence", "ask", "ask", "deny"},
		"plan":              {"silence", "silence", "silence", "ask", "ask", "deny"},
		"dontAsk":           {"allow", "allow", "silence", "deny", "deny", "deny"},
		"newMode":           {"silence", "silence", "ask", "ask", "ask", "deny"},
	}
	with := func(mode string, c calls) calls { // a model that lets everything pass
		c.open, c.loss, c.secret = c.ruled, c.ruled, c.ruled
		return c
	}
	for mode, want := range without {
		for _, model := range []bool{false, true} {
			for _, person := range []bool{true, false} {
				p := newPlace(t)
				p.permission = mode
				p.settings("allow = [\"npm run ruled\"]\nhard_deny = [\"git push --force\"]\n")
				p.write(filepath.Join(p.shop, "package.json"), `{"scripts":{"ruled":"node a.js"}}`)
				p.write(filepath.Join(p.shop, "scratch", "a.txt"), "x")
				p.write(filepath.Join(p.home, "t.jsonl"),
					`{"type":"user","message":{"role":"user","content":"x"}}`+"\n")
				if person {
					p.options.Environ = append(p.options.Environ[:3:3], "CLAUDE_CODE_ENTRYPOINT=cli")
				}
				expected := want
				if model {
					p.options.Model, expected = &judging{}, with(mode, want)
				}
				for command, answer := range map[string]string{
					"ls": expected.cleared, "npm run ruled": expected.ruled, "python3 x.py": expected.open,
					"npm publish": expected.loss, "cat .env": expected.secret,
					"git push --force": expected.forbidden,
				} {
					alone := mode != "auto" && mode != "dontAsk" && !person
					if answer == "ask" && !person || command == "python3 x.py" && alone && !model {
						answer = "deny"
					}
					if s := p.run(bytes.NewReader(p.bash(command))); s.verdict != answer {
						t.Errorf("mode %s, model %v, person %v: %s: %s, want %s (%s)", mode, model, person, command,
							s.verdict, answer, s.reason)
					}
				}
			}
		}
	}
}
