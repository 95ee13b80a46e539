package code

import "strings"

// Functions of Perl that do nothing but work out values, print, and read what
// they are fed, by how what follows them is read: plUnary take one argument or
// none, plList a list, plNullary none.
const (
	plUnary = " defined ref lc uc lcfirst ucfirst length chr ord int abs sqrt sin cos exp log hex oct quotemeta shift pop keys values each delete exists scalar " +
		"localtime gmtime rand srand pos exit undef chomp chop sleep stat eof close rmdir "
	plList = " print printf say push unshift splice join split sprintf reverse sort map grep die warn return index rindex substr pack unpack atan2 " +
		"open binmode unlink mkdir rename system exec "
	plNullary = " time times wantarray "
	plQuotes  = " q qq qw qr qx m s tr y "
	// plReserved are further words that Perl itself knows, or that are called
	// without being named.
	plReserved = " and or xor not if unless while until for foreach elsif else do eval sub my our local state use no package require next last redo goto dump continue x eq ne lt gt le ge cmp isa " +
		"accept alarm bind bless caller chdir chmod chown chroot connect crypt dbmclose dbmopen endgrent endhostent endnetent endprotoent endpwent endservent evalbytes fc fcntl fileno flock fork format formline " +
		"getc getgrent getgrgid getgrnam gethostbyaddr gethostbyname gethostent getlogin getnetbyaddr getnetbyname getnetent getpeername getpgrp getppid getpriority getprotobyname getprotobynumber getprotoent getpwent getpwnam getpwuid getservbyname getservbyport getservent getsockname getsockopt glob " +
		"ioctl kill link listen lock lstat msgctl msgget msgrcv msgsnd opendir pipe prototype read readdir readline readlink readpipe recv reset rewinddir seek seekdir select semctl semget semop send setgrent sethostent setnetent setpgrp setpriority setprotoent setpwent setservent setsockopt shmctl shmget shmread shmwrite shutdown socket socketpair study symlink syscall sysopen sysread sysseek syswrite " +
		"tell telldir tie tied truncate umask untie utime vec wait waitpid write given when default break try catch finally defer import unimport can isa does version "
)

// call reads a term that begins with a word.
func (p *plParser) call() *node {
	word := p.word()
	if p.arrow(len(word)) {
		p.skip(len(word))
		return &node{op: "text", text: word}
	}
	p.skip(len(word))
	c := p.peek()
	switch {
	case p.has("::"):
		return p.qualified(word)
	case c == '\'':
		p.stop("it cannot be read")
	case among(word, plQuotes):
		return p.quoteLike(word, nil)
	case among(word, " my our "):
		return p.declared()
	case word == "local":
		n := p.unary()
		p.lvalue(n, &node{op: "list"})
		return &node{op: "my", kids: []*node{n}}
	case among(word, " do eval "):
		if p.next() != '{' {
			p.stop("it evaluates a text or a file")
			break
		}
		p.braces()
		return &node{op: "ops"}
	case among(word, " next last redo "):
		p.jump()
	case among(word, plNullary):
		if p.next() == '(' {
			p.expect("(")
			p.expect(")")
		}
	case among(word, plUnary):
		return p.unaryCall(word)
	case word == "say" && !p.say:
		p.stop("it uses say, which is no function here")
	case among(word, " map grep sort "):
		return p.blockCall(word, true)
	case among(word, plList):
		return p.listCall(word)
	case among(word, " __FILE__ __LINE__ __PACKAGE__ "):
	case among(word, p.imported):
		return p.importedCall(word)
	case c == '(':
		p.calls = append(p.calls, word)
		p.inParens()
	default:
		p.stop("it uses " + word)
	}
	return &node{op: "ops"}
}

// qualified reads a function that is named with its package.
func (p *plParser) qualified(word string) *node {
	start := p.pos - len(word)
	for p.has("::") {
		p.skip(2)
		p.skip(len(p.word()))
	}
	name := p.src[start:p.pos]
	i := strings.LastIndex(name, "::")
	have, _ := plModule(name[:i])
	loaded := false
	for _, module := range p.imports {
		loaded = loaded || module == name[:i]
	}
	if !loaded || !among(name[i+2:], have) || p.peek() != '(' {
		p.stop("it uses " + name)
		return &node{op: "other"}
	}
	return p.importedCall(name[i+2:])
}

// declared reads what follows my.
func (p *plParser) declared() *node {
	n := &node{op: "my"}
	many := p.next() == '('
	if many {
		p.expect("(")
	}
	for !p.stopped {
		switch c := p.next(); {
		case many && p.keyword(" undef ") != "":
		case c == '$' || c == '@' || c == '%':
			p.skip(1)
			name := p.word()
			if name == "" || among(name, plDenied) || p.at(len(name)) == ':' && p.at(len(name)+1) == ':' || p.at(len(name)) == '\'' {
				p.stop("it declares what is not read")
			}
			p.skip(len(name))
			n.kids = append(n.kids, &node{op: map[byte]string{'$': "scalar", '@': "array", '%': "hash"}[c], text: name})
		case many && c == ')':
		default:
			p.stop("it declares what is not read")
		}
		if !many {
			return n
		}
		if !p.take(",") {
			p.expect(")")
			return n
		}
	}
	return n
}

// jump reads what follows next, last and redo.
func (p *plParser) jump() {
	p.space()
	if word := p.word(); word != "" && strings.ToUpper(word) == word {
		p.skip(len(word))
	}
	if !p.ends() {
		p.stop("it cannot be read")
	}
}

// operand reads the argument of a function that takes one or none; nil for
// none.
func (p *plParser) operand() *node {
	c := p.next()
	switch {
	case c == '(':
		p.expect("(")
		n := p.expression()
		p.expect(")")
		if n.op == "list" && len(n.kids) == 0 {
			return nil
		}
		return n
	case p.ends():
		return nil
	case among(p.word(), " x eq ne lt gt le ge cmp isa "):
		if p.word() == "x" || p.word() == "isa" {
			p.stop("it cannot be read")
		}
		return nil
	case nameStart(c), c != 0 && strings.IndexByte("$@\"'\\-0123456789", c) >= 0:
		return p.unary()
	case c == '%' && (nameStart(p.at(1)) || p.at(1) == '$' || p.at(1) == '{'), c == '<' && p.has("<STDIN>"), c == '<' && p.has("<>"):
		return p.unary()
	case c == '=' || c == '|' || c == '>' || c == ',', p.has("&&"), p.has("!="), p.has("!~"), c == '.' && !(p.at(1) >= '0' && p.at(1) <= '9'):
		return nil
	}
	p.stop("it cannot be read")
	return nil
}

// handle reads a file's name in capitals, or {$fh}, before what is done to it.
func (p *plParser) handle() string {
	p.space()
	word := p.word()
	if word == "" || strings.ToUpper(word) != word || strings.HasPrefix(word, "_") || p.arrow(len(word)) || p.at(len(word)) == '(' || p.at(len(word)) == ':' && p.at(len(word)+1) == ':' || p.at(len(word)) == '\'' {
		return ""
	}
	p.skip(len(word))
	return word
}

// unaryCall reads a call of a function that takes one argument or none.
func (p *plParser) unaryCall(word string) *node {
	if among(word, " close eof ") {
		p.fileCall(word)
		return &node{op: "number"}
	}
	if among(word, " shift pop ") && p.next() == '/' && p.at(1) == '/' {
		return &node{op: "string"}
	}
	n := p.operand()
	out := &node{op: "call", text: word}
	switch word {
	case "undef":
		if n != nil {
			p.lvalue(n, &node{op: "list"})
		}
		out.op = "undef"
	case "chomp", "chop":
		if n == nil {
			n = &node{op: "scalar", text: "_"}
		}
		p.lvalue(n, nil)
	case "delete":
		if n != nil {
			p.lvalue(n, &node{op: "number"})
		}
	case "shift", "pop":
		if n != nil && n.op == "deref" {
			p.derefs = append(p.derefs, plDeref{n: n.kids[0], sigil: '@', write: true, strict: p.strict})
		}
	case "rmdir":
		p.named1(Delete, n)
	case "length", "int", "abs", "ord", "hex", "oct", "sqrt", "rand", "exists", "defined":
		out.op = "number"
	}
	return out
}

// named1 reports an effect on the file that an argument names. One that may
// go on behind it is not known.
func (p *plParser) named1(kind Kind, n *node) {
	c := p.next()
	if n != nil && n.op == "text" && (c == 0 || c == ';' || c == ')' || c == '}') {
		p.effect(kind, n.text, true)
		return
	}
	p.effect(kind, "", false)
}

// fileCall reads close and eof.
func (p *plParser) fileCall(word string) {
	p.argv = p.argv || word == "eof"
	paren := p.next() == '('
	if paren {
		p.expect("(")
	}
	if p.handle() == "" && !p.ends() {
		if p.peek() != '$' {
			p.stop("it cannot be read")
			return
		}
		p.unary()
	}
	if paren {
		p.expect(")")
	}
}

// listCall reads a call of a function that takes a list.
func (p *plParser) listCall(word string) *node {
	paren := p.next() == '('
	if paren {
		p.expect("(")
	}
	var file *node
	switch {
	case among(word, " print printf say "):
		p.printsTo(paren)
	case among(word, " open binmode "):
		if name := p.handle(); name != "" {
			file = &node{op: "handle", text: name}
			p.expect(",")
		}
	}
	if !paren {
		p.guessed(among(word, " print printf say "))
	}
	args := p.commas()
	if paren {
		p.expect(")")
	}
	if file != nil {
		args = append([]*node{file}, args...)
	}
	p.listed(word, args)
	return &node{op: "call", text: word, kids: args}
}

// printsTo reads the file that print is told to print to.
func (p *plParser) printsTo(paren bool) {
	if p.next() == '{' {
		p.skip(1)
		if p.next() == '$' && nameStart(p.at(1)) {
			p.skip(1)
			p.identifier()
		} else if p.handle() == "" {
			p.stop("where it prints is not known")
		}
		p.expect("}")
		p.begins("\"'$@(")
		return
	}
	if p.handle() != "" {
		p.begins("\"'$@();}")
	}
}

// begins checks that what follows is the beginning of a term, however it is
// read.
func (p *plParser) begins(set string) {
	if c := p.next(); c != 0 && !nameByte(c) && strings.IndexByte(set, c) < 0 || among(p.word(), " x eq ne lt gt le ge cmp ") {
		p.stop("it cannot be read")
	}
}

// guessed looks at a variable and a blank behind the name of a function: Perl
// guesses from what follows whether that is where it prints to.
func (p *plParser) guessed(prints bool) {
	if p.next() != '$' || p.at(1) == '{' {
		return
	}
	at := p.pos
	p.skip(1)
	if word := p.word(); word != "" {
		p.skip(len(word))
	} else {
		p.skip(1)
		for p.peek() >= '0' && p.peek() <= '9' {
			p.skip(1)
		}
	}
	if c := p.peek(); c != ' ' && c != '\t' && c != '\n' {
		p.pos = at
		return
	}
	file := false
	switch c := p.next(); {
	case among(p.word(), " x eq ne lt gt le ge cmp and or xor if unless while until for foreach "), c == 0, strings.IndexByte(",;)}]:=!>|", c) >= 0:
	case nameByte(c), strings.IndexByte("\"'$@", c) >= 0:
		file = true
	case strings.IndexByte("?-+/*.%<&", c) >= 0:
		if d := p.at(1); d != ' ' && !(d == '=' && c != '/') && !(c == '&' && d == '&') && !(c == '.' && (d == '"' || d == '\'' || d == '$')) {
			p.stop("what is printed where is not certain")
			return
		}
	default:
		p.stop("it cannot be read")
		return
	}
	switch {
	case !file:
		p.pos = at
	case !prints:
		p.stop("it cannot be read")
	}
}

// blockCall reads map, grep and sort, and functions of List::Util that take a
// block.
func (p *plParser) blockCall(word string, builtin bool) *node {
	paren := p.next() == '('
	if paren {
		p.expect("(")
	}
	block := p.next() == '{'
	if block {
		p.braces()
		if builtin && word != "sort" {
			p.take(",") // it was a hash
		}
		if c := p.next(); c != '@' && c != '$' && c != '(' && !nameStart(c) || among(p.word(), " x eq ne lt gt le ge cmp ") {
			p.stop("a block may be a hash")
		}
	}
	if !paren {
		p.guessed(false)
	}
	args := p.commas()
	if paren {
		p.expect(")")
	}
	if !block && word != "sort" && len(args) > 0 {
		args = args[1:]
	}
	for _, name := range [...]string{"_", "a", "b"} {
		p.loops = append(p.loops, plLoop{name, args})
	}
	return &node{op: "call", text: word, kids: args}
}

// importedCall reads a call of a function of a module.
func (p *plParser) importedCall(word string) *node {
	if among(word, " first reduce any all none notall ") {
		return p.blockCall(word, false)
	}
	var args []*node
	switch {
	case p.next() == '(':
		p.expect("(")
		args = p.commas()
		p.expect(")")
	case !p.ends():
		p.begins("\"'$@")
		p.guessed(false)
		args = p.commas()
	}
	kind := Kind(0)
	switch word {
	case "rmtree", "remove_tree":
		kind = DelTree
	case "mkpath", "make_path":
		kind = MakeDir
	}
	for _, n := range args {
		if kind != 0 {
			p.effect(kind, n.text, n.op == "text")
		}
	}
	if kind != 0 && len(args) == 0 {
		p.effect(kind, "", false)
	}
	return &node{op: "call", text: word, kids: args}
}
