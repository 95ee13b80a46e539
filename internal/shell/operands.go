package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// operands looks at arguments of programs whose words need more than a role.
type operands struct {
	machine *machine
	defs    *definitions
	out     *draft
	*sheet
	*given
	targets *targets
	run     lineRunner
}

func (u *use) operands() *operands {
	return &operands{
		machine: u.machine, defs: &u.defs, out: &u.out,
		sheet: u.sheet, given: &u.given, targets: &u.targets, run: u,
	}
}

// after is what follows a prefix in a word; nothing where it does not begin so.
func after(w word, prefix string) word {
	rest, ok := strings.CutPrefix(w.text, prefix)
	if !ok {
		return word{}
	}
	w.text = rest
	return w
}

// mode reports a mode that makes a program run as its owner or its group.
func (o *operands) mode(w word) {
	octal := strings.Trim(w.text, "01234567") == ""
	special := octal && len(strings.TrimLeft(w.text, "0")) > 3 && strings.TrimLeft(w.text, "0")[0] != '1'
	if !w.known || special || !octal && strings.Contains(w.text, "s") {
		o.out.unknown(PartWords, o.inv.raw, grammar.Escaped(w.shown())+" may set as whom it runs")
	}
}

// Letters of ps without a dash: those that stand alone, and those that take
// what follows. With e it prints the environment of every process.
const (
	psAlone  = "acCfghjlmnrsSTuvwxXLZ"
	psTaking = "kopqtOU"
)

// psWord reads an argument of ps without a dash: a process, or such letters.
func (o *operands) psWord(w word) {
	o.psFormat(w)
	i := slices.IndexFunc(o.pos, func(p word) bool { return p.raw == w.raw && p.text == w.text })
	if i > 0 && psTakes(o.pos[i-1].text) {
		return
	}
	rest := strings.TrimLeft(w.text, psAlone)
	if rest != "" && strings.IndexByte(psTaking+"0123456789", rest[0]) < 0 && w.text != "-" {
		o.out.unknown(PartWords, o.inv.raw,
			grammar.Escaped(w.shown())+" may make ps print the environment of processes")
	}
}

// psUser reads whose processes ps is to print. Where there is no such user, ps takes all
// words for letters without a dash: -aux, and -auxe.
func (o *operands) psUser(w word) {
	name := strings.Trim(w.text, "0123456789,")
	if name == "" && w.known {
		return
	}
	o.marks |= markLists
	if letters := strings.Trim(name, psAlone+psTaking+"e"); letters == "" && strings.Contains(name, "e") {
		o.marks |= markMakes
	}
}

// psFormat reads what ps is to print of each process.
func (o *operands) psFormat(w word) {
	if !w.known || w.many || strings.Contains(w.text, "environ") {
		o.out.unknown(PartWords, o.inv.raw,
			grammar.Escaped(w.shown())+" may make ps print the environment of processes")
	}
}

// psTakes reports whether letters of ps take the next word.
func psTakes(letters string) bool {
	rest := strings.TrimLeft(letters, psAlone)
	return len(rest) == 1 && strings.IndexByte(psTaking, rest[0]) >= 0
}

// socketWord reports a word of a filter of ss that is neither one of its own
// nor an address, a number or a port: it is looked up as the name of a machine.
func (o *operands) socketWord(w word) {
	for _, f := range strings.FieldsFunc(w.text, func(r rune) bool { return strings.ContainsRune(" ()!=<>&|,", r) }) {
		f = strings.TrimPrefix(strings.TrimPrefix(f, "inet:"), "inet6:")
		port := f == "" || f[0] == ':' && !strings.Contains(f, ".") || strings.Trim(f, "0123456789") == ""
		if !port && !isSocketWord(f) && !isAddress(f) {
			o.targets.host(word{value: constant(f), raw: w.raw})
		}
	}
	if !w.known {
		o.targets.host(w)
	}
}

func isSocketWord(f string) bool {
	switch f {
	case "state", "exclude", "established", "syn-sent", "syn-recv", "fin-wait-1", "fin-wait-2", "time-wait", "closed",
		"close-wait", "last-ack", "listening", "listen", "closing", "all", "connected", "synchronized", "bucket", "big",
		"src", "dst", "sport", "dport", "autobound", "and", "or", "not", "eq", "ne", "neq", "gt", "ge", "lt", "le":
		return true
	}
	return false
}

// isAddress reports whether a text can only be an address, a network, or
// either with a port: digits, or with two colons and no dot hexadecimal ones.
func isAddress(text string) bool {
	if strings.Count(text, ":") > 1 && !strings.Contains(text, ".") {
		return strings.Trim(strings.ToLower(text), "0123456789abcdef:/*[]") == ""
	}
	return strings.Trim(text, "0123456789.:/*") == "" && strings.Trim(text, ".") != "" // ss . looks . up
}
