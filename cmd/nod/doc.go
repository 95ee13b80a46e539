// Nod decides whether a coding agent's tool call may run without asking a
// person. It is everything but the hook itself, which is nod-hook.
//
// Usage:
//
//	nod demo                          watch nod decide a bundled session
//	nod check [--json] -- COMMAND     decide one shell command and say why
//	nod prompt -- COMMAND             what a model would be asked about a call
//	nod install [AGENT]               let your agents ask nod before each tool call
//	nod uninstall AGENT               get out again
//	nod doctor [AGENT...]             try what is installed, name what silences it
//	nod log [--follow]                the decisions
//	nod watch                         the decisions live, and what waits for you
//	nod why ID                        the whole way of one decision
//	nod stats [--since 7d]            decisions by day, agent, repository and layer
//	nod replay [--rules FILE]         the calls of the log under other rules
//	nod suggest [--since 7d]          rules that would have saved most questions
//	nod verify                        whether the log is as it was written
//	nod export --format F             the log for other programs
//	nod history                       what nod would have made of your past sessions
//	nod rules                         the rules in force, and where each comes from
//	nod init                          propose rules for this repository
//	nod allow "RULE"                  write a rule: this command may run
//	nod deny "RULE"                   write a rule: it may never run
//	nod ask "RULE"                    write a rule: a person decides
//	nod mode [enforce|observe|off]    whether the answers count
//	nod pause [TIME]                  stand aside for a while
//	nod confine -- 'LINE'             run a line without network and home (Linux)
//	nod approve [ID]                  let a call run that was asked about or denied
//	nod approvals                     what was approved; take it back
//	nod undo [ID [FILE...]]           bring back what a call replaced or deleted
//	nod ui                            the decisions and questions on a page in the browser
//	nod acp -- AGENT                  stand between an editor and an agent
//	nod mcp                           Claude Code's permission prompt tool
//	nod daemon                        tell Prometheus and OpenTelemetry of the decisions
//	nod classify                      one side query, started by nod-hook
//	nod upgrade                       how this nod was installed, and what brings the newest
//	nod completion bash|zsh|fish      completions for a shell
//	nod version
//	nod help [SUBCOMMAND]             all about one of these
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
