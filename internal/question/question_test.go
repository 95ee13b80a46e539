package question_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/question"
)

// The test binary asks a question and waits until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("QUESTION_CHILD"); dir != "" {
		p, err := question.Ask(dir, some("20260101t000000-ab", time.Now()))
		if err != nil {
			os.Exit(1)
		}
		p.Wait(context.Background(), time.Now)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func some(id string, now time.Time) question.Question {
	return question.Question{ID: id[:8] + "T" + id[9:], Key: "k1", Agent: "codex", Session: "s", RawTool: "Bash",
		Root: "/src", Lasting: "npm test", Asked: now, Until: now.Add(time.Hour)}
}

// Of many answers at once exactly one counts, and it is the one that the hook hears.
func TestOneAnswerCounts(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "state"), time.Now()
	p, err := question.Ask(dir, some("20260101t000000-0a", now))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	list, err := question.Open(dir, now)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	var counted atomic.Int32
	var yes atomic.Bool
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			if err := list[0].Answer(dir, i%2 == 0, question.Session, "the page", time.Now()); err == nil {
				counted.Add(1)
				yes.Store(i%2 == 0)
			} else if !errors.Is(err, question.ErrAnswered) && !errors.Is(err, question.ErrGone) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	answer, ok := p.Wait(context.Background(), time.Now)
	if counted.Load() != 1 || !ok || answer.Yes != yes.Load() {
		t.Errorf("%d counted; %+v, %v", counted.Load(), answer, ok)
	}
	if err := list[0].Answer(dir, true, question.Once, "the page", time.Now()); !errors.Is(err, question.ErrGone) {
		t.Errorf("a late answer: %v", err)
	}
}

func TestAnswersThatDoNotCount(t *testing.T) {
	now := time.Now()
	for name, row := range map[string]struct {
		change func(q *question.Question)
		at     time.Time
		scope  question.Scope
		want   error
	}{
		"another call": {func(q *question.Question) { q.Key = "k2" }, now, question.Once, question.ErrFits},
		"another id": {func(q *question.Question) { q.ID = "20260101T000000-ff" }, now, question.Once,
			question.ErrGone},
		"too late":       {func(*question.Question) {}, now.Add(2 * time.Hour), question.Once, question.ErrGone},
		"before it":      {func(*question.Question) {}, now.Add(-time.Hour), question.Once, question.ErrFits},
		"no such scope":  {func(*question.Question) {}, now, "for good", question.ErrFits},
		"part of a name": {func(q *question.Question) { q.ID = "../x" }, now, question.Once, question.ErrGone},
	} {
		dir := filepath.Join(t.TempDir(), "state")
		p, err := question.Ask(dir, some("20260101t000000-0b", now))
		if err != nil {
			t.Fatal(err)
		}
		list, _ := question.Open(dir, now)
		row.change(&list[0])
		if err := list[0].Answer(dir, true, row.scope, "a terminal", row.at); !errors.Is(err, row.want) {
			t.Errorf("%s: %v", name, err)
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if a, ok := p.Wait(ended, time.Now); ok || a.Yes {
			t.Errorf("%s: %+v", name, a)
		}
		p.Close()
	}
}

// A call that a person cannot see whole, or that can be approved only once, has no wider yes.
func TestScopes(t *testing.T) {
	q := some("20260101t000000-0c", time.Now())
	if n := len(q.Scopes()); n != 4 {
		t.Errorf("%d scopes", n)
	}
	q.Once, q.Lasting = true, ""
	if s := q.Scopes(); len(s) != 1 || s[0] != question.Once {
		t.Error(s)
	}
	if q.InputBytes = 1 << 20; len(q.Scopes()) != 0 {
		t.Error("a yes to what nobody sees")
	}
}

// The question of a process that was killed is over, and so is its word that somebody listens.
func TestAKilledAskerIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"QUESTION_CHILD=" + dir}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var list []question.Question
	for len(list) == 0 {
		list, _ = question.Open(dir, time.Now())
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := list[0].Answer(dir, true, question.Once, "a terminal", time.Now()); !errors.Is(err, question.ErrGone) {
		t.Error(err)
	}
	if question.Heard(dir) {
		t.Error("nobody listens")
	}
	stop, err := question.Listen(dir)
	if err != nil || !question.Heard(dir) {
		t.Error("not heard", err)
	}
	if stop(); question.Heard(dir) {
		t.Error("still heard")
	}
}
