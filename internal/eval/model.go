package eval

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"sync"

	"github.com/nodgate/nod"
)

// Counter is a model that answers nothing and shows what would be asked.
type Counter struct {
	// Known says that a prompt needs no question. nil: none is known.
	Known func(nod.Prompt) bool
	// Asked is called with each prompt that is not known, from several
	// goroutines.
	Asked func(nod.Prompt)
}

var _ nod.Model = Counter{}

// Classify implements [nod.Model]. The row stays open.
func (c Counter) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	if c.Known == nil || !c.Known(p) {
		c.Asked(p)
	}
	return nod.Classification{}, &nod.Failure{Kind: nod.NoModel, Message: "only counted"}
}

// Answers is a model that asks another one and writes each answer down, so
// that a run which was interrupted goes on where it stopped, and the same
// question is never paid for twice. Failures are not kept. It is safe for
// concurrent use.
type Answers struct {
	name string // of the model, as its settings have it
	next nod.Model
	file *os.File

	mu    sync.Mutex
	known map[string]nod.Classification
	err   error // of the file; every question fails after it
}

var _ nod.Model = (*Answers)(nil)

// answered is one line of the file.
type answered struct {
	Version int                `json:"v"`
	Key     string             `json:"key"`
	Answer  nod.Classification `json:"answer"`
}

// OpenAnswers reads the answers in a file, which is made where it is missing,
// and adds to it what next answers. A file that holds anything else is an
// error with its line; a last line that was cut off is dropped.
func OpenAnswers(file, name string, next nod.Model) (*Answers, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	a := &Answers{name: name, next: next, file: f, known: map[string]nod.Classification{}}
	if err := a.read(file); err != nil {
		f.Close()
		return nil, err
	}
	return a, nil
}

func (a *Answers) read(name string) error {
	in := bufio.NewReader(a.file)
	end := int64(0)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil { // a line without its end was cut off
			if err := a.file.Truncate(end); err != nil {
				return err
			}
			_, err := a.file.Seek(end, 0)
			return err
		}
		var l answered
		if err := json.Unmarshal(line, &l); err != nil || l.Version != 1 || len(l.Key) != 64 {
			return fmt.Errorf("%s:%d: not an answer of nod eval --model; name another file", name, n)
		}
		a.known[l.Key] = l.Answer
		end += int64(len(line))
	}
}

// Close closes the file.
func (a *Answers) Close() error { return a.file.Close() }

// Known reports whether a prompt was answered before.
func (a *Answers) Known(p nod.Prompt) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.known[a.key(p)]
	return ok
}

// key is the model and all that it is shown.
func (a *Answers) key(p nod.Prompt) string {
	h := sha256.New()
	for _, part := range []string{a.name, p.System, p.Text(p.Careful), p.Quick} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Classify implements [nod.Model].
func (a *Answers) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	a.mu.Lock()
	answer, ok := a.known[a.key(p)]
	err := a.err
	a.mu.Unlock()
	switch {
	case err != nil:
		return nod.Classification{}, err
	case ok:
		answer.Digest = p.Digest
		return answer, nil
	}
	if answer, err = a.next.Classify(ctx, p); err != nil {
		return answer, err
	}
	return answer, a.keep(p, answer)
}

func (a *Answers) keep(p nod.Prompt, answer nod.Classification) error {
	line, err := json.Marshal(answered{1, a.key(p), answer})
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[a.key(p)] = answer
	if _, err := a.file.Write(append(line, '\n')); err != nil && a.err == nil {
		a.err = &nod.Failure{Kind: nod.Internal, Message: "the answers cannot be written down", Cause: err}
	}
	return a.err
}

// said is the conversation of a row: what its file says the person asked for.
func said(r *Row) func(context.Context) iter.Seq2[nod.Turn, error] {
	if r.Context == "" {
		return nil
	}
	return func(context.Context) iter.Seq2[nod.Turn, error] {
		return func(yield func(nod.Turn, error) bool) {
			yield(nod.Turn{Origin: nod.OriginPerson, Text: r.Context}, nil)
		}
	}
}
