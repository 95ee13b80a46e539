package hook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/session"
)

// A rule over time that holds now is a rule of hard_deny or ask for this one call, so that everything that those hold
// against (wrappers, runners, spellings) it holds against too. What a call matched is kept with the session's memory.

// armed says why a rule over time forbids its calls now, "" where it does not.
func armed(q config.Sequence, done []session.Record, now time.Time) (why string) {
	any := func(r session.Record, patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			return p == config.TouchesSecret && r.Secret || slices.Contains(r.Marks, p)
		})
	}
	if len(q.Needs) > 0 {
		for _, r := range slices.Backward(done) {
			if slices.ContainsFunc(q.Needs, func(p string) bool { return slices.Contains(r.Marks, whole+p) }) {
				if !r.Failed {
					return ""
				}
			} else if r.Edit {
				break
			}
		}
		return "none of " + strings.Join(q.Needs, ", ") + " has succeeded since the last edit"
	}
	n := 0
	for _, r := range done {
		if any(r, q.After) {
			return "it comes after what this session has done before"
		}
		if q.AtMost > 0 && any(r, q.Call) && now.Sub(r.At) < q.Time {
			n++
		}
	}
	if q.AtMost > 0 && n >= q.AtMost {
		return fmt.Sprintf("there were %d within %s", n, q.Within)
	}
	return ""
}

// arm adds the rules over time that hold now to the rules of this call.
func (b *book) arm(c nod.Call, now time.Time) {
	if len(b.settings.Sequences) == 0 {
		return
	}
	b.marked, b.why = b.marks(c), map[string]string{}
	done := append(b.memory.Done(), session.Record{Marks: b.marked}) // one line may do both
	for _, q := range b.settings.Sequences {
		why := armed(q, done, now)
		if !b.memory.Remembers() {
			why = "what this session has done is not known"
		}
		if why == "" {
			continue
		}
		q.Arm(&b.settings.Rules)
		if b.why[q.Origin] = q.Name + ": " + why; q.Verdict == "" || q.Verdict == "observe" {
			b.watched = append(b.watched, q)
		}
	}
}

// because is a decision with the reason of the rule over time that made it.
func (b *book) because(d nod.Decision) nod.Decision {
	if why := b.why[d.Rule.Origin]; why != "" {
		d.Reason = why
	}
	return d
}

// matches reports whether a pattern of hard_deny would deny a call.
func (b *book) matches(c nod.Call, rules ...nod.Rule) bool {
	only := nod.Rules{HardDeny: rules, Secrets: []string{}, Guarded: []string{}}
	d := nod.New(nod.Options{Rules: only, Files: b.run.Files, Home: b.run.Places.Home, Roots: b.settings.Roots,
		Now: b.run.Now}).Check(context.Background(), c)
	return d.Verdict == nod.Deny && d.Rule.Text != ""
}

// whole stands before a mark of a call that is the pattern and nothing else.
const whole = "= "

// marks are the patterns of rules over time that a call matches.
func (b *book) marks(c nod.Call) (marks []string) {
	for _, q := range b.settings.Sequences {
		for _, text := range q.Needs {
			if succeeds(c, text) {
				marks = append(marks, whole+text)
			}
		}
		for _, text := range slices.Concat(q.Call, q.After) {
			if text != config.TouchesSecret && !slices.Contains(marks, text) && b.matches(c, nod.Rule{Text: text}) {
				marks = append(marks, text)
			}
		}
	}
	return marks
}

// succeeds reports whether the success of a call is that of the pattern's command: it is the whole line, in the
// foreground. What follows "WORDS *" holds no word of the shell's, and asks for no help.
func succeeds(c nod.Call, pattern string) bool {
	words, more := strings.CutSuffix(pattern, " *")
	rest, is := strings.CutPrefix(strings.TrimSpace(c.Command), words)
	plain := !strings.ContainsAny(rest, "|&;<>()$`\n\\") &&
		!slices.ContainsFunc(strings.Fields(rest), func(word string) bool {
			return word == "-h" || word == "--help" || word == "--version"
		})
	return is && (rest == "" || more && rest[0] == ' ' && plain) &&
		!strings.Contains(string(c.Input), "run_in_background")
}

// edits reports whether a call may change a file that is not git's own.
func edits(c nod.Call, d nod.Decision) bool {
	return len(c.Edits) > 0 || slices.ContainsFunc(d.Changes, func(name string) bool {
		return !strings.Contains(name+"/", "/.git/")
	})
}

// observed are the rules over time that would have forbidden a call.
func (b *book) observed(c nod.Call) (names []string) {
	for _, q := range b.watched {
		if b.matches(c, q.Calls...) {
			names = append(names, q.Name)
		}
	}
	return names
}
