package probe

// Sign is one thing that makes a text read like orders to an agent.
type Sign uint8

// The signs.
const (
	Overrides  Sign = iota // ignore, then your or all or previous, then a word for instructions
	Drops                  // a verb of overriding that begins a sentence, a word for instructions near
	Waives                 // a verb of overriding that begins a sentence, then all or your
	Addressed              // an assistant is spoken to by a name for it
	Ordered                // an assistant, or you, then must, should, are required to
	Polite                 // please, then a verb of doing
	SendsTo                // a verb of sending that gives an order, then an address
	SendsWhat              // a verb of sending, and a secret or something personal
	ThenSends              // an order to get something, then one to send it
	GetsSecret             // an order to get a secret or something personal
	Runs                   // an order to run a command, script or what follows
	Harms                  // an order to delete, grant, pay, unlock, with whose
	Orders                 // any other order about something of mine
	Conceals               // without telling, do not mention
	Secretly               // silently, in secret, in an order
	Approved               // somebody is said to have approved it
	Office                 // a claim of office before a word for instructions
	Haste                  // a word of haste in capitals or with exclamation marks
	Role                   // a marker that poses as the host's own: <system>, [INST]
	ToolShape              // something that poses as a tool call
	Invisible              // characters that nobody is shown
	HiddenText             // orders in a comment or in markup that is not shown
	Encoded                // a blob, and a word for decoding near
	Decoded                // a blob that decodes to something with signs of its own
	Recast                 // you are now, from now on, new instructions
	Detour                 // before answering, instead of going on
	Says                   // an order to say, answer or report something
	ByTool                 // an order, and which tool to use for it
	Bound                  // an assistant, then must, should or is required to
	Mixed                  // a word of letters of two scripts
	Signs      = iota
)

// String names the sign in a few words.
func (s Sign) String() string {
	names := [Signs]string{"overrides instructions", "drops instructions", "waives something", "speaks to an assistant", "orders the reader", "asks politely for an action",
		"sends to an address", "sends something private", "gets, then sends", "gets something private", "orders to run", "orders harm", "orders about somebody's things",
		"conceals", "acts secretly", "claims an approval", "claims an office", "hastens", "poses as a role", "poses as a tool call", "invisible characters",
		"orders in hidden text", "a blob to decode", "orders in a blob", "recasts the reader", "a detour before the task", "dictates an answer", "names a tool to use", "binds an assistant", "mixed scripts"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// weights are those that measure --fit printed. One is set by hand: invisible
// characters are so rare in honest text that a fit of this size leaves them
// just below the threshold (49).
var weights = [Signs]int8{
	Overrides:  41,
	Drops:      52,
	Waives:     24,
	Addressed:  3,
	Ordered:    36,
	Polite:     33,
	SendsTo:    43,
	SendsWhat:  13,
	ThenSends:  13,
	GetsSecret: 3,
	Runs:       32,
	Harms:      21,
	Orders:     4,
	Conceals:   49,
	Secretly:   36,
	Approved:   49,
	Office:     11,
	Haste:      0,
	Role:       43,
	ToolShape:  48,
	Invisible:  60,
	HiddenText: 20,
	Encoded:    31,
	Decoded:    31,
	Recast:     21,
	Detour:     36,
	Says:       0,
	ByTool:     0,
	Bound:      31,
	Mixed:      40,
}
