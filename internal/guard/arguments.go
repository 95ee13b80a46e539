package guard

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// selfByArgument finds nod's files among the arguments of tools whose meaning
// nod does not know, and commands that would change nod.
func (g *Call) selfByArgument() change {
	if g.MCP == nil && g.Tool != "" {
		return change{}
	}
	var commands []string
	for _, a := range inputStrings(g.Input) {
		if c := g.selfByName(a.text); c.what != "" {
			return c
		}
		if a.mayRun() && len(commands) < maxCommands {
			commands = append(commands, a.text)
		}
	}
	if len(commands) > 1 { // a program and its arguments
		commands = append(commands, shell.QuoteWords(commands))
	}
	for _, command := range commands {
		if c := g.selfByText(command); c.what != "" {
			return c
		}
	}
	return change{}
}

const (
	maxCommands = 64   // of one call
	maxArgument = 4096 // no system takes a longer path
)

// selfByName judges an argument as a path or as a file's address.
func (g *Call) selfByName(s string) change {
	s = withoutScheme(s)
	if len(s) > maxArgument || !strings.Contains(s, "/") && !strings.HasPrefix(s, "~") && !strings.HasPrefix(s, ".") {
		return change{}
	}
	reals, _ := g.At.Readings(s)
	for _, real := range reals {
		switch {
		case real == "":
		case g.At.Machine.IsSelf(real):
			return change{what: printable.Text(real) + " belongs to nod"}
		case g.callsNod(real) && g.registers(real):
			return change{what: printable.Text(real) + " calls nod"}
		case g.isSource(real):
			return change{what: "nod takes rules from " + printable.Text(real)}
		}
	}
	return change{}
}

// withoutScheme returns the path in a file's address, percent escapes
// resolved; any other text as it stands.
func withoutScheme(s string) string {
	const scheme = "file:"
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return s
	}
	s = s[len(scheme):]
	if host, ok := strings.CutPrefix(s, "//"); ok {
		if i := strings.IndexByte(host, '/'); i >= 0 {
			s = host[i:] // whatever the host
		}
	}
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// inputString is a string in a call's input, with the name that it stands under.
type inputString struct {
	key, text string
}

// mayRun reports whether an argument is a command, or part of one, by its name.
func (a inputString) mayRun() bool {
	switch strings.ToLower(strings.Trim(a.key, "_-")) {
	case "cmd", "cmds", "command", "commands", "commandline", "command_line", "script", "code", "shell",
		"shell_command", "exec", "execute", "run", "bash", "sh", "program", "executable", "args", "argv",
		"arguments", "line", "source", "expression", "stdin", "input":
		return a.text != ""
	}
	return false
}

// inputStrings returns every string in a JSON value, keys too. Those of a list
// stand under the name of the list.
func inputStrings(input json.RawMessage) (found []inputString) {
	type level struct {
		object, value bool // value: a key has been read
		key           string
	}
	stack := []level{{}}
	dec := json.NewDecoder(bytes.NewReader(input))
	for {
		tok, err := dec.Token()
		if err != nil {
			return found
		}
		top := &stack[len(stack)-1]
		switch tok {
		case json.Delim('{'), json.Delim('['):
			top.value = false
			stack = append(stack, level{object: tok == json.Delim('{'), key: top.key})
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:max(1, len(stack)-1)]
			continue
		}
		text, isText := tok.(string)
		switch {
		case top.object && !top.value && isText:
			top.key, top.value = text, true
			found = append(found, inputString{"", text})
		case isText:
			top.value = false
			found = append(found, inputString{top.key, text})
		default:
			top.value = false
		}
	}
}

// selfByText judges an argument as the command that it may be.
func (g *Call) selfByText(command string) change {
	sub := g.Read(command)
	for _, find := range []func() change{sub.selfByCommand, sub.selfByEffect, sub.selfByMention} {
		if c := find(); c.what != "" {
			return c
		}
	}
	return change{}
}
