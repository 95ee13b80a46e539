package shell

import "github.com/nodgate/nod/internal/shell/commands"

// Known reports whether the data or the shell itself knows a program of that
// name. A rule whose first word is known is a pattern, not prose.
func Known(program string) bool {
	_, _, ok := commands.Find(program)
	return ok || shellOwns(program)
}
