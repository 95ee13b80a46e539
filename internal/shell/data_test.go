package shell

import (
	"os"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
	"github.com/nodgate/nod/internal/view"
)

const (
	testHome = "/home/u"
	testRepo = "/home/u/repo"
)

// world is a clean repository of a person whose programs are where they
// belong. Every name that the data knows is installed, and some more.
func world() *view.Memory {
	m := view.NewMemory(false)
	for _, dir := range []string{"/usr/bin", "/tmp", "/etc", "/dev", testHome, testRepo, testRepo + "/src",
		testRepo + "/.git/refs", testRepo + "/.git/objects"} {
		m.Dir(dir, 0o755)
	}
	m.Dir("/tmp", 0o777)
	m.File(testRepo+"/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	m.File(testRepo+"/.git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:x/y.git\n",
		0o644)
	for _, name := range commands.Names() {
		if !strings.ContainsAny(name, "/") && name != "." {
			m.File("/usr/bin/"+name, "", 0o755)
		}
	}
	m.Special("/dev/sda", os.ModeDevice|0o660)
	return m
}

func testEnv(files view.Files) Env {
	return Env{
		Dialect: Bash, Dir: testRepo, Home: testHome, Roots: []string{testRepo}, Files: files,
		Lookup: func(name string) (string, bool) {
			if name == "PATH" {
				return "/usr/local/bin:/usr/bin:/bin", true
			}
			return "", false
		},
	}
}

// brief renders a report in the short form of the examples.
func brief(r Report) string {
	var out []string
	for _, e := range r.Effects {
		if e.Place == Null && (e.Kind == Read || e.Kind == Write) {
			continue
		}
		out = append(out, briefEffect(e))
	}
	if len(r.Unknowns) > 0 {
		out = append(out, "unknown")
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, "; ")
}

func briefEffect(e Effect) string {
	s, _, _ := strings.Cut(e.Kind.Name(), " ")
	if e.Target != "" {
		s += " " + briefPath(e.Target)
	} else if e.Kind == Write || e.Kind == Delete || e.Kind == Read {
		s += " ?"
	}
	if e.Pattern != "" {
		e.Pattern = briefPath(e.Pattern)
	}
	for _, say := range []struct {
		word string
		is   bool
	}{{"tree", e.Recursive}, {e.Pattern, e.Pattern != ""}, {"picked", e.Picked != "" && e.Kind != Read},
		{"forced", e.Forced}, {"moved", e.Moved}, {"appends", e.Appends}, {"kept", e.Kept},
		{"declared", e.Declared != ""}} {
		if say.is {
			s += " " + say.word
		}
	}
	return s
}

func briefPath(p string) string {
	switch {
	case p == testRepo:
		return "."
	case strings.HasPrefix(p, testRepo+"/"):
		return p[len(testRepo)+1:]
	case p == testHome:
		return "~"
	case strings.HasPrefix(p, testHome+"/"):
		return "~" + p[len(testHome):]
	}
	return p
}

// sorted puts an example's expectation into the order of brief.
func sorted(s string) string {
	parts := strings.Split(s, "; ")
	slices.Sort(parts)
	parts = slices.DeleteFunc(slices.Compact(parts), func(p string) bool { return p == "nothing" })
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}
