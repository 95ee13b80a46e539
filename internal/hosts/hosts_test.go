package hosts_test

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/hosts"
)

// Every agent times every list: a row says where its facts come from, names
// what it obeys, and writes names as the lists are read.
func TestEveryRow(t *testing.T) {
	var names []string
	for _, a := range hosts.Agents() {
		if a.Name == "" || a.Source == "" || len(a.Obeys) == 0 || slices.Contains(names, a.Name) {
			t.Errorf("%q: a row needs a name of its own, a source, and what it obeys", a.Name)
		}
		names = append(names, a.Name)
		for list, values := range map[string][]string{"Processes": a.Processes, "Marks": a.Marks, "Home": a.Home,
			"Hooks":    a.Hooks,
			"Settings": a.Settings, "Keys": a.Keys} {
			checkList(t, a.Name+"."+list, values)
		}
		for _, h := range a.Home {
			if h[0] != '.' {
				t.Errorf("%s: home %q: package place looks for names that begin with a dot", a.Name, h)
			}
		}
		for _, p := range a.Processes {
			if p != strings.ToLower(p) || strings.Contains(p, "/") {
				t.Errorf("%s: process %q", a.Name, p)
			}
		}
		for _, u := range a.Unasked {
			if (u.Options == "") == (u.Variable == "") || u.Source == "" {
				t.Errorf("%s: %+v", a.Name, u)
			}
		}
		checkHooks(t, a)
		checkPayloads(t, a)
		if a.Title == "" {
			t.Errorf("%s: people call it something", a.Name)
		}
		for _, s := range a.Off {
			if s.File == "" && !s.Counts("own") || s.Key == "" {
				t.Errorf("%s: %+v is in no file, or counts nowhere", a.Name, s)
			}
		}
		checkObeys(t, a.Name, a.Obeys)
	}
	for _, tool := range hosts.Tools() {
		checkObeys(t, tool.Name, tool.Obeys)
	}
}

func checkList(t *testing.T, name string, values []string) {
	t.Helper()
	for i, v := range values {
		if v == "" || v != strings.TrimSpace(v) || slices.Contains(values[:i], v) {
			t.Errorf("%s: %q is empty or twice there", name, v)
		}
	}
}

// checkHooks holds the files of hooks to the lists beside them: a repository's
// is guarded, and a person's lies in a directory of the agent's own.
func checkHooks(t *testing.T, a hosts.Agent) {
	t.Helper()
	for _, h := range a.Hooks {
		below, home := strings.CutPrefix(h, "~/")
		switch {
		case path.Clean(h) != h:
			t.Errorf("%s: %q is not clean", a.Name, h)
		case home && !slices.ContainsFunc(a.Home, func(dir string) bool { return strings.HasPrefix(below, dir+"/") }):
			t.Errorf("%s: %q lies in no directory of its own: %v", a.Name, h, a.Home)
		case !home && !path.IsAbs(h) && !startsGuarded(h):
			t.Errorf("%s: %q is not guarded", a.Name, h)
		}
	}
}

func startsGuarded(name string) bool {
	return slices.ContainsFunc(hosts.Guarded(),
		func(g string) bool { return name == g || strings.HasPrefix(name, g+"/") })
}

func checkObeys(t *testing.T, name string, list []hosts.Obeyed) {
	t.Helper()
	for _, o := range list {
		if len(o.Names) == 0 || !strings.HasSuffix(o.Why, ")") {
			t.Errorf("%s: %+v needs names, what they are, and a source in parentheses", name, o)
		}
		checkList(t, name, o.Names)
		for _, n := range o.Names {
			if path.IsAbs(n) || strings.HasPrefix(n, "~") || path.Clean(n) != n {
				t.Errorf("%s: %q is no name in a repository", name, n)
			}
		}
	}
}

// checkPayloads holds what an agent sends to what it must say: the command, and where it runs.
func checkPayloads(t *testing.T, a hosts.Agent) {
	t.Helper()
	for _, text := range a.Payloads {
		if !json.Valid([]byte(text)) || !strings.Contains(text, `"$COMMAND"`) || !strings.Contains(text, `"$DIR"`) {
			t.Errorf("%s: %s is no JSON, or names no command or no directory", a.Name, text)
		}
	}
}

// The lists that are read without the rows are those of the rows.
func TestListsAreThoseOfTheRows(t *testing.T) {
	var settings, processes, home []string
	for _, a := range hosts.Agents() {
		settings = append(settings, a.Settings...)
		processes = append(processes, a.Processes...)
		home = append(home, a.Home...)
	}
	var guarded []string
	for _, a := range slices.Concat(hosts.Agents(), hosts.Tools()) {
		for _, o := range a.Obeys {
			guarded = append(guarded, o.Names...)
		}
	}
	for _, lists := range [][2][]string{{settings, hosts.Settings()}, {processes, hosts.Processes()},
		{home, hosts.Home()}, {unique(guarded), hosts.Guarded()}} {
		if diff := cmp.Diff(lists[0], lists[1]); diff != "" || len(lists[0]) == 0 {
			t.Errorf("-rows +list\n%s", diff)
		}
	}
}

func unique(names []string) (once []string) {
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}
