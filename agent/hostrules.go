package agent

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// hostText reads a small file of a host's settings; there is false where no file is.
func hostText(name string) (text string, there bool, err error) {
	file, size, err := openRegular(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", true, err
	}
	defer file.Close()
	if size > settingsLimit {
		return "", true, errors.New("too long to be settings")
	}
	raw, err := io.ReadAll(io.LimitReader(file, settingsLimit))
	return string(raw), true, err
}

// upwards are a directory and those above it, once each.
func upwards(starts ...string) (dirs []string) {
	for _, dir := range starts {
		for path.IsAbs(dir) && !slices.Contains(dirs, path.Clean(dir)) {
			dir = path.Clean(dir)
			dirs = append(dirs, dir)
			dir = path.Dir(dir)
		}
	}
	return dirs
}

// homes are where a host keeps the person's settings: in their home, and where a variable
// says. That names a further one here, so that no environment takes a rule away.
func homes(environ []string, name, below string) (dirs []string, ok bool) {
	if home := variable(environ, "HOME"); path.IsAbs(home) {
		dirs = append(dirs, path.Join(home, below))
	}
	if dir := variable(environ, name); path.IsAbs(dir) {
		dirs = append(dirs, dir)
	}
	return dirs, len(dirs) > 0
}

// codexAsks reports whether a rule of the person's may have Codex ask about a call, or
// cannot be read. Codex takes the rules that lie beside each of its settings (0.169.0), and
// settings ask about tools of MCP servers.
func codexAsks(e *Event, start string) bool {
	layers, ok := homes(e.Call.Environ, "CODEX_HOME", ".codex")
	if !ok {
		return true
	}
	layers = append(layers, "/etc/codex")
	for _, dir := range upwards(start, e.Start, e.Project) {
		layers = append(layers, path.Join(dir, ".codex"))
	}
	words := wordsOf(e.Call.Command + " " + e.Call.URL)
	return slices.ContainsFunc(layers, func(dir string) bool {
		if e.Call.MCP != nil {
			return anyFile(dir, ".toml", codexToolAsked)
		}
		asks := func(text string) bool { return codexRuleAsks(text, words) }
		managed := func(text string) bool { return strings.Contains(text, "rules") }
		return anyFile(path.Join(dir, "rules"), ".rules", asks) || anyFile(dir, "requirements.toml", managed)
	})
}

// codexToolAsked reports whether settings may have Codex ask about a tool of a server.
func codexToolAsked(text string) bool {
	return strings.Contains(text, "approval_mode") && strings.Contains(text, "prompt")
}

// codexRuleAsks reports whether a file of rules asks about a line of these words or refuses it.
func codexRuleAsks(text string, words []string) bool {
	rules, ok := codexRules(text)
	return !ok || slices.ContainsFunc(rules, func(r hostRule) bool { return r.speaksOf(words) })
}

// anyFile reports whether one of the files of a directory whose names end so holds what is
// looked for, or cannot be read.
func anyFile(dir, ending string, holds func(text string) bool) bool {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	for _, one := range entries {
		if !strings.HasSuffix(one.Name(), ending) {
			continue
		}
		text, there, err := hostText(filepath.Join(dir, one.Name()))
		if err != nil || there && holds(text) {
			return true
		}
	}
	return false
}

// hostRule is a rule of a host's that asks about commands or refuses them: what may stand
// at each place of one. "" is any word.
type hostRule [][]string

// speaksOf reports whether a rule may speak of a line: what it names stands in the line,
// behind whatever wrapper. A line that Codex cannot divide is one command of a shell.
func (r hostRule) speaksOf(words []string) bool {
	if len(r) > 0 && slices.ContainsFunc(r[0], func(name string) bool {
		return readsAsShell(path.Base(name)) || strings.Contains(name, "pwsh") || strings.Contains(name, "powershell")
	}) {
		return true
	}
	return !slices.ContainsFunc(r, func(place []string) bool {
		return !slices.ContainsFunc(place, func(one string) bool {
			return !slices.ContainsFunc(wordsOf(one), func(word string) bool { return !slices.Contains(words, word) })
		})
	})
}

// wordsOf are the words of a text as far as a rule can name them, without what quotes.
func wordsOf(text string) []string {
	text = strings.NewReplacer("\\\n", "", `\`, "", `'`, "", `"`, "").Replace(text)
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r < 0x80 && !isLetterOrDigit(r) && !strings.ContainsRune("_.+-", r)
	})
}

// codexRules reads a file of Codex's rules, which are Starlark, as people and Codex write
// them: calls with named arguments, which are texts and lists of them. ok is false for any
// other file. Only rules that ask or refuse are returned.
func codexRules(text string) (rules []hostRule, ok bool) {
	s := starlark{rest: text}
	for s.step(); s.kind != 0 && !s.wrong; {
		name := s.take('a')
		args := s.arguments()
		rule := args["pattern"]
		switch name {
		case "prefix_rule":
		case "network_rule":
			rule = args["host"]
		case "host_executable":
			continue
		default:
			return nil, false
		}
		decision := args["decision"]
		if len(decision) == 0 || len(decision) == 1 && slices.Equal(decision[0], []string{"allow"}) {
			continue
		}
		rules = append(rules, rule)
	}
	return rules, !s.wrong
}

// starlark reads the little of that language that rules are written in, a token at a time.
type starlark struct {
	rest  string
	kind  byte // of the token: 'a' a name, '"' a text, 0 the end, else the sign itself
	token string
	wrong bool
}

// step goes on to the next token.
func (s *starlark) step() {
	s.rest = strings.TrimLeft(s.rest, " \t\r\n")
	for strings.HasPrefix(s.rest, "#") {
		_, s.rest, _ = strings.Cut(s.rest, "\n")
		s.rest = strings.TrimLeft(s.rest, " \t\r\n")
	}
	s.kind, s.token = 0, ""
	if s.rest == "" {
		return
	}
	name := len(s.rest) - len(strings.TrimLeftFunc(s.rest, func(r rune) bool { return r == '_' || isLetterOrDigit(r) }))
	switch c := s.rest[0]; {
	case name > 0:
		s.kind, s.token, s.rest = 'a', s.rest[:name], s.rest[name:]
	case c == '"', c == '\'':
		s.text(s.rest[:1])
	default:
		s.kind, s.rest, s.wrong = c, s.rest[1:], s.wrong || c == 0
	}
}

// text takes a text in quotes. One with escapes is any word.
func (s *starlark) text(quote string) {
	if strings.HasPrefix(s.rest, strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	s.kind, s.rest = '"', s.rest[len(quote):]
	for i := 0; i < len(s.rest); i++ {
		switch {
		case s.rest[i] == '\\':
			i++
		case strings.HasPrefix(s.rest[i:], quote):
			if s.token = s.rest[:i]; strings.Contains(s.token, `\`) {
				s.token = ""
			}
			s.rest = s.rest[i+len(quote):]
			return
		}
	}
	s.wrong, s.rest = true, ""
}

// take takes a token of a kind; another is wrong.
func (s *starlark) take(kind byte) string {
	token := s.token
	if s.kind != kind {
		s.wrong, s.rest = true, ""
	}
	s.step()
	return token
}

// arguments takes the arguments of a call, each with its name.
func (s *starlark) arguments() map[string]hostRule {
	args := map[string]hostRule{}
	s.take('(')
	for s.kind != ')' && !s.wrong {
		name := s.take('a')
		s.take('=')
		if _, twice := args[name]; twice {
			s.wrong = true
		}
		args[name] = s.value()
		if s.kind != ')' {
			s.take(',')
		}
	}
	s.take(')')
	return args
}

// value takes a text, a list, or a name that stands for nothing.
func (s *starlark) value() hostRule {
	switch s.kind {
	case 'a':
		if s.take('a') != "None" {
			s.wrong = true
		}
		return nil
	case '[':
		return s.list()
	}
	return hostRule{{s.take('"')}}
}

// list takes a list of texts and of lists of them.
func (s *starlark) list() (rule hostRule) {
	s.take('[')
	for s.kind != ']' && !s.wrong {
		var place []string
		for _, one := range s.value() {
			place = append(place, one...)
		}
		if rule = append(rule, place); s.kind != ']' {
			s.take(',')
		}
	}
	s.take(']')
	return rule
}

// qwenAsks reports whether a rule of the person's may have Qwen Code ask about a call, or
// cannot be read (0.24.4, read: permissions.ask of each settings file).
func qwenAsks(c nod.Call, project string) bool {
	dirs, ok := homes(c.Environ, "QWEN_HOME", ".qwen")
	if !ok {
		return true
	}
	dirs = append(dirs, "/etc/qwen-code", "/Library/Application Support/QwenCode")
	for _, dir := range upwards(project, c.Dir) {
		dirs = append(dirs, path.Join(dir, ".qwen"))
	}
	files := []string{variable(c.Environ, "QWEN_CODE_SYSTEM_SETTINGS_PATH"),
		variable(c.Environ, "QWEN_CODE_SYSTEM_DEFAULTS_PATH")}
	for _, dir := range dirs {
		files = append(files, path.Join(dir, "settings.json"), path.Join(dir, "settings.local.json"),
			path.Join(dir, "system-defaults.json"))
	}
	return slices.ContainsFunc(files, func(name string) bool { return name != "" && qwenFileAsks(name, c) })
}

func qwenFileAsks(name string, c nod.Call) bool {
	text, there, err := hostText(name)
	if err == nil && (!there || !strings.Contains(text, `"ask"`)) {
		return false
	}
	var s struct {
		Permissions struct {
			Ask []string `json:"ask"`
		} `json:"permissions"`
	}
	if err != nil || json.Unmarshal([]byte(text), &s) != nil {
		return true
	}
	return slices.ContainsFunc(s.Permissions.Ask, func(rule string) bool { return qwenRuleAsks(rule, c) })
}

// qwenRuleAsks reports whether a rule may speak of a call. One about files or addresses
// speaks of commands as well.
func qwenRuleAsks(rule string, c nod.Call) bool {
	tool, about, narrow := strings.Cut(strings.TrimSpace(rule), "(")
	switch strings.TrimSpace(tool) {
	case "run_shell_command", "Shell", "ShellTool", "Bash":
	default:
		return true
	}
	if c.Tool != "bash" || !narrow {
		return c.Tool == "bash"
	}
	var places hostRule
	for _, word := range strings.Fields(strings.TrimSuffix(strings.TrimSuffix(about, ")"), ":*")) {
		if strings.ContainsAny(word, "*?[$:") {
			break
		}
		places = append(places, []string{word})
	}
	return places.speaksOf(wordsOf(c.Command))
}

// copilotDenies reports whether a rule of the person's may deny a call on Copilot CLI, where
// a hook's allow overrules it in both seats (1.0.102, run). Such rules stand on the command
// line and, for addresses, in settings; there are none that ask.
func copilotDenies(c nod.Call, project string) bool {
	return startedWith("--deny-") || copilotDeniesURL(c, project)
}

// startedWith reports whether a process above this one has an argument that begins so, or
// may have.
func startedWith(options ...string) bool {
	pid := os.Getppid()
	for range 1000 {
		if pid <= 0 {
			return false
		}
		args, parent, err := started(pid)
		if err != nil || slices.ContainsFunc(args, func(arg string) bool {
			return slices.ContainsFunc(options, func(option string) bool { return strings.HasPrefix(arg, option) })
		}) {
			return true
		}
		pid = parent
	}
	return true
}

// copilotDeniesURL reports whether settings deny addresses, to a tool that may fetch one.
func copilotDeniesURL(c nod.Call, project string) bool {
	if c.Tool != "bash" && c.Tool != "web_fetch" {
		return false
	}
	dirs, ok := homes(c.Environ, "COPILOT_HOME", ".copilot")
	for _, dir := range upwards(project, c.Dir) {
		dirs = append(dirs, path.Join(dir, ".github", "copilot"))
	}
	return !ok || slices.ContainsFunc(dirs, func(dir string) bool {
		return anyFile(dir, ".json", func(text string) bool {
			return strings.Contains(text, "deniedUrls") || strings.Contains(text, "denied_urls")
		})
	})
}

// acpAsks reports whether a rule of the person's may be why an agent asks over the protocol,
// which does not say why: so it may for every agent whose settings are not read here. A
// setting of opencode's that has it ask about everything is what `nod acp` needs there.
func acpAsks(e *Event, peer string) bool {
	switch peer {
	case "qwen-code":
		return qwenAsks(e.Call, e.Project)
	case "codex", "codex-acp":
		return codexAsks(e, e.Project)
	case "gemini-cli":
		return geminiRuled(variable(e.Call.Environ, "HOME"), e.Project)
	case "OpenCode":
		return opencodeRules(e)
	case "@zed-industries/claude-code-acp", "@zed-industries/claude-agent-acp", "@agentclientprotocol/claude-agent-acp":
		return claudeAsks(e)
	}
	return true
}

// claudeAsks reports whether a settings file of Claude Code's has a list of what to ask about.
func claudeAsks(e *Event) bool {
	dirs, ok := homes(e.Call.Environ, "CLAUDE_CONFIG_DIR", ".claude")
	for _, dir := range upwards(e.Project) {
		dirs = append(dirs, path.Join(dir, ".claude"))
	}
	asks := func(text string) bool { return strings.Contains(text, `"ask"`) }
	return !ok || slices.ContainsFunc(dirs, func(dir string) bool { return anyFile(dir, ".json", asks) })
}

// geminiRuled reports whether a policy of Gemini CLI's has it ask, or may lie elsewhere.
func geminiRuled(home, project string) bool {
	asks := func(text string) bool { return strings.Contains(text, "ask_user") }
	named := func(text string) bool { return strings.Contains(text, "olicyPaths") }
	if anyFile("/etc/gemini-cli/policies", ".toml", asks) {
		return true
	}
	return slices.ContainsFunc(append(upwards(project), home), func(dir string) bool {
		own := path.Join(dir, ".gemini")
		return anyFile(path.Join(own, "policies"), ".toml", asks) || anyFile(own, "settings.json", named)
	})
}

// geminiSpeaks reports whether a rule of a person's may speak of commands on Gemini CLI: a policy
// of their own, an extension's or the organisation's, or a list of tools in settings.
func geminiSpeaks(c nod.Call, project string) bool {
	tools := func(text string) bool {
		return strings.Contains(text, "olicyPaths") || strings.Contains(text, "run_shell_command") ||
			strings.Contains(text, "ShellTool")
	}
	home := variable(c.Environ, "HOME")
	elsewhere := variable(c.Environ, "GEMINI_CLI_HOME") + variable(c.Environ, "GEMINI_CLI_SYSTEM_SETTINGS_PATH")
	dirs, err := filepath.Glob(path.Join(home, ".gemini", "extensions", "*"))
	for _, dir := range append(upwards(project), home) {
		dirs = append(dirs, path.Join(dir, ".gemini"))
	}
	return err != nil || elsewhere != "" || startedWith("--policy", "--admin-policy", "--allowed-tools") ||
		slices.ContainsFunc(append(dirs, "/etc/gemini-cli"), func(dir string) bool {
			return anyFile(dir, ".json", tools) ||
				anyFile(path.Join(dir, "policies"), ".toml", func(string) bool { return true })
		})
}

// opencodeRules reports whether one of opencode's settings files has a rule that asks.
func opencodeRules(e *Event) bool {
	dirs := []string{path.Join(variable(e.Call.Environ, "HOME"), ".config", "opencode"),
		path.Join(variable(e.Call.Environ, "XDG_CONFIG_HOME"), "opencode")}
	for _, dir := range upwards(e.Project) {
		dirs = append(dirs, dir, path.Join(dir, ".opencode"))
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return path.IsAbs(dir) && (anyFile(dir, "opencode.json", opencodeRuled) ||
			anyFile(dir, "opencode.jsonc", opencodeRuled) || anyFile(dir, "config.json", opencodeRuled))
	})
}

// opencodeRuled reports whether settings of opencode's ask about a part of what a permission
// is for, or for an agent alone.
func opencodeRuled(text string) bool {
	var s struct {
		Permission  json.RawMessage `json:"permission"`
		Agent, Mode json.RawMessage
	}
	if !strings.Contains(text, `"ask"`) {
		return false
	}
	if json.Unmarshal([]byte(text), &s) != nil {
		return true
	}
	if strings.Contains(string(s.Agent)+string(s.Mode), `"ask"`) {
		return true
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(s.Permission, &all) // one word for all is no list
	for _, one := range all {
		if len(one) > 0 && one[0] == '{' && strings.Contains(string(one), `"ask"`) {
			return true
		}
	}
	return false
}
