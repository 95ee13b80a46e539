package client

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/team"
)

// Asked are the questions that wait on a machine now, all of them.
type Asked struct {
	Version   int         `json:"v"`
	Questions []AskedCall `json:"questions"`
}

// AskedCall is one of them.
type AskedCall struct {
	Question question.Question `json:"question"`
	Left     int64             `json:"left_ms"` // how long it waits from now on; the two clocks may differ
}

// Answers are what a machine hears. Asks says that the organisation has people who answer: only then does a machine
// say to its agents that somebody is there.
type Answers struct {
	Version int      `json:"v"`
	Asks    bool     `json:"asks"`
	Answers []Signed `json:"answers"`
}

// Answer is what a person said elsewhere to one question of one machine.
type Answer struct {
	Version  int            `json:"v"`
	Machine  string         `json:"machine"`
	Question string         `json:"question"` // its id
	Key      string         `json:"key"`
	Yes      bool           `json:"yes"`
	Scope    question.Scope `json:"scope,omitempty"`
	By       string         `json:"by"`
	At       time.Time      `json:"at"`
}

// Signed is an answer that the organisation has signed. Text is its JSON; both are base64.
type Signed struct {
	Text      string `json:"text"`
	Signature string `json:"signature"`
}

// purpose stands before what is signed, so that a signature of something else fits no answer.
const purpose = "nod answer 1\n"

// Sign signs an answer with the organisation's key.
func (a Answer) Sign(key ed25519.PrivateKey) (Signed, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return Signed{}, err
	}
	encode := base64.StdEncoding.EncodeToString
	return Signed{encode(text), encode(ed25519.Sign(key, append([]byte(purpose), text...)))}, nil
}

// Open returns a signed answer to a question of the machine that has this membership.
func (s Signed) Open(m team.Member) (a Answer, err error) {
	key, err := base64.StdEncoding.DecodeString(m.Key)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return a, errors.New("the membership holds no key of the organisation; join again")
	}
	text, err := base64.StdEncoding.DecodeString(s.Text)
	signature, wrong := base64.StdEncoding.DecodeString(s.Signature)
	switch {
	case err != nil || wrong != nil || !ed25519.Verify(key, append([]byte(purpose), text...), signature):
		return a, errors.New("an answer that the organisation did not sign")
	case json.Unmarshal(text, &a) != nil || a.Version != 1:
		return Answer{}, errors.New("an answer that this nod cannot read; update it")
	case a.Machine != m.Machine:
		return Answer{}, errors.New("an answer to another machine")
	}
	return a, nil
}
