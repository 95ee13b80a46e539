// Package nod decides whether a coding agent's tool call may run without asking a person: allow, ask
// or deny, with a reason, the same way for the same call on every agent.
//
//	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: nod.OnDisk(), Home: home, Model: model})
//	call := nod.NewCall("bash", json.RawMessage(`{"command":"git status"}`), dir, os.Environ())
//	d := gate.Check(ctx, call)
//	if d.Verdict != nod.Allow { ... }
//
// # The flow
//
// Gate.Check goes through this diagram from top to bottom.
//
//	tool call
//	   |          may the host make another call of it before it runs?     -> deny
//	   |          a line for nod confine?                                  -> as the line itself, but unread code may run
//	   |
//	0  guard      a hard_deny rule, or a change to nod itself?             -> deny
//	   |          the reading of layer 3 shows that it cannot be undone?   -> deny
//	   |          a program runs what is typed into it, and no hook sees?  -> deny
//	   |          does the shell that the host keeps move elsewhere?       -> deny
//	   |          an ask rule, or a doubt that nod will still be asked?    -> ask, unless approved
//	   |          a secret store (keys, cloud logins), by any tool?        -> 4
//	   |          a hard_deny rule that may fit, and nod cannot tell?      -> 4
//	   |
//	1  allowlist  a safe tool (read, search, tasks, plan mode ...)?        -> allow, but for the next line but one
//	   |          an allow rule that names this tool (of an MCP server)?   -> allow
//	   |          an unknown argument?                                     -> 4
//	   |
//	   |          a soft_deny rule?                                        -> 4
//	   |
//	2  edit       a file edit inside the workspace, not a guarded path?    -> allow
//	   |
//	3  shell      an allow rule, or all it does is known and harmless?     -> allow
//	   |
//	4  model      did a person approve this very call (nod approve)?       -> allow
//	   |          else runs unread code, with no other fault (confine)?    -> deny, with the line to type instead
//	   |          else a side query to a fast model: should_block?         -> deny, or allow
//	   |
//	any error, timeout, missing or malformed answer                        -> deny (or ask), with the error in the reason
//
// A test holds docs/design.md to this diagram. The command is read before layer 0 answers, so that no rule clears
// what cannot be undone (a disk, the home directory). A line that is handed to nod confine is judged as the line
// itself, but that code which nod has not read may run. Without a model layer 4 asks.
//
// # What to rely on
//
// What is missing makes nod stricter: a Gate without a file view knows no path, a Call that does not
// say where it runs is nowhere, a Decision that nobody filled denies, and what only a call's Input
// says is read from there. [Options] names what is laxer where it is missing. Check has no error
// result, so there is no way to forget that an error blocks.
//
// hard_deny is a boundary, and so is ask, which only a person answers. soft_deny is advice to a model, not a
// boundary: a determined agent can rephrase. What nod cannot see is listed in docs/threat-model.md.
//
// This package does no network I/O, starts no process and reads no settings;
// it is handed a [Model], a [Recorder] and a view of [Files].
//
// # Stability
//
// Nothing has been released. Before 1.0 a minor version may change exported names; CHANGELOG.md says
// which. The zero values stay the strictest, keys of --json and fields of the decision log are only
// added, and packages below internal are no part of any promise.
package nod
