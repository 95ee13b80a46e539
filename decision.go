package nod

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/fault"
)

// Verdict is the answer to "may this call run?". The zero value denies, and
// the smaller of two verdicts is the stricter one.
type Verdict int8

const (
	Deny  Verdict = iota // must not run
	Ask                  // a person decides
	Allow                // may run without asking
)

// verdicts and layers are the names of the values, as they stand in the log.
const (
	verdicts = "deny ask allow"
	layers   = "none guard allowlist edit shell model approval"
)

// nameAt is the name at a place of a list; the first name where the place is outside the list.
func nameAt(list string, at int) string {
	names := strings.Fields(list)
	if at < 0 || at >= len(names) {
		at = 0
	}
	return names[at]
}

// placeOf is where a name stands in a list: 0, the strictest, with an error where it does not.
func placeOf(list string, name []byte) (int, error) {
	at := slices.Index(strings.Fields(list), string(name))
	if at < 0 {
		return 0, fmt.Errorf("%q is not one of: %s", name, list)
	}
	return at, nil
}

// String returns "deny", "ask" or "allow".
func (v Verdict) String() string { return nameAt(verdicts, int(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText accepts exactly what String returns.
func (v *Verdict) UnmarshalText(text []byte) error {
	at, err := placeOf(verdicts, text)
	*v = Verdict(at)
	return err
}

// Layer says which part of the flow decided. LayerNone means that no layer settled the call and no model is
// configured. LayerApproval means that a person had approved the call; it comes before the model.
type Layer int8

const (
	LayerNone Layer = iota
	LayerGuard
	LayerAllowlist
	LayerEdit
	LayerShell
	LayerModel
	LayerApproval
)

// String returns the layer's name as it stands in the log.
func (l Layer) String() string { return nameAt(layers, int(l)) }

// MarshalText implements encoding.TextMarshaler.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText accepts exactly what String returns.
func (l *Layer) UnmarshalText(text []byte) error {
	at, err := placeOf(layers, text)
	*l = Layer(at)
	return err
}

// Decision is the answer to one call. The zero value denies.
type Decision struct {
	ID             string // names the decision in the log and the dump directory
	Verdict        Verdict
	Layer          Layer
	Reason         string          // one line, escaped, for people and the model
	Rule           Rule            // the rule that decided; its Text is "" where none did
	Err            *fault.Error    // set if the answer came from a failure
	Notices        []string        // for the person, not for the model: a failure's cause, a log that cannot be written
	Classification *Classification // what the model answered, if it was asked and did
	Cost           float64         // in US dollars; 0 where no model was asked or its price is not known
	Latency        time.Duration
	Evidence       []Evidence // the files that the answer rests on
	// Definitions are what an allow rule was held to, whether it cleared its command or not: a
	// [Memory] learns them with the answer.
	Definitions []Evidence
	// Blocked says that the model said block, whether or not that stood. A [History] learns it and Basis, the reason.
	Blocked bool
	Basis   string
	// Approvable names the call where a person may approve it: layers 0 to 3 left it open, the answer
	// is not allow, and the gate has [Approvals].
	Approvable Approvable
	// Lasting is the allow rule that would have cleared the call, as a person writes it; "" where no
	// single rule would, where the call loses work or prints a secret, and without [Approvals].
	Lasting string
	// Instead is the line that runs the call behind nod's boundary, where nothing else speaks against
	// it than that it is not known. With a denial it is to be typed; with an allow ([Call].Rewrites)
	// it must run in the place of the call, and the call itself must not.
	Instead string
	// Deferrable says that no model was there to ask, that no rule speaks of the call, and that
	// nothing known of it loses work, gives away a secret or cannot be undone: a host's own judge may
	// decide. The zero value is that a person has to.
	Deferrable bool
	Kept       int // how many files and commits were kept before the call, for nod undo
	// Changes are the files, and directories with all below them, that the call may change, absolute, as far as they
	// are known. Secret says that it touches a secret store. A [Witness] learns them with the answer.
	Changes []string
	Secret  bool
}

// Settled reports whether layers 0 to 3 or a model decided, rather than the lack of a model.
func (d Decision) Settled() bool { return d.Layer != LayerNone && d.Err == nil }

// Recorder writes decisions down. It is safe for concurrent use. Begin is called before a model is
// asked, with the decision's id; Record once for every decision, before it is returned.
type Recorder interface {
	Begin(c Call, id string) error
	Record(c Call, d Decision) error
}

// Evidence is a file that was read to decide, with the SHA-256 of its bytes.
type Evidence struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}
