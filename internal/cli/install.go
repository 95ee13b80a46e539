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

// installer is what install, uninstall and doctor see of the machine. The zero
// value is the real one; tests set the rest.
type installer struct {
	root    string                 // before the managed settings' path
	passing []string               // directories that do not last; nil asks the system
	self    func() (string, error) // nod's own path; nil asks the system
	isRoot  func() bool            // may write the machine's settings; nil asks the system
	boundary
}

// program is nod's own path.
func (in installer) program() (string, error) {
	if in.self != nil {
		return in.self()
	}
	return os.Executable()
}

// usual is the level for one agent where nobody named one.
func (in installer) usual(agent string) install.Level {
	root := os.Getuid() == 0
	if in.isRoot != nil {
		root = in.isRoot()
	}
	if root && (install.Options{Agent: agent}).HasLevel() {
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
	flags.BoolVar(&f.all, "all", false, "")
	flags.BoolVar(&f.managed, "managed", false, "")
	flags.BoolVar(&f.user, "user", false, "")
	flags.StringVar(&f.project, "project", "", "")
	flags.BoolVar(&f.dryRun, "dry-run", false, "")
	flags.BoolVar(&f.unattended, "unattended", false, "")
	flags.BoolVar(&f.json, "json", false, "")
}

// level returns the level that was asked for; ok is false if none was.
func (f *levelFlags) level() (level install.Level, ok bool) {
	switch {
	case f.managed:
		return install.Managed, true
	case f.project != "":
		return install.Project, true
	}
	return install.User, f.user
}

// parse takes the agent's name and the flags off args, in either order. Without
// a name it is every agent, where bare says that nothing has to be named.
func (f *levelFlags) parse(a *arguments, args []string, bare bool) error {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		f.agent, args = args[0], args[1:]
	}
	err := a.parse(args, len(args))
	if err == nil && f.agent == "" && a.NArg() > 0 {
		f.agent = a.Arg(0)
		err = a.parse(a.Args()[1:], len(args))
	}
	f.all = f.all || f.agent == "" && bare
	switch {
	case err != nil:
		return err
	case a.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", a.Arg(0))
	case f.all && f.agent != "":
		err = fmt.Errorf("--all is for every agent; leave %s out", printable.Text(f.agent))
	case f.managed && f.user || (f.managed || f.user) && f.project != "":
		err = errors.New("--managed, --user and --project exclude each other")
	case f.agent == "" && !f.all:
		err = errors.New("name the coding agent, or --all: " + strings.Join(install.Agents(), ", "))
	case !f.all && !slices.Contains(install.Agents(), f.agent):
		err = noAgent(f.agent)
	}
	return usage(err)
}

// noAgent says that a word is no agent, and which one is like it.
func noAgent(word string) error {
	known := install.Agents()
	if i := slices.IndexFunc(known, func(name string) bool { return strings.HasPrefix(name, word) }); i >= 0 {
		return fmt.Errorf("there is no agent %q; did you mean %s?", word, known[i])
	}
	return fmt.Errorf("there is no agent %q; nod knows %s", word, strings.Join(known, ", "))
}

func (in installer) install(ctx context.Context, p *Process, args []string) error {
	var f installFlags
	a := newArguments(p)
	f.add(a.FlagSet)
	a.StringVar(&f.hook, "hook", "", "")
	a.StringVar(&f.settings, "settings", "", "")
	a.StringVar(&f.state, "state", "", "")
	a.StringVar(&f.claude, "claude", "", "")
	a.StringVar(&f.claudeVersion, "claude-version", "", "")
	a.BoolVar(&f.failOpenKnown, "fail-open-known", false, "")
	a.BoolVar(&f.unreadKnown, "unread-known", false, "")
	a.BoolVar(&f.statusLine, "status-line", false, "")
	if err := f.parse(a, args, true); err != nil {
		return err
	}
	if f.statusLine && !f.all && f.agent != nod.ClaudeCode {
		return usage(fmt.Errorf("--status-line is for Claude Code; %s has none that nod knows", install.Title(f.agent)))
	}
	level, chosen := f.level()
	if !chosen && !f.all {
		level = in.usual(f.agent)
	}
	programs, err := in.usable(ctx, p, f)
	if err != nil {
		return refusal(err)
	}
	return in.plan(ctx, p.people(f.json), f, level, programs).run(ctx, p)
}

// plan is what install would do: for one agent, or for every one that is found.
func (in installer) plan(
	ctx context.Context, p *Process, f installFlags, level install.Level, programs install.Programs,
) *changes {
	c := &changes{name: "install", flags: f.levelFlags, asks: true}
	agents := []string{f.agent}
	undo := f.agent + " " + f.spell(level)
	try := "To see it at work: start " + install.Title(f.agent) + ", let it run something, then: nod log"
	if f.all {
		agents, undo, try = nil, "--all", "To try what was installed: nod doctor"
		var titles []string
		for _, found := range install.Find(p.Getenv("HOME"), p.Getenv("PATH")) {
			agents, titles = append(agents, found.Agent), append(titles, install.Title(found.Agent))
		}
		if len(agents) == 0 {
			noneFound(p.Stdout)
			c.nothing = true
			return c
		}
		fmt.Fprintf(p.Stdout, "Found: %s. nod will be asked before every tool call.\n\n", strings.Join(titles, ", "))
	}
	for _, f.agent = range agents {
		plan, err := in.planFor(ctx, p, f, level, programs)
		if err == nil && !f.all && level == install.Managed && !f.dryRun && plan.Changed() && plan.Writable() != nil {
			err = offerLevels(f.agent, programs)
		}
		c.list = append(c.list, planned{agent: f.agent, plan: plan, err: err})
	}
	c.about = func(a planned) {
		promises(p, a.agent, level, programs)
		if a.agent == nod.ClaudeCode {
			aboutClaude(p, f, a.plan)
		}
	}
	c.looked = func() { in.offerConfinement(ctx, p, f, level, true) }
	c.after = func() {
		fmt.Fprintf(p.Stdout, "%s\nTo undo: nod uninstall %s\n", try, undo)
		if files, _ := transcripts(p, ""); len(files) > 0 {
			fmt.Fprintf(p.Stdout, "What nod would have made of your past sessions (%s here, nothing leaves the "+
				"machine): nod history\n", counted(len(files), "transcript"))
		}
		in.offerConfinement(ctx, p, f, level, c.first())
	}
	return c
}

// noneFound says that no agent is on this machine, and what to do next.
func noneFound(w io.Writer) {
	fmt.Fprintf(w, "No agent is found, neither in PATH nor by its directory in your home; nod knows: %s\n",
		strings.Join(install.Agents(), ", "))
	fmt.Fprintln(w, "  -> install one of them, then run nod install; or name yours: nod install codex. "+
		"To see nod decide without one: nod demo")
}

// promises says what the level does not hold, and the agent.
func promises(p *Process, agent string, level install.Level, programs install.Programs) {
	switch {
	case level == install.Managed:
		printFindings(p, programs.Owners())
		fmt.Fprintf(p.Stdout, "A user's own nod mode off or observe ends this machine's rules too, unless %s says "+
			"mode = \"enforce\".\n", config.DefaultPlaces("").Managed)
	case level == install.User && agent == nod.ClaudeCode:
		fmt.Fprintf(p.Stdout, `At the user level a repository can silence nod, with "disableAllHooks": true in
its .claude/settings.json. No repository can at the managed level: sudo %s install claude-code --managed
`, typed(p, programs.Nod))
	case level == install.Project:
		fmt.Fprint(p.Stdout, `At the project level whoever can change the repository can take nod out, and the
paths above are this machine's: for others who clone it every call will block.
`)
	}
	if open := install.FailOpen(agent); open != "" {
		fmt.Fprintln(p.Stderr, "warning:", open)
	}
}

// usable makes the checks that concern no agent.
func (in installer) usable(ctx context.Context, p *Process, f installFlags) (programs install.Programs, err error) {
	if !f.dryRun {
		err := person(p, f.unattended)
		if errors.Is(err, errNoTerminal) {
			err = errors.New("this asks before it writes, and standard input is not a terminal. " +
				"Run it in a terminal; " +
				"or look first: nod install --dry-run; or, from a provisioning tool: nod install --unattended")
		}
		if err != nil {
			return programs, err
		}
	}
	own, err := in.program()
	if err != nil {
		return programs, fmt.Errorf("cannot tell where nod lies: %w", err)
	}
	hook, passing := f.hook, in.passing
	if hook == "" {
		hook = filepath.Join(filepath.Dir(own), install.HookName)
	}
	if passing == nil {
		passing = install.PassingDirs(p.Getenv)
	}
	programs = install.Programs{Nod: own, Hook: absolute(p, hook), Version: version.String(), Home: p.Getenv("HOME"),
		Passing: passing}
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

// options names every file. At the managed level one command line serves all
// users of the machine, so their own files are left to the home directory,
// which no repository can set.
func (in installer) options(p *Process, f installFlags, level install.Level,
	programs install.Programs) install.Options {
	places := config.DefaultPlaces(p.Getenv("HOME"))
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

// checkClaude refuses a Claude Code that lets a call run when its hook fails,
// or one whose version is not known, unless the person knows.
func checkClaude(ctx context.Context, p *Process, f installFlags) error {
	v, err := claudeVersion(ctx, p, f)
	next := "Update Claude Code"
	switch {
	case err != nil:
		next = fmt.Sprintf("Install Claude Code %v or later", install.FailsClosed())
	case v.Before(install.FailsClosed()):
		err = fmt.Errorf("this is Claude Code %v, and it lets a call run when its hook is missing, crashes or "+
			"hangs; %v and later block it", v, install.FailsClosed())
	default:
		return nil
	}
	if f.failOpenKnown {
		fmt.Fprintln(p.Stderr, "warning:", printable.Text(err.Error()))
		return nil
	}
	return fmt.Errorf(`%w. %s; or name it: --claude FILE; or say its version: `+
		`--claude-version "$(claude --version)"; or accept that nod's failures let calls run: --fail-open-known`, err, next)
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
func aboutClaude(p *Process, f installFlags, plan install.Plan) {
	fmt.Fprintln(p.Stdout, "What nod does not know it leaves to Claude Code, as if nod were not there; to be asked "+
		"about it, write unknown = \"ask\". Which of its allow rules nod overrides: nod rules check")
	if !f.statusLine && !install.HasStatusLine(plan.Before) {
		fmt.Fprintln(p.Stdout, "To see below Claude Code's prompt what nod decided in the session, add --status-line.")
	}
}

// typed is a path as a person would type it into a shell.
func typed(p *Process, name string) string {
	if short := homely(p, name); install.Quote(strings.TrimPrefix(short, "~")) == strings.TrimPrefix(short, "~") {
		return short
	}
	return install.Quote(name)
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

// spell returns the flags that name a level.
func (f *levelFlags) spell(level install.Level) string {
	if level == install.Project {
		return "--project " + f.project
	}
	return "--" + level.String()
}

// refusal is an error as a person is told it: package install's name is left out.
func refusal(err error) error {
	text := strings.TrimPrefix(err.Error(), "install: ")
	if errors.Is(err, fs.ErrPermission) {
		text += "; run it as the user who may, or with sudo"
	}
	return errors.New(text)
}
