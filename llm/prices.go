package llm

import (
	"cmp"
	_ "embed" // the list
	"fmt"
	"regexp"
	"strings"
)

// Price is what a model costs, in US dollars per million tokens. A zero field
// costs nothing; a model without a Price has unknown cost, which counts as 0.
type Price struct {
	// Model is the vendor's name, with or without its date.
	Model string
	// In is for fresh input, Cached for input read from the vendor's cache,
	// CacheWrite for input written to it (0: as In), Out for the answer.
	In, Out, Cached, CacheWrite float64
}

//go:embed prices.txt
var prices string

// Prices returns the built-in list: the default models and their families. Each call returns a fresh slice.
func Prices() (list []Price) {
	for line := range strings.Lines(prices) {
		var p Price
		if n, _ := fmt.Sscan(line, &p.Model, &p.In, &p.Out, &p.Cached, &p.CacheWrite); n == 5 {
			list = append(list, p)
		}
	}
	return list
}

// cost prices an answer; 0 if neither the model that was asked for nor the model that answered has a price.
func cost(prices []Price, asked string, r reply) float64 {
	p, ok := priceOf(prices, asked)
	if !ok {
		p, ok = priceOf(prices, r.model)
	}
	if !ok {
		return 0
	}
	fresh := max(0, r.usage.In-r.usage.Cached-r.cacheWrite)
	return (float64(fresh)*p.In + float64(r.usage.Cached)*p.Cached + float64(r.cacheWrite)*cmp.Or(p.CacheWrite, p.In) +
		float64(r.usage.Out)*p.Out) / 1e6
}

func priceOf(prices []Price, model string) (Price, bool) {
	date := regexp.MustCompile(`(.)-(\d{8}|\d{4}-\d\d-\d\d)$`)
	for _, name := range []string{model, date.ReplaceAllString(atVendors(model), "$1")} {
		for _, p := range prices {
			if p.Model == name {
				return p, true
			}
		}
	}
	return Price{}, false
}

// atVendors is the vendor's own name of a model that Amazon ("us.anthropic.X-v1:0") or Google ("X@20251001") offers.
func atVendors(model string) string {
	if _, name, ok := strings.Cut(model, "anthropic."); ok {
		model, _, _ = strings.Cut(name, "-v1:")
	}
	return strings.Replace(model, "@", "-", 1)
}
