package cli

import "encoding/json"

// people returns p with everything for people on standard error, where
// standard output is for one JSON object.
func (p *Process) people(asJSON bool) *Process {
	if !asJSON {
		return p
	}
	other := *p
	other.Stdout, other.Terminal = p.Stderr, false
	return &other
}

// printJSON writes one object on one line. Every object has "v"; docs/json.md
// names its keys, which are only ever added.
func printJSON(p *Process, v any) error {
	encoder := json.NewEncoder(p.Stdout)
	encoder.SetEscapeHTML(false)
	return internal(encoder.Encode(v))
}
