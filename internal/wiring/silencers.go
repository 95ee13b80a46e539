package wiring

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// What silences an agent's hooks is a key in its settings, or a value. Settings that can be read as JSON or TOML are
// judged by their tree; of all others a mention is enough, with its escapes resolved, since some host may read them.

// Silenced reports whether settings silence hooks after an edit in a way in which they did not before.
func Silenced(real, before, after string) bool {
	was := silencers(real, before)
	return slices.ContainsFunc(silencers(real, after), func(s string) bool { return !slices.Contains(was, s) })
}

// HoldsKey reports whether a text in small letters, its escapes resolved, speaks of a key that silences hooks.
func HoldsKey(text string) bool {
	return slices.ContainsFunc(settingsKeys(), func(key string) bool { return strings.Contains(text, key) })
}

// silencers lists what in settings silences hooks; of a text that cannot be read, each line.
func silencers(real, text string) (found []string) {
	tree, ok := Tree(real, []byte(text))
	if !ok {
		for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
			line = strings.ToLower(Unescape(line))
			if HoldsKey(line) || IsTOML(real) && strings.Contains(line, "hooks") {
				found = append(found, line)
			}
		}
		return found
	}
	for _, p := range pairs(tree, nil) {
		if len(p.path) > 0 && (silences(p.path, p.value) || switchesOff(p.path, p.value) || leadsHooks(p.path)) {
			value, _ := json.Marshal(p.value)
			found = append(found, strings.Join(p.path, ".")+": "+string(value))
		}
	}
	return found
}

// silences judges a pair by the agents' rows. Case does not count, as for some hosts.
func silences(at []string, value any) bool {
	text, _ := value.(string)
	return slices.Contains(settingsKeys(), strings.ToLower(text)) ||
		slices.Contains(settingsKeys(), strings.ToLower(at[len(at)-1])) && !isNo(value)
}

// isNo reports whether a value says no, in any type.
func isNo(value any) bool {
	switch value {
	case nil, false, "", "0", "false", "off", "none", "disabled", "never", json.Number("0"), int64(0):
		return true
	}
	return false
}

// switchesOff judges one key by its path and its value, however an agent spells it: hooksEnabled: false,
// hooks.disabled: true, skip-hooks: 1, hooks: null. What stands below a list of hooks is a hook, not a switch.
func switchesOff(at []string, value any) bool {
	key := letters(at[len(at)-1])
	about := slices.ContainsFunc(at, func(part string) bool {
		part = letters(part)
		return strings.HasSuffix(strings.TrimSuffix(part, "s"), "hook") || strings.HasPrefix(part, "hook")
	}) || strings.Contains(key, "hook")
	if !about || ofServer(at) {
		return false
	}
	switch {
	case containsAny(key, "disab", "skip", "bypass", "suppress", "ignore", "nohook", "without", "exclude", "off"):
		list, isList := value.([]any)
		return !isNo(value) && !(isList && len(list) == 0)
	case containsAny(key, "enab", "active", "allow", "run", "use", "mode"):
		return isNo(value)
	}
	return isNo(value) && (key == "on" || (key == "hooks" || key == "hook" || key == "codexhooks") &&
		(len(at) == 1 || letters(at[len(at)-2]) == "features"))
}

// ofServer reports whether a path lies in what is said of an MCP server.
func ofServer(at []string) bool {
	return slices.ContainsFunc(at, func(part string) bool { return letters(part) == "mcpservers" })
}

func containsAny(text string, pieces ...string) bool {
	return slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(text, piece) })
}

// letters is a key without its case and its signs.
func letters(key string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(key))
}

// leadsHooks reports whether a key sets a variable by which hooks find other settings or code.
func leadsHooks(at []string) bool {
	if len(at) < 2 || letters(at[len(at)-2]) != "env" || ofServer(at) {
		return false
	}
	name := strings.ToUpper(at[len(at)-1])
	switch name {
	case "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS",
		"ZDOTDIR", "GCONV_PATH", "GLIBC_TUNABLES", "GODEBUG", "LOCPATH":
		return true
	}
	begins := func(start string) bool { return strings.HasPrefix(name, start) }
	return slices.ContainsFunc([]string{"LD_", "DYLD_", "NOD_", "BASH_FUNC_"}, begins) || name != "" &&
		slices.ContainsFunc(hosts.Agents(), func(a hosts.Agent) bool { return a.HomeVariable == name })
}

// Unescape resolves the escapes by which JSON, TOML, YAML and a shell's printf write an ASCII character: \uXXXX,
// \UXXXXXXXX, \xXX, \NNN, and the end of a line behind a backslash, which is nothing. All other text stays as it is.
func Unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		plain, length := escaped(after)
		if length == 0 {
			b.WriteByte('\\')
		}
		b.WriteString(plain)
		text = after[length:]
	}
}

// escaped reads what stands behind a backslash: a printable character of ASCII and the length of its escape, or 0.
func escaped(text string) (plain string, length int) {
	if text == "" || text[0] == '\n' {
		return "", min(1, len(text))
	}
	from, n, base := 0, 3, 8
	if sign := strings.IndexByte("xuU", text[0]); sign >= 0 { // two digits, four, eight
		from, n, base = 1, 2<<sign, 16
	}
	if len(text) < from+n {
		return "", 0
	}
	value, err := strconv.ParseUint(text[from:from+n], base, 32)
	if err != nil || value < ' ' || value >= 0x7f {
		return "", 0
	}
	return string(rune(value)), from + n
}
