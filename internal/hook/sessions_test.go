package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/version"
)

// TestSessions plays testdata/sessions.txt: sessions of an agent, each in a home of its own.
func TestSessions(t *testing.T) {
	text, err := os.ReadFile("testdata/sessions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, paragraph := range strings.Split(strings.TrimSpace(string(text)), "\n\n")[1:] { // after how it is written
		title, lines, _ := strings.Cut(paragraph, "\n")
		t.Run(strings.TrimPrefix(title, "# "), func(t *testing.T) {
			s := &session{place: newPlace(t), model: &judging{}}
			s.base = s.options.Environ
			for line := range strings.SplitSeq(lines, "\n") {
				s.line(line)
			}
		})
	}
}

// session is one paragraph as it is played.
type session struct {
	*place
	base  []string // the environment without what the last env added
	model *judging
	calls int
}

func (s *session) line(line string) {
	s.t.Helper()
	line = strings.NewReplacer("⏎", "\n", "$SHOP", s.shop, "$HOME", s.home, "$NOD", s.options.Nod,
		"$USER", s.options.Places.User, "$STATE", s.options.Places.State,
		"$PAST", clock(-time.Hour), "$FUTURE", clock(time.Hour)).Replace(line)
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "":
		s.row(strings.TrimSpace(line))
	case "#":
	case "told", "untold":
		if strings.Contains(s.model.sent.Text(""), rest) != (verb == "told") {
			s.t.Errorf("%s: the model is shown %s", line, s.model.sent.Text(""))
		}
	case "logged":
		if n := len(s.log()); strconv.Itoa(n) != rest {
			s.t.Errorf("%d lines in the log, want %s", n, rest)
		}
	case "log":
		raw, _ := os.ReadFile(filepath.Join(s.options.Places.State, "decisions.jsonl"))
		all := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
		if last := string(all[len(all)-1]); !strings.Contains(last, rest) {
			s.t.Errorf("the last line of the log is %s, want %s", last, rest)
		}
	case "absent":
		if found, _ := filepath.Glob(rest); len(found) != 0 {
			s.t.Errorf("there is %v", found)
		}
	default:
		s.set(verb, rest)
	}
}

func clock(from time.Duration) string { return time.Now().Add(from).UTC().Format(time.RFC3339) }

// set changes what the next calls find.
func (s *session) set(verb, rest string) {
	s.t.Helper()
	name, text, _ := strings.Cut(rest, " ")
	switch verb {
	case "linux":
		if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
			s.t.Skip("SKIPPED: no /proc")
		}
	case "settings":
		s.settings(rest + "\n")
	case "file":
		s.write(s.path(name), text+"\n")
	case "program":
		s.write(s.path(name), text+"\n")
		if err := os.Chmod(s.path(name), 0o755); err != nil {
			s.t.Fatal(err)
		}
	case "renamed": // by a program that nobody saw
		if err := os.Rename(s.path(name), s.path(text)); err != nil {
			s.t.Fatal(err)
		}
	case "line": // of the transcript
		name := filepath.Join(s.home, "t.jsonl")
		before, _ := os.ReadFile(name)
		s.write(name, string(before)+rest+"\n")
	case "person":
		s.interactively()
	case "mode":
		s.permission = rest
	case "session":
		s.place.session = strings.TrimPrefix(rest, "none")
	case "host":
		s.options.Adapter = agent.Host(rest)
	case "state":
		s.options.Places.State = rest
	case "environ":
		s.base = strings.Fields(rest)
		s.options.Environ = s.base
	case "env":
		s.options.Environ = append(s.base[:len(s.base):len(s.base)], strings.Fields(rest)...)
	case "model":
		s.model.block = name == "blocks"
		s.model.cost, _ = strconv.ParseFloat(text, 64)
		s.options.Model = s.model
	case "approve":
		s.approve(approval.Scope(rest))
	case "nod":
		s.options.Nod = s.nod(strings.Replace(rest, "this", version.String(), 1))
	case "gone":
		s.options.Nod = filepath.Join(s.home, "gone")
	case "proven":
		s.tried()
	default:
		s.t.Fatalf("nobody knows %q", verb)
	}
}

// path is a file of the workspace, of the home directory, or anywhere.
func (s *session) path(name string) string {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(s.home, below)
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.shop, name)
}

// row is one call, and what the host makes of the answer.
func (s *session) row(line string) {
	s.t.Helper()
	call, says, _ := strings.Cut(line, "  => ")
	call, hides, _ := strings.Cut(call, "  =/> ")
	want, call, _ := strings.Cut(call, " ")
	s.calls++
	event, more := "PreToolUse", map[string]any{"tool_use_id": "c" + strconv.Itoa(s.calls)}
	if head, rest, ok := strings.Cut(call, ": "); ok && strings.Contains(head, "(") {
		event, call = s.event(head, more), rest
	}
	tool, input := "Bash", any(map[string]string{"command": call})
	if name, ok := strings.CutPrefix(call, "@"); ok {
		var text string
		tool, text, _ = strings.Cut(name, " ")
		tool, input = strings.ReplaceAll(tool, "␠", " "), json.RawMessage(text)
	}
	got := s.run(bytes.NewReader(s.payload(event, tool, input, more)))
	other, not := strings.CutPrefix(want, "-")
	if all := got.reason + got.system; (got.verdict == other) == not || !strings.Contains(all, says) ||
		hides != "" && strings.Contains(all, hides) {
		s.t.Errorf("%s: %+v", line, got)
	}
}

// event reads EVENT(ID FIELD=VALUE ...); "-" is that the host sends no such field.
func (s *session) event(head string, more map[string]any) string {
	event, inside, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
	if event == "" {
		event = "PreToolUse"
	}
	if event == "PostToolUse" {
		more["tool_response"] = "ok"
	}
	for i, field := range strings.Fields(inside) {
		if i == 0 {
			field = "tool_use_id=" + field
		}
		key, value, _ := strings.Cut(field, "=")
		if more[key] = value; value == "-" {
			more[key] = nil
		}
	}
	return event
}

// judging is a model that says the same each time, and keeps what it was shown.
type judging struct {
	block   bool
	cost    float64
	failure error
	sent    nod.Prompt
}

func (m *judging) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	m.sent = p
	return nod.Classification{Digest: p.Digest, ShouldBlock: m.block, Reason: "not asked for", Model: "m", Cost: m.cost,
		Usage: nod.Usage{In: 10, Out: 1}}, m.failure
}

// interactively puts a person in front of the agent.
func (p *place) interactively() {
	for i, v := range p.options.Environ {
		if strings.HasPrefix(v, "CLAUDE_CODE_ENTRYPOINT=") {
			p.options.Environ[i] = "CLAUDE_CODE_ENTRYPOINT=cli"
		}
	}
}

// approve is nod approve for the last decision, without the person.
func (p *place) approve(scope approval.Scope) {
	p.t.Helper()
	entries := p.log()
	e := entries[len(entries)-1]
	if e.Approvable == nil {
		p.t.Fatalf("%+v", e)
	}
	now := time.Now()
	a := approval.Approval{ID: "0000000a", Key: e.Approvable.Key, Scope: scope, At: now, Until: now.Add(time.Hour)}
	if scope == approval.Session {
		a.Agent, a.SessionID = e.Agent, e.Session
	}
	if err := approval.Add(p.options.Places.State, a, now); err != nil {
		p.t.Fatal(err)
	}
}
