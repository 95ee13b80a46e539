// Package shell states facts about shell commands: what a command reads,
// writes, removes, runs, fetches, sends, and everything about it that could
// not be resolved. It passes no judgement; that is the caller's.
//
//	report := shell.Analyze("cd src && rm -rf build", env)
//	// report.Effects: one Delete of <dir>/src/build, recursive, forced
//
// # How a command is read
//
//   - bounds.go looks at the bytes first: 64 KiB, 200 levels of any bracket,
//     NUL and lone carriage returns. The parser recurses, and a stack that
//     overflows kills the process; what the bytes do not show is seen by
//     parse.go, from the depth of the parser's own stack. What grows by being
//     expanded has bounds of its own (analyze.go). A Report with Exceeded or
//     Malformed holds nothing else.
//   - parse.go parses with mvdan.cc/sh in the dialect of [Env]. Where the
//     dialect is [Unstated], bash and zsh must both parse the text and yield
//     the same effects, or there is an Unknown. Text of plain words, quotes,
//     pipes and simple redirections is known to have one parse and is parsed
//     once. What does not parse is unknown, with nothing else: a shell runs the
//     lines before its syntax error.
//   - walk.go follows lists, pipes, branches, loops, functions, substitutions.
//     state.go holds what is known between commands: the directory,
//     variables, functions, positional parameters. Each statement has a state
//     for its success and one for its failure, so that "cd x && rm a" and
//     "cd x; rm a" differ where x may not exist. After a branch only what holds
//     on all paths is kept. Loops over constants are unrolled; any other loop
//     forgets first what its body may change.
//   - words.go, braces.go, params.go and substitute.go expand words. A value is
//     known, or a constant beginning, or nothing. Inherited variables are not
//     taken for known (a repository can set them) but for HOME and PWD.
//   - call.go, builtins.go and redirect.go look at one simple command.
//   - program.go resolves its first word in the PATH of the call. A hit in a
//     workspace, a temporary or world-writable directory, or behind a relative
//     element of PATH, is Foreign: an effect Run, whatever the name.
//   - sheet.go, apply.go, roles.go and finish.go read the arguments with the
//     data in commands/, whose README.md describes the format. An option that
//     the data does not hold makes the command unknown.
//   - heeds.go looks for files and variables that make a program which only
//     prints run something else.
//   - sed.go, awk.go, inline.go, fzf.go, media.go and git.go read what
//     needs more than data.
//     gitconfig.go and githooks.go find what git would start; gitkept.go says
//     what it keeps ([Effect].Kept) and where it fetches ([Effect].Declared).
//   - script.go reads the files that a line runs: shell scripts, by path, by a
//     shell or sourced. packages.go reads the scripts of package.json that npm
//     and pnpm run (objects.go its JSON), makefile.go a plain subset of
//     Makefiles, justfile.go and justparse.go one of justfiles, gogenerate.go
//     what go generate starts; misefiles.go names what mise reads. What cannot be read exactly stays an effect Run.
//   - prove.go takes what package code says of programs in Python and
//     JavaScript, perl.go and ruby.go of those in Perl and Ruby, with the
//     options that shape them; sqlclient.go what it says of SQL.
//   - environ.go judges assignments, exports and the inherited environment.
//   - paths.go says where a path leads and lies.
//
// # What holds
//
// A command does nothing beyond Effects if and only if Unknowns is empty.
// An effect whose target is not known has Target "" and, unless it only reads,
// an Unknown beside it. Run stands for anything at all: its target is code
// that was not read. What a file does that was read are effects of commands
// whose Caller leads to the command that runs it; their words name file and
// line. Definitions holds the hash of every file that says what a command runs,
// read or not. A Read with Names looks at names and status only. Where
// the output of other commands of the line names a target, From and To say
// which; with Given, it is the standard input of the whole line. Wrapping a
// command (env, sudo, sh -c, eval, xargs, substitution, quoting ...) never takes
// an effect away without adding an Unknown, or a Run or Persist that stands for
// it; FuzzWrap and FuzzDisguise hold that.
//
// # What is not seen
//
// A script is read if it is a regular file of at most 64 KiB that only this
// user and root can change, for bash, zsh, dash or sh (which must mean the same
// as bash and as POSIX), started by none but wrappers that leave it where it
// is, at most 4 inside each other and no circle. A Makefile is read if all of
// it is plain: assignments of constants, rules with explicit targets, recipes;
// no include, condition, pattern, function but $(shell) whose value is not
// used, nothing that changes the shell but to bash, no rule of make's own. A
// justfile is read if it sets nothing but the shell and what is printed, takes
// in no other file or environment, and computes its variables of strings. Of go
// generate all directives of the packages named count, whatever -run says. A
// hook of git is read where git starts it before anything changes and without
// input. An entry of package.json is read if no setting changes what runs it;
// what yarn and bun run, Taskfile.yml, Rakefile, mise.toml, lefthook and
// pre-commit are not, nor is code in other languages but Perl: they are effects
// Run with their definitions named. cargo and the like name none. What a file says is
// what it said when it was looked at.
//
// Code given to an interpreter is an effect Run named "inline code", whose Note
// says why, unless package code proves of it, in Python, JavaScript, Perl (also
// a file of it) or Ruby, that it does no more than its effects. What a database
// makes of a view, a trigger or a rule is not known.
//
// Aliases are unknown where they are
// defined; those of the person's own shell are not known at all. A file that
// the line itself changes before a later command uses it is judged as it was
// before, but for links and repositories that the line makes, and for what it
// runs: that is unknown. Programs that do
// not do what their documentation says are believed if they lie where only
// root or the person can write.
package shell
