package guard

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/wiring"
)

// selfByArgument finds nod's files among the arguments of tools whose meaning
// nod does not know, and commands that would change nod.
func (g *Call) selfByArgument() change {
	if g.MCP == nil && g.Tool != "" {
		return change{}
	}
	var commands, arguments []string
	for _, a := range inputStrings(g.Input) {
		if c := g.selfByName(a.text); c.what != "" {
			return c
		}
		switch {
		case !a.mayRun() || len(commands)+len(arguments) >= maxCommands:
		case strings.HasPrefix(a.key, "arg"):
			arguments = append(arguments, a.text)
		default:
			commands = append(commands, a.text)
		}
	}
	if commands = append(commands, arguments...); len(commands) > 1 { // a program and its arguments
		commands = append(commands, shell.QuoteWords(commands))
	}
	for _, command := range commands {
		sub := g.Read(command)
		for _, find := range []func() change{sub.selfByCommand, sub.selfByEffect, sub.selfByMention} {
			if c := find(); c.what != "" {
				return c
			}
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

// withoutScheme returns the path in a file: address, with percent escapes resolved;
// the host does not matter. Any other text stays as it is.
func withoutScheme(s string) string {
	const scheme = "file:"
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return s
	}
	s = s[len(scheme):]
	if host, ok := strings.CutPrefix(s, "//"); ok {
		s = host[max(0, strings.IndexByte(host, '/')):]
	}
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	path, rest, _ := strings.Cut(s, "%")
	for part := range strings.SplitSeq(rest, "%") {
		if c, err := strconv.ParseUint(part[:min(2, len(part))], 16, 8); err == nil && len(part) > 1 {
			part = string([]byte{byte(c)}) + part[2:]
		}
		path += part
	}
	return path
}

// inputString is a string in a call's input, with the name that it stands under.
type inputString struct {
	key, text string
}

// mayRun reports whether an argument, by its name, is a command or part of a command.
func (a inputString) mayRun() bool {
	const names = " cmd cmds command commands commandline command_line script code shell shell_command exec execute " +
		"run bash sh program executable args argv arguments line source expression stdin input "
	return a.text != "" && strings.Contains(names, " "+strings.ToLower(strings.Trim(a.key, "_-"))+" ")
}

// inputStrings returns every string in a JSON value, keys too. Those of a list stand under the name of the list.
func inputStrings(input json.RawMessage) (found []inputString) {
	tree, ok := wiring.Tree("", input)
	if !ok { // a key that is there twice: any piece may be what the tool takes
		for piece := range strings.SplitSeq(wiring.Unescape(string(input)), `"`) {
			found = append(found, inputString{"command", piece})
		}
		return found
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch x := v.(type) {
		case string:
			found = append(found, inputString{key, x})
		case []any:
			for _, e := range x {
				walk(key, e)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(x)) {
				found = append(found, inputString{"", name})
				walk(name, x[name])
			}
		}
	}
	walk("", tree)
	return found
}
