package code

import "strings"

const (
	rbReserved = " alias and begin BEGIN break case class def defined do else elsif end END ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield __FILE__ __LINE__ __dir__ __method__ "
	// rbFunctions may stand without parentheses before what they print.
	rbFunctions = " puts p print pp printf exit sleep raise format sprintf Integer Float String Array rand "
	// rbMethods are harmless on every value that a program can reach.
	rbMethods = " to_s to_i to_f to_a to_h to_sym to_r to_set to_json inspect size length count first last min max minmax sum sort uniq reverse flatten compact keys values " +
		"each each_with_index each_with_object each_slice each_cons each_char each_line each_pair each_key each_value each_index map flat_map collect select filter filter_map reject partition group_by sort_by min_by max_by sum_by find find_all detect find_index index rindex any? all? none? one? " +
		"include? member? key? has_key? value? empty? nil? zero? positive? negative? even? odd? is_a? key fetch dig values_at slice except merge invert transform_values transform_keys tally zip take drop take_while drop_while step times upto downto chunk_while each_entry with_index with_object " +
		"join split strip lstrip rstrip chomp chop upcase downcase capitalize swapcase start_with? end_with? sub gsub tr delete squeeze chars bytes lines ord chr center ljust rjust replace concat prepend hex oct succ next pred round floor ceil abs divmod pow digits fdiv gcd lcm bit_length clamp truncate " +
		"push append pop shift unshift insert add add? store clear rotate shuffle sample combination permutation product transpose cycle lazy force strftime iso8601 year month day hour wday yday utc localtime to_time to_date to_datetime between? freeze frozen? dup itself then hexdigest base64digest encoding valid_encoding? force_encoding unicode_normalize scrub unpack1 pack b match? scan " +
		"read gets readlines sync "
	// rbBlockless take the name of a method in place of a block.
	rbBlockless = " inject reduce "
)

// primary reads an operand and the methods that are called on it.
func (p *rbParser) primary() *node {
	if !p.deeper() {
		return &node{op: "other"}
	}
	defer func() { p.depth-- }()
	p.blanks()
	n := p.operand()
	for !p.stopped {
		switch c := p.at(0); {
		case c == '[' && n.op != "call":
			p.skip(1)
			p.list("]")
			n = &node{op: "value"}
			p.item()
		case p.has("&.") && nameStart(p.at(2)), c == '.' && nameStart(p.at(1)):
			n = p.method(n)
		case c == '\n' && p.chained():
		default:
			return n
		}
	}
	return n
}

// item checks what follows an index: an element may be assigned to.
func (p *rbParser) item() {
	at := p.pos
	p.blanks()
	for op := range strings.FieldsSeq("||= += -= *= <<= =") {
		if p.has(op) && p.at(len(op)) != '=' && p.at(len(op)) != '~' && p.at(len(op)) != '>' {
			p.skip(len(op))
			p.gaps("\n")
			p.expression()
			return
		}
	}
	if !p.stopped {
		p.pos = at
	}
}

// chained skips to a method that stands in the next line.
func (p *rbParser) chained() bool {
	at := p.pos
	p.gaps("\n")
	if p.at(0) == '.' && nameStart(p.at(1)) {
		return true
	}
	p.pos = at
	return false
}

// list reads what stands between brackets, up to the closing one.
func (p *rbParser) list(end string) (out []*node) {
	for !p.stopped {
		p.gaps("\n")
		if p.has(end) {
			p.skip(len(end))
			return out
		}
		out = append(out, p.element())
		p.gaps("\n")
		if p.has(",") {
			p.skip(1)
			continue
		}
		p.expect(end)
		return out
	}
	return nil
}

// element reads one of a list: a value, key: value, or "key" => value.
func (p *rbParser) element() *node {
	word := p.word()
	if word != "" && p.at(len(word)) == ':' && p.at(len(word)+1) != ':' {
		p.skip(len(word) + 1)
		p.gaps("\n")
		return &node{op: "pair", text: word, kids: []*node{p.expression()}}
	}
	n := p.expression()
	p.blanks()
	if p.has("=>") {
		p.skip(2)
		p.gaps("\n")
		p.expression()
		return &node{op: "pair"}
	}
	return n
}

func (p *rbParser) operand() *node {
	c := p.at(0)
	word := p.word()
	switch {
	case c == '\'':
		return p.single()
	case c == '"':
		return p.double()
	case c >= '0' && c <= '9':
		for c = p.at(0); c >= '0' && c <= '9' || c == '_' || c == '.' && p.at(1) >= '0' && p.at(1) <= '9'; c = p.at(0) {
			p.pos++
		}
		if nameStart(c) {
			p.stop("it holds a number that is not read")
		}
		return &node{op: "number"}
	case c == '/':
		return p.regex()
	case c == '[':
		p.skip(1)
		p.list("]")
		return &node{op: "value"}
	case c == '{':
		p.skip(1)
		p.list("}")
		return &node{op: "value"}
	case c == '(':
		p.skip(1)
		p.gaps("\n")
		p.expression()
		p.expect(")")
		return &node{op: "value"}
	case c == ':' && nameStart(p.at(1)):
		p.skip(1)
		name := p.word()
		p.skip(len(name))
		if p.at(0) == '?' || p.at(0) == '!' {
			p.stop("it names a method")
		}
		return &node{op: "symbol", text: name}
	case p.has("$stdin"), p.has("$stdout"), p.has("$stderr"):
		p.skip(1)
		word = p.word()
		p.skip(len(word))
		return p.stream(word)
	case word == "":
		p.stop("it cannot be read")
		return &node{op: "other"}
	}
	p.skip(len(word))
	return p.named(word)
}

// stream is one of the files that every program has.
func (p *rbParser) stream(word string) *node {
	if p.at(0) != '.' {
		p.stop("it passes a file on")
	}
	p.skip(1)
	method := p.word()
	p.skip(len(method))
	reads := among(word, " stdin STDIN ")
	if reads && !among(method, " read gets readlines each_line ") || !reads && !among(method, " puts print sync flush ") || p.at(0) == '?' || p.at(0) == '!' {
		p.stop("it uses a file in a way that is not read")
		return &node{op: "other"}
	}
	if p.at(0) == '(' {
		p.skip(1)
		p.list(")")
	} else if !reads {
		p.command()
	}
	p.block()
	return &node{op: "value"}
}

// starts reads a call of system and its kin.
func (p *rbParser) starts() *node {
	var args []*node
	if p.at(0) == '(' {
		p.skip(1)
		args = p.list(")")
	} else {
		args = p.command()
	}
	list, ok := plTexts(args)
	switch {
	case !ok || len(list) == 0 || len(list) != len(args):
		p.fail("it runs a command that is not known")
	case len(list) == 1:
		p.effects = append(p.effects, Effect{Kind: Shell, Name: list[0], Known: true})
	default:
		p.effects = append(p.effects, Effect{Kind: Command, Known: true, Words: list})
	}
	return &node{op: "call"}
}

// single reads a text in which nothing is replaced.
func (p *rbParser) single() *node {
	end := strings.IndexAny(p.src[min(p.pos+1, len(p.src)):], `'\`)
	if end < 0 || p.at(1+end) != '\'' {
		p.stop("a text is not read")
		return &node{op: "other"}
	}
	text := p.src[p.pos+1 : p.pos+1+end]
	p.skip(end + 2)
	return p.adjacent(&node{op: "text", text: text})
}

// adjacent refuses a text that another one is joined to.
func (p *rbParser) adjacent(n *node) *node {
	at := p.pos
	p.blanks()
	if c := p.at(0); c == '"' || c == '\'' {
		p.stop("texts are joined")
	}
	if !p.stopped {
		p.pos = at
	}
	return n
}

// double reads a text in which #{...} is replaced by a value.
func (p *rbParser) double() *node {
	p.skip(1)
	start, plain := p.pos, true
	for !p.stopped {
		switch c := p.at(0); {
		case c == 0:
			p.stop("a text does not end")
		case c == '"':
			text := p.src[start:p.pos]
			p.skip(1)
			if plain {
				return p.adjacent(&node{op: "text", text: text})
			}
			return p.adjacent(&node{op: "value"})
		case c == '\\':
			plain = false
			if d := p.at(1); d == 'c' || d == 'C' || d == 'M' { // it takes more than one character
				p.stop("it holds a control character")
			}
			p.skip(2)
		case c == '#' && p.at(1) == '{':
			plain = false
			p.skip(2)
			p.gaps("")
			p.expression()
			p.expect("}")
		case c == '#' && (p.at(1) == '$' || p.at(1) == '@'):
			p.stop("a text holds more than plain values")
		default:
			p.pos++
		}
	}
	return &node{op: "other"}
}

// regex reads /.../ where an operand must stand.
func (p *rbParser) regex() *node {
	for p.skip(1); p.at(0) != '/'; p.skip(1) {
		switch c := p.at(0); {
		case c == 0 || c == '\n' || c == '#' || c == '\\' && among(string(p.at(1)), " c C M "):
			p.stop("a regular expression is not read")
			return &node{op: "other"}
		case c == '\\':
			p.skip(1)
		}
	}
	p.skip(1)
	for nameByte(p.at(0)) {
		if strings.IndexByte("imx", p.at(0)) < 0 {
			p.stop("a regular expression is not read")
		}
		p.skip(1)
	}
	return &node{op: "value"}
}

// named reads what begins with a word.
func (p *rbParser) named(word string) *node {
	c := p.at(0)
	switch {
	case c == '?' && p.at(1) != ' ', c == '!' && p.at(1) != '=', p.has("::") && word != "Digest" && word != "Math":
		p.stop("it uses " + word)
	case among(word, " true false nil RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE "):
		return &node{op: "value"}
	case among(word, p.locals):
		if c == '(' {
			p.stop("it uses " + word)
		}
		return &node{op: "value"} // a sign or bracket behind it is an operator
	case among(word, rbFunctions):
		return p.function(word)
	case among(word, " system exec spawn "):
		return p.starts()
	case among(word, " STDIN STDOUT STDERR "):
		return p.stream(word)
	case word == "ENV":
		return p.variable()
	case word == "ARGV":
		return &node{op: "value"}
	case word[0] >= 'A' && word[0] <= 'Z':
		return p.constant(word)
	default:
		p.stop("it uses " + word)
	}
	return &node{op: "other"}
}

// variable reads ENV["X"] and ENV.fetch("X").
func (p *rbParser) variable() *node {
	end := "]"
	switch {
	case p.has("["):
		p.skip(1)
	case p.has(".fetch("):
		p.skip(len(".fetch("))
		end = ")"
	default:
		p.effects = append(p.effects, Effect{Kind: Secret, Name: "environment", Known: true})
		p.stop("it passes the environment on")
		return &node{op: "other"}
	}
	list := p.list(end)
	e := Effect{Kind: Secret, Name: "environment", Known: true}
	if len(list) > 0 && list[0].op == "text" {
		e.Name = list[0].text
	}
	p.effects = append(p.effects, e)
	at := p.pos
	if p.blanks(); p.at(0) == '=' && p.at(1) != '=' && p.at(1) != '~' || strings.HasPrefix(p.src[p.pos:], "||=") {
		p.stop("it changes the environment")
	}
	if !p.stopped {
		p.pos = at
	}
	return &node{op: "value"}
}

// function reads a call of a function that prints or converts.
func (p *rbParser) function(word string) *node {
	if among(word, " Integer Float String Array rand format sprintf sleep ") && p.at(0) != '(' {
		p.stop("it uses " + word)
	}
	if p.at(0) == '(' {
		p.skip(1)
		p.list(")")
		return &node{op: "value"}
	}
	p.command()
	return &node{op: "call"}
}

// command reads arguments without parentheses.
func (p *rbParser) command() (out []*node) {
	if !p.blanks() {
		return nil
	}
	c := p.at(0)
	if c == 0 || c == '\n' || c == ';' || c == '}' || c == '#' || among(p.word(), " if unless and or end else ") {
		return nil
	}
	if !nameStart(c) && strings.IndexByte("\"':[($", c) < 0 && !(c >= '0' && c <= '9') && !(c == '-' && p.at(1) >= '0' && p.at(1) <= '9') {
		p.stop("it can be read in two ways")
		return nil
	}
	for !p.stopped {
		out = append(out, p.element())
		p.blanks()
		if p.at(0) != ',' {
			return out
		}
		p.skip(1)
		p.gaps("\n")
	}
	return nil
}

// method reads a call of a method.
func (p *rbParser) method(on *node) *node {
	if p.at(0) == '&' {
		p.skip(1)
	}
	p.skip(1)
	word := p.word()
	p.skip(len(word))
	if c := p.at(0); c == '?' || c == '!' && p.at(1) != '=' {
		if c == '?' {
			word += "?"
		}
		p.skip(1)
	}
	if !among(word, rbMethods+rbBlockless) {
		p.stop("it calls " + word)
		return on
	}
	var args []*node
	if p.at(0) == '(' {
		p.skip(1)
		args = p.arguments()
	} else {
		p.follows()
	}
	for _, n := range args {
		if among(word, rbBlockless) && n.op != "number" && n.op != "symbol" && n.op != "operator" {
			p.fail("it calls a method by a name that is worked out")
		}
		if among(word, rbBlockless) && n.op == "symbol" && !among(n.text, rbMethods) || among(word, " pack unpack1 ") && (n.op != "text" || strings.ContainsAny(n.text, "pP")) {
			p.fail("it calls a method by a name that is not known")
		}
	}
	p.block()
	return &node{op: "value"}
}

// arguments reads those of a method, in parentheses: also &:name and :+.
func (p *rbParser) arguments() []*node {
	p.gaps("\n")
	for _, op := range [...]string{":+)", ":*)", ":-)", ":|)", ":&)"} {
		if p.has(op) {
			p.skip(len(op))
			return []*node{{op: "operator"}}
		}
	}
	if p.has("&:") {
		p.skip(2)
		word := p.word()
		p.skip(len(word))
		if p.at(0) == '?' {
			word += "?"
			p.skip(1)
		}
		if !among(word, rbMethods) || p.at(0) != ')' {
			p.stop("it calls " + word)
		}
		p.skip(1)
		return nil
	}
	return p.list(")")
}

// follows checks what stands behind a method without parentheses: nothing that
// might be its argument.
func (p *rbParser) follows() {
	at := p.pos
	if !p.blanks() {
		if p.at(0) == '[' || p.has("::") {
			p.stop("it can be read in two ways")
		}
		return
	}
	c, d := p.at(0), p.at(1)
	switch {
	case c == 0 || strings.IndexByte("\n;})],.{#=", c) >= 0 && !(c == '.' && d == '.'):
	case among(p.word(), " if unless and or do end then else "):
	case d == ' ' && strings.IndexByte("+-*/%<>?:", c) >= 0:
	case c == '&' && d == '&', c == '|' && d == '|', c == '!' && d == '=', d == '=' && (c == '<' || c == '>'), p.has("<< "):
	default:
		p.stop("it can be read in two ways")
	}
	if !p.stopped {
		p.pos = at
	}
}

// block reads { |x| ... } and do |x| ... end.
func (p *rbParser) block() {
	at := p.pos
	p.blanks()
	end, outside := "", p.locals // what is assigned first in a block is its own
	defer func() { p.locals = outside }()
	switch {
	case p.at(0) == '{':
		p.skip(1)
	case p.keyword(" do ") != "":
		end = " end "
	default:
		p.pos = at
		return
	}
	p.gaps("\n")
	if p.has("|") {
		p.skip(1)
		p.parameters()
	}
	p.statements(end)
	if end == "" {
		p.expect("}")
		return
	}
	p.expect("end")
	if nameByte(p.at(0)) {
		p.stop("it cannot be read")
	}
}

func (p *rbParser) parameters() {
	for !p.stopped {
		p.blanks()
		switch c := p.at(0); {
		case c == '|':
			p.skip(1)
			return
		case c == ',' || c == '(' || c == ')':
			p.skip(1)
		default:
			word := p.word()
			if word == "" {
				p.stop("it cannot be read")
				return
			}
			p.skip(len(word))
			p.bind(word)
		}
	}
}

// constant reads a call of a function of a class or module.
func (p *rbParser) constant(name string) *node {
	for p.has("::") {
		p.skip(2)
		word := p.word()
		p.skip(len(word))
		name += "::" + word
	}
	if p.at(0) != '.' {
		if name == "Math::PI" {
			return &node{op: "value"}
		}
		p.stop("it passes " + name + " on")
		return &node{op: "other"}
	}
	p.skip(1)
	method := p.word()
	p.skip(len(method))
	if p.at(0) == '?' {
		method += "?"
		p.skip(1)
	}
	var args []*node
	if p.at(0) == '(' {
		p.skip(1)
		args = p.arguments()
	} else {
		p.follows()
	}
	p.called(name+"."+method, args)
	p.block()
	return &node{op: "value"}
}

// called checks a function of a class, and reports the file that it reads.
func (p *rbParser) called(name string, args []*node) {
	library := ""
	switch name {
	case "File.read", "File.readlines", "File.foreach", "File.binread", "File.size", "YAML.safe_load_file":
		p.file(name, args)
	case "File.write", "File.binwrite":
		p.changes(Write, args[:min(1, len(args))])
	case "File.delete", "File.unlink":
		p.changes(Delete, args)
	case "FileUtils.rm_rf", "FileUtils.rm_r", "FileUtils.remove_dir":
		p.changes(DelTree, args)
	case "FileUtils.rm", "FileUtils.rm_f":
		p.changes(Delete, args)
	case "FileUtils.mkdir_p", "FileUtils.mkdir", "Dir.mkdir":
		p.changes(MakeDir, args[:min(1, len(args))])
	case "File.exist?", "File.file?", "File.directory?", "File.basename", "File.extname", "File.dirname", "File.join", "File.mtime", "File.zero?", "Dir.pwd", "Time.now", "Math.sqrt", "Math.log", "Math.log2", "Math.log10",
		"Math.sin", "Math.cos", "Time.at", "Process.pid", "Float.sqrt", "Integer.sqrt", "Array.new", "Hash.new", "Comparable.new":
	case "JSON.parse", "JSON.generate", "JSON.pretty_generate", "JSON.dump":
		library = "json"
		p.plainly(name, args, " symbolize_names ")
	case "YAML.safe_load", "YAML.dump":
		library = "yaml"
		p.plainly(name, args, " aliases symbolize_names ")
	case "Date.today", "Date.parse", "Date.valid_date?", "DateTime.now":
		library = "date"
	case "Time.parse", "Time.iso8601":
		library = "time"
	case "Set.new":
	case "SecureRandom.hex", "SecureRandom.uuid":
		library = "securerandom"
	case "Digest::MD5.hexdigest", "Digest::SHA1.hexdigest", "Digest::SHA256.hexdigest":
		library = "digest"
	case "Base64.encode64", "Base64.strict_encode64", "Base64.decode64", "Base64.strict_decode64":
		library = "base64"
	default:
		p.stop("it uses " + name)
	}
	if library != "" && !among(library, p.libraries) {
		p.stop("it uses " + name + " without its library") // the name may then be missing and looked for
	}
}

// plainly refuses options that are not listed: some make objects of data.
func (p *rbParser) plainly(name string, args []*node, options string) {
	for i, n := range args {
		if i > 0 && (n.op != "pair" || !among(n.text, options)) {
			p.fail("it calls " + name + " with options")
		}
	}
}

// changes reports files that are written or removed.
func (p *rbParser) changes(kind Kind, args []*node) {
	for _, n := range args {
		p.effects = append(p.effects, Effect{Kind: kind, Name: n.text, Known: n.op == "text"})
		if n.op != "text" {
			p.fail("it changes a file that is not known")
		}
	}
	if len(args) == 0 {
		p.fail("it changes a file that is not known")
	}
}

// file reports a file that is read. A name that begins with | would run.
func (p *rbParser) file(name string, args []*node) {
	switch name {
	case "YAML.safe_load_file":
		p.plainly(name, args, " aliases symbolize_names ")
	default:
		if len(args) != 1 {
			p.stop("it reads a file in a way that is not read")
		}
	}
	if len(args) == 0 {
		return
	}
	if n := args[0]; n.op == "text" && !strings.HasPrefix(strings.TrimLeft(n.text, " \t"), "|") {
		p.effects = append(p.effects, Effect{Kind: Read, Name: n.text, Known: true})
		return
	}
	p.effects = append(p.effects, Effect{Kind: Read})
	p.fail("it reads a file that is not known")
}
