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
	if q.Quick == "" {
		printOnce(p, shared, careful)
		return ExitOK
	}
	fmt.Fprintf(p.Stdout, "tokens: %d shared by a session's calls, %d of this call, %d and %d to end the quick and "+
		"the careful question;\n", shared, tokens["call"], tokens["quick"], tokens["careful"])
	fmt.Fprintf(p.Stdout, "answers counted as %d and %d. US dollars per 1,000 decisions, prices of %s:\n\n",
		quickAnswer, carefulAnswer, llm.PricesDate)
	fmt.Fprintf(p.Stdout, "%-24s %10s %10s %10s %10s\n", "", "asked once", "", "quick", "quick+")
	fmt.Fprintf(p.Stdout, "%-24s %10s %10s %10s %10s\n", "model", "cold", "warm", "passes", "careful")
	for _, price := range llm.Prices() {
		fmt.Fprintln(p.Stdout, costLine(price, shared, tokens["call"], quick, careful, tokens["careful"]))
	}
	return ExitOK
}

// printOnce is the table of who asks one question only.
func printOnce(p *Process, shared, fresh int) {
	fmt.Fprintf(p.Stdout, "tokens: %d shared by a session's calls, %d of this call; the answer counted as %d.\n"+
		"US dollars per 1,000 decisions, prices of %s:\n\n", shared, fresh, carefulAnswer, llm.PricesDate)
	fmt.Fprintf(p.Stdout, "%-24s %10s %10s\n", "model", "cold", "warm")
	for _, price := range llm.Prices() {
		fmt.Fprintf(p.Stdout, "%-24s %10.2f %10.2f%s\n", price.Model,
			1000*price.Question(0, shared, fresh, carefulAnswer), 1000*price.Question(shared, 0, fresh, carefulAnswer),
			below(price, shared))
	}
}

// costLine is what a thousand decisions cost with one model. A prefix that is
// shorter than its vendor caches is paid in full, and marked.
func costLine(price llm.Price, shared, call, quick, careful, closing int) string {
	mark := below(price, shared)
	first := price.Question(shared, 0, quick, quickAnswer)
	return fmt.Sprintf("%-24s %10.2f %10.2f %10.2f %10.2f%s", price.Model,
		1000*price.Question(0, shared, careful, carefulAnswer), 1000*price.Question(shared, 0, careful, carefulAnswer),
		1000*first, 1000*(first+price.Question(shared+call, 0, closing, carefulAnswer)), mark)
}

// below says that a prefix is too short to be cached; "" where it is not.
func below(price llm.Price, shared int) string {
	if price.Caches(shared) {
		return ""
	}
	return fmt.Sprintf("  the prefix, %.0f of this model's tokens, is below the %d that are cached",
		float64(shared)*llm.TokensFor(price.Model), llm.CacheFloor(price.Model))
}
