package cli

import "encoding/json"

// printJSON writes one object on one line. Every object has "v"; docs/json.md
// names its keys, which are only ever added.
func printJSON(p *Process, v any) error {
	encoder := json.NewEncoder(p.Stdout)
	encoder.SetEscapeHTML(false)
	return internal(encoder.Encode(v))
}
