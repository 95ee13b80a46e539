package install

import (
	"cmp"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/nodgate/nod/internal/hosts"
)

// Both formats of settings are read as one tree: under "hooks", or the name that nod has there, each event has a
// list; in it stand groups, with a matcher and a list of handlers, or on some agents the handlers themselves.

// under is the key at the top of the file under which nod's events stand.
func (o Options) under() string { return cmp.Or(o.row().Install.Named, "hooks") }

// registration is a hook and the event it stands under.
type registration struct {
	event   string
	decides bool
	handler ordered
	entry   any // an element of the event's list that holds the handler
}

// registrations lists what must stand in the file.
func (o Options) registrations() (list []registration) {
	in := o.row().Install
	for _, event := range slices.Concat(in.Decides, in.Records) {
		r := registration{event: event, decides: slices.Contains(in.Decides, event)}
		r.handler = o.handler(r.decides)
		r.entry = r.handler
		if !in.Flat {
			group := ordered{{"hooks", []ordered{r.handler}}}
			if in.Matcher != "" {
				group = slices.Insert(group, 0, member{"matcher", in.Matcher})
			}
			r.entry = group
		}
		list = append(list, r)
	}
	return list
}

// owned finds nod's hooks in a tree, the events that it answers first.
func (o Options) owned(tree map[string]any) (found []Registered) {
	lists, _ := tree[o.under()].(map[string]any)
	in := o.row().Install
	events := slices.Concat(in.Decides, in.Records)
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(lists)),
		func(event string) bool { return slices.Contains(events, event) })
	for _, event := range append(events, others...) {
		list, _ := lists[event].([]any)
		for g := range list {
			group, _ := list[g].(map[string]any)
			r := Registered{Event: event, Group: g, Decides: slices.Contains(in.Decides, event), table: group,
				path: []any{o.under(), event, g}}
			text, there := group["matcher"]
			r.Matcher, r.matches = text.(string)
			r.matches = !there || r.matches && (r.Matcher == "" || r.Matcher == "*")
			if isNod(group) { // a list without groups
				found = append(found, r)
				continue
			}
			handlers, _ := group["hooks"].([]any)
			for i := range handlers {
				r.Index, r.path = i, []any{o.under(), event, g, "hooks", i}
				if r.table, _ = handlers[i].(map[string]any); isNod(r.table) {
					found = append(found, r)
				}
			}
		}
	}
	return found
}

// isNod reports whether a handler starts nod-hook.
func isNod(handler map[string]any) bool {
	for _, name := range []string{"command", "bash"} {
		program, _ := handler[name].(string)
		if handler["args"] == nil {
			program = programOf(program)
		}
		if strings.TrimSuffix(path.Base(strings.ReplaceAll(program, `\`, "/")), ".exe") == HookName {
			return true
		}
	}
	return false
}

// commandText is the hook's command as a shell reads it, "" where none does.
func commandText(handler map[string]any) string {
	if handler["args"] != nil {
		return ""
	}
	command, _ := handler["command"].(string)
	bash, _ := handler["bash"].(string)
	return cmp.Or(command, bash)
}

// register makes o's hooks the only entries of nod's in the document.
func (d *document) register(o Options) error {
	if err := d.checkShape(o); err != nil {
		return err
	}
	if o.row().Install.Versioned && d.at("version") == nil {
		d.put(nil, "version", 1)
	}
	want := o.registrations()
	if d.at(o.under()) == nil {
		var events ordered
		for _, r := range want {
			events = append(events, member{r.event, []any{r.entry}})
		}
		d.put(nil, o.under(), events)
		return nil
	}
	wanted, kept := map[string]bool{}, map[string]bool{}
	for _, r := range want {
		wanted[r.event] = true
	}
	d.drop(o, func(h Registered) bool { // of an event the first hook that is asked about everything stays
		first := h.matches && wanted[h.Event] && !kept[h.Event]
		kept[h.Event] = kept[h.Event] || first
		return first
	}, wanted)
	for _, r := range want {
		d.place(o, r)
	}
	return nil
}

// checkShape refuses what nod cannot add to, and names that are there twice where nod reads.
func (d *document) checkShape(o Options) error {
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return d.errorAt(d.root.StartOffset, "the file is not an object")
	}
	if err := d.distinct(&d.root); err != nil {
		return err
	}
	hooks := d.at(o.under())
	if hooks == nil {
		return nil
	}
	if _, ok := hooks.Value.(*hujson.Object); !ok {
		return d.errorAt(hooks.StartOffset, "%s is not an object", o.under())
	}
	for v := range hooks.All() {
		if err := d.distinct(v); err != nil {
			return err
		}
	}
	for _, r := range o.registrations() {
		list := child(hooks, r.event)
		if list == nil {
			continue
		}
		if _, ok := list.Value.(*hujson.Array); !ok {
			return d.errorAt(list.StartOffset, "hooks.%s is not a list", r.event)
		}
	}
	return nil
}

// place makes r's handler the only one of nod's in its event.
func (d *document) place(o Options, r registration) {
	list := []any{o.under(), r.event}
	if d.at(list...) == nil {
		d.put(list[:1], r.event, []any{r.entry})
		return
	}
	for _, h := range o.owned(object(&d.root)) {
		if h.Event == r.event {
			if !same(h.table, r.handler) {
				d.replace(h.path, r.handler)
			}
			return
		}
	}
	d.put(list, "", r.entry)
}

// drop takes nod's hooks out, but for those that stay, and what held nothing else.
func (d *document) drop(o Options, stays func(Registered) bool, wanted map[string]bool) {
	gone := slices.DeleteFunc(o.owned(object(&d.root)), stays)
	for _, h := range slices.Backward(gone) { // so that the places of the others hold
		path := h.path
		d.cut(path)
		if len(path) == 5 && bare(d.at(path[:4]...)) {
			path = path[:3]
			d.cut(path)
		}
		if len(path) == 3 && !wanted[h.Event] && bare(d.at(path[:2]...)) {
			d.cut(path[:2])
		}
	}
}

// unregister takes every entry of nod's out, and what held nothing else.
func (d *document) unregister(o Options) error {
	if len(o.owned(object(&d.root))) == 0 {
		return nil
	}
	d.drop(o, func(Registered) bool { return false }, nil)
	if bare(d.at(o.under())) {
		d.cut([]any{o.under()})
	}
	return nil
}

// row is what is known of o's agent; the zero value if nod cannot be installed for it.
func (o Options) row() hosts.Agent {
	row := hosts.ByName(cmp.Or(o.Agent, "claude-code"))
	if row.Install.Format == "" {
		return hosts.Agent{}
	}
	return row
}

// relative is the file of o's level, below [Options.base]; "" for no file.
func (o Options) relative() string {
	in := o.row().Install
	switch {
	case o.Level == User:
		return in.User
	case cmp.Or(o.OS, runtime.GOOS) == "windows":
		return "" // no agent's place there has been tried
	case in.ManagedDarwin != "" && cmp.Or(o.OS, runtime.GOOS) == "darwin":
		return in.ManagedDarwin
	}
	return in.Managed
}

// isTOML reports whether a file is TOML by its name.
func isTOML(name string) bool { return strings.HasSuffix(name, ".toml") }
