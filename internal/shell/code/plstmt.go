package code

import "strings"

// statements reads to the end of a block, or of the program.
func (p *plParser) statements(block bool) {
	say, strict := p.say, p.strict
	for !p.stopped {
		c := p.next()
		if c == 0 || c == '}' {
			break
		}
		p.statement()
	}
	if block {
		p.expect("}")
		p.say, p.strict = say, strict
	}
}

func (p *plParser) braces() {
	p.expect("{")
	p.statements(true)
}

func (p *plParser) statement() {
	if !p.deeper() {
		return
	}
	defer func() { p.depth-- }()
	if p.take(";") {
		return
	}
	if p.peek() == '{' {
		p.bareBlock()
		return
	}
	word := p.word()
	if p.arrow(len(word)) {
		word = ""
	}
	switch word {
	case "if", "unless", "while", "until":
		p.condition(word)
	case "for", "foreach":
		p.loop(word)
	case "BEGIN", "END", "INIT", "CHECK", "UNITCHECK":
		p.skip(len(word))
		p.braces()
	case "continue":
		p.skip(len(word))
		p.braces()
	case "use", "no":
		p.skip(len(word))
		p.use(word == "no")
	case "sub":
		p.sub()
	case "package", "format", "given", "when", "default", "try", "defer", "class", "method", "field", "else", "elsif":
		p.stop("it uses " + word)
	case "__END__", "__DATA__":
		p.src = p.src[:p.pos]
	default:
		p.simple(word)
	}
}

// bareBlock reads a block of its own. Perl may take it for a hash, after which
// a slash divides.
func (p *plParser) bareBlock() {
	p.braces()
	if c := p.next(); c != 0 && !nameStart(c) && strings.IndexByte("};$@{", c) < 0 {
		p.stop("a block may be a hash")
	}
}

// simple reads a statement that is an expression.
func (p *plParser) simple(word string) {
	if word != "" && strings.ToUpper(word) == word && p.label(word) {
		return
	}
	p.expression()
	for p.keyword(" if unless while until ") != "" {
		p.expression()
	}
	if p.keyword(" for foreach ") != "" {
		p.loops = append(p.loops, plLoop{"_", []*node{p.expression()}})
	}
	if c := p.next(); c != '}' && c != 0 {
		p.expect(";")
	}
}

// label reads a name for a loop.
func (p *plParser) label(word string) bool {
	at := p.pos
	p.skip(len(word))
	if p.next() == ':' && p.at(1) != ':' {
		p.skip(1)
		return true
	}
	p.pos = at
	return false
}

func (p *plParser) inParens() {
	p.expect("(")
	p.expression()
	p.expect(")")
}

func (p *plParser) condition(word string) {
	p.skip(len(word))
	p.inParens()
	p.braces()
	if word == "while" || word == "until" {
		return
	}
	for p.keyword(" elsif ") != "" {
		p.inParens()
		p.braces()
	}
	if p.keyword(" else ") != "" {
		p.braces()
	}
}

func (p *plParser) loop(word string) {
	p.skip(len(word))
	name := "_"
	if p.keyword(" my our ") != "" || p.peek() == '$' {
		if p.next() != '$' || !nameStart(p.at(1)) {
			p.stop("it cannot be read")
			return
		}
		p.skip(1)
		if name = p.identifier(); among(name, plDenied) {
			p.fail("it changes $" + name)
		}
	}
	p.expect("(")
	first := p.expression()
	if p.take(";") {
		p.expression()
		p.expect(";")
		p.expression()
	}
	p.expect(")")
	p.loops = append(p.loops, plLoop{name, []*node{first}})
	p.braces()
}

// sub reads the definition of a function.
func (p *plParser) sub() {
	p.skip(len("sub"))
	p.space()
	name := p.word()
	p.skip(len(name))
	if name == "" || strings.ToLower(name) != name || p.plWord(name) || p.next() != '{' {
		p.stop("it defines what is not read")
		return
	}
	p.subs[name] = true
	p.braces()
}

// plWord reports whether a name means something in Perl itself, or comes from
// a module.
func (p *plParser) plWord(name string) bool {
	return among(name, plUnary+plList+plNullary+plReserved+plQuotes+p.imported)
}

// useText is an option -M.
func (p *plParser) useText(text string) {
	src, pos := p.src, p.pos
	p.src, p.pos = text+";", 0
	p.use(false)
	if p.next() != 0 {
		p.fail("it loads more than a module")
	}
	stopped := p.stopped
	p.src, p.pos = src, pos
	if stopped {
		p.pos = len(src)
	}
}

// use reads what follows the word: a module or a version.
func (p *plParser) use(no bool) {
	p.space()
	if c := p.peek(); c == 'v' && p.at(1) >= '0' && p.at(1) <= '9' || c >= '0' && c <= '9' {
		p.version(no)
		return
	}
	start := p.pos
	for word := p.word(); word != ""; word = p.word() {
		p.skip(len(word))
		if p.has("::") {
			p.skip(2)
		}
	}
	name := p.src[start:p.pos]
	list, plain := plTexts(p.commas())
	p.expect(";")
	if !plain || p.stopped {
		p.stop("it loads a module in a way that is not read")
		return
	}
	p.loads(name, list, no)
}

// version reads use v5.36 and its kin.
func (p *plParser) version(no bool) {
	start := p.pos
	if p.peek() == 'v' {
		p.skip(1)
	}
	for c := p.peek(); c >= '0' && c <= '9' || c == '.' || c == '_'; c = p.peek() {
		p.skip(1)
	}
	text := p.src[start:p.pos]
	p.expect(";")
	if no || !strings.HasPrefix(text, "v5.") && !strings.HasPrefix(text, "5.") {
		p.stop("it asks for a version that is not read")
	}
	switch minor := strings.TrimLeft(text[min(3, len(text)):], ".0"); {
	case strings.HasPrefix(text, "v5.") && (len(minor) >= 2), strings.HasPrefix(text, "5.01"), strings.HasPrefix(text, "5.02"), strings.HasPrefix(text, "5.03"):
		p.say = true
	}
}

// plTexts are the texts of a list of constants.
func plTexts(list []*node) (out []string, ok bool) {
	for _, n := range list {
		switch n.op {
		case "text", "number":
			out = append(out, n.text)
		case "list":
			below, ok := plTexts(n.kids)
			if !ok {
				return nil, false
			}
			out = append(out, below...)
		default:
			return nil, false
		}
	}
	return out, true
}

// loads checks a module and brings its functions in.
func (p *plParser) loads(name string, list []string, no bool) {
	switch name {
	case "strict":
		if no {
			p.strict = false
		} else if len(list) == 0 || strings.Join(list, "") == "refs" {
			p.strict = true
		}
		return
	case "warnings", "utf8", "integer", "diagnostics":
		return
	case "vars":
		for _, item := range list {
			if len(item) < 2 || among(item[1:], plDenied) || !plainName(item[1:]) {
				p.fail("it declares " + item)
			}
		}
		return
	case "feature":
		for _, item := range list {
			if item != "say" {
				p.stop("it turns on " + item)
			}
			p.say = !no
		}
		return
	case "open":
		for _, item := range list {
			if !among(item, " :std :utf8 :encoding(UTF-8) :encoding(utf8) ") {
				p.fail("it opens files in a way that is not read")
			}
		}
		return
	}
	have, all := plModule(name)
	if have == "" || no {
		p.stop("it loads " + name)
		return
	}
	p.imports = append(p.imports, name)
	for _, item := range list {
		if !among(item, have) {
			p.stop("it loads " + item + " of " + name)
			return
		}
		p.imported += item + " "
	}
	if len(list) == 0 {
		p.imported += all
	}
}

// plModule lists the functions of a module that comes with Perl: those that
// may be asked for, and those that come unasked.
func plModule(name string) (have, all string) {
	switch name {
	case "List::Util":
		return " sum sum0 min max minstr maxstr product first reduce any all none notall uniq uniqnum shuffle pairkeys pairvalues ", ""
	case "Scalar::Util":
		return " blessed reftype looks_like_number ", ""
	case "POSIX":
		return " floor ceil fmod pow strftime mktime ", "floor ceil fmod pow strftime mktime "
	case "Data::Dumper":
		return " Dumper ", "Dumper "
	case "JSON::PP":
		return " encode_json decode_json ", "encode_json decode_json "
	case "MIME::Base64":
		return " encode_base64 decode_base64 ", "encode_base64 decode_base64 "
	case "Digest::MD5":
		return " md5 md5_hex md5_base64 ", ""
	case "Digest::SHA":
		return " sha1_hex sha256_hex sha512_hex sha256_base64 ", ""
	case "Time::Local":
		return " timelocal timegm ", "timelocal timegm "
	case "File::Basename":
		return " basename dirname fileparse ", "basename dirname fileparse "
	case "Encode":
		return " encode_utf8 decode_utf8 ", "encode_utf8 decode_utf8 "
	case "Unicode::Normalize":
		return " NFC NFD NFKC NFKD ", "NFC NFD NFKC NFKD "
	case "File::Path":
		return " rmtree mkpath remove_tree make_path ", "rmtree mkpath "
	}
	return "", ""
}
