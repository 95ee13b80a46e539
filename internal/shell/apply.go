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
	given
	told    *Told  // where the words are told apart for those who judge
	inert   bool   // as the sheet says, or an option
	sub     bool   // as the sheet says, but for an option
	roles   string // of the positional arguments
	seen    int    // options and arguments, for those that must stand alone
	alone   string // an option that must stand alone
	replace string // what xargs replaces
	fixed   bool   // roles must not change any more
	command []word // of a wrapper
	quiet   bool   // what holds without arguments does not
}

// given is what the options and arguments of a command line said.
type given struct {
	inv     *invocation
	st      state  // before its options: -C moves that of inv
	pos     []word // positional arguments so far
	ended   bool   // what follows are arguments
	flags   flags
	marks   marks  // words that options left for finish
	send    bool   // what it asks of the network carries data
	into    word   // the directory that cp -t and its kin fill
	archive word   // of tar
	method  string // of an HTTP request
	moved   bool   // an option named the directory where it runs
	drop    bool   // the first positional role is taken by an option
	inplace bool   // what it reads it changes
	backup  word   // what is appended to the name of the copy it leaves then
	deletes bool   // it removes what it finds
	inline  []word // code that an interpreter is given
	sift    sift   // which of that
}

func newUse(a *analysis, s *sheet, inv *invocation) *use {
	u := &use{analysis: a, sheet: s, given: given{inv: inv, st: inv.st}, inert: s.inert, sub: s.sub, roles: s.args}
	if a.out.command >= 0 {
		u.told = a.out.report.Commands[a.out.command].Told
	}
	return u
}

// apply reads a command line with the data.
func (a *analysis) apply(s *sheet, inv *invocation) {
	if s.code == "" || !a.special(s, inv) {
		a.applied(s, inv)
	}
}

func (a *analysis) applied(s *sheet, inv *invocation) {
	u := newUse(a, s, inv)
	a.out.trait(s.is, 0)
	if s.replaced && !inv.outside {
		a.out.trait(LooksInto, Flat)
	}
	defer func(lasting Traits) { a.out.lasting = lasting }(a.out.lasting)
	a.out.lasting |= s.is & Repeats
	handOver(u, s.hands, inv.args)
	if s.task != "" {
		a.defs.task(s.task, inv)
	}
	if u.standsAlone() {
		return
	}
	u.effects(s.always, inv.raw)
	u.response(inv.args)
	u.read(inv.args)
	if u.sub && u.command == nil && len(u.pos) == 0 {
		if u.none == "" && u.roles == "" {
			u.finish() // an option may have named code
			return
		}
	}
	if s.bare != "" && len(u.pos) == 0 {
		u.pos = []word{{value: constant(s.bare), raw: s.bare}}
	}
	if u.command == nil || !u.sub {
		u.positional()
		u.finish()
	} else { // an option before the subcommand may have named code
		for _, w := range u.inline {
			u.out.runsCode(u.inv, w)
		}
	}
	if u.marks.has(markLinks) {
		a.out.makesLink()
	}
	if u.alone != "" && u.seen > 1 {
		u.unknownOption(u.alone + " beside other arguments")
	}
}

// standsAlone reports whether the only argument is an option such as
// --version, after which nothing else happens.
func (u *use) standsAlone() bool {
	if len(u.inv.args) != 1 || !u.inv.args[0].known || !u.inv.args[0].dashed() {
		return false
	}
	o, ok := u.lookup(u.inv.args[0].text)
	return ok && strings.HasPrefix(o.rest, "alone")
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
		case u.loose && w.known && strings.HasPrefix(w.text, "-"):
		case u.skip != "" && w.known && strings.Contains(u.skip, " "+w.text+" "):
			term(u, w.text, word{})
		case u.bundle && i == 0 && w.known && w.text != "" && w.text[0] != '-':
			i += u.cluster("-"+w.text, w, args[i+1:], true)
		case w.dashed() && !(w.known && w.text == "-"):
			i += u.dash(w, args[i+1:])
		case w.known && u.keyed(w):
		case w.known && len(w.text) > 1 && w.text[0] == '+' && u.plus(w):
		default:
			if u.is.Has(Expression) && u.sift.begun { // bfs, which some hosts run, takes it for a place
				u.out.unknown(PartWords, u.inv.raw, "this names "+grammar.Escaped(w.shown())+" behind an expression")
			}
			u.pos = append(u.pos, w)
			if u.sub {
				u.subcommand(w, args[i+1:])
				return
			}
			if u.posix && !strings.HasPrefix(u.roles, "assign") {
				u.ended = true
			}
			if u.posix && strings.HasPrefix(u.roles, "assign") && !assignmentLike(w) {
				u.ended = true
			}
		}
	}
}

func assignmentLike(w word) bool {
	name, _, ok := strings.Cut(w.text, "=")
	return ok && name != ""
}

// subcommand continues with the section of a subcommand.
func (u *use) subcommand(w word, rest []word) {
	u.pos = nil
	u.command = []word{w}
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
			"this runs "+grammar.Escaped(u.sheet.name+" "+w.text)+", of which nod knows nothing")
		return
	}
	inv := *u.inv
	inv.args = rest
	if next.hands == "verb" {
		handOver(u, "here", append([]word{w}, rest...))
	}
	u.applied(next, &inv)
}

// dash reads one word that is or may be an option and returns how many of the
// following words it takes.
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
	return u.cluster(w.text, w, rest, false)
}

// unclear takes a word that may turn out to be an option.
func (u *use) unclear(w word) int {
	if name, text, ok := strings.Cut(w.text, "="); ok && strings.HasPrefix(name, "--") && !w.many {
		if o, found := u.long(name); found && o.arg != 0 {
			value := word{raw: w.raw}
			if w.glob > len(name)+1 && new(Search).list(o.role) != nil { // --include=*.go, whatever the shell finds
				value.value = constant(text)
			}
			u.option(o, value, name)
			return 0
		}
	}
	if w.glob == 1 && u.plainNames(w) {
		u.pos = append(u.pos, w)
		return 0
	}
	// No option with one dash holds a slash, so that */ and dir*/x are none.
	roots := u.finds == "roots" && w.known && w.glob > 0 && strings.Contains(w.text, "/")
	if (!u.inert || w.glob > 1 && w.text[0] == '-') && !roots {
		u.out.unknown(PartWords, u.inv.raw,
			"this gives "+u.sheet.name+" "+grammar.Escaped(w.raw)+", which may be an option")
	}
	if u.inert && w.glob == 0 && u.optionsRead() && (w.text == "" || w.text[0] == '-') {
		u.role("read", w) // grep "$(cat names)"
	}
	switch {
	case w.text == "" || w.text == "-" || w.text[0] != '-' || w.glob == 1: // - and nothing is an operand
		u.pos = append(u.pos, w)
	case w.many: // what comes after its first blank: rm -f$(list)
		v := w.value
		v.text = ""
		u.pos = append(u.pos, word{value: v, raw: w.raw, many: true})
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
	if o.role == "exec" {
		u.effects(o.rest, u.inv.raw)
		took := u.handover().exec(rest, strings.Contains(o.rest, "batch"))
		term(u, name, word{})
		return took
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

// cluster reads -abc. With old the letters take their arguments from the
// following words in turn, as tar does.
func (u *use) cluster(text string, w word, rest []word, old bool) int {
	if len(text) > 1 && text[1] >= '0' && text[1] <= '9' {
		o, ok := u.lookup(text)
		if !ok {
			o, ok = u.lookup("-NUM")
		}
		if ok && strings.Trim(text[1:], "0123456789") == "" {
			u.option(o, word{value: constant(text[1:]), raw: w.raw}, text)
			return 0
		}
	}
	if o, ok := u.lookup(text); ok && len(text) > 2 {
		if o.arg == '=' {
			return u.taking(o, text, rest)
		}
		u.option(o, word{value: value{known: true}, raw: w.raw}, text)
		return 0
	}
	took := 0
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		o, ok := u.lookup(name)
		if !ok {
			u.unknownOption(name)
			continue
		}
		switch {
		case o.arg == 0 || o.arg == '=' && old:
			if o.arg == '=' {
				if took >= len(rest) {
					u.unknownOption(name + " without its argument")
					continue
				}
				u.oneWord(rest[took])
				u.option(o, rest[took], name)
				took++
				continue
			}
			u.option(o, word{value: value{known: true}, raw: w.raw}, name)
		case i+1 < len(text) && o.role != "exec":
			attached := strings.TrimPrefix(text[i+1:], "=")
			u.option(o, word{value: constant(attached), raw: w.raw}, name)
			return took
		case o.arg == '=':
			return took + u.taking(o, name, rest[min(took, len(rest)):])
		default:
			u.option(o, word{value: value{known: true}, raw: w.raw}, name)
		}
	}
	return took
}

// keyed reads name=value where the data has such a key.
func (u *use) keyed(w word) bool {
	name, text, ok := strings.Cut(w.text, "=")
	if !ok || name == "" || u.posix {
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

func (u *use) plus(w word) bool {
	if o, ok := u.lookup(w.text); ok && o.arg == 0 && w.text != "+NUM" {
		u.option(o, word{value: value{known: true}, raw: w.raw}, w.text)
		return true
	}
	if strings.Trim(w.text[1:], "0123456789") != "" {
		return false
	}
	o, ok := u.lookup("+NUM")
	if ok {
		u.option(o, word{value: constant(w.text[1:]), raw: w.raw}, w.text)
	}
	return ok
}

// option does what one option says.
func (u *use) option(o option, value word, name string) {
	if o.role != "" && (o.arg == '=' || value.text != "" || !value.known || o.role == "replace") {
		u.role(o.role, value)
	}
	if u.told != nil {
		u.told.Options = append(u.told.Options, Option{name, exposed([]word{value})[0]})
	}
	u.effects(o.rest, u.inv.raw)
	if o.rest == "inplace" {
		u.backup = value
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
		case "drop":
			u.drop = true
		case "send":
			u.send = true
		case "recursive":
			u.flags |= recursive
			u.out.trait(0, Flat|Shallow|LooksInto)
		case "appends":
			u.flags |= appends
		case "forced":
			u.flags |= forced
		case "inplace":
			u.inplace = true
		case "deletes":
			u.deletes = true
		case "quiet":
			u.quiet = true
		case "inert":
			u.inert = true
		case "cleared":
			u.out.unknown(PartWords, u.inv.raw, "this runs a command with another environment")
		case "verb":
			u.sub = false
		case "args":
			if rest, ok := strings.CutSuffix(list, " end"); ok {
				list, u.ended = rest, true
			}
			if !u.fixed { // what changes something is not undone by a milder option
				u.roles, u.drop = list, false
				u.fixed = strings.Contains(list, "!")
			}
			list = ""
		case "", "alone":
		default:
			if item[0] == '!' {
				u.stated(item[1:], raw)
			}
			u.marks |= markOf(item)
			if taken, ok := strings.CutPrefix(item, "not:"); ok {
				u.out.trait(0, traitOf(taken))
			}
			u.out.trait(traitOf(item), 0)
		}
	}
}

// stated reports an effect that the data states outright: kind or
// kind:target.
func (u *use) stated(item, raw string) {
	kind, target, _ := strings.Cut(item, ":")
	w := word{value: constant(target), raw: raw}
	if below, ok := strings.CutPrefix(target, "~/"); ok {
		w.value = value{text: u.machine.env.Home + "/" + below, known: u.machine.env.Home != ""}
	}
	switch kind {
	case "read":
		u.out.path(Read, w, u.inv.st, u.flags)
	case "tree":
		reads(u, w, recursive)
	case "list":
		reads(u, w, u.flags&recursive|names)
	case "names":
		reads(u, w, recursive|names)
	case "write":
		u.out.path(Write, w, u.inv.st, u.flags)
	case "delete":
		u.out.path(Delete, w, u.inv.st, recursive)
	case "unknown":
		u.out.unknown(PartWords, raw, u.sheet.name+" "+strings.ReplaceAll(target, "-", " "))
	case "run":
		u.out.does(Run, target, raw)
	case "fetch":
		fetchesFrom(u, target, raw)
	case "keeps":
		u.marks |= markKeeps
		if target == "tree" {
			u.marks |= markOvertree
		}
	case "send":
		u.out.does(Send, target, raw)
	case "remote":
		u.out.effect(Effect{Kind: Remote, Target: target, Place: Network, Words: raw, Part: PartWords,
			Forced: u.flags&forced != 0})
	case "kill":
		u.out.does(Kill, target, raw)
	case "persist":
		u.out.does(Persist, target, raw)
	case "secret":
		u.out.does(Secret, target, raw)
	case "privilege":
		u.out.does(Privilege, target, raw)
	case "stdin":
		u.texts.standardInput(u.inv)
	case "exhaust":
		u.out.does(Exhaust, target, raw)
	}
}

// positional gives every positional argument its role.
func (u *use) positional() {
	if u.told != nil {
		u.told.Operands = append(u.told.Operands, exposed(u.pos)...)
	}
	roles := strings.Fields(u.roles)
	if u.drop && len(roles) > 0 {
		roles = roles[1:]
	}
	switch {
	case len(u.pos) > 0:
		u.assign(roles)
		if assignsAlone(u) {
			u.effects(u.none, u.inv.raw)
		}
	case !u.quiet:
		u.effects(u.none, u.inv.raw)
		u.searchesHere()
	}
	if u.into.raw != "" {
		u.into.text = strings.TrimSuffix(u.into.text, "/") + "/"
		dest(u, u.into)
	}
}

// assignsAlone reports whether all arguments set variables for a command that is not there.
func assignsAlone(u *use) bool {
	return strings.HasPrefix(u.roles, "assign") && !u.quiet &&
		!slices.ContainsFunc(u.pos, func(w word) bool { return !assignmentLike(w) })
}

// fewest is how many arguments the words become at least: xargs runs its command
// with none where nothing comes in.
func fewest(words []word) (n int) {
	for _, w := range words {
		if !w.many {
			n++
		}
	}
	return n
}

// searchesHere is what happens without arguments where an option asks for all
// that lies below.
func (u *use) searchesHere() {
	if u.flags&recursive != 0 {
		u.effects(u.deep, u.inv.raw)
	}
}

func (u *use) assign(roles []string) {
	variadic, tail := -1, 0
	for i, r := range roles {
		if strings.HasSuffix(r, "...") {
			variadic, tail = i, len(roles)-1-i
		}
	}
	n := len(u.pos)
	if variadic >= 0 && fewest(u.pos) <= len(roles)-1 { // a search without a place to search
		if strings.Contains("tree... names... searched...", roles[variadic]) {
			u.effects(u.none, u.inv.raw)
		}
		u.searchesHere()
	}
	if variadic < 0 && n > len(roles) {
		u.out.unknown(PartWords, u.inv.raw,
			"this gives "+u.sheet.name+" more arguments than nod knows")
	}
	for i := 0; i < n; i++ {
		w := u.pos[i]
		role := ""
		switch {
		case variadic < 0 && i < len(roles):
			role = roles[i]
		case variadic < 0:
			continue
		case i < variadic && i < n:
			role = strings.TrimSuffix(roles[i], "...")
		case n-i <= tail && n > variadic:
			role = roles[len(roles)-(n-i)]
		default:
			role = strings.TrimSuffix(roles[variadic], "...")
		}
		if u.whole(role, i) {
			return
		}
		u.role(role, w)
		if variadic >= 0 && i != variadic && role+"..." != roles[variadic] && several(w) {
			u.spills(strings.TrimSuffix(roles[variadic], "..."), w)
		}
		if variadic < 0 && several(w) { // what is over falls to the roles behind
			for _, next := range roles[i+1:] {
				u.spills(next, w)
			}
		}
	}
}
