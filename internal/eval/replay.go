package eval

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// NotRecorded is the kind of failure of a question that a recording does not
// hold: another prompt, another row, another nod.
const NotRecorded fault.Kind = "not_recorded"

// Recording is answers that were written down before. It asks nobody, and needs
// neither settings nor a key.
type Recording struct {
	Models  []Replayed  // in the order of their first answers
	Profile nod.Profile // what they were shown
}

// Replayed answers as one model did.
type Replayed struct {
	Name string // whom, and how
	*Answers
}

// OpenRecording reads a recording. Anything else than whole answers, all of one
// profile, is an error with its line.
func OpenRecording(name string) (Recording, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Recording{}, err
	}
	var r Recording
	at, shown, n := map[string]int{}, "", 0
	for line := range bytes.Lines(text) {
		n++
		l, ok := answerIn(line)
		if !ok {
			return Recording{}, fmt.Errorf("%s:%d: not an answer of nod eval --record", name, n)
		}
		if n > 1 && l.Profile != shown {
			return Recording{}, fmt.Errorf("%s:%d: the profile %q, after %q; replay the two apart", name, n, l.Profile,
				shown)
		}
		shown = l.Profile
		i, ok := at[l.Model]
		if !ok {
			i, at[l.Model] = len(r.Models), len(r.Models)
			r.Models = append(r.Models, Replayed{l.Model, newAnswers(l.Model, unrecorded{})})
		}
		if err := r.Models[i].learn(l); err != nil {
			return Recording{}, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if n == 0 {
		return Recording{}, fmt.Errorf("%s:1: no answers", name)
	}
	r.Profile, err = profileOf(shown)
	return r, err
}

// unrecorded is asked what the recording does not hold.
type unrecorded struct{}

// Classify implements [nod.Model].
func (unrecorded) Classify(context.Context, nod.Prompt) (nod.Classification, error) {
	return nod.Classification{}, &fault.Error{Kind: NotRecorded,
		Message: "the recording holds no answer to this question"}
}

// profiles are what a model can be shown, by their names in a recording.
func profiles() map[string]nod.Profile {
	return map[string]nod.Profile{"ledger/1": nod.Profile{Ledger: true, Stages: 1},
		"ledger/2": nod.Profile{Ledger: true, Stages: 2}, "last20": nod.Profile{},
		"last20/arrays": nod.Profile{Arrays: true}}
}

func profileName(p nod.Profile) string {
	for name, known := range profiles() {
		if known == p {
			return name
		}
	}
	return ""
}

func profileOf(name string) (nod.Profile, error) {
	if name == "" {
		name = "ledger/2" // written before profiles were
	}
	p, ok := profiles()[name]
	if !ok {
		return p, fmt.Errorf("the profile %q is not known", name)
	}
	return p, nil
}
