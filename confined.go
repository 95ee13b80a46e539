package nod

// HoldsSecret reports whether a real path is on the list of secrets, whatever
// is in it. A run that nod confines does not see such a file.
func (g *Gate) HoldsSecret(real string) bool { return g.secrets.match(real) }
