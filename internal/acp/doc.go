// Package acp stands between an editor and an agent that speaks the Agent Client Protocol:
// newline-delimited JSON-RPC on the agent's standard input and output.
//
// It answers session/request_permission where nod allows or denies, and hands everything else on
// byte for byte and in order, whatever it is: lines that are no JSON, methods that nobody knows,
// lines of any length (up to 4 MiB are looked at), a last line without an end. A request that nod
// has nothing to say about goes on to the editor as it came; one that nod answers never reaches it.
//
// What goes wrong ends at the person: a request that cannot be read, a fault or a deadline of
// nod's, an agent or a session that it knows nothing of. None of these allows.
//
// What lies behind a request that is being decided waits for it, so that the editor sees the
// agent's order; nothing waits longer than the deadline. The agent is answered at once.
//
// From what passes it learns, in memory and bounded: what the agent calls itself, the directory and
// roots of each session (as the editor names them), what the person and the agent said, and what
// was said of each tool call. What a call means is decided in agent.ACP.
package acp
