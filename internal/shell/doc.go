// Package shell states facts about shell commands: what a command reads,
// writes, removes, runs, fetches, sends, and everything about it that could
// not be resolved. It passes no judgement; that is the caller's.
//
//	report := shell.Analyze("cd src && rm -rf build", env)
//	// report.Effects: one Delete of <dir>/src/build, recursive, forced
//
// # How a command is read
//
//   - Package grammar looks at the bytes first: 64 KiB, 200 levels of any bracket,
//     NUL and lone carriage returns. The parser recurses, and a stack that
//     overflows kills the process; what the bytes do not show is seen from the
//     depth of the parser's own stack. What grows by being expanded has bounds
//     of its own (analyze.go). A Report with Exceeded or Malformed holds nothing
//     else.
//   - It parses with mvdan.cc/sh in the dialect of [Env]. Where the
//     dialect is [Unstated], bash and zsh must both parse the text and yield
//     the same commands and effects, or there is an Unknown. A text that the
//     reader below knows, and that both grammars take apart as it does, is walked
//     once. What does not parse is unknown, with nothing else: a
//     shell runs the lines before its syntax error. So is what the parser is
//     known to read otherwise than a shell does (docs/rough-edges.md).
//   - analyze.go holds the evaluator and lists its parts: the machine (machine.go,
//     what the command would run on), the draft (draft.go, the report under
//     construction), limits, definitions (script.go), texts, environment, expander
//     (words.go), repositories (git.go), tasks (packages.go) and builtins. A part
//     holds the parts that it needs, and knows of the evaluator only what walks a
//     text or a file for it.
//   - grammar.Outside says by its form what is more shell than nod follows. A text in
//     which it finds nothing is read once more, byte by byte and without the parser
//     (grammar.ReadAlike): each statement, word, quote, substitution and here-document
//     must begin and end where the parser's tree says. A parser of whole shells takes
//     some texts apart otherwise than a shell; a reading that knows a handful of
//     forms does not know those texts.
//   - language.go says by its meaning what is more than nod follows; walk.go walks
//     the rest. state.go holds where the shell may stand.
//   - words.go, params.go and substitute.go expand words. A value is
//     known, or a constant beginning, or nothing. Inherited variables are not
//     taken for known (a repository can set them) but for HOME and, where no
//     cd has been, PWD. What a command prints is never known.
//   - suspects.go reads what could be commands in texts that are not followed.
//   - call.go, builtins.go and redirect.go look at one simple command.
//   - program.go resolves its first word in the PATH of the call. A hit in a
//     workspace, a temporary or world-writable directory, or behind a relative
//     element of PATH, is Foreign: an effect Run, whatever the name.
//   - sheet.go, apply.go and roles.go read the arguments with the data in
//     commands/, whose README.md describes the format; targets.go reports what
//     they name, codes.go what small languages do, handover.go the command that a
//     search starts, finish.go what a program does only after all its options are
//     known. An option that the data does not hold makes the command unknown.
//   - traits.go holds what sheets say to those who judge a command: what it
//     prints, keeps, leaves out ([Command].Has). No code compares with a program's
//     name (TestNoCodeComparesNamesOfPrograms).
//   - texts.go walks texts inside a command: sh -c, what a shell is fed, scripts.
//   - heeds.go looks for files and variables that make a program which only
//     prints run something else.
//   - inline.go, fzf.go and git.go read what needs more than
//     data, with package code for sed, awk, jq, yq and SQL.
//     gitconfig.go and githooks.go find what git would start; gitkept.go says
//     what it keeps ([Effect].Kept) and where it fetches ([Effect].Declared).
//   - script.go reads the files that a line runs, and keeps their hashes.
//     packages.go walks the scripts of package.json that npm runs, make.go
//     recipes of make, as package recipe reads them; just.go, misefiles.go and
//     gogenerate.go name what just, mise and go generate read. What cannot be read
//     exactly stays an effect Run.
//   - sqlclient.go takes what package code says of SQL; git.go, finish.go and
//     arguments.go hold the parts that a command line (use) is read by: gitLine,
//     request, globs.
//   - environ.go judges assignments, exports and the inherited environment, by what
//     package variables says of their names.
//   - paths.go says where a path leads and lies.
//
// # The language
//
// nod follows a small language, not bash. What agents write goes beyond it so
// rarely that following more settled next to nothing (docs/design.md, section 4).
//
//	text     = and-or { ( ";" | newline ) and-or }
//	and-or   = pipeline { ( "&&" | "||" ) pipeline }
//	pipeline = [ "!" ] command { "|" ( simple | while ) }
//	command  = simple | compound { redirect } | "time" simple | NAME=word | "export" NAME=word { NAME=word }
//	compound = "(" text ")" | "{" text "}" | "for" NAME "in" words "do" text "done"
//	         | "if" pipeline "then" text { "elif" ... } [ "else" text ] "fi"
//	         | ( "while" | "until" ) pipeline "do" text "done"
//	simple   = { NAME=constant } plain-name { word | redirect }
//	redirect = ( "<" | ">" | ">>" | "2>" | "2>>" ) word | "2>&1" | [ "1" ] ">&2" | "&>/dev/null" | "<<<" part
//	         | ( "<<" | "<<-" ) ( NAME | "'NAME'" | '"NAME"' ), whose text begins in the next line;
//	           each descriptor has one
//	word     = part { part }
//	part     = letters, digits and -./:,@%+=^, \ and a sign, the globs * ? [a-z], "~" at the beginning,
//	           {} and {name} behind other text, {a,b} in an operand, '...', "...",
//	           $'...' with \n and \t,
//	           $NAME, ${NAME}, $?, $$, $(( integers )), $( list ), ` list `, <( list )
//	list     = and-or of simple commands, in one line; or one simple command with a here-document
//
// What is not in the grammar is outside of the language by its form alone:
// [grammar.Outside] is the grammar as code. Each form that is not there was used
// by none of the 4,375 shell calls of the shared sessions that nod settled, and
// shells have differed on most of them: braces, jobs in the background, other
// descriptors, several redirections of one, names of commands in quotes.
//
// Every command is judged wherever it stands, so that "!", break, continue,
// exit, the branches of if and "set -euxo pipefail", which only decide whether
// a command runs, change nothing.
//
// A variable is known only if the text writes its name once, as a statement of
// its own with a constant word, in the top shell and before its use; or as the
// variable of a loop over constants, in a body that leaves it alone. A name that
// a shell fills, ties or heeds (IFS, PATH, SECONDS, zsh's path ...) never is.
// A constant word is plain text (no glob, ~, = or {), or one text in quotes in
// which nothing is expanded.
// Any other variable is an unknown word, which is fine where no value matters.
// $(( )) takes decimal integers and names that hold one.
//
// The directory is a set. A cd of a constant adds to it and never replaces it,
// but for "cd x && ..." as the first command of the text or of a subshell: what
// && makes wait for it runs in x alone. A cd in a loop leaves no directory known.
//
// Builtins that are followed: cd, command, read into plain names, export
// NAME=word, set as above, exit, break, continue, wait, and those that only print
// or compare (echo, printf, test, true, pwd, type ...).
//
// Everything else is more shell than nod follows: functions, traps, eval, source,
// aliases, case, [[ ]], (( )), let, arrays, declare and its kin, operators in ${ },
// positional parameters, other arithmetic, options of the shell, exec, coprocesses,
// select, >( ), a variable as the program, and every form that is not in the
// grammar. A text that holds such a construct has an Unknown that names it. Its
// commands are walked all the same, and
// [Report].Possible holds every run of words in it that could be a command, for
// whoever must know wherever it stands. Files that a line runs (scripts, Makefiles,
// entries of package.json, hooks) are held to the same language, and are code that
// was not read where they go beyond it. A text for another shell (sh -c, a recipe)
// is read in the grammar of each shell that may run it; the readings must agree.
//
// lab/witness lays this reading beside what bash, zsh and dash really do.
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
// hook of git is read where git starts it before anything changes and without
// input. An entry of package.json is read if no setting changes what runs it;
// what yarn, bun, just and go generate run, Taskfile.yml, Rakefile, mise.toml, lefthook and
// pre-commit are not, nor is code in other languages: they are effects Run with
// their definitions named. cargo and the like name none. What a file says is what
// it said when it was looked at.
//
// Code given to an interpreter is an effect Run named "inline code", whose Note
// says what its names hint at. What a database makes of a view, a trigger or a
// rule is not known.
//
// Aliases of the person's own shell are not known. A file that the line itself
// changes before a later command uses it is judged as it was before, but for
// links and repositories that the line makes, and for what it runs: that is
// unknown. Programs that do not do what their documentation says are believed if
// they lie where only root or the person can write.
package shell
