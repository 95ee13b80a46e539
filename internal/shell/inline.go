package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// special dispatches to the readers of programs whose arguments need more than
// the data can say. done is false where the data goes on.
func (a *analysis) special(s *sheet, inv *invocation) (done bool) {
	switch s.code {
	case "git":
		a.git(s, inv)
		return true
	case "test":
		a.builtins.testArgs(inv)
		return true
	case "tmux":
		for _, w := range inv.args {
			if !w.known || strings.HasSuffix(w.text, ";") {
				a.out.unknown(PartWords, inv.raw, "this may give tmux a further command")
			}
		}
	}
	return false
}

// testArgs checks the arguments of test and [. bash evaluates the name after -v
// and -R, zsh both sides of a comparison of numbers: an index in them runs
// commands (zsh 5.9: [ 'a[$(cmd)]' -eq 1 ] runs cmd).
func (b *builtins) testArgs(inv *invocation) {
	zsh := b.now.zsh()
	for i, w := range inv.args {
		before, after := word{}, word{}
		if i > 0 {
			before = inv.args[i-1]
		}
		if i+1 < len(inv.args) {
			after = inv.args[i+1]
		}
		switch {
		case (before.text == "-v" || before.text == "-R") && (!w.known || !grammar.Identifier(w.text)),
			i > 0 && !before.known && len(inv.args) > 4:
			b.out.unknown(PartWords, inv.raw, "this names a variable that nod does not know")
		case zsh && (comparesNumbers(before.text) || comparesNumbers(after.text)) && !(w.known && w.isNumber()) &&
			!w.numeric && !onlyStatus(w.raw):
			b.out.unknown(PartWords, inv.raw, "this calculates with a value that nod does not know")
		}
	}
}

func comparesNumbers(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}
