package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
)

// answered answers a question. told says what came of it, and runs whether the call runs now.
func answered(state string, q question.Question, yes bool, scope question.Scope) (told string, runs bool, err error) {
	err = q.Answer(state, yes, scope, "a terminal", time.Now())
	switch {
	case errors.Is(err, question.ErrGone), errors.Is(err, question.ErrAnswered), errors.Is(err, question.ErrFits):
		return err.Error(), false, nil
	case err == nil && yes:
		return fmt.Sprintf("yes, %s: the call runs", scope), true, nil
	}
	return "no: the call does not run", false, err
}

// proposed is how far the rule holds that is offered after a yes of a scope, "" for none, and why it is.
func proposed(state string, one question.Question, scope question.Scope) (rule question.Scope, because string) {
	switch {
	case scope == question.Repository, scope == question.Always:
		return scope, ""
	case one.Lasting != "" && yesesTo(state, one) >= 2: // and this one
		return question.Always, "You have said yes to this call three times.\n"
	}
	return "", ""
}

// lastingRule is the rule that a yes of a scope writes, and the places that it is written by.
func lastingRule(p *Process, places config.Places, one question.Question, scope question.Scope) (ruleWriter,
	config.Places) {
	w := ruleWriter{list: "allow", verdict: nod.Allow, did: "let through", process: p}
	w.Entry = config.Entry{List: "allow", Text: one.Lasting}
	places.Root = one.Root
	if scope == question.Repository {
		w.only = one.Root
	}
	return w, places
}

// yesesTo counts the yeses to calls of the same words in the last month.
func yesesTo(state string, one question.Question) (n int) {
	said := audit.Filter{Kinds: []audit.Kind{audit.Approved}, Since: time.Now().Add(-30 * 24 * time.Hour)}
	for l, err := range audit.Newest(state, said) {
		if err == nil && l.RawTool == one.RawTool && string(l.Input) == string(one.Input) && len(l.Input) > 0 {
			n++
		}
	}
	return n
}

// yeses are what a yes of each scope says, led by its key.
var yeses = map[question.Scope]string{question.Once: "y  yes, once", question.Session: "s  yes, in this session",
	question.Repository: "r  yes, always in this repository", question.Always: "a  yes, always"}

// choices are the answers that a question has.
func choices(one question.Question) (text string) {
	for _, scope := range one.Scopes() {
		text += "  " + yeses[scope] + "\n"
	}
	return text + "  n  no (also when the time is up)\n"
}

// choice is the answer that a key means.
func choice(one question.Question, key string) (scope question.Scope, yes, known bool) {
	for _, scope := range one.Scopes() {
		if strings.HasPrefix(yeses[scope], key+" ") {
			return scope, true, true
		}
	}
	return "", false, key == "n"
}

// showQuestion shows a call that waits, in lines of so many columns. Everything in it may come from an agent.
func showQuestion(p *Process, q question.Question, columns int) {
	out := p.Stdout
	showInput(p, q.Input)
	if q.InputBytes > 0 {
		fmt.Fprintf(out, "  this is only the beginning of %d bytes, so it can only be denied\n", q.InputBytes)
	}
	if len(q.Does) > 0 {
		fmt.Fprintln(out, "\nwhat it does:")
	}
	for _, line := range q.Does {
		fold(out, columns, "  ", printable.Line(line, 400))
	}
	if q.Lost != "" {
		fold(out, columns, "what is lost: ", printable.Line(q.Lost, 400))
	}
	fold(out, columns, "why nod asks: ", printable.Line(q.Reason, 400))
}

// asker says who asks for what, and where.
func asker(p *Process, q question.Question) string {
	return fmt.Sprintf("%s wants to use %s in %s\nsession %s", printable.Line(q.Agent, 40),
		printable.Line(q.RawTool, 60), homely(p, inDir(q.Dir)), printable.Line(q.Session, 60))
}
