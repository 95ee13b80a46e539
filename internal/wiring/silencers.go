package wiring

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/hosts"
)

// What silences an agent's hooks is a key in its settings. A parser reads a
// key in more spellings than one, so what is looked at is the text with its
// escapes resolved, and what stands between key and value does not count.

// Silences reports whether the content of a settings file may silence hooks.
// TOML is read as such; of the others a key is enough, whatever its value.
func Silences(real, text string) bool {
	if strings.HasSuffix(strings.ToLower(real), ".toml") {
		return silencesTOML(text)
	}
	return mentionsKey(text) || silencesGemini(hooksConfig(text)) || len(switches(text)) > 0
}

// MentionsSilencer is [Silences] for a command that writes to a settings file in
// a way that nobody has read.
func MentionsSilencer(text string) bool {
	return mentionsKey(text) || silencesGemini(hooksConfig(text)) || silencesTOML(text) || setsFalse(text) ||
		len(switches(braces(text))) > 0
}

// braces is the part of a command that may be JSON.
func braces(text string) string {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return ""
	}
	return text[from : to+1]
}

// mentionsKey finds the keys, and the values, by which an agent runs no hook;
// each stands in the agent's row. Case does not count, since the parsers of
// some hosts are as lax.
func mentionsKey(text string) bool {
	return HoldsKey(strings.ToLower(Unescape(text)))
}

// HoldsKey reports whether a text in small letters, its escapes resolved, speaks
// of a key that silences hooks.
func HoldsKey(text string) bool {
	return slices.ContainsFunc(settingsKeys(), func(key string) bool { return strings.Contains(text, key) })
}

// Resilenced reports whether what silences hooks is another one after an edit
// than before: a key has another value, or came out of a comment or a string.
// That all of them say false is no harm.
func Resilenced(before, after string) bool {
	if hooksConfig(after) != hooksConfig(before) {
		return true
	}
	if !slices.Equal(switches(before), switches(after)) {
		return len(switches(after)) > 0
	}
	is := silencers(after)
	return !slices.Equal(silencers(before), is) &&
		slices.ContainsFunc(is, func(s string) bool { return !strings.HasSuffix(s, ": false") })
}

// switches lists, of settings that are JSON, the keys that speak of hooks and of
// their being off, however an agent spells them: hooksEnabled: false,
// hooks.disabled: true, skip-hooks: 1, hooks: null. And the variables by which
// settings lead a hook to other settings or other code.
func switches(text string) (found []string) {
	tree, _, ok := Read([]byte(text))
	if !ok {
		return nil
	}
	for _, c := range Changes(map[string]any{}, tree, nil) {
		if len(c.Path) > 0 && (switchesOff(c.Path, c.to) || leadsHooks(c.Path)) {
			value, _ := json.Marshal(c.to)
			found = append(found, strings.Join(c.Path, ".")+": "+string(value))
		}
	}
	return found
}

// switchesOff judges one key by its path and its value. What stands below a
// list of hooks is a hook, not a switch.
func switchesOff(at []string, value any) bool {
	key := letters(at[len(at)-1])
	about := slices.ContainsFunc(at, func(part string) bool {
		return strings.HasSuffix(strings.TrimSuffix(letters(part), "s"), "hook") ||
			strings.HasPrefix(letters(part), "hook")
	}) || strings.Contains(key, "hook")
	if !about || slices.ContainsFunc(at, func(part string) bool { return letters(part) == "mcpservers" }) {
		return false
	}
	no := value == nil || value == false || value == "false" || value == "off" || value == "none" ||
		value == "disabled" ||
		value == "never" ||
		value == json.Number("0")
	switch {
	case containsAny(key, "disab", "skip", "bypass", "suppress", "ignore", "nohook", "without", "exclude", "off"):
		list, isList := value.([]any)
		return !no && !(isList && len(list) == 0)
	case containsAny(key, "enab", "active", "allow", "run", "use", "mode"):
		return no
	}
	return no && (key == "hooks" || key == "hook" || key == "on")
}

func containsAny(text string, pieces ...string) bool {
	return slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(text, piece) })
}

// letters is a key without its case and its signs.
func letters(key string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(key))
}

// leadsHooks reports whether a key sets a variable for all that the agent
// starts, hooks too, by which they find other settings or load other code.
func leadsHooks(at []string) bool {
	if len(at) < 2 || letters(at[len(at)-2]) != "env" ||
		slices.ContainsFunc(at, func(part string) bool { return letters(part) == "mcpservers" }) {
		return false
	}
	name := strings.ToUpper(at[len(at)-1])
	switch name {
	case "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS",
		"ZDOTDIR", "GCONV_PATH", "GLIBC_TUNABLES", "GODEBUG", "LOCPATH":
		return true
	}
	return containsPrefix(name, "LD_", "DYLD_", "NOD_", "BASH_FUNC_") || slices.ContainsFunc(hosts.Agents(),
		func(a hosts.Agent) bool { return a.HomeVariable != "" && a.HomeVariable == name })
}

func containsPrefix(text string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// silencers lists where a text of settings, comments apart, mentions a key or
// a value by which no hook runs, each with its value or its key.
func silencers(text string) (found []string) {
	words := settingsWords(text)
	for i, w := range words {
		switch {
		case !mentionsKey(w):
		case i+2 < len(words) && words[i+1] == ":" && words[i+2] != "{" && words[i+2] != "[":
			found = append(found, strings.Join(words[i:i+3], " "))
		case i+1 < len(words) && words[i+1] == ":":
			found = append(found, strings.Join(words[i:], " "))
		default:
			found = append(found, strings.Join(words[max(0, i-2):i+1], " "))
		}
	}
	return found
}

// settingsWords splits JSON, as lax as a host may read it, into strings, plain
// words and signs.
func settingsWords(text string) (words []string) {
	for text != "" {
		n := 1
		switch c := text[0]; {
		case strings.HasPrefix(text, "//"):
			text = text[upTo(text, "\n"):]
			continue
		case strings.HasPrefix(text, "/*"):
			text = text[upTo(text, "*/"):]
			continue
		case c == '"' || c == '\'':
			for n < len(text) && text[n] != c {
				if text[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(text))
		case NameByte(c):
			for n < len(text) && NameByte(text[n]) {
				n++
			}
		}
		if w := strings.TrimSpace(text[:n]); w != "" {
			words = append(words, Unescape(w))
		}
		text = text[n:]
	}
	return words
}

// upTo is where a text is read on behind what ends a comment.
func upTo(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// setsFalse finds "hooks = false" anywhere in a line, as a command puts it
// into Codex's settings: quotes, and blanks and tabs before and behind the
// sign do not count, nor do those that printf makes.
func setsFalse(text string) bool {
	text = strings.NewReplacer(`\n`, "\n", `\r`, "\n", `\t`, "\t", `"`, "", "'", "", `\`, "").Replace(Unescape(text))
	parts := strings.Split(text, "=")
	for i, part := range parts {
		parts[i] = strings.Trim(part, " \t")
	}
	for rest := strings.Join(parts, "="); ; {
		before, after, found := strings.Cut(rest, "hooks=false")
		if !found {
			return false
		}
		before = strings.TrimSuffix(before, "codex_")
		if before == "" || !NameByte(before[len(before)-1]) {
			return true
		}
		rest = after
	}
}

// silencesTOML reads TOML as Codex 0.169.0 does: the feature in each of its
// spellings (dotted, in a table, in an inline table, the old name), a hook's
// own state, and the key of requirements. Where the table of a pair is not
// known it may be the one.
func silencesTOML(text string) bool {
	table := ""
	for _, s := range statements(plainTOML(text)) {
		key, value, isPair := strings.Cut(s, "=")
		switch {
		case !isPair && strings.HasPrefix(s, "["):
			table = strings.Trim(s, "[]") + "."
		case isPair && (silencesPair(table+key, value) || strings.Contains(s, "allow_managed_hooks_only=true")):
			return true
		}
	}
	return false
}

// silencesPair judges one pair; key is its whole path.
func silencesPair(key, value string) bool {
	off := strings.HasPrefix(value, "false") || strings.Contains(value, "enabled=false")
	for _, name := range [...]string{"hooks", "codex_hooks"} {
		if above, found := strings.CutSuffix(strings.TrimSuffix(key, ".enabled"), name); found && off &&
			(above == "" || above == "features." || strings.HasSuffix(above, ".features.")) {
			return true
		}
	}
	switch {
	case strings.HasPrefix(key, "hooks.state"):
		return off && (strings.HasSuffix(key, ".enabled") || value[0] == '{')
	case key == "hooks":
		return off && strings.Contains(value, "state")
	case key == "features" || strings.HasSuffix(key, ".features") || strings.Contains(value, "features={"):
		return setsFalse(value) || off && strings.Contains(value, "hooks={")
	}
	return false
}

// plainTOML is a text without quotes and comments: what a string holds that
// TOML would read otherwise is an underscore.
func plainTOML(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '#':
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				return b.String()
			}
			i += n
		case '"', '\'':
			quote := string(c)
			if strings.HasPrefix(text[i:], quote+quote+quote) {
				quote += quote + quote
			}
			i += len(quote)
			i += plainString(&b, text[i:], quote)
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// plainString writes a string up to its quote, and returns how long it is.
func plainString(b *strings.Builder, text, quote string) (length int) {
	for length < len(text) {
		rest := text[length:]
		if strings.HasPrefix(rest, quote) &&
			(len(quote) == 1 || !strings.HasPrefix(rest[1:], quote)) { // """" ends with its last three
			return length + len(quote)
		}
		plain, n := rest[:1], 1
		if rest[0] == '\\' && quote[0] == '"' {
			if plain, n = escaped(rest[1:]); n == 0 {
				plain, n = "_", min(1, len(rest)-1)
			}
			n++
		}
		if plain != "" && strings.Contains("[]{}#=,.\n\r\t ", plain) {
			plain = "_"
		}
		b.WriteString(plain)
		length += n
	}
	return length
}

// statements splits plain TOML: each is a pair or the head of a table, without
// blanks. Brackets that are open hold lines together.
func statements(text string) (list []string) {
	var b strings.Builder
	depth := 0
	for _, c := range []byte(text + "\n") {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '\n':
			if depth == 0 && b.Len() > 0 {
				list = append(list, b.String())
				b.Reset()
			}
			continue
		case ' ', '\t', '\r':
			continue
		}
		b.WriteByte(c)
	}
	return append(list, b.String())
}

// silencesGemini reports whether what stands under hooksConfig may switch
// hooks off. It errs towards yes.
func silencesGemini(config string) bool {
	config = strings.ReplaceAll(strings.ReplaceAll(config, `"enabled":true`, ""), `"disabled":[]`, "")
	return strings.Contains(config, "enabled") || strings.Contains(config, "disabled")
}

// hooksConfig returns what stands from the first "hooksConfig" up to the brace
// that closes its object, without blanks; all that follows where none does.
func hooksConfig(text string) string {
	_, rest, found := strings.Cut(strings.Join(strings.Fields(Unescape(text)), ""), "hooksConfig")
	if !found {
		return ""
	}
	if strings.Contains(rest, "hooksConfig") { // another one may count
		return rest
	}
	depth := 0
	for i, c := range []byte(rest) {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth <= 1:
			return rest[:i]
		case c == '}':
			depth--
		}
	}
	return rest
}

// Unescape resolves the escapes by which JSON, TOML, YAML and a shell's printf
// write an ASCII character: \uXXXX, \UXXXXXXXX, \xXX, \NNN, and the end of a
// line behind a backslash, which is nothing. All other text stays as it is.
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

// escaped reads what stands behind a backslash: the character and the length
// of its escape, 0 where it is none of those.
func escaped(text string) (plain string, length int) {
	switch {
	case text == "":
		return "", 0
	case text[0] == '\n':
		return "", 1
	case text[0] == 'u':
		return digits(text, 1, 4, 16)
	case text[0] == 'U':
		return digits(text, 1, 8, 16)
	case text[0] == 'x':
		return digits(text, 1, 2, 16)
	}
	return digits(text, 0, 3, 8)
}

// digits reads a number of exactly n digits that is a printable ASCII
// character.
func digits(text string, from, n, base int) (plain string, length int) {
	if len(text) < from+n {
		return "", 0
	}
	value := 0
	for _, c := range []byte(text[from : from+n]) {
		digit := strings.IndexByte("0123456789abcdefABCDEF", c)
		if digit >= 16 {
			digit -= 6
		}
		if digit < 0 || digit >= base || value > utf8.RuneSelf {
			return "", 0
		}
		value = value*base + digit
	}
	if value < ' ' || value >= 0x7f {
		return "", 0
	}
	return string(rune(value)), from + n
}
