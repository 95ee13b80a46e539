// Package nod decides whether a coding agent's tool call may run without
// asking a person: allow, ask or deny, with a reason, the same way for the
// same call on every agent.
//
//	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: nod.OnDisk(), Home: home, Model: model})
//	d := gate.Check(ctx, nod.Call{
//		Tool: "bash", Command: "git status", Dir: dir, Roots: []string{dir}, Environ: os.Environ(),
//	})
//	if d.Verdict != nod.Allow { ... }
//
// # The flow
//
// Gate.Check reads like this diagram, line for line.
//
//	tool call
//	   |
//	0  guard      a hard_deny rule, or a change to nod itself?             -> deny
//	   |          read by 3: it cannot be undone (wipes home, a disk)?     -> deny
//	   |          an ask rule?                                             -> ask, unless approved
//	   |          a secret store (keys, cloud logins), by any tool?        -> 4
//	   |
//	1  allowlist  a safe tool (read, search, tasks, plan mode ...)?        -> allow
//	   |
//	   |          a soft_deny rule?                                        -> 4
//	   |
//	2  edit       a file edit inside the workspace, not a guarded path?    -> allow
//	   |
//	3  shell      an allow rule, or all it does is known and harmless?     -> allow
//	   |
//	4  model      did a person approve this very call (nod approve)?       -> allow
//	   |          else a side query to a fast model: should_block?         -> deny, or allow
//	   |
//	any error, timeout, missing or malformed answer                        -> deny (or ask), with the error in the reason
//
// A test holds README.md and docs/design.md to this diagram. What cannot be
// undone is found by layer 3's reading, and is denied before any rule can clear
// it; so is typing into a program where no hook sees what is typed.
//
// # What to rely on
//
// The zero value of every type is the strictest: a Gate without a file view
// knows no path, a Call that does not say where it runs is nowhere, a
// Decision that nobody filled denies. Check has no error result, so there is
// no way to forget that an error blocks.
//
// hard_deny is a boundary, and so is ask, which only a person answers. soft_deny
// is advice to a model, not a boundary: a determined agent can rephrase. What nod
// cannot see is listed in docs/threat-model.md.
//
// This package does no network I/O, starts no process and reads no settings;
// it is handed a [Model], a [Recorder] and a view of [Files].
package nod
