// Nod-hook is what a coding agent starts before every tool call. It reads the agent's payload, decides layers 0 to 3
// itself, asks `nod classify` for layer 4 if a model is configured, writes one line to the decision log, and answers
// in the agent's dialect.
//
// `nod-hook help` lists what else it does.
//
// Its flags (--settings, --managed, --state, --nod) name absolute paths; `nod install` writes them.
//
// Exit status for an AGENT: 0, the answer (or silence) is on standard output; 2, the call is blocked and the reason
// is on standard error, which every agent that runs hooks understands. Nothing else is ever returned on purpose.
// confine returns the exit status of the line.
package main
