// Package disguise writes a shell command in other ways that do the same in
// bash: behind wrappers, in other quoting, inside other syntax, encoded, or by
// way of a file, an alias or a function. It is for tests and measurements
// alone and is linked into no program of the project.
//
// Each kind is a pure function of a source of chance and a command. Tests here
// show that it keeps the effect, in two ways:
//
//   - An interpreter of bash (mvdan.cc/sh/v3/interp) in which nothing can be
//     started or opened, since every handler is a stub that writes down what it
//     is asked for, still sees the command's own words under the disguise. What
//     the programs around it do with their arguments is simulated there.
//   - bash itself runs a harmless marker under the disguise, in an empty
//     directory, with nothing else on PATH than the shell and the marker.
//
// Kinds that neither can show say why in Unshown.
package disguise

import (
	"math/rand/v2"
	"strings"
)

// Family groups the kinds.
type Family string

// The families.
const (
	Wrapper     Family = "wrapper"     // a program or builtin that runs its arguments
	Quoting     Family = "quoting"     // the same words, quoted otherwise
	Nesting     Family = "nesting"     // inside other syntax
	Separator   Family = "separator"   // beside other commands
	Expansion   Family = "expansion"   // words that expansions make
	Encoding    Family = "encoding"    // a text that is decoded first
	Environment Family = "environment" // variables before or around it
	Redirection Family = "redirection" // with other descriptors
	Indirection Family = "indirection" // by way of a file, an alias, a function, a hook
)

// Kind is one way to write a command differently.
type Kind struct {
	Name   string
	Family Family
	Doc    string
	// Needs lists the programs beside a shell that must exist, with spaces
	// between them.
	Needs string
	// Unshown says why no test here can show that the effect is kept; "" where
	// one does.
	Unshown string

	apply func(r *rand.Rand, command string) (string, bool)
}

// Apply returns the command under this disguise. ok is false where this kind
// cannot be put on this command.
func (k Kind) Apply(r *rand.Rand, command string) (disguised string, ok bool) {
	if !parses(command) {
		// What a shell runs of it, eval runs too.
		command = "eval " + quote(command)
	}
	return k.apply(r, command)
}

// Kinds returns every kind, shown or not, in a fixed order. Each call returns
// a fresh slice.
func Kinds() []Kind {
	var all []Kind
	for _, list := range [][]Kind{wrappers(), languages(), quotings(), nestings(), separators(), expansions(),
		encodings(), environments(), redirections(), indirections()} {
		all = append(all, list...)
	}
	return all
}

// Shown returns the kinds of which a test shows that they keep the effect.
func Shown() []Kind {
	var shown []Kind
	for _, k := range Kinds() {
		if k.Unshown == "" {
			shown = append(shown, k)
		}
	}
	return shown
}

// maxDisguised bounds a result, so that a stack of encodings does not merely
// run into a bound of whoever reads it.
const maxDisguised = 32 << 10

// Stack puts depth kinds, drawn from a list, around a command, the first one
// innermost, and returns their names. Kinds that cannot be put on, or would
// make the text too long, are passed over.
func Stack(r *rand.Rand, kinds []Kind, command string, depth int) (disguised string, names []string) {
	for tries := 0; len(names) < depth && tries < 50*depth; tries++ {
		k := kinds[r.IntN(len(kinds))]
		if next, ok := k.Apply(r, command); ok && len(next) <= maxDisguised {
			command = next
			names = append(names, k.Name)
		}
	}
	return command, names
}

// form makes a kind of a template. See fill for its letters.
func form(name string, f Family, template, doc string, needs ...string) Kind {
	return Kind{Name: name, Family: f, Doc: doc, Needs: strings.Join(needs, " "),
		apply: func(r *rand.Rand, command string) (string, bool) {
			return fill(r, template, command)
		}}
}
