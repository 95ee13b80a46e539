package probe

// Sign is one thing that makes a text read like orders to an agent.
type Sign uint8

// The signs.
const (
	Overrides   Sign = iota // ignore, then your or all or previous, then a word for instructions
	Drops                   // a verb of overriding that begins a sentence, a word for instructions near
	Waives                  // a verb of overriding that begins a sentence, then all or your
	Addressed               // an assistant is spoken to by a name for it
	Ordered                 // an assistant, or you, then must, should, are required to
	Polite                  // please, then a verb of doing
	SendsTo                 // a verb of sending that gives an order, then an address
	SendsWhat               // a verb of sending, and a secret or something personal
	ThenSends               // an order to get something, then one to send it
	GetsSecret              // an order to get a secret or something personal
	Runs                    // an order to run a command, script or what follows
	Harms                   // an order to delete, grant, pay, unlock, with whose
	Orders                  // any other order about something of mine
	Conceals                // without telling, do not mention
	Secretly                // silently, in secret, in an order
	Approved                // somebody is said to have approved it
	Office                  // a claim of office before a word for instructions
	Haste                   // a word of haste in capitals or with exclamation marks
	Role                    // a marker that poses as the host's own: <system>, [INST]
	ToolShape               // something that poses as a tool call
	Invisible               // characters that nobody is shown
	HiddenText              // orders in a comment or in markup that is not shown
	Encoded                 // a blob, and a word for decoding near
	Decoded                 // a blob that decodes to something with signs of its own
	Recast                  // you are now, from now on, new instructions
	Detour                  // before answering, instead of going on
	Says                    // an order to say, answer or report something
	ByTool                  // an order, and which tool to use for it
	Bound                   // an assistant, then must, should or is required to
	Mixed                   // a word of letters of two scripts
	Altered                 // a word that orders are made of, in letters of another kind or one by one
	Talk                    // lines that pose as turns of a conversation
	Mine                    // a polite request about something of the asker's
	Reader                  // an agent that reads this, or whoever does, is told to do something
	Unbound                 // you are free of rules, or obey this
	HiddenOrder             // any order in a comment or in markup that is not shown
	Entrusts                // a polite request for a deed in the asker's name
	Field                   // a value of a record that asks for a deed
	Takes                   // an order to get something, then one to send it, and where to
	FieldOrder              // a value of a record that begins with an order
	Unasked                 // without asking, no confirmation needed
	Machines                // AI assistants, coding agents, language models, then must or a deed
	Signs       = iota
)

// String names the sign in a few words.
func (s Sign) String() string {
	names := [Signs]string{"overrides instructions", "drops instructions", "waives something", "speaks to an assistant", "orders the reader", "asks politely for an action",
		"sends to an address", "sends something private", "gets, then sends", "gets something private", "orders to run", "orders harm", "orders about somebody's things",
		"conceals", "acts secretly", "claims an approval", "claims an office", "hastens", "poses as a role", "poses as a tool call", "invisible characters",
		"orders in hidden text", "a blob to decode", "orders in a blob", "recasts the reader", "a detour before the task", "dictates an answer", "names a tool to use", "binds an assistant", "mixed scripts",
		"letters in disguise", "poses as a conversation", "asks for something of the asker's", "orders whoever reads", "frees the reader of rules",
		"any order in hidden text", "asks for a deed", "asks for a deed in a record", "gets, then sends to an address",
		"orders in a record", "without asking", "orders machines"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// weights are those that measure --fit printed.
var weights = [Signs]int8{
	Overrides:   38,
	Drops:       23,
	Waives:      0,
	Addressed:   4,
	Ordered:     8,
	Polite:      4,
	SendsTo:     22,
	SendsWhat:   0,
	ThenSends:   0,
	GetsSecret:  0,
	Runs:        19,
	Harms:       12,
	Orders:      26,
	Conceals:    19,
	Secretly:    26,
	Approved:    32,
	Office:      0,
	Haste:       13,
	Role:        24,
	ToolShape:   23,
	Invisible:   39,
	HiddenText:  18,
	Encoded:     29,
	Decoded:     31,
	Recast:      13,
	Detour:      22,
	Says:        8,
	ByTool:      0,
	Bound:       13,
	Mixed:       35,
	Altered:     46,
	Talk:        13,
	Mine:        33,
	Reader:      17,
	Unbound:     22,
	HiddenOrder: 25,
	Entrusts:    4,
	Field:       23,
	Takes:       22,
	FieldOrder:  2,
	Unasked:     3,
	Machines:    31,
}
