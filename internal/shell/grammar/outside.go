package grammar

import (
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Outside lists what in a text is more shell than nod follows, by its form alone: the grammar in
// the comment of package shell, as code. What is not listed here as inside is outside: a form
// that few calls use is not worth the risk that shells differ on it.
func Outside(list []*syntax.Stmt, src string) []Form {
	f := &forms{src: src}
	for _, s := range list {
		syntax.Walk(s, f.visit)
	}
	return f.found
}

// Form is a construct that nod does not follow.
type Form struct {
	Node  syntax.Node
	What  string
	Hides bool // commands may stand in it that the tree does not show
}

type forms struct {
	src   string
	found []Form
}

func (f *forms) is(n syntax.Node, outside bool, what string) {
	if outside {
		f.found = append(f.found, Form{Node: n, What: what})
	}
}

// hides is the same of what may hold commands that the tree does not show.
func (f *forms) hides(n syntax.Node, outside bool, what string) {
	if outside {
		f.found = append(f.found, Form{Node: n, What: what, Hides: true})
	}
}

func (f *forms) raw(n syntax.Node) string { return Raw(f.src, n) }

// Raw is a part of a text as it is written, "" where it does not stand in it.
func Raw(src string, n syntax.Node) string {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if start > end || end > len(src) {
		return ""
	}
	return src[start:end]
}

func (f *forms) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		f.stmt(n)
	case *syntax.BinaryCmd:
		f.binary(n)
	case *syntax.CallExpr:
		f.call(n)
	case *syntax.TimeClause:
		f.is(n, n.PosixFormat || n.Stmt == nil || !isSimple(n.Stmt) || len(n.Stmt.Redirs) > 0,
			"time before more than a command")
	case *syntax.Subshell:
		f.is(n, strings.HasPrefix(f.raw(n), "((") || strings.HasPrefix(f.raw(n), "(#"), "(( )")
	case *syntax.Redirect:
		f.fed(n)
		return n.Hdoc == nil
	case *syntax.Word:
		f.word(n)
	case *syntax.CmdSubst:
		f.substitution(n, n.Stmts)
	}
	return true
}

// fed looks at what a here-document expands.
func (f *forms) fed(r *syntax.Redirect) {
	if r.Hdoc == nil {
		return
	}
	f.names(r.Hdoc, r.Hdoc.Parts)
	plain := strings.ContainsAny(f.raw(r.Word), `'"`)
	for _, part := range r.Hdoc.Parts {
		if lit, text := part.(*syntax.Lit); !text {
			syntax.Walk(part, f.visit)
		} else {
			f.is(r, !plain && lonely(lit.Value), "a $ that some shells expand")
		}
	}
}

func isSimple(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0
}

func (f *forms) stmt(s *syntax.Stmt) {
	call, simple := s.Cmd.(*syntax.CallExpr)
	_, list := s.Cmd.(*syntax.BinaryCmd)
	f.is(s, s.Background || s.Coprocess || s.Disown, "a job in the background")
	f.is(s, s.Negated && (!simple && !list || !strings.HasPrefix(f.raw(s), "! ")), "! before more than a command")
	f.is(s, len(s.Redirs) > 0 && (s.Cmd == nil || list || simple && len(call.Args) == 0),
		"a redirection without a command")
	var used [3]bool
	for _, r := range s.Redirs {
		at := int(r.Pos().Offset())
		f.is(r, s.Cmd != nil && r.Pos().Offset() < s.Cmd.Pos().Offset(), "a redirection before the command")
		f.is(r, at > 0 && at <= len(f.src) && Digit(f.src[at-1:at]), "a redirection right behind a number")
		to := f.redirect(r)
		f.is(r, to >= 0 && used[max(to, 0)], "two redirections of one descriptor")
		used[max(to, 0)] = true
	}
}

// redirect returns the descriptor that a redirection is of; -1 where nod does not follow it.
func (f *forms) redirect(r *syntax.Redirect) int {
	number := ""
	if r.N != nil {
		number = r.N.Value
	}
	switch to := r.Word.Lit(); {
	case number == "" && r.Op == syntax.RdrIn && !f.numbers(r),
		number == "" && r.Op == syntax.WordHdoc && len(r.Word.Parts) == 1:
		return 0
	case number == "" && (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && f.document(r):
		return 0
	case number == "" && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut),
		(number == "" || number == "1") && r.Op == syntax.DplOut && to == "2":
		return 1
	case number == "2" && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.DplOut && to == "1"):
		return 2
	}
	f.is(r, !f.discards(r), "a redirection of this kind")
	return -1
}

// discards recognises &>/dev/null. Behind a digit zsh would take that for a descriptor.
func (f *forms) discards(r *syntax.Redirect) bool {
	at := int(r.Pos().Offset())
	return (r.Op == syntax.RdrAll || r.Op == syntax.AppAll) && r.Word.Lit() == "/dev/null" &&
		at > 0 && at < len(f.src) && f.src[at-1] == ' '
}

// document reports a here-document whose text begins in the next line, and whose end is a name, in quotes or not. Where
// it is not quoted, the text has no backslash.
func (f *forms) document(r *syntax.Redirect) bool {
	end := f.raw(r.Word)
	name := strings.Trim(end, `'"`)
	if !Identifier(name) || end != name && end != "'"+name+"'" && end != `"`+name+`"` {
		return false
	}
	if r.Hdoc == nil {
		return true
	}
	text, behind := f.raw(r.Hdoc), f.src[min(int(r.Hdoc.End().Offset()), len(f.src)):]
	at := strings.LastIndexByte(text, '\n') + 1 // the line of the end
	return r.Hdoc.Pos().Line() == r.Word.Pos().Line()+1 && (end != name || !strings.ContainsAny(text, "\\`")) &&
		strings.TrimLeft(text[at:], "\t") == name && (behind == "" || behind[0] == '\n') && !begins(text[:at], name)
}

// begins reports whether a line of a here-document begins as its end does: in $( )
// bash 5.2 takes such a line for the end.
func begins(text, end string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"),
		func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, "\t"), end) })
}

// numbers reports what zsh takes for a pattern of numbers: <1-5>.
func (f *forms) numbers(r *syntax.Redirect) bool {
	name := f.raw(r.Word)
	return r.OpPos.Offset()+1 == r.Word.Pos().Offset() && name != "" && (name[0] == '-' || Digit(name[:1]))
}

func (f *forms) binary(c *syntax.BinaryCmd) {
	f.is(c, c.Op == syntax.PipeAll, "|&")
	if c.Op != syntax.Pipe {
		return
	}
	for _, s := range []*syntax.Stmt{c.X, c.Y} {
		call, simple := s.Cmd.(*syntax.CallExpr)
		f.is(s, s.Cmd == nil || simple && len(call.Args) == 0 || s.Negated, "a pipe without a command")
	}
	switch c.Y.Cmd.(type) {
	case *syntax.CallExpr, *syntax.BinaryCmd:
	default:
		f.is(c.Y, true, "a pipe into this")
	}
	for _, r := range c.Y.Redirs {
		f.is(r, r.Op == syntax.RdrIn || r.Hdoc != nil || r.Op == syntax.WordHdoc, "a pipe beside another input")
	}
}

func (f *forms) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		f.is(c, len(c.Assigns) > 1, "several assignments at once")
		return
	}
	name := c.Args[0].Lit()
	f.is(c.Args[0], name != "[" && (name == "" || strings.Trim(name, bracketedSigns+"/:+") != ""),
		"the name of a command that is not plain")
	for _, as := range c.Assigns {
		f.constant(as)
	}
}

// constant looks at an assignment before a command: it has one constant word.
func (f *forms) constant(as *syntax.Assign) {
	plain := as.Value == nil
	if !plain {
		_, plain = Constant(as.Value)
	}
	f.is(as, !plain, "an assignment of more than a constant before a command")
	// zsh calculates with what some of its variables are set to.
	f.is(as, strings.ContainsAny(f.raw(as), "[$`"), "an assignment of a text that a shell may calculate with")
}

// substitution looks at $( ): a list of simple commands in one line, or one command with a here-document.
func (f *forms) substitution(n syntax.Node, list []*syntax.Stmt) {
	raw := f.raw(n)
	f.hides(n, !strings.HasPrefix(raw, "$(") || len(raw) > 2 &&
		(raw[2] == '(' || raw[2] == '#'), "a substitution of this kind")
	f.hides(n, len(list) != 1, "a substitution of several commands, or none")
	for _, s := range list {
		syntax.Walk(s, f.inside)
	}
	f.hides(n, (strings.Contains(raw, "\n") || holdsDocument(list)) && !f.feedsDocument(n, list),
		"a substitution of several lines")
}

// holdsDocument reports whether a here-document begins in a list. Where its text
// stands behind the end of the substitution, zsh and dash run that text.
func holdsDocument(list []*syntax.Stmt) (found bool) {
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			r, ok := n.(*syntax.Redirect)
			found = found || ok && (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc)
			return true
		})
	}
	return found
}

// inside looks at what stands in a substitution.
func (f *forms) inside(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Comment:
		f.hides(n, true, "a comment in a substitution")
	case *syntax.Stmt:
		_, list := n.Cmd.(*syntax.BinaryCmd)
		f.hides(n, !list && !isSimple(n), "a substitution of more than simple commands")
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return false // is looked at by itself
	}
	return true
}

// feedsDocument reports a substitution of one command with a here-document,
// which is quoted and begins at the end of its line.
func (f *forms) feedsDocument(n syntax.Node, list []*syntax.Stmt) bool {
	if len(list) != 1 || !isSimple(list[0]) || len(list[0].Redirs) != 1 || list[0].Redirs[0].Hdoc == nil {
		return false
	}
	head, _, _ := strings.Cut(f.raw(n), "\n")
	return strings.HasSuffix(head, "'") && strings.HasSuffix(head, f.raw(list[0].Redirs[0].Word)) &&
		balanced(f.raw(list[0].Redirs[0].Hdoc))
}

// balanced reports whether each parenthesis of a text has its other in the same line, and no
// quote between them. bash 3.2, the bash and the sh of macOS, looks for the end of $( )
// without knowing here-documents, so that "fix :)" ends it, and what follows runs.
func balanced(text string) bool {
	if strings.Contains(text, `\`) || strings.Contains(text, "${") || strings.Contains(text, "$[") ||
		strings.Contains(text, "$'") || strings.Contains(text, `$"`) {
		return false // they have rules of their own, or join lines
	}
	depth := 0
	for _, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth < 0 || depth > 0 && strings.ContainsRune("'\"`\n", c) {
			return false
		}
	}
	return depth == 0
}

func (f *forms) word(w *syntax.Word) {
	f.names(w, w.Parts)
	raw := f.raw(w)
	f.is(w, strings.Contains(raw, "$$") && raw != "$$", "a $$ in a word")
	f.is(w, bracesBesideCommands(raw), "braces beside a substitution, which bash 3.2, the bash of macOS, takes apart")
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			f.literal(w, p.Value, i)
			f.is(w, splits(runtime.GOOS, p.Value), "a letter outside of quotes that macOS may split")
		case *syntax.SglQuoted:
			f.is(w, p.Dollar, "$'...'")
		case *syntax.DblQuoted:
			f.quoted(w, p)
		}
	}
}

// splits reports whether bash may split a word where a letter stands. It asks the C
// library of each byte whether it is a blank, and that of macOS says yes for 0xA0, in
// UTF-8 too (bash 3.2, locale.c, read, not run): rm dà/x is rm d? /x there.
func splits(system, text string) bool { return system == "darwin" && strings.Contains(text, "\xa0") }

// quoted looks at the text between double quotes.
func (f *forms) quoted(w *syntax.Word, q *syntax.DblQuoted) {
	f.names(w, q.Parts)
	f.is(w, strings.Contains(f.raw(q), "$["), "$[ ], which shells read differently")
	for i, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		// The parser may cut behind a $.
		f.is(w, lonely(textAt(q.Parts, i)+textAt(q.Parts, i+1)), "a $ that some shells expand")
		f.is(w, ok && (f.joins(lit) || strings.Contains(lit.Value, "`") && !plainBackquotes(f.src)),
			"a backslash before a newline or a backquote in quotes")
	}
}

// textAt is a part that is text, "" for any other and behind the last.
func textAt(parts []syntax.WordPart, i int) string {
	if i < len(parts) {
		if lit, ok := parts[i].(*syntax.Lit); ok {
			return lit.Value
		}
	}
	return ""
}

// lonely reports a $ in quotes that stands for itself, before a sign that some shell may take for what it expands.
func lonely(text string) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '$' && i+1 < len(text) && strings.IndexByte(" |)]/.,;:&<>\n\t'\"\\", text[i+1]) < 0:
			return true
		}
	}
	return false
}

// names looks at what stands behind each $NAME.
func (f *forms) names(w *syntax.Word, parts []syntax.WordPart) {
	for i, part := range parts[min(1, len(parts)):] {
		name, ok := parts[i].(*syntax.ParamExp)
		lit, text := part.(*syntax.Lit)
		f.is(w, ok && name.Short && text && (changesName(lit.Value) || strings.HasPrefix(lit.Value, "{")),
			"a value that a shell changes by what stands behind it")
	}
}

// joins reports a text that ends where a backslash joins two lines.
func (f *forms) joins(lit *syntax.Lit) bool {
	return strings.HasSuffix(f.raw(lit), `\`) && !strings.HasSuffix(lit.Value, `\`)
}

// changesName reports whether zsh takes what stands behind $NAME for more of
// it: an index, a modifier, a letter beyond ASCII.
func changesName(behind string) bool {
	return behind != "" && (behind[0] >= utf8.RuneSelf || behind[0] == '[' ||
		behind[0] == ':' && len(behind) > 1 && Letter(behind[1]))
}

// literal looks at a part of a word without quotes.
func (f *forms) literal(w *syntax.Word, text string, part int) {
	first, last := part == 0, part == len(w.Parts)-1
	rest := text
	switch {
	case first && last && (text == "[" || text == "]" || text == "!" || text == "!=" || text == "="),
		last && text == "$":
		return
	case first && strings.HasPrefix(text, "="):
		f.is(w, true, "a word that begins with =")
		return
	case first && (text == "~" && last || strings.HasPrefix(text, "~/")):
		rest = text[1:]
	}
	if !first && strings.HasPrefix(rest, "#") {
		rest = rest[1:] // a comment begins where a word may
	}
	for n := 0; rest != ""; rest = rest[n:] {
		if n = plainRun(rest, text[:len(text)-len(rest)]); n == 0 {
			r, _ := utf8.DecodeRuneInString(rest)
			f.is(w, true, "a word with "+Escaped(string(r)))
			return
		}
	}
}

// plainRun is how many bytes at the beginning of a text without quotes mean the same to
// every shell, after any text before them in the word; 0 if the first byte may not.
func plainRun(text, before string) int {
	switch c := text[0]; {
	case c == '=' && strings.HasSuffix(before, ":"):
		return 0
	case Letter(c), strings.IndexByte("-./:,@%+=^*?", c) >= 0:
		return 1
	case c == '~' && before != "" && Letter(before[len(before)-1]):
		return 1
	case c == '#' && before != "":
		return 1 // a comment begins where a word may
	case c == '\\' && len(text) > 1 && text[1] >= ' ' && text[1] < 0x7F && !Letter(text[1]),
		strings.HasPrefix(text, "{}"):
		return 2
	case c == '{' && before != "", c == '[':
		return bracketed(text)
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(text)
		if r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			return n
		}
	}
	return 0
}

// bracketed is the length of [a-z], [!0-9] and of what git, gh and kubectl take:
// @{u}, {owner}, {.items}. 0 where more stands between the brackets.
func bracketed(text string) int {
	end := strings.IndexByte(text, text[0]+2) // ] behind [, } behind {
	if end < 2 {
		return 0
	}
	inner := text[1:end]
	if text[0] == '[' {
		inner = strings.TrimLeft(inner, "!^")
	}
	if inner == "" || strings.Contains(inner, "..") || strings.Trim(inner, bracketedSigns) != "" {
		return 0
	}
	return end + 1
}

const bracketedSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// bracesBesideCommands reports a word with a substitution in which bash 3.2 may find
// braces with alternatives, and so make several words of it.
func bracesBesideCommands(text string) bool {
	if strings.HasPrefix(text, `"`) && strings.IndexByte(text[1:], '"') == len(text)-2 {
		return false // nothing ends its quotes
	}
	_, inner, opened := strings.Cut(text, "{")
	_, _, closed := strings.Cut(inner, "}")
	return opened && closed && (strings.Contains(inner, ",") || strings.Contains(inner, "..")) &&
		strings.Contains(text, "$(")
}
