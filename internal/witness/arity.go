package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// probe is a call that makes a program say how it takes an option. Where nod
// allows the call, its sheet has told what each word is, and then the program
// must not complain of the word in this way.
type probe struct {
	text    string
	word    string // as the program would name it
	about   *complaint
	call    string     // the program and its subcommand
	option  string     // in lower case
	unknown *complaint // the program does not have the option
}

// complaint is a way in which programs say that a word is not what it was taken
// for.
type complaint struct {
	meaning string
	option  bool // it speaks of options, and may leave out their dashes
	phrases *regexp.Regexp
}

// complaints are what programs print, over getopt, argparse, clap, Go's flag,
// commander and git's own.
type complaints struct{ unknown, lacks, noFile, noValue complaint }

func newComplaints() *complaints {
	return &complaints{
		unknown: complaint{"the option before it takes no value", true, regexp.MustCompile(
			`(unknown|unrecogni[sz]ed|invalid|illegal|unexpected|bad|unsupported|no such) (long |command.line )?` +
				`(option|flag|switch|parameter)|(unrecognized|unexpected) arguments?\b|` +
				`provided but not defined|incorrect parameter`)},
		lacks: complaint{"it takes a value", true, regexp.MustCompile(
			`(requires|needs|expects|expected|missing|must have|without|lacks|takes) (an?|one|its|the|at least one)? ?` +
				`(\w+ )?(argument|value|parameter)\b|value is required|flag needs|argument (missing|expected)`)},
		noFile: complaint{"it is taken for a file or a name", false, regexp.MustCompile(
			`no such (file|directory)|cannot (open|access|stat|find|read)|can't (open|find|read|stat)|not found`)},
		noValue: complaint{"it takes no value", true, regexp.MustCompile(
			`(doesn't|does not|can't|cannot) (allow|take|have|accept) an? (argument|value|parameter)|` +
				`takes no (argument|value)|unexpected value|flag .*does not take`)},
	}
}

// strangeWord is a value that no program knows.
const strangeWord = "nod-nope"

// probes are calls with each option of the programs that are installed.
func probes() (list []probe, missing int) {
	told := newComplaints()
	missing = eachSheet(func(name, text, _ string) {
		first := strings.Contains(text, "\nposix\n") // behind an operand all is operands, and nod reads it so
		eachOption(text, func(head, option, role string) {
			if slices.Contains(ofOtherSystems(), name+head+" "+option) {
				return
			}
			for _, p := range told.probesOf(name+head, option, role) {
				if !first || !strings.HasPrefix(p.text, name+head+" a ") {
					list = append(list, p)
				}
			}
		})
	})
	return list, missing
}

// ofOtherSystems are options that mean another thing to the program of the same
// name on macOS. Their sheets read them so that what either does is said.
func ofOtherSystems() []string { return []string{"ls -T", "stat -f", "stat -t", "netstat -f"} }

// eachOption hands over the options of a sheet: the subcommand they belong to,
// and what the sheet says of a value ("" for none).
func eachOption(text string, do func(head, option, role string)) {
	heads := []string{""}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "[") {
			heads = headings(line)
			heads = heads[:min(len(heads), 1)]
			continue
		}
		list, role := options(line), valueRole(line)
		if strings.HasSuffix(line, " alone") {
			continue // the call ends there
		}
		for _, head := range heads {
			for _, o := range list {
				if !strings.Contains(o, "=") {
					do(head, o, role)
				}
			}
		}
	}
}

// valueRole is the word behind the spellings of an option line, if it speaks of
// a value.
func valueRole(line string) string {
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "=") || strings.HasPrefix(word, "?") {
			return word
		}
		if !strings.HasPrefix(word, "-") {
			break
		}
	}
	return ""
}

// probesOf are the calls for an option. a is a file that is there.
func (c *complaints) probesOf(program, option, role string) []probe {
	list := c.calls(program, option, role)
	for i := range list {
		list[i].call, list[i].option, list[i].unknown = program, strings.ToLower(option), &c.unknown
	}
	return list
}

func (c *complaints) calls(program, option, role string) []probe {
	if !strings.HasPrefix(role, "=") {
		return []probe{
			{text: program + " " + option, word: option, about: &c.lacks},
			{text: program + " a " + option, word: option, about: &c.lacks},
			{text: program + " a " + option, word: option, about: &c.noFile},
		}
	}
	list := []probe{
		{text: program + " " + option + " --" + strangeWord, word: strangeWord, about: &c.unknown},
		{text: program + " a " + option + " 3", word: option, about: &c.noFile},
	}
	if strings.HasPrefix(option, "--") {
		list = append(list, probe{text: program + " " + option + "=" + strangeWord, word: option, about: &c.noValue})
	}
	return list
}

// in returns the line in which a program complains of the word in this way; ""
// where it does not.
func (p probe) in(printed string) string {
	for line := range strings.Lines(strings.ToLower(printed)) {
		if p.unknown.phrases.MatchString(line) && names(line, p.option, true) {
			return "" // this build does not have the option at all, and ends
		}
		about := !strings.Contains(line, "execute") && p.about.phrases.MatchString(line)
		if about && names(line, strings.ToLower(p.word), p.about.option) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// names reports whether a line speaks of a word. Programs without long options
// name a second dash, and of an option often the letter alone.
func names(line, word string, option bool) bool {
	bare := strings.TrimLeft(word, "-")
	if word == strangeWord {
		return strings.Contains(line, word) || strings.Contains(line, "option -- '-'") ||
			strings.HasSuffix(strings.TrimSpace(line), "option -- -")
	}
	between := func(r rune) bool { return strings.ContainsRune(" \t\n'`\"’‘,:;()<>[]=", r) }
	words := strings.FieldsFunc(line, between)
	return slices.ContainsFunc(words, func(w string) bool { return w == word || w == bare && bare != "" && option })
}

// matters reports whether anything hangs on what is an argument of the program:
// it does not where all of them are words without a meaning for files.
func (p probe) matters(world *world) bool {
	return len(world.analyze(p.call+" a", nod.Bash).Effects) > 0
}

// oneProbe runs a call that nod allows, and looks at what its program says.
func (w *witnessing) oneProbe(s *stage, b *bed, worlds *worlds, seed uint64, text string) error {
	p, world := w.probes[seed-1], worlds.ofLines(s)
	if w.allowedLine(world, seed, text, nod.Bash) == nil || !p.matters(world) {
		return nil
	}
	r, err := b.run(job{Shell: "bash", Text: text, Line: true, Seed: seed})
	if err != nil {
		return err
	}
	var harm []string
	if line := p.in(r.Output); line != "" {
		harm = append(harm, fmt.Sprintf("%s: %s: %s", p.word, p.about.meaning, line))
	}
	w.bookLine(seed, "bash", text, r, harm, "the sheet says otherwise")
	return nil
}

// stageAndRunProbes puts all of them.
func (w *witnessing) stageAndRunProbes() error {
	list, missing := probes()
	for _, p := range list {
		w.texts = append(w.texts, p.text)
	}
	w.probes = list
	all := uint64(len(list))
	w.seed = max(w.seed, 1)
	w.n = min(w.n, all-min(all, w.seed-1))
	fmt.Fprintf(w.out, "%d of %d calls are tried (-n)\n", w.n, all)
	err := w.stageAndRun()
	fmt.Fprintf(w.out, "skipped %d programs of the data that are not installed here or need a service\n", missing)
	return err
}
