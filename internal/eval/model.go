package eval

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
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
	return nod.Classification{}, &fault.Error{Kind: fault.NoModel, Message: "only counted"}
}

// Answers is a model that asks another one and writes each answer down, so
// that a run which was interrupted goes on where it stopped, and the same
// question is never paid for twice. Failures are not kept. It is safe for
// concurrent use.
type Answers struct {
	// RetryAfter says how long a vendor wants to be left alone after a failure;
	// nil: it does not say.
	RetryAfter func(error) time.Duration
	// Profile is what the model is shown; it is written beside each answer.
	Profile nod.Profile

	name string // of the model, as its settings have it
	next nod.Model
	file *os.File

	mu    sync.Mutex
	known map[string]nod.Classification
	took  map[string]int64 // milliseconds, by key
	used  map[string]bool  // keys that this run asked for
	err   error            // of the file, or of the key; every question fails after it
	again int              // which repeat is asked
}

// Repeat says which repeat of the same questions comes next, 0 for the first.
func (a *Answers) Repeat(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.again = n
}

// Err is what ended the run: a key that is refused, a file that cannot be
// written. nil where nothing did.
func (a *Answers) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

var _ nod.Model = (*Answers)(nil)

// answered is one line of a recording; docs/judge.md has the format.
type answered struct {
	Version int                `json:"v"`
	Key     string             `json:"key"`
	Model   string             `json:"asked,omitempty"`   // whom, and how
	Profile string             `json:"profile,omitempty"` // what the model was shown
	Took    int64              `json:"took_ms,omitempty"`
	Answer  nod.Classification `json:"answer"`
}

// OpenAnswers reads the answers in a file, which is made where it is missing,
// and adds to it what next answers. A file that holds anything else is an
// error with its line; a last line that was cut off is dropped.
func OpenAnswers(file, name string, next nod.Model) (*Answers, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // two models share one file
	if err != nil {
		return nil, err
	}
	a := newAnswers(name, next)
	a.file = f
	if err := a.read(file); err != nil {
		f.Close()
		return nil, err
	}
	return a, nil
}

func newAnswers(name string, next nod.Model) *Answers {
	return &Answers{name: name, next: next, known: map[string]nod.Classification{}, took: map[string]int64{},
		used: map[string]bool{}}
}

func (a *Answers) read(name string) error {
	in := bufio.NewReader(a.file)
	end := int64(0)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil { // a line without its end was cut off
			return a.file.Truncate(end)
		}
		l, ok := answerIn(line)
		if !ok {
			return fmt.Errorf("%s:%d: not an answer of nod eval --model; name another file", name, n)
		}
		if err := a.learn(l); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		end += int64(len(line))
	}
}

// errTwoAnswers refuses a recording that says both of one question: which of them counts
// would be the order of its lines.
var errTwoAnswers = errors.New("another answer to a question that a line before answers otherwise; remove one")

// learn takes a line of a recording.
func (a *Answers) learn(l answered) error {
	before, ok := a.known[l.Key]
	if ok && (before.ShouldBlock != l.Answer.ShouldBlock || before.Cleared != l.Answer.Cleared) {
		return errTwoAnswers
	}
	a.known[l.Key], a.took[l.Key] = l.Answer, l.Took
	return nil
}

// answerIn reads a line of a recording.
func answerIn(line []byte) (l answered, ok bool) {
	err := json.Unmarshal(line, &l)
	return l, err == nil && l.Version == 1 && len(l.Key) == 64
}

// Close closes the file.
func (a *Answers) Close() error {
	if a.file == nil {
		return nil // replayed
	}
	return a.file.Close()
}

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
	for _, part := range []string{a.name, nod.AnswerTool().Name, nod.AnswerTool().Description,
		string(nod.AnswerTool().Schema), p.System, p.Text(p.Careful), p.Quick} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	if a.again > 0 {
		fmt.Fprintf(h, "repeat %d", a.again)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Classify implements [nod.Model].
func (a *Answers) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	a.mu.Lock()
	key := a.key(p)
	answer, ok := a.known[key]
	a.used[key] = true
	err := a.err
	a.mu.Unlock()
	switch {
	case err != nil:
		return nod.Classification{}, err
	case ok:
		answer.Digest = p.Digest
		return answer, nil
	}
	began := time.Now()
	if answer, err = a.ask(ctx, p); err != nil {
		return answer, err
	}
	return answer, a.keep(key, answer, time.Since(began).Milliseconds())
}

const (
	// patience is how often a vendor that is overloaded is asked again, and
	// longestWait how long it is left alone at most before that.
	patience    = 6
	longestWait = 20 * time.Second
)

// ask waits where the vendor wants to be left alone, and ends the run where no
// question can be answered: then nothing that follows is worth a request.
func (a *Answers) ask(ctx context.Context, p nod.Prompt) (answer nod.Classification, err error) {
	for n := 0; ; n++ {
		answer, err = a.next.Classify(ctx, p)
		f := fault.Of(err)
		if f == nil {
			return answer, nil
		}
		switch f.Kind {
		case fault.RateLimited, fault.Overloaded:
			wait := time.Second << n
			if a.RetryAfter != nil {
				wait = max(wait, a.RetryAfter(err))
			}
			wait = min(wait, longestWait)
			if n == patience || ctx.Err() != nil {
				return answer, err
			}
			select {
			case <-ctx.Done():
				return answer, err
			case <-time.After(wait):
			}
		case fault.NoKey, fault.Unauthorized, fault.NotFound, fault.BadSettings:
			a.mu.Lock()
			a.err = errors.Join(a.err, err)
			a.mu.Unlock()
			return answer, err
		default:
			return answer, err
		}
	}
}

// Times are how long the answers that this run used took, in milliseconds: the
// median and the 99th percentile.
func (a *Answers) Times() (median, p99 float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var times []int64
	for key := range a.used {
		if _, answered := a.known[key]; answered {
			times = append(times, a.took[key])
		}
	}
	if slices.Sort(times); len(times) == 0 {
		return 0, 0
	}
	return float64(times[len(times)/2]), float64(times[len(times)*99/100])
}

func (a *Answers) keep(key string, answer nod.Classification, took int64) error {
	line, err := json.Marshal(answered{1, key, a.name, profileName(a.Profile), took, answer})
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[key], a.took[key] = answer, took
	if _, err := a.file.Write(append(line, '\n')); err != nil && a.err == nil {
		a.err = &fault.Error{Kind: fault.Internal, Message: "the answers cannot be written down", Cause: err}
	}
	return a.err
}
