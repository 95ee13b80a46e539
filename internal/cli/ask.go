package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
)

// queue is nod ask without a rule: the questions of all sessions and agents, one after the other, at this terminal.
type queue struct {
	process *Process
	places  config.Places
	lines   chan string // what the person types; closed at the end of it
	keep    question.Question
	past    map[string]bool // left alone here, by id
}

// look is how often the queue looks for questions.
const look = 100 * time.Millisecond

func answerQueue(ctx context.Context, p *Process, places config.Places) error {
	if err := personHere(p); err != nil {
		return err
	}
	settings, err := config.Load(places)
	if err == nil && (!settings.Approvals || settings.Questions.Wait == 0) {
		err = errors.New(`the settings switch questions off (approvals, or wait in [questions])`)
	}
	if err != nil {
		return err
	}
	stop, err := question.Listen(places.State)
	if err != nil {
		return err
	}
	defer stop()
	q := &queue{process: p, places: places, lines: make(chan string), past: map[string]bool{}}
	go q.read(p.Stdin)
	fmt.Fprintln(p.Stdout, "Calls for which your agents cannot ask you wait here. q ends.")
	for ctx.Err() == nil {
		list, err := question.Open(places.State, time.Now())
		if err != nil {
			return err
		}
		for _, one := range list {
			if !q.past[one.ID] {
				q.past[one.ID] = true
				if err := q.ask(ctx, one); err != nil {
					return err
				}
			}
		}
		line, typed, ended := q.line(ctx, look)
		switch {
		case ended, line == "q":
			return nil
		case typed && line == "k" && q.keep.Lasting != "":
			q.offer(ctx, question.Always)
		}
	}
	return nil
}

func (q *queue) read(in io.Reader) {
	defer close(q.lines)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		q.lines <- strings.ToLower(strings.TrimSpace(lines.Text()))
	}
}

// line returns what is typed within a time.
func (q *queue) line(ctx context.Context, within time.Duration) (text string, typed, ended bool) {
	select {
	case text, open := <-q.lines:
		return text, open, !open
	case <-ctx.Done():
		return "", false, true
	case <-time.After(within):
		return "", false, false
	}
}

// Read gives what is typed to those who read an input. It ends with the input.
func (q *queue) Read(into []byte) (int, error) {
	line, open := <-q.lines
	if !open {
		return 0, io.EOF
	}
	return copy(into, line+"\n"), nil
}

// ask shows one question and takes its answer.
func (q *queue) ask(ctx context.Context, one question.Question) error {
	out := q.process.Stdout
	fmt.Fprintf(out, "\n%s, %s left\n\n", asker(q.process, one), time.Until(one.Until).Round(time.Second))
	showQuestion(q.process, one, 79)
	fmt.Fprint(out, "\n", choices(one), "> ")
	for {
		line, typed, ended := q.line(ctx, look)
		switch scope, yes, known := choice(one, line); {
		case ended:
			fmt.Fprintln(out)
			return q.say(one, false, "")
		case typed && known:
			return q.say(one, yes, scope)
		case typed:
			fmt.Fprint(out, choices(one), "> ")
			continue
		}
		if _, err := question.Find(q.places.State, one.ID, time.Now()); err != nil {
			fmt.Fprint(out, "\nover: it was answered elsewhere, its time is up, or its agent has gone; press Enter ")
			q.line(ctx, time.Hour) // what was meant for this question must not answer the next one
			return nil
		}
	}
}

// say answers, and offers the rule that a yes asks for.
func (q *queue) say(one question.Question, yes bool, scope question.Scope) error {
	out := q.process.Stdout
	told, runs, err := answered(q.places.State, one, yes, scope)
	if err != nil {
		return err
	}
	if fmt.Fprintln(out, told); !runs {
		return nil
	}
	q.keep = one
	switch rule, because := proposed(q.places.State, one, scope); {
	case rule != "":
		fmt.Fprint(out, because)
		q.offer(context.Background(), rule)
	case one.Lasting != "":
		fmt.Fprintf(out, "k keeps the rule that would have saved the question: allow = [%s]\n", quoted(one.Lasting))
	}
	return nil
}

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

// offer shows what else the rule of the last yes would have let through, asks, and writes it.
func (q *queue) offer(ctx context.Context, scope question.Scope) {
	p := *q.process
	p.Stdin = q
	w, places := lastingRule(&p, q.places, q.keep, scope)
	if err := w.offer(ctx, places); err != nil {
		fmt.Fprintln(p.Stdout, printableLines(err.Error()))
	}
	q.keep = question.Question{}
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

// scopes are the keys of the answers that are yes.
var scopes = []struct {
	key   string
	scope question.Scope
	text  string
}{
	{"y", question.Once, "y  yes, once"},
	{"s", question.Session, "s  yes, in this session"},
	{"r", question.Repository, "r  yes, always in this repository"},
	{"a", question.Always, "a  yes, always"},
}

// choices are the answers that a question has.
func choices(one question.Question) string {
	var b strings.Builder
	for _, c := range scopes {
		if slices.Contains(one.Scopes(), c.scope) {
			b.WriteString("  " + c.text + "\n")
		}
	}
	return b.String() + "  n  no (also when the time is up)\n"
}

// choice is the answer that a line means.
func choice(one question.Question, line string) (scope question.Scope, yes, known bool) {
	for _, c := range scopes {
		if (line == c.key || line == "yes" && c.key == "y") && slices.Contains(one.Scopes(), c.scope) {
			return c.scope, true, true
		}
	}
	return "", false, line == "n" || line == "no"
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
