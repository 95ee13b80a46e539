package recipe

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// justToken is a word of a justfile outside the recipes' bodies.
type justToken struct {
	kind byte // one of those below, or the character
	text string
}

const (
	justName   = 'n'
	justString = 's'
	justAssign = 'a' // :=
	justAnd    = '&' // &&
)

// justTokens splits one line, to its end or to the braces that end an
// interpolation. ok is false where it holds anything that is not read.
func justTokens(line string, braced bool) (tokens []justToken, rest string, ok bool) {
	glued := false // a name stands right before: f'x' and x'x' are expanded
	for i := 0; i < len(line); {
		c := line[i]
		start := i
		switch {
		case c == ' ' || c == '\t':
			i++
		case braced && strings.HasPrefix(line[i:], "}}"):
			return tokens, line[i+2:], true
		case c == '#':
			return tokens, "", !braced
		case strings.HasPrefix(line[i:], ":="):
			i += 2
			tokens = append(tokens, justToken{kind: justAssign})
		case strings.HasPrefix(line[i:], "&&"):
			i += 2
			tokens = append(tokens, justToken{kind: justAnd})
		case strings.IndexByte("+*/(),:=@[]$", c) >= 0:
			i++
			tokens = append(tokens, justToken{kind: c})
		case c == '\'' || c == '"':
			text, n, ok := justQuoted(line[i:])
			if !ok || glued {
				return nil, "", false
			}
			i += n
			tokens = append(tokens, justToken{justString, text})
		case grammar.Letter(c) && (c < '0' || c > '9'):
			for i < len(line) && (grammar.Letter(line[i]) || line[i] == '-') {
				i++
			}
			tokens = append(tokens, justToken{justName, line[start:i]})
		default:
			return nil, "", false
		}
		glued = i > start && tokens != nil && tokens[len(tokens)-1].kind == justName && line[i-1] != ' ' &&
			line[i-1] != '\t'
	}
	return tokens, "", !braced
}

// justQuoted reads a string on one line: raw in single quotes, with escapes in
// double ones.
func justQuoted(s string) (text string, n int, ok bool) {
	if strings.HasPrefix(s, `'''`) || strings.HasPrefix(s, `"""`) {
		return "", 0, false
	}
	if s[0] == '\'' {
		end := strings.IndexByte(s[1:], '\'')
		return s[1:max(1, end+1)], end + 2, end >= 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i + 1, true
		case '\\':
			if i++; i >= len(s) {
				return "", 0, false
			}
			at := strings.IndexByte(`nt\"`, s[i])
			if at < 0 {
				return "", 0, false
			}
			b.WriteByte("\n\t\\\""[at])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}

// Evaluate is the value of an expression: strings and variables, joined by +
// or /. known is false where it depends on what is not read, ok where
// computing it may run something.
func (j *Justfile) Evaluate(tokens []justToken, bound []JustVariable, depth int) (text string, known, ok bool) {
	known = true
	for first := true; first || len(tokens) > 0; first = false {
		if !first {
			if tokens[0].kind != '+' && tokens[0].kind != '/' {
				return "", false, false
			}
			if tokens[0].kind == '/' {
				text += "/"
			}
			tokens = tokens[1:]
		}
		piece, pieceKnown, n := j.operand(tokens, bound, depth)
		if j.steps++; n == 0 || j.steps > maxSteps || len(text)+len(piece) > grammar.MaxBytes {
			return "", false, false
		}
		text, known, tokens = text+piece, known && pieceKnown, tokens[n:]
	}
	return text, known, true
}

// operand is the first value of an expression, and how many tokens it takes; 0
// where it is not read.
func (j *Justfile) operand(tokens []justToken, bound []JustVariable, depth int) (text string, known bool, n int) {
	switch {
	case len(tokens) == 0 || depth > 8:
		return "", false, 0
	case tokens[0].kind == justString:
		return tokens[0].text, true, 1
	case tokens[0].kind != justName:
		return "", false, 0
	case len(tokens) > 1 && tokens[1].kind == '(':
		return j.function(tokens)
	}
	for _, list := range [][]JustVariable{bound, j.Vars} {
		for _, v := range list {
			if v.Name == tokens[0].text {
				text, known, ok := j.Evaluate(v.Value, nil, depth+1)
				if !ok {
					return "", false, 0
				}
				return text, known, 1
			}
		}
	}
	return "", false, 0
}

// function is a call of one of just's functions that only tell: all but one of
// what is not known here.
func (j *Justfile) function(tokens []justToken) (text string, known bool, n int) {
	n = slices.IndexFunc(tokens, func(t justToken) bool { return t.kind == ')' }) + 1
	if n == 0 || slices.ContainsFunc(tokens[2:n-1], func(t justToken) bool {
		return t.kind != justString &&
			t.kind != ','
	}) {
		return "", false, 0
	}
	switch tokens[0].text {
	case "justfile_directory":
		return j.Dir, n == 3, n
	case "env", "env_var", "env_var_or_default", "os", "os_family", "arch", "num_cpus", "justfile",
		"invocation_directory", "invocation_dir", "justfile_dir", "home_directory", "home_dir", "cache_directory",
		"just_executable", "just_pid", "uuid", "datetime", "datetime_utc", "is_dependency":
		return "", false, n
	}
	return "", false, 0
}

// ParseJustfile reads a justfile that lies in a directory.
func ParseJustfile(text, dir string) (j Justfile, ok bool) {
	j.Dir = dir
	return j, j.parse(text)
}

// parse reads the whole file; false where it holds anything but the plain
// subset.
func (j *Justfile) parse(text string) bool {
	if strings.ContainsAny(text, "\r\x00") || strings.HasPrefix(text, "\uFEFF") {
		return false
	}
	p := justParser{Justfile: j}
	for i, line := range strings.Split(text, "\n") {
		if !p.line(line, i+1) {
			return false
		}
	}
	switch {
	case p.unsure:
		j.First = ""
	case p.chosen != "":
		j.First = p.chosen
	}
	return p.attributes == nil && len(j.recipes) < 4096 && len(j.Vars) < 4096 && j.unique()
}

// justParser is where in the file the parser stands.
type justParser struct {
	*Justfile
	open       bool   // the next line may belong to the last recipe
	indent     string // of its body, once there is one
	blank      int    // empty lines behind the body so far
	attributes []justToken
	chosen     string // the recipe marked as default
	unsure     bool   // or another one may be
}

func (p *justParser) line(line string, number int) bool {
	body := strings.TrimLeft(line, " \t")
	if body == "" {
		if p.open && p.indent == "" {
			p.open = false // a body follows its head at once
		}
		p.blank++
		return true
	}
	if body != line {
		return p.bodyLine(line, line[:len(line)-len(body)], number)
	}
	p.open, p.indent, p.blank = false, "", 0
	if line[0] == '#' {
		return p.attributes == nil
	}
	tokens, _, ok := justTokens(line, false)
	if !ok || len(tokens) == 0 {
		return false
	}
	return p.statement(tokens)
}

// bodyLine takes a line of the open recipe. The first sets the indentation of
// all.
func (p *justParser) bodyLine(line, blanks string, number int) bool {
	if !p.open {
		return false
	}
	if p.indent == "" {
		if strings.Contains(blanks, " ") && strings.Contains(blanks, "\t") {
			return false
		}
		p.indent, p.blank = blanks, 0
	}
	if !strings.HasPrefix(line, p.indent) {
		return false
	}
	r := &p.recipes[len(p.recipes)-1]
	for ; p.blank > 0; p.blank-- {
		r.Body = append(r.Body, Line{"", number - p.blank})
	}
	r.Body = append(r.Body, Line{line[len(p.indent):], number})
	return true
}

// statement reads a line outside of bodies.
func (p *justParser) statement(tokens []justToken) bool {
	if tokens[0].kind == '[' {
		if tokens[len(tokens)-1].kind != ']' || len(tokens) < 3 {
			return false
		}
		p.attributes = append(append(p.attributes, tokens[1:len(tokens)-1]...), justToken{kind: ','})
		return true
	}
	given := p.attributes
	p.attributes = nil
	kinds := func(list ...byte) bool {
		return len(tokens) >= len(list) && slices.EqualFunc(tokens[:len(list)], list,
			func(t justToken, k byte) bool { return t.kind == k })
	}
	first := tokens[0].text
	switch {
	case first == "set" && kinds(justName, justName):
		return given == nil && p.setting(tokens[1].text, tokens[2:])
	case first == "alias" && kinds(justName, justName, justAssign, justName) && len(tokens) == 4:
		p.aliases = append(p.aliases, justAlias{tokens[1].text, tokens[3].text})
		return privateOnly(given)
	case first == "export" && kinds(justName, justName, justAssign):
		p.Vars = append(p.Vars, JustVariable{tokens[1].text, tokens[3:], true})
		return privateOnly(given)
	case slices.Contains([]string{"set", "alias", "export", "unexport", "eager", "import", "mod"}, first):
		return false
	case kinds(justName, justAssign):
		p.Vars = append(p.Vars, JustVariable{first, tokens[2:], false})
		return privateOnly(given)
	}
	return p.head(tokens, given)
}

func privateOnly(attributes []justToken) bool {
	return len(attributes) == 0 || len(attributes) == 2 && attributes[0].text == "private"
}

// setting reads what is set. false where it changes more than is followed.
func (p *justParser) setting(name string, rest []justToken) bool {
	off := len(rest) == 2 && rest[0].kind == justAssign && rest[1].kind == justName && rest[1].text == "false"
	on := len(rest) == 0 || len(rest) == 2 && rest[0].kind == justAssign && rest[1].kind == justName &&
		rest[1].text == "true"
	switch name {
	case "shell":
		var ok bool
		if p.shell != nil {
			return false
		}
		p.shell, ok = justList(rest)
		return ok
	case "windows-shell":
		_, ok := justList(rest)
		return ok
	case "ignore-comments":
		p.Silent = on
		return on || off
	case "quiet", "fallback", "unstable", "windows-powershell", "no-exit-message":
		return on || off
	}
	return off && slices.Contains([]string{"dotenv-load", "dotenv-required", "dotenv-override", "export",
		"positional-arguments"}, name)
}

// justList reads := ["a", "b"].
func justList(tokens []justToken) (list []string, ok bool) {
	if len(tokens) < 4 || tokens[0].kind != justAssign || tokens[1].kind != '[' || tokens[len(tokens)-1].kind != ']' {
		return nil, false
	}
	for i, t := range tokens[2 : len(tokens)-1] {
		switch {
		case i%2 == 1 && t.kind == ',':
		case i%2 == 0 && t.kind == justString:
			list = append(list, t.text)
		default:
			return nil, false
		}
	}
	return list, list != nil
}

// head reads the first line of a recipe.
func (p *justParser) head(tokens, attributes []justToken) bool {
	if tokens[0].kind == '@' {
		tokens = tokens[1:]
	}
	if len(tokens) < 2 || tokens[0].kind != justName {
		return false
	}
	r := JustRecipe{Name: tokens[0].text}
	tokens = tokens[1:]
	for tokens[0].kind != ':' {
		n := r.param(tokens)
		if n == 0 || n >= len(tokens) {
			return false
		}
		tokens = tokens[n:]
	}
	if !r.needs(tokens[1:]) || !p.attribute(&r, attributes) {
		return false
	}
	if p.First == "" {
		p.First = r.Name
	}
	p.recipes = append(p.recipes, r)
	p.open = true
	return true
}

// param reads one parameter and returns how many tokens it takes, 0 where it
// is not read. $name is exported.
func (r *JustRecipe) param(tokens []justToken) (n int) {
	var out justParam
	if k := tokens[0].kind; k == '+' || k == '*' {
		out.Many, n = k, 1
	}
	if len(r.Params) > 0 && r.Params[len(r.Params)-1].Many != 0 {
		return 0
	}
	if n < len(tokens) && tokens[n].kind == '$' {
		r.Odd, n = true, n+1
	}
	if n >= len(tokens) || tokens[n].kind != justName {
		return 0
	}
	out.name = tokens[n].text
	if n++; n+1 < len(tokens) && tokens[n].kind == '=' {
		if k := tokens[n+1].kind; k != justString && k != justName {
			return 0
		}
		out.value, n = tokens[n+1:n+2], n+2
		if n < len(tokens) && tokens[n].kind == '(' {
			return 0
		}
	}
	r.Params = append(r.Params, out)
	return n
}

// needs reads what stands behind the colon.
func (r *JustRecipe) needs(tokens []justToken) bool {
	list := &r.Before
	for len(tokens) > 0 {
		switch t := tokens[0]; {
		case t.kind == justName:
			*list = append(*list, JustNeed{Name: t.text})
			tokens = tokens[1:]
		case t.kind == justAnd && list == &r.Before && len(tokens) > 1:
			list, tokens = &r.After, tokens[1:]
		case t.kind == '(' && len(tokens) > 2 && tokens[1].kind == justName:
			end := slices.IndexFunc(tokens, func(t justToken) bool { return t.kind == ')' })
			if end < 0 {
				return false
			}
			need := JustNeed{Name: tokens[1].text}
			for i := 2; i < end; i++ {
				if k := tokens[i].kind; k != justString && k != justName {
					return false
				}
				need.Args = append(need.Args, tokens[i:i+1])
			}
			*list, tokens = append(*list, need), tokens[end+1:]
		default:
			return false
		}
	}
	return true
}

// attribute takes the attributes of a recipe. One that changes how it runs
// leaves it unread.
func (p *justParser) attribute(r *JustRecipe, tokens []justToken) bool {
	for len(tokens) > 0 {
		end := slices.IndexFunc(tokens, func(t justToken) bool { return t.kind == ',' })
		one := tokens[:end]
		tokens = tokens[end+1:]
		if len(one) == 0 || one[0].kind != justName || !justAttribute(one[1:]) {
			r.Odd, p.unsure = true, true // commas inside it are not told apart
			return true
		}
		switch one[0].text {
		case "private", "confirm", "no-exit-message", "exit-message", "no-quiet", "doc", "group":
		case "no-cd":
			r.Stays = true
		case "default":
			if p.chosen != "" {
				return false
			}
			p.chosen = r.Name
		default:
			r.Odd = true
		}
	}
	return true
}

// justAttribute reports whether an attribute has nothing, or one string, given.
func justAttribute(given []justToken) bool {
	switch len(given) {
	case 0:
		return true
	case 2:
		return given[0].kind == ':' && given[1].kind == justString
	case 3:
		return given[0].kind == '(' && given[1].kind == justString && given[2].kind == ')'
	}
	return false
}

// unique reports whether no name is given twice: which of two would count
// depends on settings, and on the system.
func (j *Justfile) unique() bool {
	var names, variables []string
	for _, r := range j.recipes {
		names = append(names, r.Name)
	}
	for _, al := range j.aliases {
		names = append(names, al.name)
	}
	for _, v := range j.Vars {
		variables = append(variables, v.Name)
	}
	for _, list := range [][]string{names, variables} {
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			return false
		}
	}
	return true
}
