// Package shell states facts about shell commands: what a command reads, writes, removes, runs, fetches, sends, and
// everything about it that could not be resolved. It passes no judgement; that is the caller's.
//
//	report := shell.Analyze("cd src && rm -rf build", env)
//	// report.Effects: one Delete of <dir>/src/build, recursive, forced
//
// # How a command is read
//
//   - Package grammar parses a text and says by a positive list of forms what is more shell
//     than nod follows (grammar/outside.go).
//   - walk.go walks statements, words.go expands words; call.go and builtins.go
//     look at one simple command; program.go finds its first word in the PATH of the call. A
//     hit where the agent can write is Foreign: an effect Run, under any name.
//   - sheet.go and apply.go read the arguments with the data in commands/, whose README.md
//     describes the format. roles.go is the table of what an argument means. An option that
//     the data does not hold makes the command unknown. git.go and repository.go read git's.
//   - suspects.go reads what could be commands in texts that are not followed, and behind
//     runners; definitions.go records the files that a line runs, which nod does not read.
//
// # The language
//
// nod follows a small language, not bash:
//
//	text     = and-or { ( ";" | newline ) and-or }
//	and-or   = pipeline { ( "&&" | "||" ) pipeline }
//	pipeline = [ "!" ] command { "|" simple }
//	command  = simple | compound { redirect } | "time" simple | NAME=word
//	compound = "(" text ")" | "{" text "}"
//	simple   = { NAME=constant } plain-name { word | redirect }
//	redirect = ( "<" | ">" | ">>" | "2>" | "2>>" ) word | "2>&1" | [ "1" ] ">&2" | "&>/dev/null" | "<<<" part
//	         | ( "<<" | "<<-" ) ( NAME | "'NAME'" | '"NAME"' ), whose text begins in the next line;
//	           each descriptor has one
//	word     = part { part }
//	part     = letters, digits and -./:,@%+=^, \ and a sign, the globs * ? [a-z], "~" at the beginning,
//	           {} and {name} behind other text, '...', "...",
//	           $NAME, ${NAME}, $?, $$, $( list )
//	list     = and-or of simple commands, in one line; or one simple command with a here-document
//
// What is not in the grammar is outside by its form alone: [grammar.Outside] is the grammar as code. A text that holds
// such a construct has an Unknown that names it. Its commands are walked all the same, and [Report].Possible holds
// every run of words in it that could be a command, for whoever must know wherever it stands.
//
// Every command is judged wherever it stands. The directory is a set: a cd of a constant adds to it, but for "cd x &&
// ..." as the first command of the text or of a subshell. What a variable holds is not known, but for HOME and, where
// no cd has been, PWD; what a text gives it is supposed once, for what must never run.
//
// # What holds
//
// A command does nothing beyond Effects if and only if Unknowns is empty. An effect whose target is not known has
// Target "" and, unless it only reads, an Unknown beside it. Run stands for anything at all: its target is code that
// was not read. Wrapping a command (env, sudo, sh -c, eval, xargs, substitution, quoting ...) never takes an effect
// away without adding an Unknown, or a Run or Persist that stands for it; FuzzWrap holds that.
package shell
