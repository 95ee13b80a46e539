package shell

import "github.com/nodgate/nod/internal/shell/commands"

// Known reports whether the data or the shell itself knows a program of that
// name. A rule whose first word is known is a pattern, not prose.
func Known(program string) bool {
	_, _, ok := commands.Find(program)
	return ok || shellOwns(program)
}

// Name is the kind in words; "unknown" for a kind without a name.
func (k Kind) Name() string {
	names := [...]string{"unknown", "read", "write", "delete", "run", "fetch", "send", "remote change", "kill",
		"persist", "secret", "privilege", "exhaust"}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

// Name is the place in words; "elsewhere" for a place without a name.
func (p Place) Name() string {
	names := [...]string{"elsewhere", "workspace", "temporary", "home", "home", "system", "device", "nowhere",
		"network"}
	if int(p) < len(names) {
		return names[p]
	}
	return names[0]
}
