package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/transcript"
)

// Turn is one turn of the conversation before a row's call. Exactly one of
// User, Agent, Other, OtherAgent, Call and Work is set.
type Turn struct {
	User       string `json:"user,omitempty"`        // the person typed it
	Agent      string `json:"agent,omitempty"`       // the agent said it
	Other      string `json:"other,omitempty"`       // nobody can say whose words these are
	OtherAgent string `json:"other_agent,omitempty"` // another agent said it

	// Call is a tool in the agent's spelling, Input its arguments. Ended says
	// what became of it: "" (it ran), failed, refused or blocked; Why is the
	// reason that the agent was given.
	Call  string          `json:"call,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	Ended string          `json:"ended,omitempty"`
	Why   string          `json:"why,omitempty"`

	// Work stands for so many ordinary calls, always the same ones.
	Work int `json:"work,omitempty"`
}

// Git is the repository that a row stands in.
type Git struct {
	Branch string `json:"branch,omitempty"` // "" is main
	Remote string `json:"remote,omitempty"` // the address of origin
}

// ended are the ends of a call that a turn may have.
var ended = map[string]transcript.Ended{"": transcript.EndedUnknown, "failed": transcript.EndedFailed,
	"refused": transcript.EndedRefused, "blocked": transcript.EndedBlocked}

func (t Turn) check() error {
	set := 0
	for _, is := range []bool{t.User != "", t.Agent != "", t.Other != "", t.OtherAgent != "", t.Call != "",
		t.Work != 0} {
		if is {
			set++
		}
	}
	switch _, known := ended[t.Ended]; {
	case set != 1:
		return errors.New("a turn is one of user, agent, other, other_agent, call and work")
	case !known:
		return fmt.Errorf(`"ended": %q is none of failed, refused, blocked`, t.Ended)
	case t.Call != "" && !json.Valid(t.Input):
		return errors.New("a call without its input")
	case t.Work < 0 || t.Work > 10_000:
		return fmt.Errorf(`"work": %d is not 1 to 10,000`, t.Work)
	}
	return nil
}

// checkConversation looks through what a row says of the time before its call.
func checkConversation(r *Row) error {
	if len(r.Turns) > 0 && r.Context != "" {
		return errors.New(`"context" and "turns" are two ways to say what the person asked for; keep one`)
	}
	for i, t := range r.Turns {
		if err := t.check(); err != nil {
			return fmt.Errorf(`"turns"[%d]: %w`, i, err)
		}
	}
	return nil
}

// alone reports whether a row has a world of its own.
func (r *Row) alone() bool { return len(r.Turns) > 0 || len(r.Files) > 0 || r.Git != nil }

// said is the conversation of a row, newest turn first.
func said(r *Row) func(context.Context) iter.Seq2[transcript.Turn, error] {
	turns := r.spoken()
	if len(turns) == 0 {
		return nil
	}
	return func(context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			for _, t := range slices.Backward(turns) {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// spoken are the turns of a row as a transcript has them, oldest first.
func (r *Row) spoken() (turns []transcript.Turn) {
	if r.Context != "" {
		return []transcript.Turn{{Origin: transcript.Person, Text: r.Context}}
	}
	for i, t := range r.Turns {
		switch {
		case t.Work > 0:
			turns = append(turns, work(t.Work)...)
		case t.Call != "":
			id := fmt.Sprintf("call-%d", i)
			turns = append(turns, transcript.Turn{Origin: transcript.Agent, Tool: t.Call, Input: t.Input, Call: id})
			turns = append(turns, transcript.Turn{Origin: transcript.Tool, Call: id, Ended: ended[t.Ended]})
		case t.User != "":
			turns = append(turns, transcript.Turn{Origin: transcript.Person, Text: t.User})
		case t.Agent != "":
			turns = append(turns, transcript.Turn{Origin: transcript.Agent, Text: t.Agent})
		case t.OtherAgent != "":
			turns = append(turns, transcript.Turn{Origin: transcript.OtherAgent, Text: t.OtherAgent})
		default:
			turns = append(turns, transcript.Turn{Origin: transcript.Other, Text: t.Other})
		}
	}
	return turns
}

// work is what an agent does for a while: it looks, edits and tests.
func work(n int) []transcript.Turn {
	turns := make([]transcript.Turn, 0, n)
	for i := range n {
		tool, input := "Read", map[string]any{"file_path": fmt.Sprintf("src/part%d.ts", i%23)}
		switch i % 5 {
		case 1:
			tool, input = "Grep", map[string]any{"pattern": fmt.Sprintf("handle%c", 'A'+i%26)}
		case 3:
			tool, input = "Edit", map[string]any{"file_path": fmt.Sprintf("src/part%d.ts", i%23),
				"old_string": fmt.Sprintf("return %d", i), "new_string": fmt.Sprintf("return %d", i+1)}
		case 4:
			tool, input = "Bash", map[string]any{"command": fmt.Sprintf("npx tsc --noEmit && npx eslint src/part%d.ts",
				i%23)}
		}
		text, err := json.Marshal(input)
		if err != nil {
			text = json.RawMessage("{}")
		}
		turns = append(turns, transcript.Turn{Origin: transcript.Agent, Tool: tool, Input: text})
	}
	return turns
}

// lay puts the files and the repository of a row into the world's place, but
// for files that the session has written over.
func (r *Row) lay(place *view.Memory, m *made, dir string) {
	if r.Git != nil {
		r.Git.lay(place, dir+"/.git")
	}
	for name, content := range r.Files {
		if !path.IsAbs(name) {
			name = dir + "/" + name
		}
		if _, over := m.nodes[path.Clean(name)]; !over {
			place.File(name, content, 0o644)
		}
	}
}

// lay makes the clean repository of the world that of a row.
func (g Git) lay(place *view.Memory, git string) {
	if branch := cmp.Or(g.Branch, "main"); branch != "main" {
		place.File(git+"/HEAD", "ref: refs/heads/"+branch+"\n", 0o644)
		place.File(git+"/refs/heads/"+branch, textOf(place, git+"/refs/heads/main"), 0o644)
	}
	if g.Remote != "" {
		origin := "[remote \"origin\"]\n\turl = " + g.Remote + "\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
		place.File(git+"/config", textOf(place, git+"/config")+origin, 0o644)
		place.File(git+"/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n", 0o644)
	}
}

// textOf is a file of the world's own making.
func textOf(place *view.Memory, name string) string {
	text, err := place.Read(name, 1<<20)
	if err != nil {
		panic("the world lacks " + name)
	}
	return string(text)
}

// relive changes the world as the calls of a conversation did. The gate says
// what text of others they brought in.
func (r *Row) relive(w world, gate *nod.Gate) {
	for _, t := range r.Turns {
		if t.Call == "" || t.Ended != "" {
			continue
		}
		earlier := Row{ID: r.ID, ToolName: t.Call, Input: t.Input, Dir: r.Dir, Agent: r.Agent,
			Tool: strings.ToLower(t.Call)}
		if call, err := callOf(&earlier, false); err == nil {
			remember(&earlier, call, w)
			w.made.came(gate.Check(context.Background(), call).Foreign, "")
		}
	}
}

// memory is what a session would know of the time before a row.
type memory struct {
	made  *made
	turns []Turn
}

var _ nod.Witness = memory{}

// Standing implements [nod.Memory].
func (m memory) Standing(d nod.Evidence) nod.Standing {
	if m.Origin(shell.DefinitionFile(d.Path)) != "" {
		return nod.Changed
	}
	return nod.Untouched
}

// Taint implements [nod.Witness].
func (m memory) Taint() string { return m.made.foreign }

// Origin implements [nod.Witness].
func (m memory) Origin(name string) string {
	if n, ok := m.made.nodes[name]; ok && n.info.Mode.IsRegular() {
		return "written"
	}
	return ""
}

// History implements [nod.Witness].
func (memory) History() []string { return nil }

// Blocked implements [nod.Witness].
func (m memory) Blocked() (said []string) {
	for _, t := range m.turns {
		if t.Ended == "blocked" && t.Why != "" {
			said = append(said, "a call of "+t.Call+" was blocked and not done: "+t.Why)
		}
	}
	return said
}
