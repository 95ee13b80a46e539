package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/version"
)

func installCommand() command {
	return command{
		name:    "install",
		usage:   "install [AGENT] [--managed | --user | --project DIR] [--dry-run] [flags]",
		summary: "have a coding agent ask nod before every tool call",
		long: `Writes nod-hook into the agent's settings, so that it is asked before every
tool call and told what became of it. The rest of the file stays as it is, a
copy is put beside it, and installing twice changes nothing.

Without AGENT it is for every agent that is found, in PATH or by its directory
in your home. It says what it will do, and asks once; then, where confinement
works and nobody has set it, whether to switch it on (nod help confine).

AGENT is one of: ` + agentLines() + `

  --user          your own settings (the default, but for root). A repository
                  can silence Claude Code's hook there: "disableAllHooks": true
                  in its .claude/settings.json.
  --managed       the machine's settings; needs root, for whom it is the
                  default. No repository can silence a hook there.
  --project DIR   a repository's settings. Whoever changes the repository can
                  take the hook out.
  --dry-run       show every line that would be written, write nothing
  --all           the same as no AGENT
  --hook FILE     nod-hook, instead of the one beside nod
  --settings FILE, --state DIR
                  nod's own files, instead of the usual places. At the managed
                  level the usual places are those of whoever runs the agent.
  --claude FILE   Claude Code, instead of the first in PATH
  --claude-version V
                  its version, where it cannot be asked (under sudo):
                  --claude-version "$(claude --version)"
  --fail-open-known
                  install for a Claude Code below 2.1.295, which lets a call
                  run when its hook is missing, crashes or hangs
  --status-line   have Claude Code show, below its prompt, what nod decided in
                  the session (nod help statusline), where the file has no
                  status line of another program
  --unread-known  write to a file with comments or broken entries, on which
                  Claude Code 2.1.329 throws the whole file away
  --unattended    for provisioning: no terminal is needed; refused when an
                  agent runs this
  --json          what was done as one JSON object, "v": 1; what is for people
                  goes to standard error

Exit status: 0 written, or nothing to do; 2 refused, and why; 1 not written.
Without AGENT, 2 says that it was refused for some; the others are written.`,
		examples: []string{`nod install`, `nod install --dry-run`, `nod install codex`,
			`sudo nod install claude-code --claude-version "$(claude --version)"`},
		run: installer{}.install,
	}
}

// agentLines lists the agents, five to a line.
func agentLines() string {
	var lines []string
	for some := range slices.Chunk(install.Agents(), 5) {
		lines = append(lines, strings.Join(some, ", "))
	}
	return strings.Join(lines, ",\n  ")
}

// installer is what install and uninstall see of the machine. The zero value
// is the real one; tests set the rest.
type installer struct {
	root    string                 // before the managed settings' path
	passing []string               // directories that do not last; nil asks the system
	self    func() (string, error) // nod's own path; nil asks the system
	isRoot  func() bool            // may write the machine's settings; nil asks the system
	boundary
}

// usual is the level for one agent where nobody named one.
func (in installer) usual(agent string) install.Level {
	isRoot := in.isRoot
	if isRoot == nil {
		isRoot = func() bool { return os.Getuid() == 0 }
	}
	if isRoot() && (install.Options{Agent: agent}).HasLevel() {
		return install.Managed
	}
	return install.User
}

type installFlags struct {
	levelFlags
	hook, claude, claudeVersion string
	settings, state             string
	failOpenKnown, unreadKnown  bool
	statusLine                  bool
}

// levelFlags are common to install and uninstall.
type levelFlags struct {
	agent              string
	all                bool // every agent instead of one
	managed, user      bool
	project            string
	dryRun, unattended bool
	json               bool // one object on standard output
}

func (f *levelFlags) add(flags *flag.FlagSet) {
	flags.BoolVar(&f.managed, "managed", false, "")
	flags.BoolVar(&f.user, "user", false, "")
	flags.StringVar(&f.project, "project", "", "")
	flags.BoolVar(&f.dryRun, "dry-run", false, "")
	flags.BoolVar(&f.unattended, "unattended", false, "")
	flags.BoolVar(&f.json, "json", false, "")
}

// level returns the level that was asked for; ok is false if none was.
func (f *levelFlags) level() (level install.Level, ok bool, err error) {
	named := 0
	for _, l := range []struct {
		set   bool
		level install.Level
	}{{f.managed, install.Managed}, {f.user, install.User}, {f.project != "", install.Project}} {
		if l.set {
			level, named = l.level, named+1
		}
	}
	if named > 1 {
		return level, true, errors.New("--managed, --user and --project exclude each other")
	}
	return level, named == 1, nil
}

// parse takes the agent's name and the flags off args, in either order. Without
// a name it is every agent, where bare says that nothing has to be named.
func (f *levelFlags) parse(flags *flag.FlagSet, args []string, bare bool) error {
	flags.BoolVar(&f.all, "all", false, "")
	flags.SetOutput(io.Discard)
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		f.agent, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	rest := flags.Args()
	if f.agent == "" && len(rest) > 0 {
		f.agent, rest = rest[0], rest[1:]
		if err := flags.Parse(rest); err != nil {
			return err
		}
		rest = flags.Args()
	}
	f.all = f.all || f.agent == "" && bare
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case f.all && f.agent != "":
		return fmt.Errorf("--all is for every agent; leave %s out", printable.Text(f.agent))
	case f.all || slices.Contains(install.Agents(), f.agent):
		return nil
	case f.agent == "":
		return errors.New("name the coding agent, or --all: " + strings.Join(install.Agents(), ", "))
	}
	return noAgent(f.agent)
}

// noAgent says that a word is no agent, and which one is like it.
func noAgent(word string) error {
	known := install.Agents()
	for _, name := range known {
		if strings.HasPrefix(name, word) {
			return fmt.Errorf("there is no agent %q; did you mean %s?", word, name)
		}
	}
	if near, ok := config.Nearest(word, known); ok {
		return fmt.Errorf("there is no agent %q; did you mean %s?", word, near)
	}
	return fmt.Errorf("there is no agent %q; nod knows %s", word, strings.Join(known, ", "))
}

func (in installer) install(ctx context.Context, p *Process, args []string) int {
	var f installFlags
	flags := flag.NewFlagSet("install", flag.ContinueOnError)
	f.add(flags)
	flags.StringVar(&f.hook, "hook", "", "")
	flags.StringVar(&f.settings, "settings", "", "")
	flags.StringVar(&f.state, "state", "", "")
	flags.StringVar(&f.claude, "claude", "", "")
	flags.StringVar(&f.claudeVersion, "claude-version", "", "")
	flags.BoolVar(&f.failOpenKnown, "fail-open-known", false, "")
	flags.BoolVar(&f.unreadKnown, "unread-known", false, "")
	flags.BoolVar(&f.statusLine, "status-line", false, "")
	if err := f.parse(flags, args, true); err != nil {
		return usageError(p, installCommand(), err)
	}
	level, chosen, err := f.level()
	if err == nil && f.statusLine && !f.all && f.agent != nod.ClaudeCode {
		err = errors.New("--status-line is for Claude Code; " + install.Title(f.agent) + " has none that nod knows")
	}
	if err != nil {
		return usageError(p, installCommand(), err)
	}
	if f.all {
		if !chosen {
			level = install.User
		}
		return in.installAll(ctx, p, f, level)
	}
	if !chosen {
		level = in.usual(f.agent)
	}
	people := p.people(f.json)
	programs, err := in.usable(ctx, p, f)
	if err != nil {
		return refuse(p, "install", err)
	}
	run := in.installing(ctx, people, f, level, programs)
	plan, err := in.planFor(ctx, people, f, level, programs)
	if err == nil && level == install.Managed && !f.dryRun && plan.Changed() && plan.Writable() != nil {
		err = offerLevels(f.agent, programs)
	}
	run.list = []planned{{agent: f.agent, plan: plan, err: err}}
	run.after = func() {
		fmt.Fprintln(people.Stdout, in.afterwards(f.agent, f.spell(level)))
		offerHistory(people)
		in.offerConfinement(ctx, people, f, level, run.first())
	}
	return run.output(p, run.finish(ctx, people))
}

// installing is a run of install without its plans.
func (in installer) installing(
	ctx context.Context, p *Process, f installFlags, level install.Level, programs install.Programs,
) changes {
	return changes{name: "install", flags: f.levelFlags, asks: true, about: func(a planned) {
		promises(p, a.agent, level, programs)
		if a.agent == nod.ClaudeCode {
			in.aboutClaude(ctx, p, f, level, a.plan)
		}
	}, looked: func() { in.offerConfinement(ctx, p, f, level, true) }}
}

// afterwards says what to do once it is written.
func (in installer) afterwards(agent, spelt string) string {
	return "To see it at work: start " + install.Title(agent) +
		", let it run something, then: nod log\nTo undo: nod uninstall " + agent + " " + spelt
}

// offerHistory names nod history to those who have something for it to read.
func offerHistory(p *Process) {
	if files, _ := transcripts(p, ""); len(files) > 0 {
		fmt.Fprintf(p.Stdout, "What nod would have made of your past sessions (%s here, nothing leaves the "+
			"machine): nod history\n", counted(len(files), "transcript"))
	}
}

// promises says what the level does not hold, and the agent.
func promises(p *Process, agent string, level install.Level, programs install.Programs) {
	if level == install.Managed {
		printFindings(p, programs.Owners())
		fmt.Fprintf(p.Stdout, "A user's own nod mode off or observe ends this machine's rules too, unless %s says "+
			"mode = \"enforce\".\n", config.DefaultPlaces("").Managed)
	} else {
		promise(p, agent, level, programs.Nod)
	}
	if open := install.FailOpen(agent); open != "" {
		fmt.Fprintln(p.Stderr, "warning:", open)
	}
}

// usable makes the checks that concern no agent.
func (in installer) usable(ctx context.Context, p *Process, f installFlags) (install.Programs, error) {
	if !f.dryRun {
		err := person(p, f.unattended)
		if errors.Is(err, errNoTerminal) {
			err = errors.New("this asks before it writes, and standard input is not a terminal. " +
				"Run it in a terminal; " +
				"or look first: nod install --dry-run; or, from a provisioning tool: nod install --unattended")
		}
		if err != nil {
			return install.Programs{}, err
		}
	}
	programs, err := in.programs(p, f.hook)
	if err != nil {
		return programs, err
	}
	return programs, programs.Check(ctx)
}

// planFor makes the checks that concern f's agent, then the plan.
func (in installer) planFor(ctx context.Context, p *Process, f installFlags, level install.Level,
	programs install.Programs) (install.Plan, error) {
	var none install.Plan
	if f.agent == nod.ClaudeCode {
		if err := checkClaude(ctx, p, f); err != nil {
			return none, err
		}
	}
	plan, err := install.PlanInstall(in.options(p, f, level, programs))
	if err != nil {
		return none, err
	}
	if home := p.Getenv("HOME"); f.agent == nod.ClaudeCode && level == install.User && p.Dir != home {
		plan.Findings = append(plan.Findings, install.Silencers(p.Dir)...)
	}
	for _, found := range plan.Findings {
		if found.Kind == install.Unread && !f.unreadKnown {
			return none, fmt.Errorf("%s. Mend it, or say --unread-known if your version reads such files", found)
		}
	}
	return plan, nil
}

// programs finds nod and nod-hook.
func (in installer) programs(p *Process, hook string) (install.Programs, error) {
	self := in.self
	if self == nil {
		self = os.Executable
	}
	own, err := self()
	if err != nil {
		return install.Programs{}, fmt.Errorf("cannot tell where nod lies: %w", err)
	}
	if hook == "" {
		hook = filepath.Join(filepath.Dir(own), install.HookName)
	}
	passing := in.passing
	if passing == nil {
		passing = install.PassingDirs(p.Getenv)
	}
	return install.Programs{Nod: own, Hook: absolute(p, hook), Version: version.String(), Home: p.Getenv("HOME"),
		Passing: passing}, nil
}

// options names every file. At the managed level one command line serves all
// users of the machine, so their own files are left to the home directory,
// which no repository can set.
func (in installer) options(p *Process, f installFlags, level install.Level,
	programs install.Programs) install.Options {
	home := p.Getenv("HOME")
	places := config.DefaultPlaces(home)
	if level == install.Managed {
		places.User, places.State = "", ""
	}
	if f.settings != "" {
		places.User = absolute(p, f.settings)
	}
	if f.state != "" {
		places.State = absolute(p, f.state)
	}
	o := in.target(p, f.levelFlags, level)
	o.Hook, o.Nod, o.StatusLine = programs.Hook, programs.Nod, f.statusLine && f.agent == nod.ClaudeCode
	o.Settings, o.Managed, o.State = places.User, places.Managed, places.State
	return o
}

// target names the settings file alone.
func (in installer) target(p *Process, f levelFlags, level install.Level) install.Options {
	o := install.Options{Agent: f.agent, Level: level, Root: in.root, Home: p.Getenv("HOME")}
	if level == install.Project {
		o.Project = absolute(p, f.project)
	}
	return o
}

func absolute(p *Process, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}

// checkClaude refuses a Claude Code that lets a call run when its hook fails,
// or one whose version is not known, unless the person knows.
func checkClaude(ctx context.Context, p *Process, f installFlags) error {
	v, err := claudeVersion(ctx, p, f)
	var problem string
	switch {
	case err != nil:
		problem = err.Error()
	case v.Before(install.FailsClosed()):
		problem = fmt.Sprintf("this is Claude Code %v, and it lets a call run when its hook is missing, crashes or "+
			"hangs; %v and later block it", v, install.FailsClosed())
	default:
		return nil
	}
	next := "Update Claude Code"
	if err != nil {
		next = fmt.Sprintf("Install Claude Code %v or later", install.FailsClosed())
	}
	if f.failOpenKnown {
		fmt.Fprintln(p.Stderr, "warning:", printable.Text(problem))
		return nil
	}
	return fmt.Errorf(`%s. %s; or name it: --claude FILE; or say its version: --claude-version "$(claude --version)"; or accept that nod's failures let calls run: --fail-open-known`, problem, next)
}

func claudeVersion(ctx context.Context, p *Process, f installFlags) (install.Version, error) {
	if f.claudeVersion != "" {
		return install.ParseVersion(f.claudeVersion)
	}
	claude := f.claude
	if claude == "" {
		var err error
		if claude, err = install.FindClaude(p.Getenv("PATH")); err != nil {
			return install.Version{}, err
		}
	}
	return install.ProgramVersion(ctx, absolute(p, claude), p.Getenv("PATH"))
}

// aboutClaude says what else concerns Claude Code: consent that nod does not
// take over, and the status line.
func (in installer) aboutClaude(ctx context.Context, p *Process, f installFlags, level install.Level,
	plan install.Plan) {
	fmt.Fprintln(p.Stdout, aboutUnknown)
	for _, line := range in.overridden(ctx, p, f, level) {
		fmt.Fprintln(p.Stdout, line)
	}
	if !f.statusLine && !install.HasStatusLine(plan.Before) {
		fmt.Fprintln(p.Stdout, "To see below Claude Code's prompt what nod decided in the session, add --status-line.")
	}
}

// aboutUnknown is the choice that a person has about what nod merely does not know.
const aboutUnknown = "What nod does not know it leaves to Claude Code, as if nod were not there; to be asked about " +
	"it, write unknown = \"ask\"."

// overridden says which allow rules of Claude Code's own nod will ask about all
// the same: those of the person's settings, and of this directory's.
func (in installer) overridden(ctx context.Context, p *Process, f installFlags, level install.Level) (lines []string) {
	home := p.Getenv("HOME")
	places := config.DefaultPlaces(home)
	if o := in.options(p, f, level, install.Programs{}); o.Settings != "" {
		places.User = o.Settings
	}
	if p.Dir != home {
		places.Root = p.Dir
	}
	places.Known = programs(p)
	places = places.WithClaude()
	settings, err := config.Load(places)
	if err != nil {
		return []string{"warning: nod's settings cannot be used, and no call is allowed until they can: " +
			printable.Line(err.Error(), 300)}
	}
	var allow []config.NotHeld
	c := checker{process: p, places: places, settings: settings}
	for _, rule := range c.weighed(ctx, append(slices.Clip(settings.NotHeld), places.Overridden()...)) {
		if rule.List == "allow" && strings.HasPrefix(rule.Why, config.Asked) {
			allow = append(allow, rule)
		}
	}
	if len(allow) == 0 {
		return nil
	}
	lines = []string{fmt.Sprintf("nod will ask all the same about what %s of Claude Code's own would let through:",
		counted(len(allow), "allow rule"))}
	for _, rule := range allow[:min(len(allow), shownOverridden)] {
		lines = append(lines, fmt.Sprintf("  %s  %s", printable.Line(rule.Text, 50), homely(p, rule.Origin)))
	}
	if rest := len(allow) - shownOverridden; rest > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", rest))
	}
	return append(lines, "Why, and what to write to have each count: nod rules check")
}

// shownOverridden bounds that list.
const shownOverridden = 5

// describe says what would be written and where: in a line, or with --dry-run
// every line of it.
func describe(p *Process, f levelFlags, a planned) {
	name := homely(p, a.plan.Path)
	switch {
	case !a.plan.Changed():
	case f.dryRun:
		fmt.Fprintf(p.Stdout, "%s (%s level):\n%s\n", printable.Text(a.plan.Path), a.plan.Level, a.plan.Diff())
	default:
		fmt.Fprintf(p.Stdout, "%s: %s (%s level)\n", install.Title(a.agent), changeOf(a.plan, name), a.plan.Level)
	}
	printFindings(p, a.plan.Findings)
}

// changeOf is a plan in a few words.
func changeOf(plan install.Plan, name string) string {
	hooked := strings.Contains(string(plan.After), install.HookName)
	was := strings.Contains(string(plan.Before), install.HookName)
	switch {
	case plan.After == nil:
		return "removes " + name
	case plan.Before == nil:
		return "makes " + name + ", with nod's hook in it"
	case hooked && was:
		return "changes what is nod's in " + name + "; the rest stays, a copy is put beside it"
	case hooked:
		return "writes nod's hook into " + name + "; the rest stays, a copy is put beside it"
	}
	return "takes nod's hook out of " + name + "; the rest stays, a copy is put beside it"
}

// typed is a path as a person would type it into a shell.
func typed(p *Process, name string) string {
	if short := homely(p, name); install.Quote(strings.TrimPrefix(short, "~")) == strings.TrimPrefix(short, "~") {
		return short
	}
	return install.Quote(name)
}

// homely is a path for people: ~ is their home.
func homely(p *Process, name string) string {
	if rest, ok := strings.CutPrefix(name, p.Getenv("HOME")+"/"); ok && p.Getenv("HOME") != "" {
		name = "~/" + rest
	}
	return printable.Text(name)
}

func printFindings(p *Process, findings []install.Finding) {
	for _, f := range findings {
		fmt.Fprintln(p.Stderr, "warning:", f)
	}
}

// offerLevels says what to run where the managed file is root's to write.
func offerLevels(agent string, programs install.Programs) error {
	version := ""
	if agent == nod.ClaudeCode {
		version = ` --claude-version "$(claude --version)"`
	}
	return fmt.Errorf(`the managed settings are root's to write. Run

  sudo %s install %s --managed%s

No repository can silence a hook there. Or, for yourself alone:

  nod install %s`, install.Quote(programs.Nod), agent, version, agent)
}

// promise says what a level below the managed one does not hold.
func promise(p *Process, agent string, level install.Level, self string) {
	switch {
	case level == install.User && agent == nod.ClaudeCode:
		fmt.Fprintf(p.Stdout, `At the user level a repository can silence nod, with "disableAllHooks": true in
its .claude/settings.json. No repository can at the managed level: sudo %s install claude-code --managed
`, typed(p, self))
	case level == install.Project:
		fmt.Fprint(p.Stdout, `At the project level whoever can change the repository can take nod out, and the
paths above are this machine's: for others who clone it every call will block.

`)
	}
}

// spell returns the flags that name a level.
func (f *levelFlags) spell(level install.Level) string {
	if level == install.Project {
		return "--project " + f.project
	}
	return "--" + level.String()
}

func refuse(p *Process, name string, err error) int {
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w; run it as the user who may, or with sudo", err)
	}
	fmt.Fprintf(p.Stderr, "nod %s: %s\n", name, strings.TrimPrefix(err.Error(), "install: "))
	return ExitBadInput
}
