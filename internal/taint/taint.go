// Package taint says what of others came into a session, and what that makes
// stricter. It takes back what layers 2 and 3 would allow by themselves and what
// an injection would use next, and leaves the plain work of an agent alone,
// since most pages and issues are honest:
//
//   - an edit or write of a file that runs later by another's hand: build
//     files, package manifests, CI, scripts;
//   - reading from a host on the list: an address carries data out;
//   - an allow rule for project code, where the session wrote a file that the
//     command runs by, also if that content was let run before.
//
// All three go to the model, which is told of the taint. Reads, other edits
// and all else stay as they are.
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

// Call is a call of the session. It is not safe for concurrent use.
type Call struct {
	*place.Call
	Session Session // nil: nothing is known of it, and nothing is stricter

	taint *string // what Session says; nil: not asked yet
}

// maxWords bounds what a session says, in runes.
const maxWords = 300

// MaxChanges is how many files of one call are named.
const MaxChanges = 40

// Why says why the session is tainted, "" if it is not.
func (c *Call) Why() string {
	if c.taint == nil {
		why := ""
		if w := c.Session; w != nil {
			why = printable.Line(w.Taint(), maxWords)
		}
		c.taint = &why
	}
	return *c.taint
}

// suspect joins why something is open with the taint.
func (c *Call) suspect(what string) place.Objection {
	return place.Objection(what + ", and this session may follow orders of others (prompt injection): " + c.Why())
}

// Edit says why a tainted session's edit is left to the model, "" if it
// is not.
func (c *Call) Edit() place.Objection {
	if c.Session == nil {
		return ""
	}
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
		return c.Modules(e)
	case c.Session == nil:
	case e.Kind == shell.Write && e.Place == shell.Workspace && c.runsLater(e.Target) && c.Why() != "":
		return c.suspect("this writes " + printable.Text(e.Target) + ", which runs later")
	case e.Kind == shell.Fetch && c.Why() != "":
		return c.suspect("this asks an address, which can carry data out (" + printable.Text(e.Words) + ")")
	}
	return ""
}

// Run reports whether a definition was written by a tainted session.
func (c *Call) Run(definition string) bool {
	w := c.Session
	return w != nil && c.Why() != "" && w.Origin(shell.DefinitionFile(definition)) != ""
}

// runsLater reports whether a file is one that other programs run, as far as
// its name or mode tells. What is guarded is not asked about here.
func (c *Call) runsLater(real string) bool {
	name := strings.ToLower(path.Base(real))
	switch name {
	case "package.json", "makefile", "gnumakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml",
		"rakefile", "gemfile", "jenkinsfile", "vagrantfile", "dockerfile", "containerfile", "compose.yml",
		"compose.yaml", "docker-compose.yml", "docker-compose.yaml", "procfile", "setup.py", "setup.cfg",
		"pyproject.toml", "conftest.py", "tox.ini", "noxfile.py", "sitecustomize.py", "requirements.txt",
		"build.gradle", "build.gradle.kts", "settings.gradle", "pom.xml", "build.rs", "cargo.toml",
		"cmakelists.txt", "meson.build", "build.bazel", "build", "workspace", "composer.json", "mix.exs",
		"deno.json", "go.mod", "flake.nix", ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml":
		return true
	}
	switch path.Ext(name) {
	case ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".mk":
		return true
	}
	if strings.Contains(name, ".config.") || strings.Contains(real, "/.github/") ||
		strings.Contains(real, "/.circleci/") {
		return true
	}
	info, err := c.At.Machine.Files.Lstat(real)
	return err == nil && info.Mode.IsRegular() && info.Mode.Perm()&0o111 != 0
}

// Downloads are the files that the call writes while it fetches something. A
// line that fetches and writes is taken to write what it fetched.
func (c *Call) Downloads() []string {
	fetches := false
	for _, e := range c.Report.Effects {
		fetches = fetches || e.Kind == shell.Fetch
	}
	if !fetches {
		return nil
	}
	var names []string
	for _, e := range c.Report.Effects {
		if e.Kind == shell.Write && e.Target != "" && e.Place != shell.Null && e.Place != shell.Network &&
			len(names) < MaxChanges {
			names = append(names, e.Target)
		}
	}
	return names
}

// Foreign says what text of others the call puts before the agent, by where it
// comes from and without a look at it: a page, a search, what a server of
// others' tools or a command fetched, a file that the session fetched. "" is
// none. What is fetched into files is [Call.Downloads], and foreign once it is
// read.
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
		switch {
		case e.Kind == shell.Read && !e.Names:
			read = append(read, e.Target)
		case e.Kind == shell.Fetch && !c.intoFiles(e) && !match.HostAllowed(nil, e.Target):
			return "what " + printable.Line(e.Words, 60) + " fetched"
		}
	}
	return c.fetchedFile(read)
}

// intoFiles reports whether the command that fetches also writes, so that what
// it shows is its own.
func (c *Call) intoFiles(fetch shell.Effect) bool {
	return slices.ContainsFunc(c.Report.Effects, func(e shell.Effect) bool {
		return e.Kind == shell.Write && e.Command == fetch.Command && e.Place != shell.Null && e.Place != shell.Network
	})
}

// fetchedFile names one of these files that the session fetched, "" if none is.
func (c *Call) fetchedFile(names []string) string {
	w := c.Session
	if w == nil {
		return ""
	}
	for _, name := range names[:min(len(names), MaxChanges)] {
		reals, err := c.At.Readings(name)
		for _, real := range reals {
			if err == nil && w.Origin(real) == "downloaded" {
				return printable.Line(real, 80) + ", which this session fetched"
			}
		}
	}
	return ""
}

// Sends reports whether the call may send data out.
func (c *Call) Sends() bool {
	for _, e := range c.Report.Effects {
		if e.Kind == shell.Send {
			return true
		}
	}
	return false
}

// Origin is how a file came to be, for the model.
func (c *Call) Origin(real string) string {
	w := c.Session
	if w == nil {
		return ""
	}
	if how := w.Origin(real); how != "" {
		return how + " in this session"
	}
	return ""
}

// History is what the session did before, for the model.
func (c *Call) History() []string {
	if w := c.Session; w != nil {
		return w.History()
	}
	return nil
}

// Blocked is what was kept from the session before, for the model.
func (c *Call) Blocked() []string {
	if w := c.Session; w != nil {
		return w.Blocked()
	}
	return nil
}
