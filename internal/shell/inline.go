package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

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
// and -R, zsh the number after -t and both sides of a comparison of numbers: an index
// in them runs commands (zsh 5.9: [ 'a[$(cmd)]' -eq 1 ] runs cmd; mksh, which may be sh,
// does so too). So each word that may be such an operator has to be known.
func (b *builtins) testArgs(inv *invocation) {
	calculates, args := b.now.zsh() || b.now.lang == syntax.LangPOSIX, tested(inv)
	for i, w := range args {
		before, after := word{}, word{}
		if i > 0 {
			before = args[i-1]
		}
		if i+1 < len(args) {
			after = args[i+1]
		}
		switch {
		case mayBeOperator(w),
			!w.known && !w.numeric && i+1 < len(args) && !(i == 0 && len(args) == 3 && compares(after)):
			b.out.unknown(PartWords, inv.raw, grammar.Escaped(w.raw)+" may be an operator of "+inv.name)
		case (before.text == "-v" || before.text == "-R") && (!w.known || !grammar.Identifier(w.text)):
			b.out.unknown(PartWords, inv.raw, "this names a variable that nod does not know")
		case calculates && (before.text == "-t" || comparesNumbers(before.text) || comparesNumbers(after.text)) &&
			!(w.known && plainNumber(w.text)) && !w.numeric && !onlyStatus(w.raw):
			b.out.unknown(PartWords, inv.raw, "this calculates with a value that nod does not know")
		}
	}
}

// tested are the words of an expression, without the bracket that ends it and the
// negations before it.
func tested(inv *invocation) []word {
	args := inv.args
	if n := len(args); inv.name == "[" && n > 0 && args[n-1].text == "]" {
		args = args[:n-1]
	}
	for len(args) > 1 && args[0].known && args[0].text == "!" {
		args = args[1:]
	}
	return args
}

// mayBeOperator reports whether a word may become several, or a name of a file that is
// an operator: each begins with a sign and is signs and letters, three at most.
func mayBeOperator(w word) bool {
	if w.glob == 0 {
		return w.many && !w.numeric
	}
	if w.glob > 1 {
		return strings.IndexByte("-=!<>()", w.text[0]) >= 0
	}
	constant := strings.NewReplacer("*", "", "?", "").Replace(w.text)
	return strings.Contains(w.text, "[") || len(constant) < 4 && !strings.ContainsAny(constant, "./_0123456789")
}

// compares reports whether a word between two others makes them a comparison,
// whatever they are.
func compares(w word) bool {
	switch w.text {
	case "=", "==", "!=", "-nt", "-ot", "-ef":
		return w.known
	}
	return w.known && comparesNumbers(w.text)
}

func comparesNumbers(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}
