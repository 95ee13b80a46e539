package grammar

// Dialect is the grammar in which a command is read.
type Dialect uint8

const (
	// Unstated is the zero value: bash and zsh may both run the text.
	Unstated Dialect = iota
	Bash
	Posix
	Zsh
	// PowerShell is recognised and never parsed.
	PowerShell
	// Interp is bash as mvdan.cc/sh/interp runs it (3.13.1, the shell of Crush 0.90): most
	// backslashes outside of quotes stay, globs mean hidden files in more places, and a name
	// that a redirection opens is taken by its letters, wherever links lead.
	Interp
)
