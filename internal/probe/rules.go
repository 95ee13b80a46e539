package probe

import (
	"bytes"
	"strings"
)

// signs notes what a word completes. c are its classes; starts says that it
// begins a sentence, orders that it is a verb that gives an order.
func (r *reader) signs(c class, starts, orders bool, end int) {
	r.overriding(c)
	r.speaking(c, starts, end)
	r.ordering(c, orders)
	r.claiming(c, orders)
	if c&haste != 0 && r.shouted {
		r.hit(Haste)
	}
	if r.hidden > 0 && (c&(assistant|instruction|override|secretly) != 0 || r.near(you, 2) && c&modal != 0 || c&entrust != 0 && orders) {
		r.hit(HiddenText)
	}
	if r.hidden > 0 && orders {
		r.hit(HiddenOrder)
	}
	if c&override != 0 && starts {
		r.order[bit(override)] = r.word
	}
	if c&decode != 0 && r.blob > 0 && r.word-r.blob <= 12 {
		r.hit(Encoded)
	}
	if c&turned != 0 {
		r.turns(end)
	}
}

func (r *reader) overriding(c class) {
	switch {
	case c&instruction != 0 && r.near(override, 7) && (r.last[bit(prior)] >= r.last[bit(override)] || r.last[bit(you)] >= r.last[bit(override)]):
		r.hit(Overrides)
	case c&instruction != 0 && r.ordered(override, 5) && !r.near(not, 1):
		r.hit(Drops)
	case c&not != 0 && r.near(instruction, 2) && r.near(you, 4):
		r.hit(Drops)
	case c&(prior|you) != 0 && r.ordered(override, 2):
		r.hit(Waives)
	}
}

// speaking finds words to an assistant, and orders to whoever reads.
func (r *reader) speaking(c class, starts bool, end int) {
	colon := end < len(r.text) && (r.text[end] == ':' || r.text[end] == ',')
	if c&assistant != 0 && (colon && (starts || r.near(greets|haste|office|assistant, 3)) || r.near(you, 4) && r.near(greets, 6)) {
		r.hit(Addressed)
	}
	if c&modal != 0 && (r.near(you, 1) || r.near(you, 3) && r.near(are, 2)) {
		r.vocal = r.word
	}
	if c&you != 0 && r.near(asks, 1) {
		r.joined = true
		r.last[bit(please)] = r.word
	}
	if c&(assistant|reads) != 0 && r.near(machine, 2) || c&machine != 0 && c&assistant != 0 {
		r.machine = r.word
	}
	if c&modal != 0 && r.machine > 0 && r.word-r.machine <= 5 {
		r.hit(Machines)
	}
	if c&modal != 0 && r.near(assistant, 3) {
		r.hit(Bound)
	}
	if c&(assistant|reads) != 0 && r.near(assistant|reads, 3) && (r.near(reads, 3) || c&reads != 0) {
		r.reader = r.word
	}
	if c&(modal|act) != 0 && r.reader > 0 && r.word-r.reader <= 12 {
		r.hit(Reader)
	}
	if c&assistant != 0 && r.near(you, 4) && r.near(greets, 5) {
		r.reader = r.word
	}
	if c&(act|override) != 0 && r.vocal > 0 && r.word-r.vocal <= 3 {
		r.hit(Ordered)
		r.vocal = 0
	}
	switch {
	case c&are != 0 && r.near(you, 1) && r.near(now, 3), c&now != 0 && r.near(are, 1) && r.near(you, 2), c&now != 0 && r.near(begins, 1),
		c&instruction != 0 && r.near(isNew, 2):
		r.hit(Recast)
	case c&(going|say|joins) != 0 && r.near(you, 1) && r.near(before, 2), c&(going|say) != 0 && r.first > 0 && r.word-r.first <= 2:
		r.hit(Detour)
	}
	if c&before != 0 && starts {
		r.first = r.word
	}
	if c&(instruction|freed) != 0 && r.near(not, 3) && r.near(are|you|assistant, 9) || c&obey != 0 && r.near(you, 3) || c&freed != 0 && r.near(you, 4) {
		r.hit(Unbound)
	}
}

func (r *reader) ordering(c class, orders bool) {
	if c&act != 0 && r.near(please, 2) {
		r.hit(Polite)
		r.polite = r.word
		if c&entrust != 0 {
			r.hit(Entrusts)
			if r.field > 0 && r.word-r.field < 20 {
				r.hit(Field)
			}
		}
	}
	if orders && r.field > 0 && r.word-r.field < 8 {
		r.polite = r.word
		if c&(harm|send) != 0 {
			r.hit(FieldOrder)
		}
	}
	if c&my != 0 && r.polite > 0 && r.word-r.polite <= 10 {
		r.hit(Mine)
	}
	if c&(secret|private) != 0 {
		if r.ordered(send, 12) {
			r.hit(SendsWhat)
		}
		if r.ordered(get, 8) {
			r.hit(GetsSecret)
		}
	}
	if c&send != 0 && (orders || r.near(joins, 2)) && r.ordered(get|do|run|harm|say, 50) {
		r.hit(ThenSends)
		r.sent = r.word
	}
	if c&(command|isNew) != 0 && r.ordered(run, 6) {
		r.hit(Runs)
	}
	if c&(my|you|private|person) != 0 && r.ordered(harm, 4) {
		r.hit(Harms)
	}
	if c&my != 0 && r.ordered(do|get|run|send, 8) {
		r.hit(Orders)
	}
	if c&say != 0 && orders && (r.near(now|before|joins, 3) || r.ordered(override, 12)) {
		r.hit(Says)
	}
	if c&tool != 0 && r.ordered(act, 20) {
		r.hit(ByTool)
	}
}

func (r *reader) claiming(c class, orders bool) {
	if c&tell != 0 && r.near(not, 3) {
		r.order[bit(tell)] = r.word
	}
	if c&tell != 0 && r.near(not, 5) && r.near(person, 6) || c&trace != 0 && r.near(not, 2) {
		r.hit(Conceals)
	}
	if c&(person|you) != 0 && r.order[bit(tell)] > 0 && r.word-r.order[bit(tell)] <= 3 {
		r.hit(Conceals)
	}
	if c&secretly != 0 && r.ordered(act, 3) || orders && r.close && r.near(secretly, 1) {
		r.hit(Secretly)
	}
	if c&leave != 0 && r.near(not, 3) {
		r.hit(Unasked)
	}
	if c&approve != 0 && r.near(person|office, 4) && r.near(has, 2) {
		r.hit(Approved)
	}
	if c&(instruction|notice) != 0 && r.near(office, 2) || c&prior != 0 && r.near(office, 1) && c&instruction != 0 {
		r.hit(Office)
	}
}

// destinationSigns notes what an address completes.
func (r *reader) destinationSigns(c class) {
	if c&address != 0 && r.ordered(send, 25) && r.near(towards, 4) {
		r.hit(SendsTo)
		if r.sent > 0 && r.word-r.sent <= 15 {
			r.hit(Takes)
		}
	}
}

// marker reads what may pose as the host's own: markup, brackets, JSON keys.
func (r *reader) marker(i int) int {
	rest := r.text[i:min(len(r.text), i+200)]
	r.at = i
	low := strings.ToLower(rest[:min(len(rest), 24)])
	switch {
	case strings.HasPrefix(rest, "<!--"):
		r.hides(i, "-->")
		return i + 4
	case strings.HasPrefix(rest, "[//]: #"), strings.HasPrefix(rest, "[comment]: #"):
		r.hides(i, "\n")
	case low[0] == '<' && strings.HasPrefix(low, "<img") && strings.Contains(rest, "alt="):
		r.hides(i, ">")
	case strings.HasPrefix(low, "<tool_use_error"):
	case startsWithAny(low, "<system", "</system", "<|im_start", "<|im_end", "<|system", "<|user", "<|assistant", "<|endof", "[inst]", "[/inst]", "[system", "<<sys", "<assistant>", "<user>", "<human>",
		"</tool_result", "</function_results", "</tool_output", "<instructions>", "### system", "### instruction", "## system", "{{#system", "[assistant]", "[developer", "<developer", "<admin"):
		r.word++
		r.hit(Role)
	case startsWithAny(low, "<invoke", "<function_call", "<tool_use", "<tool_call", "<antml", `{"tool_use`, `{"tool_call`, `{"function_call`, `{"type":"tool_use`, `{"type": "tool_use`, "<parameter name"):
		r.word++
		r.hit(ToolShape)
	case low[0] == '{' && strings.Contains(rest, `"arguments"`) && (strings.Contains(rest, `"name"`) || strings.Contains(rest, `"tool"`)):
		r.word++
		r.hit(ToolShape)
	case low[0] == '<' && conceals(strings.ToLower(rest)):
		r.hides(i, "</")
	}
	return i + 1
}

// hides notes that what follows, to an end, is shown to nobody.
func (r *reader) hides(i int, end string) {
	n := strings.Index(r.text[i:min(len(r.text), i+4_000)], end)
	if n < 0 {
		n = 2_000
	}
	r.hidden = i + n
}

// conceals reports whether a tag's style shows nothing of what it holds.
func conceals(tag string) bool {
	tag, _, _ = strings.Cut(tag, ">")
	if !strings.Contains(tag, "style") && !strings.Contains(tag, "hidden") && !strings.Contains(tag, "color") {
		return false
	}
	if strings.HasSuffix(tag, " hidden") {
		return true
	}
	plain := make([]byte, 0, 200)
	for i := range len(tag) {
		if c := tag[i]; c != ' ' && c != '"' && c != '\'' {
			plain = append(plain, c)
		}
	}
	for _, style := range [...]string{"display:none", "visibility:hidden", "font-size:0", "font-size:1px", "opacity:0", "color:white", "color:#fff", "left:-9999", "hidden=", "aria-hidden=true"} {
		if bytes.Contains(plain, []byte(style)) {
			return true
		}
	}
	return false
}

func startsWithAny(s string, starts ...string) bool {
	for _, start := range starts {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return false
}
