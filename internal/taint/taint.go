// Package taint says what of others came into a session, and what that makes stricter. It takes back what
// layers 2 and 3 would allow by themselves and what an injection would use next, and leaves the plain work
// of an agent alone, since most pages and issues are honest:
//
//   - an edit or write of a file that runs later by another's hand: build
//     files, package manifests, CI, scripts;
//   - reading from a host on the list: an address carries data out;
//   - an allow rule for project code, where the session wrote a file that the
//     command runs by, also if that content was let run before.
//
// All three go to the model, which is told of the taint. Reads, other edits and all else stay as they are.
package taint

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// Session is what a session knows of itself; see nod.Witness.
type Session interface {
	Taint() string
	Origin(path string) string
	History() []string
	Blocked() []string
}

// None is a session of which nothing is known: nothing is stricter.
type None struct{}

func (None) Taint() string        { return "" }
func (None) Origin(string) string { return "" }
func (None) History() []string    { return nil }
func (None) Blocked() []string    { return nil }

// Call is a call of the session. It is not safe for concurrent use.
type Call struct {
	*place.Call
	Session Session

	taint *string // what Session says; nil: not asked yet
}

const (
	// MaxChanges is how many files of one call are named.
	MaxChanges    = 40
	maxWords      = 300     // what a session says, in runes
	maxModules    = 64      // directories of modules that are looked into
	maxModuleFile = 1 << 20 // of a file of a module that is read
)

// Why says why the session is tainted, "" if it is not.
func (c *Call) Why() string {
	if c.taint == nil {
		why := printable.Line(c.Session.Taint(), maxWords)
		c.taint = &why
	}
	return *c.taint
}

// suspect joins why something is open with the taint.
func (c *Call) suspect(what string) place.Objection {
	return place.Objection(what + ", and this session may follow orders of others (prompt injection): " + c.Why())
}

// Edit says why a tainted session's edit is left to the model, "" if it is not.
func (c *Call) Edit() place.Objection {
	for _, name := range c.Paths {
		reals, err := c.At.Readings(name)
		for _, real := range reals {
			if err == nil && c.runsLater(real) && c.Why() != "" {
				return c.suspect("this writes " + printable.Text(real) + ", which runs later")
			}
		}
	}
	return ""
}

// Harm says why an effect that is harmless otherwise is left to the
// model in a tainted session, "" if it is not.
func (c *Call) Harm(e shell.Effect) place.Objection {
	switch {
	case e.Declared != "":
		return c.modules(e)
	case e.Kind == shell.Write && e.Place == shell.Workspace && c.runsLater(e.Target) && c.Why() != "":
		return c.suspect("this writes " + printable.Text(e.Target) + ", which runs later")
	case e.Kind == shell.Fetch && c.Why() != "":
		return c.suspect("this asks an address, which can carry data out (" + printable.Text(e.Words) + ")")
	}
	return ""
}

// Run reports whether a definition was written by a tainted session.
func (c *Call) Run(definition string) bool {
	return c.Why() != "" && c.Session.Origin(definition) != ""
}

// later are files that other programs run, by their names and their endings, and in what directories.
const (
	later = " package.json makefile gnumakefile justfile .justfile taskfile.yml taskfile.yaml rakefile gemfile " +
		"jenkinsfile vagrantfile dockerfile containerfile compose.yml compose.yaml docker-compose.yml " +
		"docker-compose.yaml procfile setup.py setup.cfg pyproject.toml conftest.py tox.ini noxfile.py " +
		"sitecustomize.py requirements.txt build.gradle build.gradle.kts settings.gradle pom.xml build.rs cargo.toml " +
		"cmakelists.txt meson.build build.bazel build workspace composer.json mix.exs deno.json go.mod flake.nix " +
		".gitlab-ci.yml .travis.yml azure-pipelines.yml "
	laterEndings = " .sh .bash .zsh .fish .ps1 .bat .cmd .mk "
)

// runsLater reports whether a file is one that other programs run, as far as
// its name or mode tells. What is guarded is not asked about here.
func (c *Call) runsLater(real string) bool {
	name := strings.ToLower(path.Base(real))
	ext := path.Ext(name)
	if strings.Contains(later, " "+name+" ") || ext != "" && strings.Contains(laterEndings, " "+ext+" ") ||
		strings.Contains(name, ".config.") || strings.Contains(real, "/.github/") ||
		strings.Contains(real, "/.circleci/") {
		return true
	}
	info, err := c.At.Machine.Files.Lstat(real)
	return err == nil && info.Mode.IsRegular() && info.Mode.Perm()&0o111 != 0
}

// modules says why a look-up of the modules that go.mod names is left open, "" if it is
// not: which names are asked for, and of whom, stands in files that the session has
// changed, or this very line, so that they can carry anything out.
func (c *Call) modules(e shell.Effect) place.Objection {
	if e.Declared != "go.mod" || e.Command < 0 || e.Command >= len(c.Report.Commands) {
		return ""
	}
	command := c.Report.Commands[e.Command]
	if slices.ContainsFunc(command.Words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Value, "-C") || strings.HasPrefix(w.Value, "-modfile")
	}) {
		return place.Objection("this asks the network, and nod does not know for what: " + printable.Text(e.Words))
	}
	for _, name := range c.moduleFiles(path.Clean(command.Dir)) {
		if c.changed(name) {
			return place.Objection("this asks the network for what " + printable.Text(name) +
				" names, which has changed: " + printable.Text(e.Words))
		}
	}
	return ""
}

// moduleFiles are the files that say which modules are looked for: in the directories from
// dir up to the root, and in those that such a file names.
func (c *Call) moduleFiles(dir string) (names []string) {
	dirs := []string{dir}
	for dir != "/" && path.IsAbs(dir) {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	for i := 0; i < len(dirs) && i < maxModules; i++ {
		names = append(names, path.Join(dirs[i], "go.sum"), path.Join(dirs[i], "go.work.sum"))
		for _, base := range [...]string{"go.mod", "go.work"} {
			name := path.Join(dirs[i], base)
			names = append(names, name)
			text, _ := c.At.Machine.Files.Read(c.At.Machine.Real(name), maxModuleFile) // there, or it names nothing
			for word := range strings.FieldsSeq(string(text)) {
				if word = strings.Trim(word, "\"`()"); strings.HasPrefix(word, ".") {
					word = path.Join(dirs[i], word)
				}
				if word = path.Clean(word); path.IsAbs(word) && !slices.Contains(dirs, word) {
					dirs = append(dirs, word)
				}
			}
		}
	}
	return names
}

// changed reports whether a file is another than the session began with. Where nobody
// remembers that, git says whether it is another than what was added.
func (c *Call) changed(name string) bool {
	if slices.ContainsFunc(c.Report.Effects, func(e shell.Effect) bool {
		return (e.Kind == shell.Write || e.Kind == shell.Delete) && (e.Target == name || e.Target == "") &&
			e.Place != shell.Null
	}) {
		return true
	}
	real := c.At.Machine.Real(name)
	if c.Session != (None{}) {
		return c.Session.Origin(real) != ""
	}
	r := c.At.Repository(path.Dir(real))
	return r != nil && !c.At.Missing(real) && r.Lost(real) != ""
}

// does reports whether some effect of the call is of a kind.
func (c *Call) does(kind shell.Kind) bool {
	return slices.ContainsFunc(c.Report.Effects, func(e shell.Effect) bool { return e.Kind == kind })
}

// Sends reports whether the call may send data out.
func (c *Call) Sends() bool { return c.does(shell.Send) }

// fills reports whether an effect writes a file.
func fills(e shell.Effect) bool {
	return e.Kind == shell.Write && e.Place != shell.Null && e.Place != shell.Network
}

// Downloads are the files that the call writes while it fetches something. A
// line that fetches and writes is taken to write what it fetched.
func (c *Call) Downloads() (names []string) {
	if !c.does(shell.Fetch) {
		return nil
	}
	for _, e := range c.Report.Effects {
		if fills(e) && e.Target != "" && len(names) < MaxChanges {
			names = append(names, e.Target)
		}
	}
	return names
}

// Foreign says what text of others the call puts before the agent, by where it comes from and without a
// look at it: a page, a search, what a server of others' tools or a command fetched, a file that the
// session fetched. "" is none. What is fetched into files is [Call.Downloads], and foreign once it is read.
func (c *Call) Foreign() string {
	switch {
	case c.URL != "":
		return "a page of " + printable.Line(cmp.Or(match.HostOf(c.URL), c.URL), 80)
	case c.Tool == "web_search":
		return "what a web search found"
	case c.MCP != nil:
		return "what the MCP server " + printable.Line(cmp.Or(c.MCP.Server, "without a name"), 40) + " returned"
	case c.Command == "":
		return c.fetchedFile(c.Paths)
	}
	var read []string
	for _, e := range c.Report.Effects {
		intoFile := func(o shell.Effect) bool { return fills(o) && o.Command == e.Command } // what it shows is its own
		switch {
		case e.Kind == shell.Read && !e.Names:
			read = append(read, e.Target)
		case e.Kind == shell.Fetch && !slices.ContainsFunc(c.Report.Effects, intoFile) &&
			!match.HostAllowed(nil, e.Target):
			return "what " + printable.Line(e.Words, 60) + " fetched"
		}
	}
	return c.fetchedFile(read)
}

// fetchedFile names one of these files that the session fetched, "" if none is.
func (c *Call) fetchedFile(names []string) string {
	for _, name := range names[:min(len(names), MaxChanges)] {
		reals, err := c.At.Readings(name)
		for _, real := range reals {
			if err == nil && c.Session.Origin(real) == "downloaded" {
				return printable.Line(real, 80) + ", which this session fetched"
			}
		}
	}
	return ""
}

// Origin is how a file came to be, for the model.
func (c *Call) Origin(real string) string {
	if how := c.Session.Origin(real); how != "" {
		return how + " in this session"
	}
	return ""
}
