package nod

// Witness is a [Memory] that also knows what came into the session, what it
// wrote, and what left. A Memory that is none tells nothing of the kind, and
// nothing becomes stricter for that.
type Witness interface {
	Memory
	// Taint says what the agent read that may be orders to it: text that others
	// wrote, or that people do not see. "" is that nothing is known of any.
	Taint() string
	// Origin says how a file of that real path came to be in the session:
	// "written" or "downloaded"; "" where nothing is known of it.
	Origin(path string) string
	// History says what the session did before that weighs on a judgement, in
	// a few words each.
	History() []string
}
