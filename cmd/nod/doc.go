// Nod decides whether a coding agent's tool call may run without asking a
// person. It is everything but the hook itself, which is nod-hook, and the views and servers, which are nod-serve's.
//
// `nod help` lists its subcommands, and `nod help SUBCOMMAND` says all about one: go run ./cmd/nod help.
//
// What changes nod (install, uninstall, mode, allow, deny, ask, pause) wants a person at a terminal, most also take
// --unattended or --yes from a provisioning tool, and is refused below a coding agent.
//
// Settings: /etc/nod/nod.toml (managed), ~/.config/nod/nod.toml (yours), and a repository's .nod.toml. State and log:
// ~/.local/state/nod. No environment variable changes a decision.
//
// Exit status:
//
//	0  done; for check: allow
//	1  a fault of nod's
//	2  arguments, settings or input that cannot be used; a question to which the
//	   answer was no, and Ctrl-C while a question waits is a no
//	3  check: a person must decide; doctor: something is open or was not tried
//	4  check: must not run; doctor: something failed
package main
