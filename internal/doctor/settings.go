package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

// silencers says which settings keep this level's nod from being asked, here
// or in a directory above, and which lead the agent elsewhere.
func (e *examination) silencers(b *Block, in *install.Installed) {
	before := len(b.Lines)
	for _, off := range install.OffSwitches(in.Options, e.Dir) {
		switch {
		case off.Kind == install.Unreadable:
			b.add(NotTried, "silencers", off.String())
		case off.Elsewhere:
			b.add(Note, "silencers", off.String()+" (for an agent that is started there)")
		default:
			b.add(Open, "silencers", off.String()).Next = e.remedy(in)
		}
	}
	for _, u := range e.row.Unasked {
		if value, set := u.Set(e.Environ); set && b.Level != "managed" {
			b.add(Open, "silencers", printable.Line(u.Variable+"="+value, 80)+
				" in this environment: an agent that is started with it asks no hook of yours ("+u.Source+
				")").Next = "unset " + u.Variable
		}
	}
	if len(b.Lines) == before {
		b.add(OK, "silencers", "no setting here keeps nod from being asked")
	}
	own := filepath.Join(e.Home, e.row.Home[0])
	if at := variable(e.Environ, e.row.HomeVariable); at != "" && filepath.Clean(at) != own && b.Level == "user" {
		b.add(Open, "environment", e.row.HomeVariable+" leads the agent to "+printable.Text(at)+
			", where this file is not read").Next = "unset " + e.row.HomeVariable
	}
}

// unaskedOptions lists the options under which an agent asks no hook, each with
// what that rests on.
func (e *examination) unaskedOptions() string {
	var list []string
	all := slices.Clone(e.row.Unasked)
	all = slices.DeleteFunc(all, func(u hosts.Unasked) bool { return u.Options == "" })
	for i, u := range all {
		text := u.Options
		if i+1 == len(all) || all[i+1].Source != u.Source { // said once of those that share it
			text += " (" + u.Source + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func (e *examination) remedy(in *install.Installed) string {
	managed := install.Options{Agent: e.row.Name}
	if in.Options.Level != install.Managed && managed.HasLevel() {
		return "take it out, or install nod where no repository can silence it: sudo nod install " + e.row.Name
	}
	return "take it out"
}

// trusted says whether the agent starts the hooks at all.
func (e *examination) trusted(b *Block, in *install.Installed) {
	list, asks, err := in.Trust()
	if !asks {
		return
	}
	if err != nil {
		b.add(NotTried, "trust", printable.Line(err.Error(), 200))
		return
	}
	for _, t := range []struct {
		trust install.Trust
		text  string
	}{{install.Untrusted, "not trusted"}, {install.Altered, "changed since they were trusted"},
		{install.Disabled, "switched off by a person"}} {
		var events []string
		state := Note
		for i, r := range in.Hooks {
			if list[i] == t.trust {
				events = append(events, r.Event)
				if r.Decides {
					state = Open
				}
			}
		}
		if len(events) > 0 {
			b.add(state, "trust", strings.Join(events, ", ")+": "+t.text+", so "+b.Title+
				" does not start them, and says nothing").Next = install.Next(e.row.Name, in.Options.Level)
		}
	}
	if !slices.ContainsFunc(list, func(t install.Trust) bool { return t != install.Trusted }) && len(list) > 0 {
		b.add(OK, "trust", "every hook is trusted, by the hash that "+b.Title+" keeps")
	}
}

// variable returns an environment variable; the last one counts.
func variable(environ []string, name string) (value string) {
	for _, v := range environ {
		if k, v, ok := strings.Cut(v, "="); ok && k == name {
			value = v
		}
	}
	return value
}
