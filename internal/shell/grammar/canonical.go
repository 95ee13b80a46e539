package grammar

import (
	"reflect"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Canonical returns a text that two commands share only if a shell does the
// same with both: how many blanks stand between words does not show in it, nor
// by which quotes a constant word is quoted.
//
// Everything else does, comments too. A word without quotes is not taken for
// one with them, since an alias takes the place of the first alone. Words in
// [[ ]] that is more than one plain test, in ${ } and behind << are taken as written: what is quoted in a pattern
// or an expression means something else. A command that might look at its own
// text is returned as it is, and so is one that does not parse, or that bash
// and zsh may read differently where either may run it.
func Canonical(source string, dialect Dialect) string {
	lang, one := langOf(dialect)
	if !one && !Same(source) || dialect == PowerShell || Malformed(source) != "" || Exceeded(source) != "" ||
		readsItself(source) {
		return "as written\n" + source
	}
	file, err := As(source, lang, syntax.KeepComments(true))
	if err != nil || !certain(file.Stmts, source) {
		return "as written\n" + source
	}
	d := &dump{}
	d.value(reflect.ValueOf(file))
	return "as parsed\n" + d.String()
}

// langOf returns the grammar of a dialect; one is false where it is not
// certain that this is the one.
func langOf(d Dialect) (lang syntax.LangVariant, one bool) {
	switch d {
	case Posix:
		return syntax.LangPOSIX, true
	case Zsh:
		return syntax.LangZsh, true
	}
	return syntax.LangBash, d == Bash || d == Interp
}

// readsItself reports whether a command names what gives a shell, or a program
// that it starts, the text that is being run. It errs towards yes.
func readsItself(source string) bool {
	for name := range strings.FieldsFuncSeq(source, func(r rune) bool { return r > 127 || !Letter(byte(r)) }) {
		switch name {
		case "LINENO", "HISTCMD", "history", "fc", "proc", "ps", "pgrep", "pidof", "top", "htop", "lsof", "strace",
			"ltrace", "gdb", "set", "setopt", "shopt", "emulate", "trap", "alias", "unalias", "functrace",
			"funcsourcetrace", "funcfiletrace":
			return true
		}
		if strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "ZSH") || strings.HasPrefix(name, "HIST") {
			return true
		}
	}
	return false
}

// dump writes a tree so that no two can be mistaken for each other: every
// field of every node, of a position only whether there is one.
type dump struct{ strings.Builder }

func (d *dump) value(v reflect.Value) {
	if at, ok := v.Interface().(syntax.Pos); ok {
		d.WriteString(strconv.FormatBool(at.IsValid()))
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			d.WriteByte('~')
			return
		}
		d.value(v.Elem())
	case reflect.Slice:
		d.list(v, d.value)
	case reflect.Struct:
		d.node(v)
	case reflect.String:
		d.WriteString(strconv.Quote(v.String()))
	case reflect.Bool:
		d.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.WriteString(strconv.FormatUint(v.Uint(), 10))
	default:
		d.WriteString(strconv.FormatInt(v.Int(), 10))
	}
}

func (d *dump) list(v reflect.Value, each func(reflect.Value)) {
	d.WriteString(strconv.Itoa(v.Len()) + "[")
	for i := range v.Len() {
		each(v.Index(i))
		d.WriteByte(' ')
	}
	d.WriteByte(']')
}

func (d *dump) node(v reflect.Value) {
	t := v.Type()
	d.WriteString(t.Name() + "{")
	for i := range v.NumField() {
		name := t.Field(i).Name
		d.WriteString(name + "=")
		switch field := v.Field(i); {
		case t.Name() == "CallExpr" && name == "Args", t.Name() == "WordIter" && name == "Items":
			d.list(field, d.word)
		case t.Name() == "Redirect" && name == "Word" && v.FieldByName("Hdoc").IsNil():
			d.word(field)
		default:
			d.value(field)
		}
		d.WriteByte(' ')
	}
	d.WriteByte('}')
}

// word writes a word; one that is constant and quoted somewhere by its text.
func (d *dump) word(v reflect.Value) {
	w, ok := v.Interface().(*syntax.Word)
	if ok && w != nil {
		if text, quoted := quotedText(w); quoted {
			d.WriteString("quoted" + strconv.Quote(text))
			return
		}
	}
	d.value(v)
}

// quotedText returns the text of a word that nothing expands and that is quoted
// somewhere. What is not quoted in it is plain letters that no shell reads
// anything into.
func quotedText(w *syntax.Word) (text string, quoted bool) {
	var b strings.Builder
	single := false // the part before was in single quotes: with rc_quotes, '' is a quote
	for i, part := range w.Parts {
		wasSingle := single
		single = false
		switch p := part.(type) {
		case *syntax.SglQuoted:
			if p.Dollar || wasSingle {
				return "", false
			}
			b.WriteString(p.Value)
			quoted, single = true, true
		case *syntax.DblQuoted:
			inner, ok := plainInside(p)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
			quoted = true
		case *syntax.Lit:
			bare, escaped, ok := unescaped(p.Value, i == 0)
			if !ok {
				return "", false
			}
			b.WriteString(bare)
			quoted = quoted || escaped
		default:
			return "", false
		}
	}
	return b.String(), quoted
}

// plainInside returns what stands between double quotes, if that is text in
// which nothing has a meaning there.
func plainInside(p *syntax.DblQuoted) (text string, ok bool) {
	for _, part := range p.Parts {
		lit, plain := part.(*syntax.Lit)
		if !plain || strings.ContainsAny(lit.Value, "\\!$`") {
			return "", false
		}
		text += lit.Value
	}
	return text, !p.Dollar
}

// unescaped takes the backslashes off an unquoted text, if everything without
// one is plain. What looks like an assignment is not: set -k makes it one.
func unescaped(s string, first bool) (text string, escaped, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && s[i+1] != '\n' && s[i+1] < 0x80:
			i++
			b.WriteByte(s[i])
			escaped = true
			continue
		case Letter(c), strings.IndexByte("-./:,@", c) >= 0, c == '=' && !(first && plainName(s) >= i):
			b.WriteByte(c)
		default:
			return "", false, false
		}
	}
	return b.String(), escaped, true
}

// Dialect is the grammar in which a command is read.
type Dialect uint8

const (
	// Unstated is the zero value: bash and zsh must agree on the reading, else
	// the command is unknown.
	Unstated Dialect = iota
	Bash
	Posix
	Zsh
	// PowerShell is recognised and never parsed.
	PowerShell
	// Interp is bash as mvdan.cc/sh/interp runs it (3.13.1, the shell of Crush 0.90): most
	// backslashes outside of quotes stay, globs mean hidden files in more places, and a name
	// that a redirection opens is taken by its letters, wherever links lead.
	Interp
)

// plainName returns the length of a variable name that nothing follows which
// zsh would take as a subscript or modifier, or 0.
func plainName(s string) int {
	n := 0
	for n < len(s) && Letter(s[n]) {
		n++
	}
	if n < len(s) && (s[n] == '[' || s[n] == ':') {
		return 0
	}
	return n
}
