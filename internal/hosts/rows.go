package hosts

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed agents.txt
var agentsText string

//go:embed tools.txt
var toolsText string

// agents and tools are read once, where somebody asks, which a hook pays at each start.
var (
	agents = sync.OnceValue(func() []Agent { return readRows(agentsText) })
	tools  = sync.OnceValue(func() []Agent { return readRows(toolsText) })
)

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
