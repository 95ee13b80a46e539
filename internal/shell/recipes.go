package shell

import "github.com/nodgate/nod/internal/shell/recipe"

// plainArgs are arguments as those read them who want text alone.
func plainArgs(words []word) []recipe.Arg {
	out := make([]recipe.Arg, len(words))
	for i, w := range words {
		out[i] = recipe.Arg{Text: w.text, Raw: w.raw, Known: w.known && !w.many && w.glob == 0}
	}
	return out
}
