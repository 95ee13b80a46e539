package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// elementsOf returns the list that "$@", $* or ${x[@]} stands for.
func (a *analysis) elementsOf(p *syntax.ParamExp, st state) (list []word, isList, known bool, after state) {
	if p.Param == nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Length || p.Excl || p.Flags != nil || len(p.Modifiers) > 0 {
		return nil, a.mayList(p), false, a.walkParam(p, st)
	}
	name := p.Param.Value
	if name == "@" || name == "*" {
		return st.args, true, st.argsKnown, st
	}
	if p.Index == nil {
		if b := st.lookup(name); b != nil && b.array && a.lang != syntax.LangBash {
			return nil, true, false, st
		}
		return nil, false, false, st
	}
	st = a.arithm(p.Index, st)
	if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		b := st.lookup(name)
		if b == nil || !b.array {
			return nil, true, false, st
		}
		return b.list, true, b.known, st
	}
	return nil, false, false, st
}

// mayList reports whether a complex expansion can yield several words even in
// quotes.
func (a *analysis) mayList(p *syntax.ParamExp) bool {
	if p.Length {
		return false
	}
	if p.Flags != nil || p.Names != 0 || p.Excl || p.NestedParam != nil {
		return true
	}
	if p.Param != nil && (p.Param.Value == "@" || p.Param.Value == "*") {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w != nil && (w.Lit() == "@" || w.Lit() == "*") || p.Index != nil && a.lang == syntax.LangZsh
}

// walkParam analyses everything inside an expansion that may run code, without
// asking for its value.
func (a *analysis) walkParam(p *syntax.ParamExp, st state) state {
	if p.Flags != nil && strings.ContainsAny(p.Flags.Value, "eP%") {
		a.unknown(PartWords, a.raw(p), "an expansion flag of zsh can run code")
	}
	for _, m := range p.Modifiers {
		if strings.ContainsAny(m.Value, "$`") {
			a.unknown(PartWords, a.raw(p), "a modifier of zsh that substitutes")
		}
	}
	if p.NestedParam != nil {
		b := builder{a: a, word: word{raw: a.raw(p)}}
		st = a.part(&b, p.NestedParam, false, st)
	}
	if p.Index != nil {
		st = a.arithm(p.Index, st)
	}
	if p.Slice != nil {
		st = a.arithm(p.Slice.Offset, st)
		st = a.arithm(p.Slice.Length, st)
	}
	if p.Repl != nil {
		_, st = a.single(p.Repl.Orig, st)
		_, st = a.single(p.Repl.With, st)
	}
	if p.Exp != nil {
		var w word
		w, st = a.single(p.Exp.Word, st)
		if p.Exp.Op == syntax.OtherParamOps && (!w.known || w.text == "P") {
			a.unknown(PartWords, a.raw(p), "${...@P} runs what the value holds")
		}
	}
	if p.Excl && p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		a.unknown(PartAssignment, a.raw(p), "an assignment through an indirect name")
	}
	if p.Excl && p.Names == 0 {
		if b := st.lookup(p.Param.Value); b == nil || !b.known {
			a.unknown(PartWords, a.raw(p), "an indirect name that is not known")
		}
	}
	return st
}

// param returns the value of one expansion, as one string.
func (a *analysis) param(p *syntax.ParamExp, st state) (binding, state) {
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || p.Excl || p.Names != 0 || len(p.Modifiers) > 0 || p.IsSet {
		return binding{}, a.walkParam(p, st)
	}
	if p.Length {
		return binding{value: value{numeric: true}}, a.walkParam(p, st)
	}
	if a.namesItself(p) {
		return binding{value: constant(a.where.name)}, st
	}
	if p.Slice != nil || p.Repl != nil || p.Index != nil {
		return binding{}, a.walkParam(p, st)
	}
	v := a.variable(p.Param.Value, a.raw(p), st)
	if p.Exp == nil {
		return v, st
	}
	return a.expansion(p, v, st)
}

// namesItself recognises what bash calls the script that is being read:
// ${BASH_SOURCE[0]}, with or without a default.
func (a *analysis) namesItself(p *syntax.ParamExp) bool {
	if p.Param.Value != "BASH_SOURCE" || a.where.name == "" || a.where.fixed || a.lang != syntax.LangBash || a.both || len(a.calls) > 0 || p.Slice != nil || p.Repl != nil {
		return false
	}
	if w, ok := p.Index.(*syntax.Word); p.Index != nil && (!ok || w.Lit() != "0") {
		return false
	}
	return p.Exp == nil || p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull
}

// expansion applies ${x:-y} and its kin.
func (a *analysis) expansion(p *syntax.ParamExp, v binding, st state) (binding, state) {
	set := st.lookup(p.Param.Value)
	bound := set != nil && v.known && !v.unset
	after := a.walkParam(p, st)
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if bound && v.text != "" {
			return v, after
		}
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			after = a.assigned(p.Param.Value, value{}, "", after)
		}
		return binding{}, after
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v, after
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if w, _ := a.single(p.Exp.Word, st); bound && w.known {
			if text, ok := trimmed(v.text, w, p.Exp.Op); ok {
				return binding{value: constant(text)}, after
			}
		}
	}
	return binding{}, after
}

// trimmed is ${x#pattern} and its kin for a pattern that is a constant, or a
// star and a constant.
func trimmed(text string, w word, op syntax.ParExpOperator) (string, bool) {
	pat := w.text
	head, isPrefix := strings.CutPrefix(pat, "*")
	tail, isSuffix := strings.CutSuffix(pat, "*")
	large := op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	switch {
	case strings.ContainsAny(pat, "?[\\("), strings.Count(pat, "*") > 1:
		return "", false
	case !strings.Contains(pat, "*") && prefix:
		return strings.TrimPrefix(text, pat), true
	case !strings.Contains(pat, "*"):
		return strings.TrimSuffix(text, pat), true
	case prefix && isPrefix && head != "":
		i := strings.Index(text, head)
		if large {
			i = strings.LastIndex(text, head)
		}
		if i < 0 {
			return text, true
		}
		return text[i+len(head):], true
	case !prefix && isSuffix && tail != "":
		i := strings.LastIndex(text, tail)
		if large {
			i = strings.Index(text, tail)
		}
		if i < 0 {
			return text, true
		}
		return text[:i], true
	}
	return "", false
}

// variable returns what a parameter holds. What is inherited is not taken for
// known: the environment can be the repository's. HOME and PWD are.
func (a *analysis) variable(name, raw string, st state) binding {
	if b := st.lookup(name); b != nil {
		return *b
	}
	switch name {
	case "HOME":
		if a.env.Home != "" {
			return binding{value: constant(a.env.Home)}
		}
	case "0":
		return binding{value: st.zero}
	case "PWD":
		if st.dir != "" {
			return binding{value: constant(st.dir)}
		}
	case "?", "$", "!", "#", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "EPOCHSECONDS", "BASHPID", "SRANDOM", "COLUMNS", "LINES":
		return binding{value: value{numeric: true}}
	}
	if len(name) == 1 && name[0] >= '1' && name[0] <= '9' && st.argsKnown {
		if n := int(name[0] - '1'); n < len(st.args) {
			return binding{value: st.args[n].value}
		}
		return binding{value: constant("")}
	}
	if secretName(name) {
		a.effect(Effect{Kind: Secret, Target: name, Words: raw, Part: PartWords})
	}
	return binding{}
}

// secretName reports whether a variable of that name usually holds a secret.
func secretName(name string) bool {
	upper := strings.ToUpper(name)
	for _, part := range [...]string{"SECRET", "PASSWORD", "PASSWD", "TOKEN", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL", "DATABASE_URL"} {
		if strings.Contains(upper, part) {
			return true
		}
	}
	for _, end := range [...]string{"_KEY", "_PAT", "_PASS", "_CREDS", "PGPASS"} {
		if strings.HasSuffix(upper, end) {
			return true
		}
	}
	return false
}

// arithm walks an arithmetic expression. Variables in it are evaluated again
// as expressions, and an array index in their value runs substitutions.
func (a *analysis) arithm(x syntax.ArithmExpr, st state) state {
	switch x := x.(type) {
	case nil:
	case *syntax.BinaryArithm:
		if x == nil {
			return st
		}
		if assigns(x.Op) {
			st = a.arithm(x.Y, st)
			return a.counted(x.X, st)
		}
		return a.arithm(x.Y, a.arithm(x.X, st))
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			return a.counted(x.X, a.arithm(x.X, st))
		}
		return a.arithm(x.X, st)
	case *syntax.ParenArithm:
		return a.arithm(x.X, st)
	case *syntax.FlagsArithm:
		a.unknown(PartWords, a.raw(x), "an expansion flag of zsh")
		if x.X != nil {
			return a.arithm(x.X, st)
		}
	case *syntax.Word:
		return a.operand(x, st)
	}
	return st
}

func assigns(op syntax.BinAritOperator) bool {
	switch op.String() {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "&&=", "||=", "^^=":
		return true
	}
	return false
}

// counted records that arithmetic assigns to x.
func (a *analysis) counted(x syntax.ArithmExpr, st state) state {
	w, ok := x.(*syntax.Word)
	if !ok {
		return a.arithm(x, st)
	}
	name := w.Lit()
	if name == "" {
		return a.operand(w, st)
	}
	return a.assigned(name, value{numeric: true}, name, st)
}

func (a *analysis) operand(w *syntax.Word, st state) state {
	if w == nil {
		return st
	}
	if name := w.Lit(); name != "" {
		a.evaluated(name, st)
		return st
	}
	v, st := a.single(w, st)
	switch {
	case v.known && v.isNumber(), !v.known && v.numeric:
	case v.known && plainIdentifier(v.text):
		a.evaluated(v.text, st)
	case !v.known && onlyCounters(w):
	default:
		a.unknown(PartWords, a.raw(w), "arithmetic on a value that is not known")
	}
	return st
}

// onlyCounters reports whether a word is made of nothing but parameters that
// are always integers.
func onlyCounters(w *syntax.Word) bool {
	for _, part := range w.Parts {
		p, ok := part.(*syntax.ParamExp)
		if !ok || p.Param == nil || p.Index != nil || !strings.Contains("?#$!", p.Param.Value) {
			return false
		}
	}
	return true
}

func plainIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !letter(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// evaluated reports a variable in arithmetic whose value is not known to be a
// number. An unset one is 0.
func (a *analysis) evaluated(text string, st state) {
	if !plainIdentifier(text) {
		if strings.ContainsAny(text, "[$`") {
			a.unknown(PartWords, text, "arithmetic with an index that is not known")
		}
		return
	}
	b := st.lookup(text)
	if b == nil {
		if _, inherited := a.inherits(text); inherited {
			a.unknown(PartWords, text, "arithmetic on an inherited variable")
		}
		return
	}
	if !b.isNumber() && !b.unset {
		a.unknown(PartWords, text, "arithmetic on a value that is not known")
	}
}
