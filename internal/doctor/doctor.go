// Package doctor tries what `nod install` has written: it starts each hook's own command line as the agent would,
// with calls whose answers are known. It says for each thing whether it was tried just now, was measured on a
// released version of the agent (docs/agents.md), or was not tried.
//
// It changes nothing: the lines are started with a state directory that is thrown away, in an empty directory, and
// nothing in a call runs. A line is started only if it is exactly what this nod writes and names programs that nobody
// but their owner can have put there, since settings of a repository are anybody's.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/version"
)

// State is how one thing stands, in words; from good to bad:
type State string

const (
	// NotTried says that nothing is known of it.
	NotTried State = "not tried"
	// Note is what a person should know and cannot change here.
	Note State = "note"
	// OK holds.
	OK State = "ok"
	// Open lets calls run that nod should have been asked about.
	Open State = "open"
	// Failed does not do what it should.
	Failed State = "failed"
)

// Line is one finding.
type Line struct {
	State State  `json:"state"`
	What  string `json:"what"`
	Text  string `json:"text"`
	// Basis is "tried", "measured on VERSION", or how far it was tried; "" where the line is about
	// what stands in a file.
	Basis string `json:"basis,omitempty"`
	// Next is what to do, "" if nothing.
	Next string `json:"next,omitempty"`
}

// Block is what was found of one agent at one level.
type Block struct {
	Agent   string `json:"agent"`
	Title   string `json:"title"`
	Version string `json:"version,omitempty"` // of the agent's program
	Level   string `json:"level,omitempty"`   // "" where nod is not installed
	Path    string `json:"path,omitempty"`
	Lines   []Line `json:"lines"`
}

// Add adds a finding, and returns it for what else is to be said of it.
func (b *Block) Add(s State, what, text string) *Line {
	b.Lines = append(b.Lines, Line{State: s, What: what, Text: text})
	return &b.Lines[len(b.Lines)-1]
}

// Options say what to look at. Paths are absolute.
type Options struct {
	Agents []string // nil: all that are found
	Home   string
	Path   string // PATH
	Dir    string // where an agent would work; settings there and above count
	// Environ is this process's, for what leads an agent elsewhere. Nothing else of it is handed on.
	Environ []string
	Root    string // before the managed settings' path, "" is /
	Self    string // this nod; the nod-hook beside it is trusted
	// Progress is told what is being done; nil is nobody.
	Progress func(string)
}

// Examine returns a block for each agent and level. Its error says that nothing could be tried at all.
func Examine(ctx context.Context, o Options) ([]Block, error) {
	scratch, err := os.MkdirTemp("", "nod-doctor-*")
	if err != nil {
		return nil, fmt.Errorf("doctor: %w", err)
	}
	defer os.RemoveAll(scratch)
	if scratch, err = filepath.EvalSymlinks(scratch); err != nil {
		return nil, fmt.Errorf("doctor: %w", err)
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	found := install.Find(o.Home, o.Path)
	all, builds := []Block{}, map[[2]string]error{}
	for _, name := range install.Agents() {
		adapter, ok := agent.ByName(name)
		if !ok || o.Agents != nil && !slices.Contains(o.Agents, name) {
			continue
		}
		e := &examination{Options: o, row: hosts.ByName(name), adapter: adapter, scratch: scratch, builds: builds}
		if i := slices.IndexFunc(found, func(p install.Presence) bool { return p.Agent == name }); i >= 0 {
			e.found = found[i]
		}
		all = append(all, e.run(ctx)...)
	}
	return all, nil
}

// examination is that of one agent.
type examination struct {
	Options
	row     hosts.Agent
	adapter agent.Adapter
	found   install.Presence
	scratch string
	version string              // of the agent's program, "" where it did not say
	mode    string              // of permissions, in which it starts
	runs    int                 // hooks that were started, to name their directories
	builds  map[[2]string]error // of nod and nod-hook, that they are of two builds
}

func (e *examination) target(level install.Level) install.Options {
	return install.Options{Agent: e.row.Name, Level: level, Root: e.Root, Home: e.Home}
}

func (e *examination) run(ctx context.Context) (all []Block) {
	e.mode = e.modeOf()
	about := e.programLine(ctx)
	for _, level := range []install.Level{install.Managed, install.User} {
		target := e.target(level)
		if !target.HasLevel() {
			continue
		}
		in, err := install.Inspect(target)
		if in == nil && err == nil {
			continue
		}
		b := e.block(about)
		b.Level, b.Path = level.String(), target.Target()
		if err != nil {
			b.Add(Failed, "settings", printable.Text(err.Error()))
		} else {
			e.examine(ctx, &b, in)
		}
		all = append(all, b)
	}
	if len(all) == 0 {
		all = e.absent(about)
	}
	return all
}

func (e *examination) block(about []Line) Block {
	return Block{Agent: e.row.Name, Title: e.row.Title, Version: e.version, Lines: slices.Clone(about)}
}

func (e *examination) absent(about []Line) []Block {
	b := e.block(about)
	switch {
	case e.found.Agent == "" && e.Agents == nil:
		return nil
	case e.found.Agent == "":
		b.Lines = nil
		b.Add(NotTried, "agent", "not found, neither in PATH nor by its directory in your home")
	default:
		b.Add(Open, "settings", "nod is not installed here, so nothing asks it").Next = "nod install " + e.row.Name
	}
	return []Block{b}
}

// programLine says which version the agent is, and whether nod was measured with that version.
func (e *examination) programLine(ctx context.Context) []Line {
	var b Block
	if e.found.Program == "" {
		b.Add(NotTried, "version", "its program is not in PATH; what nod knows of it: "+e.basis())
		return b.Lines
	}
	e.Progress(e.row.Title + ": asking for its version")
	v, err := install.ProgramVersion(ctx, e.found.Program, e.Path)
	if err == nil {
		e.version = v.String()
	}
	var l *Line
	switch {
	case err != nil:
		l = b.Add(NotTried, "version", printable.Line(err.Error(), 200))
	case e.version == e.adapter.Capabilities().Tried:
		l = b.Add(OK, "version", e.version+", with which nod was measured")
	case e.row.Name == nod.ClaudeCode && v.Before(install.FailsClosed()):
		l = b.Add(Open, "version",
			fmt.Sprintf("%v lets a call run when its hook is missing, crashes or hangs; %v and later block it", v,
				install.FailsClosed()))
		l.Next = "update Claude Code"
	default:
		l = b.Add(NotTried, "version", e.version+"; what nod knows of it: "+e.basis())
	}
	l.Basis = "tried"
	return b.Lines
}

// examine looks at one settings file and tries what stands in it.
func (e *examination) examine(ctx context.Context, b *Block, in *install.Installed) {
	for _, f := range in.Findings {
		state := Open
		if f.Kind == install.Unreadable {
			state = NotTried
		}
		b.Add(state, "settings", f.String())
	}
	if limit := e.row.Install.FailOpen; limit != "" {
		b.Add(Note, "limits", limit)
	}
	if options := e.unaskedOptions(); options != "" {
		b.Add(Note, "limits", b.Title+" asks no hook when it is started with "+options)
	}
	e.silencers(b, in)
	e.trusted(b, in)
	again := "nod install " + e.row.Name + " --" + b.Level
	switch {
	case len(in.Hooks) == 0:
		b.Add(NotTried, "hooks",
			"nod is in this file in a way that cannot be tried from outside: the agent loads it as code, or it is "+
				"not as nod writes it").Next = "let the agent run something, then: nod log"
		return
	case len(in.Missing()) > 0:
		b.Add(Open, "hooks", "nod is not asked about every tool at "+strings.Join(in.Missing(), ", ")).Next = again
	case in.Again != "":
		b.Add(NotTried, "hooks", "not as this nod writes them; see: "+again+" --dry-run").Next = again
	default:
		b.Add(OK, "hooks", "as this nod writes them")
	}
	if why := e.untrusted(in); why != "" {
		l := b.Add(NotTried, "hook", why)
		l.Next = again
		if _, err := os.Stat(in.Options.Hook); err != nil {
			l.Next = "install nod again, then: " + again
			if e.blocks(in) {
				l.State = Failed
			}
		}
		return
	}
	programs := install.Programs{Nod: cmp.Or(in.Options.Nod, e.Self), Hook: in.Options.Hook, Version: version.String()}
	pair := [2]string{programs.Nod, programs.Hook} // asked once for all agents
	if _, asked := e.builds[pair]; !asked {
		e.builds[pair] = programs.OneBuild(ctx)
	}
	if err := e.builds[pair]; err != nil {
		text, _, _ := strings.Cut(err.Error(), "; install")
		l := b.Add(Open, "programs", printable.Text(text)+": the hook decides, and confines, by rules of its own")
		l.Next = "install both together"
	}
	e.tryHooks(ctx, b, in)
}

// untrusted says why the programs are not started: they must be those beside this nod, or root's.
func (e *examination) untrusted(in *install.Installed) string {
	beside := install.HookBeside(e.Self)
	for _, p := range []struct{ named, own string }{{in.Options.Hook, beside}, {in.Options.Nod, e.Self}} {
		info, err := os.Stat(p.named)
		own, ownErr := os.Stat(p.own)
		switch {
		case err == nil && ownErr == nil && os.SameFile(info, own), os.Geteuid() != 0 && install.OnlyRoots(p.named):
		case err != nil && p.named != "" && e.blocks(in):
			return printable.Text(p.named) + " is not there: every call of " + e.row.Title +
				" is blocked until it is back"
		case err != nil && p.named != "":
			return printable.Text(p.named) + " is not there: what " + e.row.Title +
				" does then is said in docs/agents.md"
		default:
			return printable.Text(p.named) + " is not the one beside this nod, so it is not started"
		}
	}
	return ""
}

// blocks reports whether the agent lets no call run whose hook is missing.
func (e *examination) blocks(in *install.Installed) bool {
	return in.Guarded() || e.row.Name == nod.ClaudeCode && len(in.Hooks) > 0 && in.Again == ""
}

// Worst returns the exit status for some blocks: 0 where all is well, 3 where
// something is open or was not tried, 4 where something failed.
func Worst(blocks []Block) (code int) {
	for _, b := range blocks {
		for _, l := range b.Lines {
			switch l.State {
			case NotTried, Open:
				code = max(code, 3)
			case Failed:
				code = 4
			}
		}
	}
	return code
}

// limiter is the program by which the guard script ends a hook that hangs.
const limiter = "/usr/bin/timeout"

// sayFailures says what becomes of a call where nod-hook fails. None of it is tried here: behind the guard script
// nod's own tests have tried it, else the agent's doing was measured.
func (e *examination) sayFailures(b *Block, in *install.Installed) {
	for _, name := range []string{"missing", "killed", "slow", "garbled"} {
		_, err := os.Stat(limiter)
		l := b.Add(OK, name, "")
		l.Basis = e.basis()
		switch {
		case in.Guarded() && name == "slow" && err != nil:
			l.State = Open
			l.Text = limiter + " is missing here, so the agent's own limit ends the hook, and the call may run"
		case in.Guarded():
			l.Text = "the line denies also if nod-hook fails, and the agent blocks the call"
		case e.row.Install.Blocks == nil:
			l.State, l.Text, l.Basis = NotTried, "what the agent does then is not known", ""
		case !slices.Contains(e.row.Install.Blocks, name):
			l.State = Note
			l.Text = "the agent takes it for no decision, and its own rules hold; nod-hook prints nothing of the kind " +
				"(docs/agents.md)"
		default:
			l.Text = "the agent blocks the call"
			if how := e.adapter.Capabilities().FailClosed; how != "" {
				l.Text += " (" + how + ")"
			}
		}
	}
}

func (e *examination) basis() string {
	tried := e.adapter.Capabilities().Tried
	if strings.HasPrefix(tried, "read: ") {
		return tried + "; not run by nod's tests"
	}
	return "measured on " + tried
}

// modeOf is the permission mode in which Claude Code starts for this person. The payloads of other
// agents name no mode that matters. An option on the agent's command line is not seen.
func (e *examination) modeOf() string {
	if e.row.Name != nod.ClaudeCode {
		return "default"
	}
	project := filepath.Join(e.Dir, e.row.Install.Project)
	local := filepath.Join(filepath.Dir(project), "settings.local.json")
	for _, file := range []string{e.target(install.Managed).Target(), local, project, e.target(install.User).Target()} {
		// A file that cannot be read Claude Code passes over as a whole.
		if mode, _, _, err := install.Setting(file, "permissions.defaultMode"); err == nil && mode != "" {
			return strings.Trim(mode, `"`)
		}
	}
	return "auto"
}

// quiet says why an allow is said as silence at an event, "" where it is said.
func (e *examination) quiet(event agent.Event, s config.Settings) string {
	seat := e.adapter.Capabilities().Before
	if event.Kind == agent.Prompt {
		seat = e.adapter.Capabilities().Asking
	}
	switch {
	case !seat.Allow:
		return "no hook can grant here, the agent's own rules do"
	case s.Profile == config.Reinforce:
		return `profile = "reinforce" never allows`
	case event.Plan:
		return "nod lets no command run in plan mode, the agent's own rules decide"
	}
	if event.Complete != nil {
		event.Complete(&event)
	}
	if event.Reserved {
		return "a rule of yours in the agent's own settings may be about it, or nothing says why the agent asks"
	}
	return ""
}

// silencers says which settings keep this level's nod from being asked, or lead the agent elsewhere.
func (e *examination) silencers(b *Block, in *install.Installed) {
	before, remedy := len(b.Lines), "take it out"
	if in.Options.Level != install.Managed && (install.Options{Agent: e.row.Name}).HasLevel() {
		remedy += ", or install nod where no repository can silence it: sudo nod install " + e.row.Name
	}
	for _, off := range install.OffSwitches(in.Options, e.Dir) {
		switch {
		case off.Kind == install.Unreadable:
			b.Add(NotTried, "silencers", off.String())
		case off.Elsewhere:
			b.Add(Note, "silencers", off.String()+" (for an agent that is started there)")
		default:
			b.Add(Open, "silencers", off.String()).Next = remedy
		}
	}
	for _, u := range e.row.Unasked {
		if value, set := u.Set(e.Environ); set && b.Level != "managed" {
			b.Add(Open, "silencers", printable.Line(u.Variable+"="+value, 80)+
				" in this environment: an agent that is started with it asks no hook of yours ("+u.Source+
				")").Next = "unset " + u.Variable
		}
	}
	if len(b.Lines) == before {
		b.Add(OK, "silencers", "no setting here keeps nod from being asked")
	}
	own := filepath.Join(e.Home, e.row.Home[0])
	at, _ := place.Lookup(e.Environ, e.row.HomeVariable)
	if at != "" && filepath.Clean(at) != own && b.Level == "user" {
		b.Add(Open, "environment", e.row.HomeVariable+" leads the agent to "+printable.Text(at)+
			", where this file is not read").Next = "unset " + e.row.HomeVariable
	}
}

// unaskedOptions lists the options under which an agent asks no hook, each with what that rests on.
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

func (e *examination) trusted(b *Block, in *install.Installed) {
	list, asks, err := in.Trust()
	if !asks {
		return
	}
	if err != nil {
		b.Add(NotTried, "trust", printable.Line(err.Error(), 200))
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
			b.Add(state, "trust", strings.Join(events, ", ")+": "+t.text+", so "+b.Title+
				" does not start them, and says nothing").Next = install.Next(e.row.Name, in.Options.Level)
		}
	}
	if !slices.ContainsFunc(list, func(t install.Trust) bool { return t != install.Trusted }) && len(list) > 0 {
		b.Add(OK, "trust", "every hook is trusted, by the hash that "+b.Title+" keeps")
	}
}
