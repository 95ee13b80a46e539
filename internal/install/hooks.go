package install

import (
	"bytes"
	"path"

	"github.com/tailscale/hujson"
)

// Seconds that Claude Code waits for nod-hook. The first must exceed nod's own
// deadline for the model, at most 45 s, by what starting and answering take: a hook
// that is killed says nothing about why.
const (
	decideTimeout = 60
	recordTimeout = 10
)

// group is one entry of an event's list.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []ordered `json:"hooks"`
}

// registration is a hook and the event it stands under.
type registration struct {
	event   string
	handler ordered
	entry   any // an element of the event's list that holds the handler
}

// registrations lists what must stand in the file.
func registrations(o Options) []registration {
	h := o.host()
	var list []registration
	for _, e := range h.events {
		r := registration{event: e.name, handler: h.handler(o, e.decides)}
		r.entry = r.handler
		if !h.flat {
			r.entry = group{h.matcher, []ordered{r.handler}}
		}
		list = append(list, r)
	}
	return list
}

// register makes o's hooks the only entries of nod's in the document.
func register(d *document, o Options) error {
	want := registrations(o)
	d.under = o.host().under()
	if err := d.distinct(); err != nil {
		return err
	}
	root, err := d.object(&d.root, "the file")
	if err != nil {
		return err
	}
	for _, m := range o.host().top {
		if find(root, m.name) == nil {
			d.appendMember(root, "", m.name, m.value)
		}
	}
	if o.StatusLine {
		if err := showStatus(d, root, o); err != nil {
			return err
		}
	}
	v := find(root, d.under)
	if v == nil {
		d.appendMember(root, "", d.under, eventLists(want))
		return nil
	}
	hooks, err := d.object(v, d.under)
	if err != nil {
		return err
	}
	indent := memberIndent(root, d.under, "")
	dropElsewhere(d, hooks, want)
	for _, r := range want {
		if err := d.place(hooks, indent, r); err != nil {
			return err
		}
	}
	return nil
}

// eventLists is the whole value of that key in a file that has none.
func eventLists(want []registration) ordered {
	var events ordered
	for _, r := range want {
		events = append(events, member{r.event, []any{r.entry}})
	}
	return events
}

// dropElsewhere takes nod's entries out of events that it no longer answers.
func dropElsewhere(d *document, hooks *hujson.Object, want []registration) {
	for i := len(hooks.Members) - 1; i >= 0; i-- {
		m := &hooks.Members[i]
		wanted := false
		for _, r := range want {
			wanted = wanted || r.event == nameOf(m)
		}
		if list, ok := m.Value.Value.(*hujson.Array); ok && !wanted {
			if dropFrom(d, list, false) && bare(arraySequence{list}) {
				d.remove(objectSequence{hooks}, i)
			}
		}
	}
}

// place makes r's handler the only one of nod's in its event.
func (d *document) place(hooks *hujson.Object, indent string, r registration) error {
	list, err := d.arrayIn(hooks, r.event)
	if err != nil {
		return err
	}
	if list == nil {
		d.appendMember(hooks, indent, r.event, []any{r.entry})
		return nil
	}
	own := memberIndent(hooks, r.event, indent)
	dropFrom(d, list, true)
	if !d.refresh(list, own, r.handler) {
		d.appendElement(list, own, r.entry)
	}
	return nil
}

// refresh writes h over the one handler of nod's in the list, where it
// differs. It reports whether there was one.
func (d *document) refresh(list *hujson.Array, indent string, h ordered) bool {
	if d.refreshIn(list, indent, h) {
		return true
	}
	for i := range list.Elements {
		g, hooks := groupAt(list, i)
		if hooks != nil && d.refreshIn(hooks,
			memberIndent(g, "hooks", lineIndent(list.Elements[i].BeforeExtra, indent)), h) {
			return true
		}
	}
	return false
}

func (d *document) refreshIn(hooks *hujson.Array, indent string, h ordered) bool {
	for j := range hooks.Elements {
		old := &hooks.Elements[j]
		if !isNod(old) {
			continue
		}
		if !d.holds(old, h) {
			inline := !bytes.ContainsRune(old.Pack(), '\n')
			old.Value = d.render(h, lineIndent(old.BeforeExtra, indent), inline)
		}
		return true
	}
	return false
}

// matchesAll reports whether a group is asked about every tool: its matcher
// is absent, "" or "*".
func matchesAll(g *hujson.Object) bool {
	m := find(g, "matcher")
	if m == nil {
		return true
	}
	lit, ok := m.Value.(hujson.Literal)
	return ok && lit.Kind() == '"' && (lit.String() == "" || lit.String() == "*")
}

// unregister takes every entry of nod's out, and what held nothing else.
func unregister(d *document) {
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return
	}
	hideStatus(d, root)
	for i := len(root.Members) - 1; i >= 0; i-- {
		hooks, ok := root.Members[i].Value.Value.(*hujson.Object)
		if !ok || nameOf(&root.Members[i]) != d.under {
			continue
		}
		if dropEvents(d, hooks) && bare(objectSequence{hooks}) {
			d.remove(objectSequence{root}, i)
		}
	}
}

func dropEvents(d *document, hooks *hujson.Object) (dropped bool) {
	for i := len(hooks.Members) - 1; i >= 0; i-- {
		list, ok := hooks.Members[i].Value.Value.(*hujson.Array)
		if !ok || !dropFrom(d, list, false) {
			continue
		}
		dropped = true
		if bare(arraySequence{list}) {
			d.remove(objectSequence{hooks}, i)
		}
	}
	return dropped
}

// dropFrom takes nod's handlers out of an event's list, and the groups that
// held nothing else; with spare, the first that is asked about every tool
// stays. It reports whether it took any.
func dropFrom(d *document, list *hujson.Array, spare bool) (dropped bool) {
	for i := 0; i < len(list.Elements); {
		if isNod(&list.Elements[i]) { // a list without groups
			if spare && matchesAll(list.Elements[i].Value.(*hujson.Object)) {
				spare = false
				i++
				continue
			}
			d.remove(arraySequence{list}, i)
			dropped = true
			continue
		}
		g, hooks := groupAt(list, i)
		if hooks == nil || len(hooks.Elements) == 0 {
			i++
			continue
		}
		for j := 0; j < len(hooks.Elements); {
			switch {
			case !isNod(&hooks.Elements[j]):
				j++
			case spare && matchesAll(g):
				spare = false
				j++
			default:
				d.remove(arraySequence{hooks}, j)
				dropped = true
			}
		}
		if bare(arraySequence{hooks}) {
			d.remove(arraySequence{list}, i)
		} else {
			i++
		}
	}
	return dropped
}

// groupAt returns the group at index i and its handlers, nil where it does not
// have that shape: such an entry is not nod's, and not nod's to mend.
func groupAt(list *hujson.Array, i int) (*hujson.Object, *hujson.Array) {
	g, ok := list.Elements[i].Value.(*hujson.Object)
	if !ok {
		return nil, nil
	}
	v := find(g, "hooks")
	if v == nil {
		return nil, nil
	}
	hooks, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, nil
	}
	return g, hooks
}

// isNod reports whether a handler starts nod-hook.
func isNod(v *hujson.Value) bool {
	h, ok := v.Value.(*hujson.Object)
	if !ok {
		return false
	}
	for _, name := range []string{"command", "bash"} {
		c := find(h, name)
		if c == nil {
			continue
		}
		lit, ok := c.Value.(hujson.Literal)
		if !ok || lit.Kind() != '"' {
			continue
		}
		program := lit.String()
		if find(h, "args") == nil {
			program = programOf(program)
		}
		if path.Base(program) == HookName {
			return true
		}
	}
	return false
}

// holds reports whether v is h, member for member, whatever the spacing. A
// member more (if, async, a second command) makes it another handler.
func (d *document) holds(v *hujson.Value, h ordered) bool {
	have, ok := v.Value.(*hujson.Object)
	if !ok {
		return false
	}
	want := d.render(h, "", true).(*hujson.Object)
	if len(have.Members) != len(want.Members) {
		return false
	}
	for i := range want.Members {
		m := find(have, nameOf(&want.Members[i]))
		if m == nil || !bytes.Equal(minimal(m), minimal(&want.Members[i].Value)) {
			return false
		}
	}
	return true
}

func minimal(v *hujson.Value) []byte {
	c := v.Clone()
	c.Minimize()
	return c.Pack()
}
