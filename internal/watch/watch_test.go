package watch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
)

// table is a desk that writes down what is asked of it.
type table struct{ did *[]string }

func (table) Look(context.Context) shown.Seen { return shown.Seen{} }

func (table) Choice(_ question.Question, key string) (question.Scope, bool, bool) {
	scopes := map[string]question.Scope{"y": question.Once, "a": question.Always}
	return scopes[key], scopes[key] != "", scopes[key] != "" || key == "n"
}

func (d table) Answer(_ context.Context, q question.Question, yes bool, scope question.Scope) shown.Reply {
	*d.did = append(*d.did, strings.TrimSpace(fmt.Sprintf("%s %t %s", q.ID, yes, scope)))
	rule := shown.Reply{Title: "rule", Text: "it would let through\nmuch", Ask: "Write it?", Yes: d.note("written")}
	if scope == question.Always {
		return rule
	}
	return shown.Reply{Text: "answered", Keep: func() shown.Reply { return rule }}
}

func (d table) Undo(_ context.Context, id string) shown.Reply {
	return shown.Reply{Title: "undo", Text: "would restore " + id, Ask: "Restore?", Yes: d.note("restored " + id)}
}

func (d table) note(what string) func() shown.Reply {
	return func() shown.Reply {
		*d.did = append(*d.did, what)
		return shown.Reply{Text: what}
	}
}

// hand plays messages and keys to a page.
type hand struct {
	Model
	clock time.Time
	did   []string
}

func newHand(width, height int) *hand {
	h := &hand{clock: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	h.Model = New(context.Background(), table{&h.did}, func() time.Time { return h.clock })
	h.send(tea.WindowSizeMsg{Width: width, Height: height})
	return h
}

// send plays a message, and what the desk answers to it at once.
func (h *hand) send(msg tea.Msg) {
	next, cmd := h.Update(msg)
	h.Model = next.(Model)
	if _, looked := msg.(shown.Seen); cmd != nil && !looked {
		h.send(cmd())
	}
}

// press plays keys with blanks between them; "." lets the time pass in which no key counts.
func (h *hand) press(keys string) {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "down": tea.KeyDown, "up": tea.KeyUp,
		"space": tea.KeySpace, "end": tea.KeyEnd, "backspace": tea.KeyBackspace}
	for name := range strings.FieldsSeq(keys) {
		if name == "." {
			h.clock = h.clock.Add(settle)
		} else if code, special := codes[name]; special {
			h.send(tea.KeyPressMsg{Code: code})
		} else {
			h.send(tea.KeyPressMsg{Code: rune(name[0]), Text: name})
		}
	}
}

// shown is the screen without its looks.
func (h *hand) shown() string { return ansi.Strip(h.View().Content) }

func (h *hand) seen() shown.Seen {
	entries := []shown.Row{h.entry("1", "allow", "ls"), h.entry("2", "deny", "rm -rf /"), h.entry("3", "allow", "rm a")}
	return shown.Seen{New: entries, Waiting: []shown.Row{h.question("q1", 1)}}
}

func (h *hand) entry(id, verdict, call string) shown.Row {
	return shown.Row{Key: id, ID: id, Time: h.clock, Verdict: verdict, Agent: "claude-code", Tool: "Bash", Call: call,
		Kept: id == "3", About: "call\t" + call + "\nsession\ts" + id}
}

func (h *hand) question(id string, lines int) shown.Row {
	q := question.Question{ID: id, Until: h.clock.Add(time.Minute)}
	return shown.Row{Key: "waits " + id, ID: id, Verdict: "waits", Call: "gh pr create", Question: &q,
		About: strings.Repeat("a line of it\n", lines) + "the end of " + id}
}

// What keys show, and what they do.
func TestKeys(t *testing.T) {
	for _, row := range []struct{ name, keys, shows, did string }{
		{"the list", "", "1 waiting  3 shown", ""},
		{"nothing is answered in the list", ". y . y . n .", "1 waiting", ""},
		{"a question is opened", "enter", "the end of q1", ""},
		{"a key that was typed ahead does not count", "enter y n a", "the end of q1", ""},
		{"a key that repeats never counts", "enter y . y", "answered", "q1 true once"},
		{"yes", "enter . y", "answered", "q1 true once"},
		{"no", "enter . n", "answered", "q1 false"},
		{"another key is no answer", "enter . x . enter .", "the end of q1", ""},
		{"going back is no answer", "enter . esc . y", "1 waiting", ""},
		{"always shows the rule first", "enter . a", "Write it?", "q1 true always"},
		{"and a key typed ahead does not write it", "enter . a y", "Write it?", "q1 true always"},
		{"and no does not", "enter . a . n", "nothing was done", "q1 true always"},
		{"and yes does", "enter . a . y", "written", "q1 true always|written"},
		{"after a yes k shows the rule", "enter . y k", "Write it?", "q1 true once"},
		{"once", "enter . y k esc k", "nod watch", "q1 true once"},
		{"a decision is opened", "down down enter", "decision 2", ""},
		{"undo shows what it would do", "down u", "would restore 3", ""},
		{"and does it after a yes", "down u . y", "restored 3", "restored 3"},
		{"also from the decision's page", "down enter u . y", "restored 3", "restored 3"},
		{"undo of what is not kept", "end u", "no file is kept", ""},
		{"a filter", "/ d e n y", "filter: deny_", ""},
		{"hides what lacks a word, and no question", "/ r m enter", `1 waiting  "rm": 2 of 3 shown`, ""},
		{"is taken back", "/ x backspace enter", "1 waiting  3 shown", ""},
		{"its letters are no keys", "/ q u enter", `"qu": 0 of 3 shown`, ""},
	} {
		h := newHand(80, 24)
		h.send(h.seen())
		h.press(row.keys)
		if !strings.Contains(h.shown(), row.shows) {
			t.Errorf("%s: no %q in\n%s", row.name, row.shows, h.shown())
		}
		if got := strings.Join(h.did, "|"); got != row.did {
			t.Errorf("%s: did %q, want %q", row.name, got, row.did)
		}
	}
}

// A yes to a long question counts once its end was on the screen, and the time begins anew with what comes there.
func TestALongQuestionIsReadFirst(t *testing.T) {
	for keys, want := range map[string]string{
		"enter . y . y": "", "enter . n": "q1 false", "enter . space y": "", "enter . space . y": "",
		"enter . end y": "", "enter . end . y": "q1 true once", "enter . end . up . y": "q1 true once",
	} {
		h := newHand(60, 20)
		h.send(shown.Seen{Waiting: []shown.Row{h.question("q1", 40)}})
		if h.press(keys); strings.Join(h.did, "|") != want {
			t.Errorf("%s: did %q, want %q", keys, h.did, want)
		}
	}
}

// What is over is not answered, and the next question not by a key for this one.
func TestAQuestionThatIsOver(t *testing.T) {
	h := newHand(80, 24)
	h.send(h.seen())
	h.press("enter .")
	h.send(shown.Seen{Waiting: []shown.Row{h.question("q2", 1)}})
	h.press("y . y . n")
	if !strings.Contains(h.shown(), "over: it was answered elsewhere") || len(h.did) > 0 {
		t.Errorf("did %q:\n%s", h.did, h.shown())
	}
	if h.press("esc y . y"); len(h.did) > 0 {
		t.Errorf("did %q", h.did)
	}
}

// The chosen row stays chosen when others come; 200 are kept; and every line fits.
func TestTheListStays(t *testing.T) {
	for _, size := range [][2]int{{140, 50}, {80, 24}, {60, 20}, {30, 8}, {5, 3}, {1, 1}} {
		h := newHand(size[0], size[1])
		h.send(h.seen())
		h.press("down down")
		for i := range 300 {
			h.send(shown.Seen{New: []shown.Row{h.entry(fmt.Sprint("n", i), "allow", strings.Repeat("東京❤️ ", 40))}})
			if i == 50 {
				h.press("enter esc")
				if _, at, _ := strings.Cut(h.at, " "); h.at != "2" {
					t.Errorf("%v: %q is chosen (%s)", size, h.at, at)
				}
			}
		}
		if len(h.rows) != most {
			t.Errorf("%d rows are kept", len(h.rows))
		}
		for _, keys := range []string{"up", "enter", "esc", "/ a"} {
			h.press(keys)
			lines := strings.Split(h.shown(), "\n")
			for _, line := range lines {
				if ansi.StringWidthWc(line) > size[0] && size[0] >= 60 {
					t.Errorf("%v: too long: %q", size, line)
				}
			}
			if len(lines) != size[1] && size[1] >= 8 {
				t.Errorf("%v: %d lines", size, len(lines))
			}
		}
	}
}

func TestWrapped(t *testing.T) {
	for _, row := range []struct {
		line string
		want []string
	}{
		{"short", []string{"short"}},
		{"", []string{""}},
		{"why\tone two three four five", []string{"whyone two", "   three four", "   five"}},
		{"  one two three four", []string{"  one two", "    three", "    four"}},
		{"  rm --the -rf /", []string{"  rm --the", "    -rf /"}},
		{"aaaaaaaaaaaaaaaaaaaa", []string{"aaaaaaaaaaa", "  aaaaaaaaa"}},
		{"東京東京東京東京", []string{"東京東京東", "  京東京"}},
	} {
		if diff := cmp.Diff(row.want, wrapped(row.line, 13)); diff != "" {
			t.Errorf("%q: %s", row.line, diff)
		}
	}
}
