package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
	"github.com/nodgate/nod/internal/shell/grammar"
)

// codes reports what programs do that a command line is given: in small
// languages, which are read, and in others, which are not.
type codes struct {
	out     *draft
	targets *targets
	*sheet
	*given
	run    shellRunner
	inline []word // code that an interpreter is given
}

// shellRunner walks a text that a shell is told to run.
type shellRunner interface{ shellText(w word) }

// inlineCode keeps code given as an argument to an interpreter, until what
// follows it is known too.
func (cs *codes) inlineCode(w word) { cs.inline = append(cs.inline, w) }

// finishInline reports the code that an interpreter was given, once all its
// options and arguments are known. nod reads no language but those of shells,
// so such code may do anything; the names in it are told to the model.
func (cs *codes) finishInline() {
	for _, w := range cs.inline {
		if !w.known {
			cs.out.unknown(PartWords, cs.inv.raw, "this runs code that nod does not know")
		}
		cs.out.runsCode(cs.inv, w)
	}
}

// filter reports what a filter of jq, or an expression of yq, can see and do
// besides its input.
func (cs *codes) filter(role string, w word) {
	switch {
	case !w.known:
		cs.out.does(Secret, "environment", cs.inv.raw)
	case strings.HasPrefix(role, "yq"):
		cs.yqFile(w)
		cs.coded(code.YQ(w.text))
	default:
		cs.coded(code.JQ(w.text))
	}
}

// yqFile reports what yq does with a first word that names a file: it reads it, or
// runs it where its name ends in .yq.
func (cs *codes) yqFile(w word) {
	if strings.HasSuffix(w.text, ".yq") {
		cs.out.unknown(PartWords, cs.inv.raw, "yq takes "+grammar.Escaped(w.text)+" for a file with its program")
	}
	m := cs.targets.machine
	if name, ok := absolute(w, cs.inv.st); ok && w.text != "" && m.env.Files != nil && m.exists(name) {
		cs.targets.reads(w, 0)
	}
}

// coded reports what a program in a small language does.
func (cs *codes) coded(list []code.Effect) {
	for _, e := range list {
		w := word{value: value{text: e.Name, known: e.Known}, raw: cs.inv.raw}
		switch e.Kind {
		case code.Read:
			cs.out.path(Read, w, cs.inv.st, 0)
		case code.Write:
			cs.out.path(Write, w, cs.inv.st, 0)
		case code.Secret:
			cs.out.does(Secret, e.Name, cs.inv.raw)
		case code.Run:
			cs.out.does(Run, e.Name, cs.inv.raw)
		default:
			cs.out.unknown(PartWords, cs.inv.raw, e.Name)
		}
	}
}

// sedScript reports what a script of sed does.
func (cs *codes) sedScript(w word) {
	switch {
	case w.known && !(w.glob > 0 && w.many):
		effects, ok := code.Sed(w.text)
		if cs.coded(effects); !ok {
			cs.out.unknown(PartWords, cs.inv.raw, "this runs a sed script that nod cannot read")
		}
	case !w.known:
		cs.out.unknown(PartWords, cs.inv.raw, "this runs a sed script that nod does not know")
	}
}

// awkProgram reports what a program of awk does.
func (cs *codes) awkProgram(w word) {
	if !w.known {
		cs.out.unknown(PartWords, cs.inv.raw, "this runs an awk program that nod does not know")
		return
	}
	effects, ok := code.Awk(w.text)
	if cs.coded(effects); !ok {
		cs.out.runsCode(cs.inv, w)
	}
}

// previewed walks a command that fzf runs for the item under the cursor.
// Braces stand for parts of the item.
func (cs *codes) previewed(w word) {
	if w.known && strings.ContainsAny(w.text, "{}") {
		cs.out.unknown(PartWords, cs.inv.raw, "this makes parts of what is picked from part of a command")
		return
	}
	if !w.known || w.text != "" {
		cs.run.shellText(w)
	}
}

// runsCode reports code that nod does not read. What may be a command in it is
// looked at by the guard.
func (d *draft) runsCode(inv *invocation, w word) {
	e := Effect{Kind: Run, Target: "inline code", Words: inv.raw, Part: PartWords}
	if w.known {
		d.unread(w.text)
		if names := code.Mentions(w.text); len(names) > 0 {
			e.Note = grammar.Shorten("it mentions " + strings.Join(names, ", "))
		}
	}
	d.effect(e)
}
