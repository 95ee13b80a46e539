package agent

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// Lengths of what reaches the host, in characters. It writes strings over 10,000 to a file and shows a preview.
const (
	reasonLength = 300
	noticeCount  = 5
)

// What the host is told, as it stands in the log.
const (
	abstained = "abstained"
	saysAllow = "allow"
	saysAsk   = "ask"
	saysDeny  = "deny"
	// an allow of another command, which the host runs in the place of the call's
	saysConfined = "confined"
	saysNobody   = "nobody" // an ask that nobody can answer; logged as deny
	// an ask that the host cannot pass on to a person; logged as deny
	saysUnasked = "unasked"
)

// says picks one of the words above from what a host can do.
//
//	                 seat allows   seat asks      a prompt follows   else
//	allow            allow         -              -                  -
//	ask, person      -             ask            silence            deny
//	ask, nobody      -             deny           silence            deny
//	deny             deny
//
// An allow in plan mode, under Reinforce, of a call that is not proven or that a rule of the
// person's speaks of, or of a tool that is [Idle] or the [Persons], is silence. An allow of
// another command is a denial where it is not handed over ([profile.handed]).
func (p profile) says(e Event, d nod.Decision, how Profile, model bool) string {
	can, class := p.capabilities(), classOf(e.Call.Tool)
	seat := can.Before
	if e.Kind == Prompt {
		seat = can.Asking
	}
	switch d.Verdict {
	case nod.Allow:
		may := seat.Allow && how != Reinforce && !e.Unproven && !e.Reserved && class != Idle && class != Persons
		switch {
		case d.Instead != "":
			return saysDeny // what may be handed over has been
		case may && p.mayAllow == nil && !e.Plan, may && p.mayAllow != nil && p.mayAllow(e, d):
			return saysAllow
		}
		return abstained
	case nod.Ask:
		return saysAsking(seat, e, d, how, model)
	}
	if d.Instead != "" && e.Plan && e.Theirs {
		return abstained // in plan mode Claude Code decides by itself what runs
	}
	return saysDeny
}

func saysAsking(seat Seat, e Event, d nod.Decision, p Profile, model bool) string {
	switch {
	case e.PromptFollows, e.Kind == Prompt && seat.Silence == Prompts:
		return abstained
	case p != Replace && hostDecides(e, d, model):
		return abstained
	case !seat.Ask:
		return saysUnasked
	case e.Call.Interactive && e.Mode != "dontAsk", seat.AskHeadless:
		return saysAsk
	}
	return saysNobody
}

// hostDecides reports whether the host takes over: it judges in this mode, confines the call or
// asks about it, nod has no model, and the gate says that another may decide.
func hostDecides(e Event, d nod.Decision, model bool) bool {
	return (e.Call.HostJudges || e.Contained || e.Theirs) && !model && d.Deferrable && d.Rule.Text == "" &&
		d.Err != nil && d.Err.Kind == fault.NoModel
}

// Block denies in a way that is certain to block.
func (h Host) Block(reason string) Answer {
	if p := h.profile(); p.is("spoken") { // what exit code 2 does is not known
		return p.answer(Event{Kind: Decide}, saysDeny, blocking(said(reason)), "")
	}
	return exit2(said(reason))
}

// Encode says a decision as the section of hosts.txt lays it down.
func (h Host) Encode(e Event, d nod.Decision, how Profile, model bool) Answer {
	p := h.profile()
	decided := e.Kind == Decide && p.text("tried") != "" || e.Kind == Prompt && p.text("refused") != ""
	switch {
	case decided && e.Kind == Decide && d.Verdict == nod.Allow && d.Instead != "" && how != Reinforce &&
		h.MayRewrite(e):
		return p.handed(e, d)
	case decided:
		word := p.says(e, d, how, model)
		reason := reasonOf(d, word)
		if p.notice != nil && word == saysAsk {
			d.Notices = append([]string{p.notice(e, reason)}, d.Notices...)
		}
		if word == saysNobody || word == saysUnasked {
			word = saysDeny
		}
		return p.answer(e, word, reason, p.notices(d))
	case e.Kind == Outcome, e.Kind == HostDenied, e.Kind == Other, e.Name != "" && e.Call.RawTool == "":
		return Answer{Said: abstained}
	}
	return h.Block("nod does not know the event " + e.Name + ", so what it carries must not run")
}

// answer says a word in the form that the host reads, a denial without one by exit code.
// extra is what stands beside it in the object.
func (p profile) answer(e Event, word, reason, extra string) Answer {
	form := p.text("answer")
	if e.Kind == Prompt {
		form = p.text(map[string]string{saysAllow: "granted", saysDeny: "refused"}[word])
	}
	switch {
	case word == abstained && extra != "":
		form = "{" + strings.TrimPrefix(extra, ",") + "}"
	case word == abstained:
		return Answer{Said: abstained}
	case form == "":
		return exit2(reason)
	default:
		form = strings.ReplaceAll(form, `"$SAID"`, quoted(word))
		form = strings.ReplaceAll(form, `"$BLOCKED"`, quoted(blocking(reason))) // quoted, nothing looks like the next
		form = strings.TrimSuffix(strings.ReplaceAll(form, `"$REASON"`, quoted(reason)), "}") + extra + "}"
	}
	return Answer{Stdout: []byte(form), Said: word}
}

// notices are what the person is to know, where the host has a place for it.
func (p profile) notices(d nod.Decision) string {
	var lines []string
	for _, n := range d.Notices[:min(len(d.Notices), noticeCount)] {
		if n = said(n); n != "" {
			lines = append(lines, n)
		}
	}
	if len(lines) == 0 || !p.is("notices") {
		return ""
	}
	return `,"systemMessage":` + quoted(strings.Join(lines, "\n"))
}

// handed allows the call with another command in it; all else of its input stays.
func (p profile) handed(e Event, d nod.Decision) Answer {
	var input map[string]json.RawMessage
	if err := json.Unmarshal(e.Call.Input, &input); err != nil || input["command"] == nil {
		return exit2("the input of this call has no command that could be confined")
	}
	input["command"] = json.RawMessage(quoted(d.Instead))
	updated, _ := json.Marshal(input) // it was read from JSON
	form := strings.NewReplacer(`"$REASON"`, quoted(reasonOf(d, saysAllow)), `"$INPUT"`, string(updated),
		`"$COMMAND"`, quoted(d.Instead)).Replace(p.text("handed"))
	return Answer{Stdout: []byte(strings.TrimSuffix(form, "}") + p.notices(d) + "}"), Said: saysConfined}
}

// rewritable reports whether the call is a command of that tool which nod may allow, and the call
// ends only when the command has ended.
func rewritable(e Event, tool string) bool {
	return e.Kind == Decide && e.Call.RawTool == tool && e.Call.Tool == "bash" && !e.Call.Outlives &&
		!e.Plan && !e.Unproven && !e.Reserved
}

// reasonOf is what the person reads under allow and ask, and the model under deny.
func reasonOf(d nod.Decision, says string) string {
	reason := cmp.Or(said(d.Reason), "nod gives no reason")
	approvable := d.Approvable.Key != "" && d.ID != ""
	switch {
	case says == saysAsk:
		reason += howToLast(d)
	case says == saysDeny && d.Err != nil && d.Err.Kind != fault.NoModel && !approvable:
		reason += " | A person can find out more with `nod doctor`"
		if d.ID != "" { // settings that cannot be used leave no decision in the log
			reason += " and `nod log " + shortID(d.ID) + "`"
		}
		reason += "."
	case says == saysUnasked:
		reason += " | A person has to approve this, and this agent gives nod no way to ask them: they can " +
			orList(waysToApprove(d)) + "."
	case says == saysNobody:
		reason += " | A person has to approve this and nobody can be asked in this session: they can " +
			orList(append(waysToApprove(d), "run the session interactively")) + "."
	case says == saysDeny && approvable:
		reason += " | Only a person can approve this call, at a terminal of their own: `nod approve " +
			shortID(d.ID) + "`."
	}
	return reason
}

// waysToApprove is what a person can do whom the agent cannot ask.
func waysToApprove(d nod.Decision) (ways []string) {
	if d.Approvable.Key != "" && d.ID != "" {
		ways = append(ways, "approve this call at a terminal of their own (`nod approve "+shortID(d.ID)+"`)")
	}
	if d.Lasting != "" {
		return append(ways, "add "+allowRule(d)+" to their settings")
	}
	return append(ways, "add an allow rule (`nod help settings`)")
}

// orList joins a list that is not empty as a sentence does.
func orList(list []string) string {
	last := len(list) - 1
	return strings.TrimPrefix(strings.Join(list[:last], ", ")+", or "+list[last], ", or ")
}

// allowRule is the line of the settings that clears the call from now on.
func allowRule(d nod.Decision) string { return "allow = [" + said(quoted(d.Lasting)) + "]" }

// howToLast names the shortest way to make a yes last, or says that no way exists.
func howToLast(d nod.Decision) string {
	switch {
	case d.Lasting != "":
		return " | To allow it always: " + allowRule(d) + " in ~/.config/nod/nod.toml."
	case d.Approvable.Key != "" && !d.Approvable.Once && d.ID != "":
		return " | For the whole session: `nod approve --session " + shortID(d.ID) + "` in a terminal."
	}
	return " | A yes holds for this call only."
}

// shortID is the part of a decision's id that says enough.
func shortID(id string) string { return printable.Line(id[strings.LastIndexByte(id, '-')+1:], 40) }

// exit2 exits with 2 and a reason, which is fit to be shown, on standard error: the only denial that
// nearly every host understands. Without a reason some hosts take it for an allow.
func exit2(reason string) Answer {
	return Answer{Stderr: []byte(blocking(reason) + "\n"), Exit: 2, Said: saysDeny}
}

// blocking is a reason that is fit to be shown and says who blocks; it is never empty.
func blocking(reason string) string {
	if !strings.HasPrefix(reason, "nod ") {
		reason = strings.TrimSuffix("nod blocks this: "+reason, ": ")
	}
	return reason
}

// said makes text fit to be shown: one line, everything invisible escaped, no
// tags, so that nothing in it poses as the host's own words.
func said(text string) string {
	return printable.Line(withoutTags(printable.Line(text, 4*reasonLength)), reasonLength)
}

// withoutTags takes out what looks like a tag, as <system-reminder>, and what
// becomes one when another is taken out of it.
func withoutTags(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	tag := regexp.MustCompile(`<[/ ]*[A-Za-z][\w:-]*(?: [^>]*|[/ ]*)>`)
	for before := ""; before != text; {
		before, text = text, tag.ReplaceAllString(text, "")
	}
	return text
}

// quoted is a JSON string.
func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
