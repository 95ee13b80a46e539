package nod

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// Witness is a [Memory] that also knows what came into the session, what it
// wrote, and what left. A Memory that is none tells nothing of the kind, and
// nothing becomes stricter for that.
type Witness interface {
	Memory
	// Taint says what the agent read that may be orders to it: text that others
	// wrote, or that people do not see. "" is that nothing is known of any.
	Taint() string
	// Origin says how a file of that real path came to be in the session:
	// "written" or "downloaded"; "" where nothing is known of it.
	Origin(path string) string
	// History says what the session did before that weighs on a judgement, in
	// a few words each.
	History() []string
}

// What a taint makes stricter. It takes back what layers 2 and 3 would allow
// by themselves and what an injection would use next, and leaves the plain
// work of an agent alone, since most pages and issues are honest:
//
//   - an edit or write of a file that runs later by another's hand: build
//     files, package manifests, CI, scripts;
//   - reading from a host on the list: an address carries data out;
//   - an allow rule for project code, where the session wrote a file that the
//     command runs by, also if that content was let run before.
//
// All three go to the model, which is told of the taint. Reads, other edits
// and all else stay as they are.

// witness returns the session's witness, nil where there is none.
func (t *trial) witness() Witness {
	w, _ := t.gate.memory.(Witness)
	return w
}

// tainted says why the session is tainted, "" if it is not.
func (t *trial) tainted() string {
	if t.taint == nil {
		why := ""
		if w := t.witness(); w != nil {
			why = printable.Line(w.Taint(), reasonLimit)
		}
		t.taint = &why
	}
	return *t.taint
}

// suspect joins why something is open with the taint.
func (t *trial) suspect(what string) objection {
	return against(what + ", and this session may have been given orders: " + t.tainted())
}

// taintedEdit says why a tainted session's edit is left to the model, "" if it
// is not.
func (t *trial) taintedEdit() objection {
	if t.witness() == nil {
		return objection{}
	}
	for _, name := range t.call.Paths {
		reals, err := t.at.Readings(name)
		for _, real := range reals {
			if err == nil && t.gate.runsLater(real) && t.tainted() != "" {
				return t.suspect(printable.Text(real) + " runs later")
			}
		}
	}
	return objection{}
}

// taintedHarm says why an effect that is harmless otherwise is left to the
// model in a tainted session, "" if it is not.
func (t *trial) taintedHarm(e shell.Effect) objection {
	switch {
	case t.witness() == nil:
	case e.Kind == shell.Write && e.Place == shell.Workspace && t.gate.runsLater(e.Target) && t.tainted() != "":
		return t.suspect(printable.Text(e.Target) + " runs later")
	case e.Kind == shell.Fetch && e.Declared == "" && !t.ownDatabase(e) && t.tainted() != "":
		return t.suspect("an address can carry data out: " + printable.Text(e.Words))
	}
	return objection{}
}

// taintedRun reports whether a definition was written by a tainted session.
func (t *trial) taintedRun(d Evidence) bool {
	w := t.witness()
	return w != nil && t.tainted() != "" && w.Origin(shell.DefinitionFile(d.Path)) != ""
}

// runsLater reports whether a file is one that other programs run, as far as
// its name or mode tells. What is guarded is not asked about here.
func (g *Gate) runsLater(real string) bool {
	name := strings.ToLower(path.Base(real))
	switch name {
	case "package.json", "makefile", "gnumakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "rakefile", "gemfile", "jenkinsfile", "vagrantfile",
		"dockerfile", "containerfile", "compose.yml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml", "procfile",
		"setup.py", "setup.cfg", "pyproject.toml", "conftest.py", "tox.ini", "noxfile.py", "sitecustomize.py", "requirements.txt",
		"build.gradle", "build.gradle.kts", "settings.gradle", "pom.xml", "build.rs", "cargo.toml", "cmakelists.txt", "meson.build", "build.bazel", "build", "workspace",
		"composer.json", "mix.exs", "deno.json", "go.mod", "flake.nix", ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml":
		return true
	}
	switch path.Ext(name) {
	case ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".mk":
		return true
	}
	if strings.Contains(name, ".config.") || strings.Contains(real, "/.github/") || strings.Contains(real, "/.circleci/") {
		return true
	}
	info, err := g.machine.Files.Lstat(real)
	return err == nil && info.Mode.IsRegular() && info.Mode.Perm()&0o111 != 0
}

// downloads are the files that the call writes while it fetches something. A
// line that fetches and writes is taken to write what it fetched.
func (t *trial) downloads() []string {
	fetches := false
	for _, e := range t.report.Effects {
		fetches = fetches || e.Kind == shell.Fetch
	}
	if !fetches {
		return nil
	}
	var names []string
	for _, e := range t.report.Effects {
		if e.Kind == shell.Write && e.Target != "" && e.Place != shell.Null && e.Place != shell.Network && len(names) < maxChanges {
			names = append(names, e.Target)
		}
	}
	return names
}

// foreign says what text of others the call puts before the agent, by where it
// comes from and without a look at it: a page, a search, what a server of
// others' tools or a command fetched, a file that the session fetched. "" is
// none. What is fetched into files is [trial.downloads], and foreign once it is
// read.
func (t *trial) foreign() string {
	switch c := t.call; {
	case c.URL != "":
		return "a page of " + printable.Line(cmp.Or(match.HostOf(c.URL), c.URL), 80)
	case c.Tool == "web_search":
		return "what a web search found"
	case c.MCP != nil:
		return "what the MCP server " + printable.Line(c.MCP.Server, 40) + " returned"
	case c.Command == "":
		return t.fetchedFile(c.Paths)
	}
	var read []string
	for _, e := range t.report.Effects {
		switch {
		case e.Kind == shell.Read && !e.Names:
			read = append(read, e.Target)
		case e.Kind == shell.Fetch && !t.intoFiles(e) && !match.HostAllowed(nil, e.Target):
			return "what " + printable.Line(e.Words, 60) + " fetched"
		}
	}
	return t.fetchedFile(read)
}

// intoFiles reports whether the command that fetches also writes, so that what
// it shows is its own.
func (t *trial) intoFiles(fetch shell.Effect) bool {
	return slices.ContainsFunc(t.report.Effects, func(e shell.Effect) bool {
		return e.Kind == shell.Write && e.Command == fetch.Command && e.Place != shell.Null && e.Place != shell.Network
	})
}

// fetchedFile names one of these files that the session fetched, "" if none is.
func (t *trial) fetchedFile(names []string) string {
	w := t.witness()
	if w == nil {
		return ""
	}
	for _, name := range names[:min(len(names), maxChanges)] {
		reals, err := t.at.Readings(name)
		for _, real := range reals {
			if err == nil && w.Origin(real) == "downloaded" {
				return printable.Line(real, 80) + ", which this session fetched"
			}
		}
	}
	return ""
}

// sends reports whether the call may send data out.
func (t *trial) sends() bool {
	for _, e := range t.report.Effects {
		if e.Kind == shell.Send {
			return true
		}
	}
	return false
}

// origin is how a file came to be, for the model.
func (t *trial) origin(real string) string {
	w := t.witness()
	if w == nil {
		return ""
	}
	if how := w.Origin(real); how != "" {
		return how + " in this session"
	}
	return ""
}

// history is what the session did before, for the model.
func (t *trial) history() []string {
	if w := t.witness(); w != nil {
		return w.History()
	}
	return nil
}
