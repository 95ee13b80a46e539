package behind

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/confine"
	"github.com/nodgate/nod/internal/printable"
)

// explain is one line for the agent: what was not applied, and of a run that
// failed what it may have missed and what to do.
func explain(r confine.Result) string {
	var parts []string
	if r.Stopped != "" {
		parts = append(parts, "the run was ended: "+r.Stopped)
	}
	if len(r.Refused) > 0 {
		parts = append(parts, "left as it was: "+refusals(r.Refused))
	}
	if slices.ContainsFunc(r.Missed, func(what string) bool { return strings.HasPrefix(what, confine.Server) }) {
		parts = append(parts, "each confined call has a network of its own, which ends with it: start the server and "+
			"what asks it in one call (server & test)")
	}
	if r.Code != 0 {
		parts = append(parts, missed(r)+
			". If that is why it failed, do not try again: a person can let the line itself run once (nod approve) or "+
			"write an allow rule for it")
	}
	return strings.Join(parts, "; ")
}

const maxShown = 6 // how many names are said

func refusals(list []confine.Refusal) string {
	var shown []string
	for _, r := range list[:min(len(list), maxShown)] {
		shown = append(shown, named(r.Name)+" ("+r.Why+")")
	}
	if more := len(list) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

func missed(r confine.Result) string {
	said := "this ran without network, without the rest of the home directory"
	var hidden []string
	for _, name := range r.Hidden[:min(len(r.Hidden), maxShown)] {
		hidden = append(hidden, named(name))
	}
	if len(hidden) > 0 {
		said += " and without " + strings.Join(hidden, ", ")
	}
	if len(r.Missed) > 0 {
		said += "; it seems to have wanted " + printable.Line(strings.Join(r.Missed, ", "), 4*maxName)
	}
	return said
}

// named is a name as it stands in a line of nod's. The run chose it: quoted, what
// looks like words of nod's is seen to be a name.
func named(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName]) + "…"
	}
	if strings.Trim(name, ordinary) != "" {
		return strconv.Quote(name)
	}
	return name
}

const maxName = 100 // how many characters of a name are said

// ordinary are the characters of names that need no quotes.
const ordinary = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+@/~=#%[]{}"
