package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
)

// rubyLine is a command line of ruby of which all options are known.
type rubyLine struct {
	source string
	given  bool
	use    []string
	rest   []word
}

// ruby reports a program of Ruby that is proven to do nothing beyond its
// effects. It reports nothing, and returns false, where that is not certain.
func (a *analysis) ruby(inv *invocation) bool {
	o, ok := rubyOptions(inv.args)
	if !ok || a.away != "" || !a.asWritten() || a.rubyTold() {
		return false
	}
	if !o.given {
		if len(o.rest) > 0 && !(o.rest[0].known && o.rest[0].text == "-") || inv.in.kind != fromText || !inv.in.text.known {
			return false
		}
		o.source = inv.in.text.text
	}
	facts := code.Prove("ruby", o.source, code.Env{Home: a.env.Home, RubyTold: true, RubyUse: o.use})
	if !facts.Proven {
		return false
	}
	a.codeEffects(inv, facts)
	return true
}

// rubyTold reports whether a variable may tell ruby what to load or where
// from.
func (a *analysis) rubyTold() bool {
	for _, name := range a.env.Ambient {
		if text, _ := a.inherits(name); text == "" {
			continue
		}
		for _, prefix := range [...]string{"RUBYOPT", "RUBYLIB", "RUBYSHELL", "GEM_", "BUNDLE_", "BUNDLER_", "DLN_"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
	}
	return false
}

// rubyOptions reads the options of ruby: -e, -r and those for warnings. ok is
// false where there is another one.
func rubyOptions(args []word) (o rubyLine, ok bool) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case (!w.known || w.many || w.glob > 0) && w.dashed():
			return o, false
		case !w.dashed() || w.text == "-":
			o.rest = args[i:]
			return o, true
		case w.text == "--":
			o.rest = args[i+1:]
			return o, true
		case w.text == "-w", w.text == "-W", w.text == "-W0", w.text == "-W1", w.text == "-W2":
			continue
		}
		letter, text := w.text[1:2], w.text[2:]
		if letter != "e" && letter != "r" {
			return o, false
		}
		if text == "" {
			if i++; i == len(args) || !args[i].known || args[i].many || args[i].glob > 0 {
				return o, false
			}
			text = args[i].text
		}
		if letter == "e" {
			o.source, o.given = o.source+text+"\n", true
		} else {
			o.use = append(o.use, text)
		}
	}
	return o, true
}
