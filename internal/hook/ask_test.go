package hook_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/question"
)

// asked lets a call wait, and hands its question to a person.
func (p *place) asked(command string, person func(q question.Question)) said {
	p.t.Helper()
	state := p.options.Places.State
	stop, err := question.Listen(state)
	if err != nil {
		p.t.Fatal(err)
	}
	defer stop()
	answered := make(chan bool)
	ended := make(chan bool)
	go func() {
		defer close(answered)
		for {
			if list, err := question.Open(state, time.Now()); err == nil && len(list) == 1 {
				person(list[0])
				return
			}
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	s := p.run(bytes.NewReader(p.bash(command)))
	close(ended)
	<-answered
	return s
}

func TestAQuestionReachesAPerson(t *testing.T) {
	p := newPlace(t)
	state, now := p.options.Places.State, time.Now
	answer := func(yes bool, scope question.Scope) func(question.Question) {
		return func(q question.Question) {
			if err := q.Answer(state, yes, scope, "a terminal", now()); err != nil {
				t.Error(err)
			}
			if err := q.Answer(state, !yes, question.Once, "the page", now()); err == nil {
				t.Error("a second answer counted")
			}
		}
	}
	for _, row := range []struct {
		name, settings string
		person         func(q question.Question)
		verdict, says  string
	}{
		{"yes", "", answer(true, question.Once), "allow", "once"},
		{"no", "", answer(false, ""), "deny", "a person said no (a terminal)"},
		{"nobody", "wait = \"10ms\"", func(question.Question) {}, "deny", "nobody answered nod's question in time"},
		{"no time", "wait = \"0s\"", func(question.Question) { t.Error("it was asked") }, "deny", "nod approve"},
		{"forged", "", func(q question.Question) {
			p.write(filepath.Join(state, "questions", q.ID+".answer"),
				`{"v":1,"id":"`+q.ID+`","key":"00","yes":true,"scope":"once","at":"`+
					q.Asked.Format(time.RFC3339Nano)+`"}`)
		}, "deny", "an answer that does not fit"},
		{"too wide", "", func(q question.Question) {
			if err := q.Answer(state, true, question.Always, "a terminal", now()); err == nil {
				t.Error("a scope counted that the question does not have")
			}
			answer(false, "")(q)
		}, "deny", "a person said no"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p.t, p.session = t, row.name
			p.settings("[questions]\n" + row.settings + "\n")
			s := p.asked("npm publish", row.person)
			if s.verdict != row.verdict || !strings.Contains(s.reason, row.says) {
				t.Errorf("%+v", s)
			}
			if list, err := question.Open(state, now()); len(list) > 0 || err != nil {
				t.Error("the question is still open", list, err)
			}
		})
	}
	if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "deny" {
		t.Errorf("without a listener: %+v", s)
	}
}

// A yes for the session holds for the same call again, and for no other; the log has the question and the answer.
func TestAYesForTheSession(t *testing.T) {
	p := newPlace(t)
	p.write(filepath.Join(p.shop, "old.txt"), "x")
	yes := func(q question.Question) {
		if q.RawTool != "Bash" || !strings.Contains(strings.Join(q.Does, "\n"), "git push") || q.Reason == "" {
			t.Errorf("%+v", q)
		}
		if err := q.Answer(p.options.Places.State, true, question.Session, "the page", time.Now()); err != nil {
			t.Error(err)
		}
	}
	p.settings("ask = [\"git push\"]\n")
	if s := p.asked("git push origin main", yes); s.verdict != "allow" {
		t.Errorf("%+v", s)
	}
	var kinds []string
	for _, e := range p.log() {
		kinds = append(kinds, string(e.Kind))
	}
	if got := strings.Join(kinds, " "); got != "question approved decision" {
		t.Error(got)
	}
	if last := p.log()[2]; last.Layer.String() != "approval" || last.Answered != "allow" {
		t.Errorf("%+v", last)
	}
	if s := p.run(bytes.NewReader(p.bash("git push origin main"))); s.verdict != "allow" {
		t.Errorf("again: %+v", s)
	}
	if s := p.run(bytes.NewReader(p.bash("git push origin other"))); s.verdict != "deny" {
		t.Errorf("another: %+v", s)
	}
}

// What changes between the question and the yes is looked at anew: a file that the call names, what a name leads to,
// and the rules. The yes was to what there was.
func TestAYesForAFileThatChanged(t *testing.T) {
	for _, row := range []struct {
		command string
		change  func(p *place, file string)
		says    string
	}{
		{"sh run.sh", func(p *place, file string) { p.write(file, "rm -rf /\n") }, "has changed since the person was asked"},
		{"cp run.sh b.sh && git push", func(p *place, file string) { p.write(file, "rm\n") }, "has changed since"},
		{"git push && echo x >>run.sh", func(p *place, file string) {
			p.link(p.options.Places.User, file)
		}, "has changed since the person was asked"},
		{"git push && cat run.sh >>d/nod.toml", func(p *place, file string) {
			p.link(filepath.Dir(p.options.Places.User), filepath.Join(p.shop, "d"))
		}, "has changed since"},
		{"git push", func(p *place, file string) { p.settings("hard_deny = [\"git push\"]\n") }, "hard_deny"},
	} {
		t.Run(row.command, func(t *testing.T) {
			p := newPlace(t)
			script := filepath.Join(p.shop, "run.sh")
			p.write(script, "echo one\n")
			p.write(filepath.Join(p.shop, "d", "x"), "")
			p.settings("ask = [\"sh run.sh\", \"git push\"]\n")
			s := p.asked(row.command, func(q question.Question) {
				row.change(p, script)
				scope := q.Scopes()[len(q.Scopes())-1] // the session, where the question has it
				if err := q.Answer(p.options.Places.State, true, scope, "a link", time.Now()); err != nil {
					t.Error(err)
				}
			})
			if approval.Kept(p.options.Places.State) {
				t.Error("a yes is kept for what the person did not see")
			}
			if s.verdict != "deny" || !strings.Contains(s.reason, row.says) {
				t.Errorf("%+v", s)
			}
			last := p.log()[len(p.log())-1]
			if last.Kind != audit.Decision || last.Answered != "deny" || last.ID == "" {
				t.Errorf("%+v", last)
			}
		})
	}
}

// link puts a link in the place of a name.
func (p *place) link(target, name string) {
	p.t.Helper()
	if err := errors.Join(os.RemoveAll(name), os.Symlink(target, name)); err != nil {
		p.t.Error(err)
	}
}

// A yes to one call is kept nowhere: the same call of another session waits for its own.
func TestAYesIsOneCalls(t *testing.T) {
	p := newPlace(t)
	s := p.asked("npm publish", func(q question.Question) {
		if err := q.Answer(p.options.Places.State, true, question.Once, "the page", time.Now()); err != nil {
			t.Error(err)
		}
	})
	if approval.Kept(p.options.Places.State) || s.verdict != "allow" {
		t.Errorf("%+v, and an approval is kept", s)
	}
}

// The person's command is told of the question, in an environment that the agent has no say in.
func TestAPersonIsNotified(t *testing.T) {
	p := newPlace(t)
	told := filepath.Join(p.home, "told")
	p.settings(`[questions]
wait = "30s"
page = "https://box.example:7"
notify = ["/bin/sh", "-c", 'printf "%s|%s|%s" "$NOD_QUESTION" "$NOD_LINK" "$EVIL" >` + told + `.part; mv ` + told +
		`.part ` + told + `']
`)
	p.options.Environ = append(p.options.Environ, "EVIL=1")
	s := p.asked("npm publish", func(q question.Question) {
		for range 1000 { // it is another process
			if _, err := os.Stat(told); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		text, err := os.ReadFile(told)
		link := "https://box.example:7/answer/" + q.ID + "/"
		if err != nil || !strings.HasPrefix(string(text), "claude-code wants to use Bash in shop|") ||
			!strings.HasSuffix(string(text), "|") ||
			!strings.Contains(string(text), link) || strings.Contains(string(text), q.Link) || len(q.Link) != 64 {
			t.Errorf("%s, %v", text, err)
		}
		if err := q.Answer(p.options.Places.State, false, "", "a link", time.Now()); err != nil {
			t.Error(err)
		}
	})
	if s.verdict != "deny" {
		t.Errorf("%+v", s)
	}
}
