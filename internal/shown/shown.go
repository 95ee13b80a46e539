// Package shown is what the nod command hands to the views that nod-serve draws: the page of nod ui ([Page]) and the
// one that nod watch draws in a terminal ([Desk]). It draws nothing, so that nod need not link what draws.
package shown

import (
	"context"
	"net"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/question"
)

// Page is what nod ui shows and where it stands.
type Page struct {
	State string       // nod's state directory
	Log   *index.Index // over the log in it
	// Origins are how a browser may name the page, such as "http://127.0.0.1:7311". There is no other way in.
	Origins []string
	Asks    bool   // has calls wait for an answer while somebody has a session
	Home    string // the person's, shown as ~
	Words   Words
	Rules   Rules
	// Agent names the coding agent that a connection comes from. nil asks the system.
	Agent func(remote, local net.Addr) (name string, is bool)
	Now   func() time.Time // nil: the clock
}

// Words are the command's own words for what the log holds, so that the page says what nod log and nod why say.
type Words struct {
	Call  func(audit.Entry) string // what the call would do, in few words
	Said  func(audit.Entry) string // the verdict, and what the agent was told
	Why   func(audit.Entry) string
	About func(context.Context, audit.Entry) []Section // the whole way of a decision
}

// Section is a part of what is known of a decision.
type Section struct {
	Title string
	Rows  [][2]string
	Text  string // as a program would print it
}

// Rules shows and changes the person's rules.
type Rules interface {
	// List returns every rule that holds somewhere, with its origin.
	List() ([]Rule, error)
	// Preview says what an edit would have done with the calls in the log. An error is one that a person can mend.
	Preview(ctx context.Context, e Edit) (string, error)
	Write(e Edit) error
}

// Rule is an entry of a list in the settings.
type Rule struct {
	List, Text, Origin, Scope string
	Own                       bool // stands in the person's own file, outside of a [[repository]]
}

// Edit is a change of the person's own rules: Text comes into List, and Was goes out of it.
type Edit struct {
	List, Text, Was string
	Root            string // holds in this repository only; "" everywhere
}

// Row is a line of the list. Its texts are fit to be shown. Those that are empty show as "-".
type Row struct {
	Key                             string // names the row; no two have the same
	ID                              string // the decision's
	Time                            time.Time
	Verdict, Agent, Tool, Call, Why string
	Kept                            bool   // files can be put back
	About                           string // the row's own page, in lines; a tab ends a label
	// Question is the call that waits; nil for an entry of the log.
	Question *question.Question
}

// Seen is what a look has found.
type Seen struct {
	New     []Row // of the log, oldest first
	Waiting []Row // all questions, oldest first
	Problem string
}

// Reply is what came of a key. A text of one line without more to do is shown below the list, another one on a page.
type Reply struct {
	Title, Text string
	Ask         string // what Yes would do, as a question; "" for nothing
	Yes         func() Reply
	Keep        func() Reply // what the key k does from now on
}

// Desk knows what there is to show and does what is asked for. Look is called by itself only; the others at any time.
type Desk interface {
	Look(ctx context.Context) Seen
	// Choice is the answer that a key means for a question; known is false for none.
	Choice(q question.Question, key string) (scope question.Scope, yes, known bool)
	Answer(ctx context.Context, q question.Question, yes bool, scope question.Scope) Reply
	// Undo says what would be put back. Its Yes does it.
	Undo(ctx context.Context, id string) Reply
}
