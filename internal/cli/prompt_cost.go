package cli

import (
	"fmt"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/llm"
)

// How many tokens an answer has: the quick one is three fields of which two
// are empty, the careful one holds about 120 words.
const (
	quickAnswer   = 30
	carefulAnswer = 200
)

// printCosts prints what this question costs a thousand times, by model: with
// the shared part read from the provider's cache ("warm") and with it paid in
// full ("cold"), asked once, and asked twice with either outcome.
func printCosts(p *Process, q nod.Prompt) int {
	parts, err := promptParts(q)
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod prompt:", err)
		return ExitInternal
	}
	tokens := map[string]int{}
	shared := 0
	for _, part := range parts {
		tokens[part.Name] = part.Tokens
		if part.Cached {
			shared += part.Tokens
		}
	}
	quick, careful := tokens["call"]+tokens["quick"], tokens["call"]+tokens["careful"]
	fmt.Fprintf(p.Stdout, "tokens: %d shared by a session's calls, %d of this call, %d and %d to end the quick and the careful question;\n", shared, tokens["call"], tokens["quick"], tokens["careful"])
	fmt.Fprintf(p.Stdout, "answers counted as %d and %d. US dollars per 1,000 decisions, prices of %s:\n\n", quickAnswer, carefulAnswer, llm.PricesDate)
	fmt.Fprintf(p.Stdout, "%-24s %10s %10s %10s %10s\n", "", "asked once", "", "quick", "quick+")
	fmt.Fprintf(p.Stdout, "%-24s %10s %10s %10s %10s\n", "model", "cold", "warm", "passes", "careful")
	for _, price := range llm.Prices() {
		once := func(cached, fresh, out int) float64 {
			return (float64(cached)*price.Cached + float64(fresh)*price.In + float64(out)*price.Out) / 1000
		}
		first := once(shared, quick, quickAnswer)
		fmt.Fprintf(p.Stdout, "%-24s %10.2f %10.2f %10.2f %10.2f\n", price.Model,
			once(0, shared+careful, carefulAnswer), once(shared, careful, carefulAnswer),
			first, first+once(shared+tokens["call"], tokens["careful"], carefulAnswer))
	}
	return ExitOK
}
