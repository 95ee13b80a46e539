// Package hosts holds one row for each coding agent, and one for each tool, that runs or obeys
// something of a repository by itself: what it is called, where its settings stand and how hooks
// are written there, what silences its hooks, and which names an agent must not fill unasked. The
// guard, the guarded list, install, doctor and the check of who asks all read these rows.
//
// The rows are data, agents.txt and tools.txt: facts, each with its source. A directory that is the
// agent's own stands as a whole: which of its files count differs by version.
package hosts

import (
	"cmp"
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Agent is the row of one coding agent. An empty list means that nothing is known.
type Agent struct {
	Name      string   // the adapter's name where nod has one, else the program's
	Title     string   // what people call it
	Program   string   // its name in PATH, where that is not Name
	Source    string   // what the row rests on, as a whole
	Processes []string // the names of its programs and packages, in small letters
	// Editor says that its program is an editor, below which people work too: it is not among Processes then.
	Editor bool
	Marks  []string // variables that it sets for the commands that it runs
	Brings []string // programs that it brings for its shell, where PATH has none
	// Home are its own directories below the home directory; the first is that of its settings.
	// HomeVariable leads it to another directory than that.
	Home         []string
	HomeVariable string
	Install      Install
	// Hooks are the files in which its hooks may stand: below home with "~/", on the machine with "/", in a
	// repository without either; a star stands for any name. Those of Install are among them.
	Hooks []string
	// Settings are patterns, as in the guarded list, of where it is set up: a file of settings
	// below one may register hooks or silence them.
	Settings []string
	Keys     []string  // words whose mention in its settings may silence hooks
	Unasked  []Unasked // ways to start it so that it asks no hook of the user's
	Obeys    []Obeyed  // what it runs or obeys from a repository by itself
	Project  string    // the variable in which its hooks are told the workspace
	Off      []Switch
	// Environ are settings below a project that set variables for the agent and its hooks, under "env".
	Environ []string
	// Sessions are the directories of its transcripts that nod history reads, below the first
	// of Home, or with "~/" below the home directory.
	Sessions []string
	// Payloads are what it sends about a shell command, as JSON. A string that is $EVENT,
	// $SESSION, $CALL, $DIR, $COMMAND, $MODE or $TRANSCRIPT stands for what it names. nod doctor
	// sends the first that the adapter reads as the event.
	Payloads []string
}

// Install is how nod's hook is written into an agent's settings; its zero value says that a person writes it.
type Install struct {
	// User, Project, Managed and ManagedDarwin are the files, below the home directory, a
	// repository and the root; "" for a file that does not exist or that nod does not edit.
	User, Project, Managed, ManagedDarwin string
	Format                                string // how one hook is written; package install knows the names
	Versioned                             bool   // a new file must hold "version": 1
	// Named is the hook's name where the file's top holds hooks by name, each with its own
	// events; "" where they stand under "hooks".
	Named string
	// Flat says that an event's list holds the hooks themselves, not groups under a matcher.
	Flat    bool
	Matcher string // asks about every tool; "" where it is left out
	// Decides and Records are the events that nod answers. Where a hook of the first fails the
	// call must not run; one of the second must not stop work.
	Decides, Records []string
	Plain            bool // the agent reads standard JSON only
	// Blocks are the failures of a hook for which the agent itself blocks the call, in the
	// words of nod doctor; nil where that was not measured.
	Blocks []string
	// Next is what the person must do before the hook is asked, Confirm the same for all levels but the managed one.
	Next, Confirm string
	FailOpen      string // what nod cannot close on this agent, in a sentence
	Rules         string // what becomes of the person's own rules there, in a line of 77 columns
}

// Switch is a setting that keeps an agent's hooks from running.
type Switch struct {
	// Where are words that say in which directories File counts: "home", "here" (in which the agent works), "above"
	// (those above that one), "managed" (that of the managed settings), "unmanaged" (the same, for a hook that stands
	// elsewhere); or "own", the very file in which the hook stands.
	Where []string
	File  string // JSON, or TOML by its name; may be a pattern where it is managed
	// Key is a path of names with dots between them. The switch is off where the value is
	// false, if Falsely, else where it is anything but false.
	Key     string
	Falsely bool
	When    string // restricts it, in words; "" where nothing does
}

// Counts reports whether a switch stands in such a directory.
func (s Switch) Counts(where string) bool { return slices.Contains(s.Where, where) }

// Unasked is a way to start an agent so that it asks no hook of the user's.
type Unasked struct {
	Options  string // what is typed behind the program's name; "" for a variable
	Variable string // set in the environment, to anything that is not empty or 0
	Source   string
}

// Obeyed are names in a repository, as patterns of the guarded list, and what they are, with the source.
type Obeyed struct {
	Names []string
	Why   string
}

// Guarded lists the names that an agent or a tool runs or obeys by itself, each once, in their order.
func Guarded() []string {
	names := make([]string, 0, 512)
	seen := make(map[string]struct{}, 512)
	for _, text := range [...]string{agentsText, toolsText} {
		for value := range values(text, "obeys") {
			list, _, _ := strings.Cut(value, "#")
			for name := range strings.FieldsSeq(list) {
				if _, known := seen[name]; !known {
					seen[name] = struct{}{}
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Agents returns every row, those that nod is installed for first. Nobody may change them.
func Agents() []Agent { return agents() }

// Tools returns the programs that run something of a repository when another program is started there, or when
// somebody enters it.
func Tools() []Agent { return slices.Clone(tools()) }

// Settings lists the patterns of where any agent is set up.
func Settings() []string { return listed("settings") }

// Processes lists the names of all agents' programs and packages.
func Processes() []string { return listed("processes") }

// Home lists the directories of all agents' own below the home directory.
func Home() []string { return listed("home") }

func listed(word string) (all []string) {
	for value := range values(agentsText, word) {
		all = append(all, strings.Split(strings.Join(strings.Fields(value), " "), ", ")...)
	}
	return all
}

// ByName returns an agent's row; the zero value for an unknown name.
func ByName(name string) Agent {
	if i := slices.IndexFunc(agents(), func(a Agent) bool { return a.Name == name }); i >= 0 {
		return agents()[i]
	}
	return Agent{}
}

// ProgramName is the agent's program in PATH.
func (a Agent) ProgramName() string { return cmp.Or(a.Program, a.Name) }

// Set reports whether the variable is set in an environment, and to what.
func (u Unasked) Set(environ []string) (value string, set bool) {
	for i := len(environ) - 1; i >= 0 && u.Variable != ""; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && k == u.Variable {
			return v, v != "" && v != "0" && !strings.EqualFold(v, "false")
		}
	}
	return "", false
}

//go:embed agents.txt
var agentsText string

//go:embed tools.txt
var toolsText string

// agents and tools are read once, where somebody asks, which a hook pays at each start.
var (
	agents = sync.OnceValue(func() []Agent { return readRows(agentsText) })
	tools  = sync.OnceValue(func() []Agent { return readRows(toolsText) })
)

// values are what a word says in all rows, lines that go on included. The other words are not read: a hook that
// needs one list reads that one.
func values(text, word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, found := strings.Cut(text, "\n"+word+": ")
			value, _, _ := strings.Cut(rest, "\n")
			for len(rest) > len(value)+1 && rest[len(value)+1] == ' ' { // the next line goes on with this one
				next, _, _ := strings.Cut(rest[len(value)+1:], "\n")
				value = rest[:len(value)+1+len(next)]
			}
			if text = rest; !found || !yield(value) {
				return
			}
		}
	}
}

// readRows reads rows: a name in brackets, then "word: value" for each fact. A line that starts with white space
// continues the line above. A mistake in them is a fault in nod, which every start of it would show.
func readRows(text string) []Agent {
	rows := make([]Agent, 0, strings.Count(text, "\n["))
	var row Agent
	words := row.words()
	word, value := "", ""
	store := func() {
		if word != "" && !row.set(words, word, strings.TrimSpace(value)) {
			panic(fmt.Sprintf("hosts: [%s] %s: %s", row.Name, word, value))
		}
		word, value = "", ""
	}
	end := func() {
		if store(); row.Name != "" {
			row.Hooks = append(row.Install.files(), row.Hooks...)
			rows = append(rows, row)
		}
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case line[0] == ' ':
			value += " " + trimmed
			continue
		case trimmed == "" || line[0] == '#':
			continue
		}
		if name, ok := strings.CutPrefix(trimmed, "["); ok {
			end()
			row = Agent{Name: strings.TrimSuffix(name, "]")}
			continue
		}
		store()
		word, value, _ = strings.Cut(trimmed, ":")
	}
	end()
	return rows
}

// files are where nod's hook may be written, as Hooks names them.
func (in Install) files() (all []string) {
	for _, f := range [...][2]string{{"~/", in.User}, {"", in.Project}, {"/", in.Managed}, {"/", in.ManagedDarwin}} {
		if f[1] != "" {
			all = append(all, f[0]+f[1])
		}
	}
	return all
}

// fact is a word of the rows and what it sets: a *string, a *[]string, a *bool.
type fact struct {
	word string
	at   any
}

// words are those that set one field of this row.
func (a *Agent) words() []fact {
	in := &a.Install
	return []fact{{"title", &a.Title}, {"program", &a.Program}, {"source", &a.Source},
		{"home variable", &a.HomeVariable}, {"project variable", &a.Project},
		{"processes", &a.Processes}, {"marks", &a.Marks},
		{"brings", &a.Brings}, {"home", &a.Home}, {"hooks", &a.Hooks}, {"settings", &a.Settings},
		{"keys", &a.Keys}, {"environ", &a.Environ}, {"sessions", &a.Sessions}, {"editor", &a.Editor},
		{"user", &in.User}, {"project", &in.Project}, {"managed", &in.Managed},
		{"managed on macOS", &in.ManagedDarwin}, {"format", &in.Format}, {"named", &in.Named},
		{"matcher", &in.Matcher}, {"next", &in.Next}, {"confirm", &in.Confirm}, {"fails open", &in.FailOpen},
		{"rules", &in.Rules},
		{"decides", &in.Decides}, {"records", &in.Records}, {"blocks", &in.Blocks},
		{"flat", &in.Flat}, {"plain", &in.Plain}, {"versioned", &in.Versioned}}
}

// set stores the value that a word stands for; ok is false for an unknown word, or a value that does not fit it.
func (a *Agent) set(words []fact, word, value string) (ok bool) {
	switch word {
	case "unasked":
		return a.setUnasked(value)
	case "off":
		return a.setSwitch(value)
	case "obeys":
		names, why, ok := strings.Cut(value, " # ")
		a.Obeys = append(a.Obeys, Obeyed{strings.Fields(names), why})
		return ok
	case "payload":
		a.Payloads = append(a.Payloads, value)
		return true
	}
	for _, f := range words {
		if f.word != word {
			continue
		}
		switch at := f.at.(type) {
		case *string:
			*at = value
		case *[]string:
			*at = strings.Split(value, ", ")
		case *bool:
			*at = value == "yes"
		}
		return value != ""
	}
	return false
}

func (a *Agent) setUnasked(value string) bool {
	how, source, ok := strings.Cut(value, "; ")
	u := Unasked{Options: how, Source: source}
	if variable, is := strings.CutPrefix(how, "$"); is {
		u.Options, u.Variable = "", variable
	}
	a.Unasked = append(a.Unasked, u)
	return ok
}

// setSwitch reads "where; file; key = value; when".
func (a *Agent) setSwitch(value string) bool {
	parts := strings.SplitN(value, ";", 4)
	if len(parts) < 3 {
		return false
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	key, off, ok := strings.Cut(parts[2], " = ")
	s := Switch{Where: strings.Fields(parts[0]), File: parts[1], Key: key, Falsely: off == "false"}
	if len(parts) > 3 {
		s.When = parts[3]
	}
	a.Off = append(a.Off, s)
	return ok && len(s.Where) > 0 && !slices.Contains(s.Where, "")
}
