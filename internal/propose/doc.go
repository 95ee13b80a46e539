// Package propose finds rules that a person may want to write for one
// repository: from what its build files declare, and from what its sessions
// did. It proposes and decides nothing; a proposal is worth what the person
// who accepts it makes of it.
//
// # What is proposed
//
//   - The repository's own test, build, lint and format commands. Whoever
//     changes the repository changes what they run, the agent included: such a
//     rule says that its code may run.
//   - git add and git commit, which change nothing but the local repository.
//   - From sessions only: subcommands of tools of which nod has no data, where
//     their name says that they look, test, build or check (status, show,
//     test ...). What they do nobody has looked at, and the reason says so.
//   - From sessions only: hosts that a program reads from by itself (gh reads
//     from github.com).
//
// # What never is
//
// Interpreters and shells, whatever follows them; programs that run any
// package or any command (npx, uvx, docker, ssh, xargs ...); whatever was seen
// to delete, to send, to change something elsewhere, to use a secret, to end
// processes, to arrange for something to run later or to run as somebody
// else; words that speak of such things (deploy, publish, delete ...); calls
// that a person or a model refused; and what [nod.ParseRule] refuses.
//
// # How far a pattern reaches
//
// A pattern is the program and the words that name its subcommand or task. It
// ends in " *" only where the arguments varied, and only where further ones
// can make it do no more than it may do anyhow: it runs the repository's code,
// or it is git add or git commit. For a tool of which nod has no data that is
// not known either; its name is all there is. Where further words would be further tasks
// (make, just, mise, gradle ...) each command that was seen often is proposed
// as it stands.
package propose
