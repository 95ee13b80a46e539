package main

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nodgate/nod"
)

// readTwice lays what nod's parser read beside what the shell itself reads. Of
// a text that nod allows and that the shell accepts, both the text and the
// parser's tree, printed so that there is one way to read it, become the body
// of a function, and the shell prints both functions.
func (w *witnessing) readTwice(s *stage, b *bed, worlds *worlds, seed uint64, text string) error {
	world := worlds.of(seed % variants)
	w.mu.Lock()
	w.count.generated++
	w.mu.Unlock()
	first := true
	for _, d := range []nod.Dialect{nod.Bash, nod.Zsh} {
		name := shellsOf(d)[0]
		if w.ask(world, seed, text, d).Verdict != nod.Allow {
			continue
		}
		if s.shells[name] == "" {
			w.skip(name + " is not installed")
			continue
		}
		if first {
			first = false
			w.mu.Lock()
			w.count.allowed++
			w.mu.Unlock()
		}
		if err := w.compare(b, seed, text, name); err != nil {
			return err
		}
	}
	return nil
}

// compare lays the readings of one text beside each other.
func (w *witnessing) compare(b *bed, seed uint64, text, name string) error {
	lang := map[string]syntax.LangVariant{"bash": syntax.LangBash, "zsh": syntax.LangZsh}[name]
	list, err := readings(text, lang)
	if err != nil {
		w.skip(name + ": the tree is not printed: " + err.Error())
		return nil
	}
	for _, r := range list {
		got, err := b.run(job{Shell: name, Text: r.text, Other: r.printed + ":", Variant: seed % variants, Seed: seed,
			Output: true})
		if err != nil {
			return err
		}
		w.judge(seed, text, name, r, got)
	}
	return nil
}

const separator = "\n<and the other>\n"

// judge compares what the shell printed.
func (w *witnessing) judge(seed uint64, text, name string, r reading, got ran) {
	own, other, both := strings.Cut(got.Output, separator)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case got.Stopped:
		w.count.skipped[name+": nothing was printed in time"]++
	case !both:
		w.count.skipped[name+": does not read the text by itself, or in a function"]++
	case own == other:
		w.count.runs[name]++
	default:
		w.count.runs[name]++
		w.violated(seed, text,
			fmt.Sprintf("%s reads %q\n\tas\t%q\n\tnod as\t%q", name, r.text, trimmed(own), trimmed(other)))
	}
}

func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
}

// twoReadings is the script that prints its two arguments as functions. What
// is printed first must have been accepted by itself, or it might end the
// function that is put round it.
func twoReadings(name string) string {
	show := "typeset -f reading"
	return `/shells/` + name + ` -n -c "$1" 2> /dev/null || exit 1
eval "reading() {
$1
:
}" 2> /dev/null || exit 1
` + show + `
printf '\n<and the other>\n'
unset -f reading
eval "reading() {
$2
}"
` + show
}
