package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// use is one command line read with one sheet.
type use struct {
	*analysis
	*sheet
	inv     *invocation
	pos     []word // positional arguments so far
	ended   bool   // what follows are arguments
	flags   flags
	marks   marks
	moved   bool   // an option named the directory where it runs
	into    word   // the directory that cp -t and its kin fill
	inline  []word // code that an interpreter is given
	sift    sift   // which of that
	told    *Told  // where the words are told apart for those who judge
	roles   string // of the positional arguments
	seen    int    // options and arguments, for those that must stand alone
	alone   string // an option that must stand alone
	fixed   bool   // roles must not change any more
	command bool   // a subcommand was read
}

func newUse(a *analysis, s *sheet, inv *invocation) *use {
	u := &use{analysis: a, sheet: s, inv: inv, roles: s.args}
	if a.out.command >= 0 {
		u.told = a.out.report.Commands[a.out.command].Told
	}
	return u
}

// apply reads a command line with the data, but for programs whose arguments need more than the data can say.
func (a *analysis) apply(s *sheet, inv *invocation) {
	switch s.code {
	case "git":
		runGit(a, s, inv)
		return
	case "test":
		a.out.testArgs(inv)
		return
	case "printf":
		a.out.printfArgs(inv)
	}
	a.applied(s, inv)
}

func (a *analysis) applied(s *sheet, inv *invocation) {
	u := newUse(a, s, inv)
	a.out.trait(s.is, 0)
	defer func(lasting Traits) { a.out.lasting = lasting }(a.out.lasting)
	a.out.lasting |= s.is & Repeats
	handOver(u, s.hands, inv.args)
	if s.task != "" {
		a.out.task(s.task, inv)
	}
	if len(inv.args) == 1 && inv.args[0].known && inv.args[0].dashed() {
		if o, ok := u.lookup(inv.args[0].text); ok && strings.HasPrefix(o.rest, "alone") {
			return // an option such as --version, after which nothing else happens
		}
	}
	u.effects(s.always, inv.raw)
	for _, w := range inv.args {
		if s.responses && (w.text == "" && !w.known || strings.HasPrefix(w.text, "@") || w.glob == 1) {
			a.out.unknown(PartWords, inv.raw, grammar.Escaped(w.shown())+" may name a file of further arguments")
		}
	}
	u.read(inv.args)
	if !u.command {
		u.positional()
	}
	u.finish()
	if u.alone != "" && u.seen > 1 {
		u.unknownOption(u.alone + " beside other arguments")
	}
}

func (u *use) unknownOption(name string) {
	u.out.trait(AnyPattern, 0)
	term(u, "", word{})
	u.out.unknown(PartWords, u.inv.raw,
		"this gives "+u.sheet.name+" the option "+grammar.Escaped(name)+", which nod does not know")
}

// read takes options and positional arguments apart.
func (u *use) read(args []word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		u.seen++
		switch {
		case u.ended, u.free:
			u.pos = append(u.pos, w)
			if u.told != nil {
				u.told.Behind++
			}
		case u.skip != "" && w.known && slices.Contains(strings.Fields(u.skip), w.text):
			term(u, w.text, word{})
		case w.dashed() && !(w.known && w.text == "-"):
			i += u.dash(w, args[i+1:])
		case w.known && u.keyed(w):
		case u.sub:
			u.subcommand(w, args[i+1:])
			return
		default:
			if u.is.Has(Expression) && u.sift.begun { // bfs, which some hosts run, takes it for a place
				u.out.unknown(PartWords, u.inv.raw, "this names "+grammar.Escaped(w.shown())+" behind an expression")
			}
			u.pos = append(u.pos, w)
			u.ended = u.endsOptions() && !(strings.HasPrefix(u.roles, "assign") && assignmentLike(w))
		}
	}
}

// endsOptions reports whether the first argument ends the options, as before a command.
func (u *use) endsOptions() bool {
	return u.posix || strings.Contains(u.args, "command") || strings.Contains(u.args, "assign")
}

func assignmentLike(w word) bool {
	name, _, ok := strings.Cut(w.text, "=")
	return ok && name != ""
}

// subcommand continues with the section of a subcommand.
func (u *use) subcommand(w word, rest []word) {
	u.command = true
	if u.told != nil {
		u.told.Verbs = append(u.told.Verbs, w.text)
	}
	if !w.known || w.many || w.glob > 0 {
		u.out.unknown(PartWords, u.inv.raw, "this runs "+u.sheet.name+", and nod cannot tell which subcommand")
		return
	}
	next, ok := u.under(w.text)
	if !ok {
		u.out.unknown(PartWords, u.inv.raw,
			"this runs "+grammar.Escaped(u.sheet.name+" "+w.text)+", which nod does not know")
		return
	}
	inv := *u.inv
	inv.args = rest
	if next.hands == "verb" {
		handOver(u, "here", append([]word{w}, rest...))
	}
	u.applied(next, &inv)
}

// dash reads one word that is or may be an option and returns how many of the following words it takes.
func (u *use) dash(w word, rest []word) int {
	switch {
	case !w.known || w.many || w.glob > 0:
		return u.unclear(w)
	case w.text == "--":
		u.ended = true
		return 0
	case u.oneDash:
		return u.longOption(strings.TrimPrefix(w.text, "-"), w, rest)
	case strings.HasPrefix(w.text, "--"):
		return u.longOption(w.text, w, rest)
	}
	return u.cluster(w.text, w, rest)
}

// unclear takes a word that may turn out to be an option.
func (u *use) unclear(w word) int {
	if name, text, ok := strings.Cut(w.text, "="); ok && strings.HasPrefix(name, "--") && !w.many {
		if o, found := u.long(name); found && o.arg != 0 {
			value := word{raw: w.raw}
			if w.glob > len(name)+1 && new(Search).list(o.role) != nil { // --include=*.go, also if expanded
				value.value = constant(text)
			}
			u.option(o, value, name)
			return 0
		}
	}
	inert := u.inert || u.marks.has(markInert)
	if !inert || w.glob > 1 {
		u.out.unknown(PartWords, u.inv.raw,
			"this gives "+u.sheet.name+" "+grammar.Escaped(w.raw)+", which may be an option")
	}
	if inert && w.glob == 0 && strings.Contains(u.own+strings.Join(u.more, ""), " =read") {
		u.role("read", w) // some option names a file: grep "$(cat names)"
	}
	if w.many || w.glob == 1 || w.text == "" || w.text[0] != '-' {
		v := w.value
		if w.many && w.glob == 0 { // what comes after its first blank: rm -f$(list)
			v.text = ""
		}
		u.pos = append(u.pos, word{value: v, raw: w.raw, many: w.many})
	}
	return 0
}

// longOption reads --name, --name=value, or with single -name.
func (u *use) longOption(text string, w word, rest []word) int {
	if u.oneDash {
		text = "-" + strings.TrimPrefix(text, "-")
	}
	name, attached, has := strings.Cut(text, "=")
	find := u.long
	if u.oneDash {
		find = u.lookup
	}
	if exact, listed := find(text); has && listed { // -write=false
		u.option(exact, word{value: value{known: true}, raw: w.raw}, text)
		return 0
	}
	o, ok := find(name)
	if !ok && u.oneDash && len(text) > 1 && text[1] >= '0' && text[1] <= '9' {
		o, ok = u.lookup("-NUM")
	}
	switch {
	case !ok:
		u.unknownOption(name)
		return 0
	case has:
		if o.arg == 0 && attached != "true" && (attached != "false" || o.rest != "") {
			u.unknownOption(text) // switched off, it may undo what a milder option said
			return 0
		}
		u.option(o, word{value: constant(attached), raw: w.raw}, name)
	case o.arg == '=':
		return u.taking(o, name, rest)
	default:
		u.option(o, word{value: value{known: true}, raw: w.raw}, name)
	}
	return 0
}

// taking reads an option whose argument is the next word.
func (u *use) taking(o option, name string, rest []word) int {
	if o.role == "exec" { // up to ; or +
		end := slices.IndexFunc(rest, func(w word) bool { return w.known && (w.text == ";" || w.text == "+") })
		if end < 0 {
			end = len(rest)
		}
		u.handFound(rest[:end])
		u.option(option{rest: o.rest}, word{}, name)
		return min(end+1, len(rest))
	}
	if role, ok := strings.CutPrefix(o.role, "pair:"); ok && len(rest) > 1 {
		u.oneWord(rest[0])
		u.oneWord(rest[1])
		u.option(option{arg: '=', role: role, rest: o.rest}, rest[1], name)
		return 2
	}
	if len(rest) == 0 {
		u.unknownOption(name + " without its argument")
		return 0
	}
	if v := rest[0].text; len(v) > 1 && v[0] == '-' && (v[1] < '0' || v[1] > '9') && !strings.Contains(v, " ") {
		u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(v)+" behind "+grammar.Escaped(name)+" may be an option")
	}
	u.option(o, rest[0], name)
	u.oneWord(rest[0])
	return 1
}

// cluster reads -abc.
func (u *use) cluster(text string, w word, rest []word) int {
	o, ok := u.lookup(text)
	if !ok && strings.Trim(text[1:], "0123456789") == "" {
		o, ok = u.lookup("-NUM")
	}
	for i := 1; !ok && i < len(text); i++ {
		name := "-" + text[i:i+1]
		letter, known := u.lookup(name)
		switch {
		case !known:
			u.unknownOption(name)
		case letter.arg != 0 && i+1 < len(text) && letter.role != "exec":
			u.option(letter, word{value: constant(strings.TrimPrefix(text[i+1:], "=")), raw: w.raw}, name)
			return 0
		case letter.arg == '=':
			return u.taking(letter, name, rest)
		default:
			u.option(letter, word{value: value{known: true}, raw: w.raw}, name)
		}
	}
	switch {
	case !ok:
		return 0
	case o.arg == '=':
		return u.taking(o, text, rest)
	}
	u.option(o, word{value: value{known: true}, raw: w.raw}, text)
	return 0
}

// keyed reads name=value where the data has such a key.
func (u *use) keyed(w word) bool {
	name, text, ok := strings.Cut(w.text, "=")
	if !ok || name == "" || u.endsOptions() {
		return false
	}
	o, ok := u.lookup(name + "=")
	if !ok {
		return false
	}
	v := w.value // of a loop over a glob, say
	v.text, v.glob = text, max(0, w.glob-len(name)-1)
	v.known = v.known && (w.glob == 0 || v.glob > 0)
	u.option(o, word{value: v, raw: w.raw, many: w.many}, name)
	return true
}

// option does what one option says.
func (u *use) option(o option, value word, name string) {
	if o.role != "" && (o.arg == '=' || value.text != "" || !value.known) {
		u.role(o.role, value)
	}
	if u.told != nil {
		u.told.Options = append(u.told.Options, Option{name, exposed([]word{value})[0]})
	}
	u.effects(o.rest, u.inv.raw)
	if o.rest == "inplace" && (value.text != "" || !value.known) {
		u.out.unknown(PartWords, u.inv.raw, "this leaves a copy beside what it changes")
	}
	term(u, name, value)
	if strings.HasPrefix(o.rest, "alone") {
		u.alone = name
	}
}

// effects does what a list of flags and effects says.
func (u *use) effects(list, raw string) {
	for list != "" {
		var item string
		item, list, _ = strings.Cut(list, " ")
		switch item {
		case "recursive":
			u.flags |= recursive
			u.out.trait(0, Flat|Shallow|LooksInto)
		case "appends":
			u.flags |= appends
		case "forced":
			u.flags |= forced
		case "args":
			if rest, ok := strings.CutSuffix(list, " end"); ok {
				list, u.ended = rest, true
			}
			if !u.fixed { // what changes something is not undone by a milder option
				u.roles, u.marks = list, u.marks&^markDrop
				u.fixed = strings.Contains(list, "!")
			}
			return
		case "", "alone":
		default: // an effect, a mark or a trait
			if effect, ok := strings.CutPrefix(item, "!"); ok {
				u.stated(effect, raw)
			}
			u.marks |= markOf(item)
			if taken, ok := strings.CutPrefix(item, "not:"); ok {
				u.out.trait(0, traitOf(taken))
			}
			u.out.trait(traitOf(item), 0)
		}
	}
}

// stated reports an effect that the data states outright: kind or kind:target.
func (u *use) stated(item, raw string) {
	kind, target, _ := strings.Cut(item, ":")
	w := word{value: constant(target), raw: raw}
	switch kind {
	case "read", "tree", "list", "names", "write":
		u.role(kind, w)
	case "delete":
		u.out.path(Delete, w, u.inv.st, recursive)
	case "unknown":
		u.out.unknown(PartWords, raw, u.sheet.name+" "+strings.ReplaceAll(target, "-", " "))
	case "fetch":
		fetchesFrom(u, target, raw)
	case "keeps":
		u.marks |= markKeeps
		if target == "tree" {
			u.marks |= markOvertree
		}
	case "remote":
		u.out.does(Remote, target, raw)
	case "stdin":
		u.standardInput(u.inv)
	default:
		for k := Run; k <= Exhaust; k++ {
			if k.Name() == kind {
				u.out.does(k, target, raw)
			}
		}
	}
}

// positional gives every positional argument its role.
func (u *use) positional() {
	if u.told != nil {
		u.told.Operands = append(u.told.Operands, exposed(u.pos)...)
	}
	if u.into.raw != "" {
		u.pos = append(u.pos, u.into)
	}
	roles := strings.Fields(u.roles)
	if u.marks.has(markDrop) && len(roles) > 0 {
		roles = roles[1:]
	}
	switch {
	case len(u.pos) > 0:
		u.assign(roles)
		isCommand := func(w word) bool { return !assignmentLike(w) }
		if strings.HasPrefix(u.roles, "assign") && !u.marks.has(markQuiet) && !slices.ContainsFunc(u.pos, isCommand) {
			u.effects(u.none, u.inv.raw) // all arguments set variables for a command that is not there
		}
	case !u.marks.has(markQuiet):
		u.effects(u.none, u.inv.raw)
		u.searchesHere()
	}
}

// searchesHere is what happens without arguments where an option asks for all that lies below.
func (u *use) searchesHere() {
	if u.flags&recursive != 0 {
		u.effects(u.deep, u.inv.raw)
	}
}

// assign gives each positional argument its role; one role may take all that are left.
func (u *use) assign(roles []string) {
	variadic := -1
	for i, r := range roles {
		if strings.HasSuffix(r, "...") {
			variadic = i
		}
	}
	// xargs runs its command without what comes in where nothing does.
	surely := slices.DeleteFunc(slices.Clone(u.pos), func(w word) bool { return w.many })
	if variadic >= 0 && len(surely) < len(roles) { // a search without a place to search
		if strings.Contains("tree... names... searched...", roles[variadic]) {
			u.effects(u.none, u.inv.raw)
		}
		u.searchesHere()
	}
	if variadic < 0 && len(u.pos) > len(roles) {
		u.out.unknown(PartWords, u.inv.raw, "this gives "+u.sheet.name+" more arguments than nod knows")
	}
	for i, w := range u.pos {
		at := roleAt(roles, variadic, i, len(u.pos))
		if at < 0 {
			continue
		}
		role := strings.TrimSuffix(roles[at], "...")
		if u.whole(role, i) {
			return
		}
		u.role(role, w)
		if at != variadic {
			u.oneWord(w)
		}
	}
}

// roleAt is which role the argument i of n has, -1 for none.
func roleAt(roles []string, variadic, i, n int) int {
	behind := len(roles) - 1 - variadic
	switch {
	case variadic < 0 && i >= len(roles):
		return -1
	case variadic < 0, i < variadic:
		return i
	case n-i <= behind && n > variadic:
		return len(roles) - (n - i)
	}
	return variadic
}

// oneWord states that a word that has a place of its own may turn out to be several: the rest of them nobody has read.
func (u *use) oneWord(w word) {
	if w.many || w.glob > 0 {
		u.out.unknown(PartWords, u.inv.raw,
			grammar.Escaped(w.raw)+" may be several words, since its value is not known")
	}
}
