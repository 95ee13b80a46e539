package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/version"
)

// installer is what a command sees of the machine. The zero value is the real one; tests set the rest.
type installer struct {
	root    string                 // before the managed settings' path
	passing []string               // directories that do not last; nil asks the system
	self    func() (string, error) // nod's own path; nil asks the system
	isRoot  func() bool            // may write the machine's settings; nil asks the system
	examine func(context.Context, doctor.Options) ([]doctor.Block, error)
	latest  string // leads to the newest release; "" is the one on GitHub
	// places and try stand in for the person's settings and for a trial of the boundary.
	places func(environ []string) config.Places
	try    func(context.Context, *Process) error
}

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

// installFlags are the arguments of install and uninstall.
type installFlags struct {
	agent              string
	all                bool // every agent instead of one
	managed, user      bool
	dryRun, unattended bool
	verbose, noConfine bool
}

// parseInstall takes the agent's name and the flags off args. bare says that nothing must be named.
func parseInstall(p *Process, args []string, bare bool) (f installFlags, err error) {
	a := newArguments(p)
	a.BoolVar(&f.all, "all", false, "")
	a.BoolVar(&f.managed, "managed", false, "")
	a.BoolVar(&f.user, "user", false, "")
	a.BoolVar(&f.dryRun, "dry-run", false, "")
	a.BoolVar(&f.unattended, "unattended", false, "")
	a.BoolVar(&f.verbose, "verbose", false, "")
	if bare {
		a.BoolVar(&f.noConfine, "no-confine", false, "")
	}
	if err := a.parse(args, len(args)); err != nil {
		return f, err
	}
	if f.agent = a.Arg(0); f.agent != "" {
		if err := a.parse(a.Args()[1:], 0); err != nil {
			return f, err
		}
	}
	f.all = f.all || f.agent == "" && bare
	switch {
	case f.all && f.agent != "":
		err = fmt.Errorf("--all is for every agent; leave %s out", printable.Text(f.agent))
	case f.managed && f.user:
		err = errors.New("--managed and --user exclude each other")
	case f.agent == "" && !f.all:
		err = errors.New("name the coding agent, or --all: " + strings.Join(install.Agents(), ", "))
	case !f.all && !slices.Contains(install.Agents(), f.agent):
		err = noAgent(f.agent)
	}
	return f, usage(err)
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
	f, err := parseInstall(p, args, true)
	if err != nil {
		return err
	}
	level := install.User
	switch {
	case f.managed:
		level = install.Managed
	case !f.user && !f.all:
		level = in.usual(f.agent)
	}
	programs, err := in.usable(ctx, p, f)
	if err != nil {
		return refusal(err)
	}
	agents, undo := []string{f.agent}, f.agent+" --"+level.String()
	if f.all {
		undo = "--all"
		if agents = found(p); len(agents) == 0 {
			noneFound(p.Stdout)
			return nil
		}
	}
	c, confines := &changes{name: "install", flags: f, asks: true}, false
	for _, agent := range agents {
		plan, err := in.planFor(ctx, p, agent, level, programs)
		if err == nil && !f.all && level == install.Managed && !f.dryRun && plan.Changed() && plan.Writable() != nil {
			err = offerLevels(agent, programs)
		}
		c.list = append(c.list, planned{agent: agent, plan: plan, err: err})
	}
	c.about = func(a planned) { promises(p, a.agent, level, programs, f) }
	c.more = func() (said string) {
		if confines = in.mayConfine(ctx, p, f, level); confines {
			said = aboutConfinement
		}
		return said + "What no hook closes on these agents: --verbose, or later nod doctor.\n"
	}
	c.after = func(written []planned) int { return in.afterwards(ctx, p, written, confines, undo) }
	return c.run(ctx, p)
}

// afterwards tries what was written, switches confinement on where that was agreed, and says what to do next.
func (in installer) afterwards(ctx context.Context, p *Process, written []planned, confines bool,
	undo string) (code int) {
	var good []string
	for _, a := range written {
		wrong := in.tryWritten(ctx, p, a)
		if len(wrong) == 0 {
			good = append(good, install.Title(a.agent))
			continue
		}
		printWrong(p, install.Title(a.agent), wrong)
		if doctor.Worst([]doctor.Block{{Lines: wrong}}) == ExitDeny { // failed
			code = ExitInternal
		}
	}
	if len(good) > 0 {
		say(p.Stdout, "", "Tried, and nod answers as it should: "+strings.Join(good, ", ")+".")
	}
	for _, a := range written {
		if step := install.Next(a.agent, a.plan.Level); step != "" {
			say(p.Stdout, "  -> ", step)
		}
	}
	if confines && !in.confineOn(ctx, p) {
		code = ExitInternal
	}
	fmt.Fprintf(p.Stdout, `To undo: nod uninstall %s
Try: nod check -- git push --force   what nod would say to it
     nod history                     what it makes of your past sessions
`, undo)
	return code
}

// tryWritten starts what was written, as nod doctor does, and returns what does not hold, but for the step that is left
// to the person anyhow.
func (in installer) tryWritten(ctx context.Context, p *Process, a planned) (wrong []doctor.Line) {
	blocks, err := in.examine(ctx, in.examination(p, p.Dir, []string{a.agent}))
	trying(p)("")
	if err != nil {
		return []doctor.Line{{State: doctor.Failed, What: "trial", Text: err.Error()}}
	}
	for _, b := range blocks {
		for _, l := range b.Lines {
			bad := l.Next != "" && l.State != doctor.Note && l.Next != install.Next(a.agent, a.plan.Level)
			if (bad || l.State == doctor.Failed) && b.Level == a.plan.Level.String() {
				wrong = append(wrong, l)
			}
		}
	}
	return wrong
}

func printWrong(p *Process, title string, wrong []doctor.Line) {
	fmt.Fprintf(p.Stdout, "Tried, and not as it should be: %s\n", title)
	for _, l := range wrong {
		text := printable.Near(printable.Text(l.Text), nil, p.Getenv("HOME"))
		say(p.Stdout, "  ", fmt.Sprintf("%s, %s: %s", l.State, l.What, text))
		if l.Next != "" {
			say(p.Stdout, "  -> ", printable.Text(l.Next))
		}
	}
}

func found(p *Process) (agents []string) {
	var titles []string
	for _, one := range install.Find(p.Getenv("HOME"), p.Getenv("PATH")) {
		agents, titles = append(agents, one.Agent), append(titles, install.Title(one.Agent))
	}
	if len(agents) > 0 {
		say(p.Stdout, "", "Found: "+strings.Join(titles, ", ")+". Each will ask nod before a tool call.")
		fmt.Fprintln(p.Stdout)
	}
	return agents
}

func noneFound(w io.Writer) {
	say(w, "", "No agent is found, neither in PATH nor by its directory in your home; nod knows: "+
		strings.Join(install.Agents(), ", "))
	fmt.Fprintln(w, "  -> install one of them, then run nod install; or name yours: nod install codex\n"+
		"  -> to see nod decide without one: nod demo")
}

// promises says what becomes of the person's own rules; in full also what the level and the agent do not hold.
func promises(p *Process, agent string, level install.Level, programs install.Programs, f installFlags) {
	row := hosts.ByName(agent).Install
	say(p.Stdout, "  ", row.Rules)
	if level == install.Managed {
		printFindings(p, programs.Owners())
		say(p.Stdout, "  ", "A user's own nod mode off or observe ends this machine's rules too, unless "+
			config.DefaultPlaces("").Managed+` says mode = "enforce".`)
	}
	if !f.verbose && !f.dryRun {
		return
	}
	if agent == nod.ClaudeCode {
		say(p.Stdout, "  ", "What nod does not know it leaves to Claude Code, as if nod were not there; "+
			`to be asked about it, write unknown = "ask". Which of its allow rules nod overrides: nod rules check.`)
	}
	if agent == nod.ClaudeCode && level == install.User {
		say(p.Stdout, "  ", `A repository can silence nod here, with "disableAllHooks": true in its `+
			".claude/settings.json. No repository can at the managed level: sudo "+install.Quote(programs.Nod)+
			" install claude-code --managed")
	}
	if row.FailOpen != "" {
		say(p.Stderr, "warning: ", row.FailOpen)
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
	passing := in.passing
	if passing == nil {
		passing = install.PassingDirs(p.Getenv)
	}
	programs = install.Programs{Nod: own, Hook: install.HookBeside(own),
		Version: version.String(), Home: p.Getenv("HOME"), Passing: passing}
	return programs, programs.Check(ctx)
}

// planFor makes the checks that concern an agent, then the plan. At the managed level one command line serves all
// users of the machine, so their own files are left to the home directory, which no repository can set.
func (in installer) planFor(ctx context.Context, p *Process, agent string, level install.Level,
	programs install.Programs) (install.Plan, error) {
	if agent == nod.ClaudeCode {
		if err := checkClaude(ctx, p); err != nil {
			return install.Plan{}, err
		}
	}
	o, places := in.target(p, agent, level), config.DefaultPlaces(p.Getenv("HOME"))
	o.Hook, o.Nod, o.Managed = programs.Hook, programs.Nod, places.Managed
	if level != install.Managed {
		o.Settings, o.State = places.User, places.State
	}
	plan, err := install.PlanInstall(o)
	if err != nil {
		return install.Plan{}, err
	}
	if agent == nod.ClaudeCode && level == install.User && p.Dir != p.Getenv("HOME") {
		plan.Findings = append(plan.Findings, install.Silencers(p.Dir)...)
	}
	for _, found := range plan.Findings {
		if found.Kind == install.Unread {
			return install.Plan{}, fmt.Errorf("%s. Mend it first", found)
		}
	}
	return plan, nil
}

func (in installer) target(p *Process, agent string, level install.Level) install.Options {
	return install.Options{Agent: agent, Level: level, Root: in.root, Home: p.Getenv("HOME")}
}

// checkClaude refuses a Claude Code that lets a call run when its hook fails.
func checkClaude(ctx context.Context, p *Process) error {
	v, err := install.Version{}, errors.New("claude is not in PATH")
	if at := install.FindProgram("claude", p.Getenv("PATH")); at != "" {
		v, err = install.ProgramVersion(ctx, at, p.Getenv("PATH"))
	}
	switch {
	case err != nil:
		say(p.Stderr, "warning: ", fmt.Sprintf("%s; it must be Claude Code %v or later: an older one lets a call run "+
			"when its hook is missing, crashes or hangs", printable.Text(err.Error()), install.FailsClosed()))
	case v.Before(install.FailsClosed()):
		return fmt.Errorf("this is Claude Code %v, and it lets a call run when its hook is missing, crashes or "+
			"hangs; %v and later block it. Update Claude Code", v, install.FailsClosed())
	}
	return nil
}

func printFindings(p *Process, findings []install.Finding) {
	for _, f := range findings {
		say(p.Stderr, "warning: ", printable.Near(f.String(), nil, p.Getenv("HOME")))
	}
}

// offerLevels says what to run where the managed file is root's to write.
func offerLevels(agent string, programs install.Programs) error {
	return fmt.Errorf(`the managed settings are root's to write. Run

  sudo %s install %s --managed

No repository can silence a hook there. Or, for yourself alone:

  nod install %s`, install.Quote(programs.Nod), agent, agent)
}

// refusal is an error as a person is told it: package install's name is left out.
func refusal(err error) error {
	text := strings.TrimPrefix(err.Error(), "install: ")
	if errors.Is(err, fs.ErrPermission) {
		text += "; run it as the user who may, or with sudo"
	}
	return errors.New(text)
}

// planned is what is to be done for one agent at one level, or why it is not.
type planned struct {
	agent string
	plan  install.Plan
	err   error
}

// changes is one run of install or uninstall.
type changes struct {
	name  string // the subcommand
	flags installFlags
	list  []planned
	asks  bool // whether to write
	// about says what a plan holds; more is what else is asked about; after ends it once all is written. nil: nothing.
	about func(planned)
	more  func() string
	after func(written []planned) int
}

func (in installer) uninstall(ctx context.Context, p *Process, args []string) error {
	f, err := parseInstall(p, args, false)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := person(p, f.unattended); err != nil {
			return refusal(err)
		}
	}
	return (&changes{name: "uninstall", flags: f, asks: f.all, list: in.everywhere(p, f)}).run(ctx, p)
}

// everywhere plans for one agent or for every one, at the level that was named or at all.
func (in installer) everywhere(p *Process, f installFlags) (list []planned) {
	agents, levels := []string{f.agent}, []install.Level{install.Managed, install.User}
	if f.all {
		agents = install.Agents()
	}
	switch {
	case f.managed:
		levels = levels[:1]
	case f.user:
		levels = levels[1:]
	}
	seen := map[string]bool{}
	for _, agent := range agents {
		for _, level := range levels {
			target := in.target(p, agent, level)
			if (f.all || len(levels) > 1) && !target.HasLevel() || seen[target.Target()] {
				continue
			}
			seen[target.Target()] = true
			plan, err := install.PlanUninstall(target)
			if !f.all && len(levels) > 1 && err == nil && !plan.Changed() {
				continue // it was not said to be there
			}
			list = append(list, planned{agent: agent, plan: plan, err: err})
		}
	}
	return list
}

// run shows the plans, asks once, and writes them one by one. What was refused keeps nothing else from being written.
func (c *changes) run(ctx context.Context, p *Process) error {
	code, todo := c.show(p)
	switch {
	case todo == 0:
		if code == ExitOK {
			fmt.Fprintln(p.Stdout, "Nothing to write.")
		}
		return ended(code)
	case c.flags.dryRun:
		fmt.Fprintln(p.Stdout, "Nothing was written (--dry-run).")
		return ended(code)
	case !c.agreed(ctx, p):
		return errors.New("nothing written")
	}
	var written []planned
	for _, a := range c.list {
		switch {
		case a.err != nil || !a.plan.Changed():
		case c.write(p, a):
			written = append(written, a)
		default:
			code = ExitInternal
		}
	}
	if len(written) > 0 && c.after != nil {
		code = max(code, c.after(written))
	}
	return ended(code)
}

// agreed asks the one question.
func (c *changes) agreed(ctx context.Context, p *Process) bool {
	more := ""
	if c.more != nil {
		more = c.more()
	}
	if !c.asks || c.flags.unattended {
		return true
	}
	fmt.Fprint(p.Stdout, "\nWhat else stands in these files stays; a copy is put beside each.\n"+more)
	return confirmed(ctx, p, "Every line: --verbose. Go ahead? [y/N] ")
}

func (c *changes) refuse(p *Process, err error) { fmt.Fprintf(p.Stderr, "nod %s: %v\n", c.name, err) }

// show says what will be done and what was refused, and counts what there is to write.
func (c *changes) show(p *Process) (code, todo int) {
	for i := range c.list {
		a := &c.list[i]
		if a.err == nil && a.plan.Changed() && !c.flags.dryRun {
			a.err = a.plan.Writable()
		}
		switch {
		case a.err != nil:
			err := refusal(a.err)
			if len(c.list) > 1 {
				err = fmt.Errorf("%s: %w", a.agent, err)
			}
			c.refuse(p, err)
			code = ExitBadInput
		case a.plan.Changed():
			todo++
			c.describe(p, *a)
			if c.about != nil {
				c.about(*a)
			}
		case c.name == "install" || len(c.list) == 1:
			say(p.Stdout, "", install.Title(a.agent)+": nothing to change in "+homely(p, a.plan.Path))
			printFindings(p, a.plan.Findings)
		}
	}
	return code, todo
}

func (c *changes) describe(p *Process, a planned) {
	if c.flags.dryRun || c.flags.verbose {
		fmt.Fprintf(p.Stdout, "%s (%s level):\n%s\n", printable.Text(a.plan.Path), a.plan.Level, a.plan.Diff())
	} else {
		say(p.Stdout, "", fmt.Sprintf("%s: %s (%s level)", install.Title(a.agent),
			changeOf(a.plan, homely(p, a.plan.Path)), a.plan.Level))
	}
	printFindings(p, a.plan.Findings)
}

// changeOf is a plan in a few words.
func changeOf(plan install.Plan, name string) string {
	hooked := func(text []byte) bool { return strings.Contains(string(text), install.HookName) }
	switch {
	case plan.After == nil:
		return "removes " + name
	case plan.Before == nil:
		return "makes " + name
	case hooked(plan.After) && hooked(plan.Before):
		return "changes what is nod's in " + name
	case hooked(plan.After):
		return "writes nod's hook into " + name
	}
	return "takes nod's hook out of " + name
}

// write makes one change; one that fails does not stop the next.
func (c *changes) write(p *Process, a planned) bool {
	backup, err := install.Apply(a.plan, time.Now())
	if err != nil {
		c.refuse(p, err)
		return false
	}
	done := "Written"
	if a.plan.After == nil {
		done = "Removed"
	}
	if done += ": " + homely(p, a.plan.Path); backup != "" && c.name == "install" {
		done += " (before: *" + strings.TrimPrefix(backup, a.plan.Path) + ")"
	}
	say(p.Stdout, "", done)
	for _, left := range a.plan.Backups() {
		if c.name == "uninstall" {
			fmt.Fprintf(p.Stdout, "Yours to remove: %s\n", homely(p, left))
		}
	}
	return true
}
