package agent

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// A rule of the person's in a host's own settings stays theirs: where one may ask about a
// call, or cannot be read, nod does not answer for the person ([Event.Reserved]). What is
// looked for may be wider than the host's own matching, never narrower.

// settingsLimit bounds a host's settings file.
const settingsLimit = 1 << 20

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

// settingsDirs are where a host keeps settings: in the person's home, where a variable
// says, and below directories of the project. The variable names a further one here, so
// that no environment takes a rule away. ok is false where there is no home.
func settingsDirs(environ []string, name, below string, starts ...string) (dirs []string, ok bool) {
	home := variable(environ, "HOME")
	if path.IsAbs(home) {
		dirs = append(dirs, path.Join(home, below))
	}
	if dir := variable(environ, name); path.IsAbs(dir) {
		dirs = append(dirs, dir)
	}
	ok = len(dirs) > 0
	for _, dir := range upwards(starts...) {
		dirs = append(dirs, path.Join(dir, below))
	}
	return dirs, ok
}

// anyFile reports whether one of the files of a directory whose names end so holds what is
// looked for, or cannot be read.
func anyFile(dir, ending string, holds func(text string) bool) bool {
	entries, err := os.ReadDir(view.Native(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	return slices.ContainsFunc(entries, func(one fs.DirEntry) bool {
		if !strings.HasSuffix(one.Name(), ending) {
			return false
		}
		text, there, err := hostText(path.Join(dir, one.Name()))
		return err != nil || there && holds(text)
	})
}

// holding reports whether a text holds all of these.
func holding(words ...string) func(text string) bool {
	return func(text string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	}
}

// settingsSay reports whether a file of one of these directories holds what is looked for or
// cannot be read, or the person's home is not known.
func settingsSay(dirs []string, home bool, ending string, holds func(text string) bool) bool {
	return !home || slices.ContainsFunc(dirs, func(dir string) bool {
		return path.IsAbs(dir) && anyFile(dir, ending, holds)
	})
}

// wordsOf are the words of a text as far as a rule can name them, without what quotes.
func wordsOf(text string) []string {
	text = strings.NewReplacer("\\\n", "", `\`, "", `'`, "", `"`, "").Replace(text)
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.+-", r)
	})
}

// codexAsks reports whether a rule of the person's may have Codex ask about a call. Codex takes the rules that lie
// beside each of its settings (0.169.0), and settings ask about tools of MCP servers.
func codexAsks(e *Event, start string) bool {
	dirs, home := settingsDirs(e.Call.Environ, "CODEX_HOME", ".codex", start, e.Start, e.Project)
	dirs = append(dirs, "/etc/codex")
	if e.Call.MCP != nil {
		return settingsSay(dirs, home, ".toml", holding("approval_mode", "prompt"))
	}
	words := wordsOf(e.Call.Command + " " + e.Call.URL)
	rules := slices.Clone(dirs)
	for i, dir := range rules {
		rules[i] = path.Join(dir, "rules")
	}
	return settingsSay(dirs, home, "requirements.toml", holding("rules")) ||
		settingsSay(rules, home, ".rules", func(text string) bool { return codexRuleAsks(text, words) })
}

// codexRuleAsks reports whether a file of Codex's rules may ask about a line of these words
// or refuse it. The rules are Starlark and are not read: one word in common is enough, and so
// is a shell, since a line that Codex cannot divide is one command of a shell.
func codexRuleAsks(text string, words []string) bool {
	if !strings.Contains(text, "prompt") && !strings.Contains(text, "forbidden") {
		return false
	}
	return strings.ContainsAny(text, "\\+\x00") || slices.ContainsFunc(wordsOf(text), func(word string) bool {
		return readsAsShell(word) || word == "pwsh" || word == "powershell" || slices.Contains(words, word)
	})
}

// qwenAsks reports whether a rule of the person's may have Qwen Code ask about a call
// (0.24.4, read: permissions.ask of each settings file).
func qwenAsks(c nod.Call, project string) bool {
	dirs, home := settingsDirs(c.Environ, "QWEN_HOME", ".qwen", project, c.Dir)
	asks := func(text string) bool { return qwenTextAsks(text, c) }
	for _, name := range []string{variable(c.Environ, "QWEN_CODE_SYSTEM_SETTINGS_PATH"),
		variable(c.Environ, "QWEN_CODE_SYSTEM_DEFAULTS_PATH")} {
		if name != "" && (!path.IsAbs(name) || anyFile(path.Dir(name), path.Base(name), asks)) {
			return true
		}
	}
	dirs = append(dirs, "/etc/qwen-code", "/Library/Application Support/QwenCode")
	return settingsSay(dirs, home, ".json", asks)
}

// permissions are the rules in settings of Claude Code's and Qwen Code's.
type permissions struct {
	Permissions struct{ Allow, Ask []string }
}

// qwenTextAsks reports whether settings may ask about a call.
func qwenTextAsks(text string, c nod.Call) bool {
	if !strings.Contains(text, `"ask"`) {
		return false
	}
	var s permissions
	return json.Unmarshal([]byte(text), &s) != nil ||
		slices.ContainsFunc(s.Permissions.Ask, func(rule string) bool { return qwenRuleAsks(rule, c) })
}

// qwenRuleAsks reports whether a rule may speak of a call: a word of it stands in the command.
// One about files or addresses speaks of commands as well.
func qwenRuleAsks(rule string, c nod.Call) bool {
	command := regexp.MustCompile(`^\s*(run_shell_command|Shell|ShellTool|Bash)(?:\((.*)|\s*$)`)
	shell := command.FindStringSubmatch(rule)
	switch {
	case shell == nil:
		return true
	case c.Tool != "bash":
		return false
	}
	named, line := wordsOf(shell[2]), strings.Join(wordsOf(c.Command), " ")
	return len(named) == 0 || slices.ContainsFunc(named, func(word string) bool { return strings.Contains(line, word) })
}

// copilotDenies reports whether a rule of the person's may deny a call on Copilot CLI, where
// a hook's allow overrules it in both seats (1.0.102, run). Such rules stand on the command
// line and, for addresses, in settings; no such rule asks.
func copilotDenies(c nod.Call, project string) bool {
	if startedWith("--deny-") {
		return true
	}
	if c.Tool != "bash" && c.Tool != "web_fetch" {
		return false
	}
	dirs, ok := settingsDirs(c.Environ, "COPILOT_HOME", ".copilot")
	for _, dir := range upwards(project, c.Dir) {
		dirs = append(dirs, path.Join(dir, ".github", "copilot"))
	}
	return settingsSay(dirs, ok, ".json", holding("deniedUrls")) ||
		settingsSay(dirs, ok, ".json", holding("denied_urls"))
}

// startedWith reports whether a process above this one has an argument that begins so, or may have.
func startedWith(options ...string) bool {
	for pid := os.Getppid(); pid > 0; {
		args, parent, err := started(pid)
		if err != nil || slices.ContainsFunc(args, func(arg string) bool { return beginsWith(arg, options...) }) {
			return true
		}
		pid = parent
	}
	return false
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
	dirs, err := filepath.Glob(view.Native(path.Join(home, ".gemini", "extensions")) + "/*")
	for _, dir := range append(upwards(project), home) {
		dirs = append(dirs, path.Join(dir, ".gemini"))
	}
	return err != nil || elsewhere != "" || startedWith("--policy", "--admin-policy", "--allowed-tools") ||
		slices.ContainsFunc(append(dirs, "/etc/gemini-cli"), func(dir string) bool {
			return anyFile(dir, ".json", tools) || anyFile(path.Join(dir, "policies"), ".toml", holding())
		})
}

// acpAsks reports whether a rule of the person's may be why an agent asks over the protocol,
// which does not say why: so it may for every agent whose settings are not read here. A
// setting of opencode's that has it ask about everything is what `nod acp` needs there.
func acpAsks(e *Event, peer string) bool {
	environ := e.Call.Environ
	switch peer {
	case "qwen-code":
		return qwenAsks(e.Call, e.Project)
	case "codex", "codex-acp":
		return codexAsks(e, e.Project)
	case "gemini-cli":
		dirs, ok := settingsDirs(environ, "GEMINI_CLI_HOME", ".gemini", e.Project)
		dirs = append(dirs, "/etc/gemini-cli")
		return settingsSay(dirs, ok, "settings.json", holding("olicyPaths")) || slices.ContainsFunc(dirs,
			func(dir string) bool { return anyFile(path.Join(dir, "policies"), ".toml", holding("ask_user")) })
	case "OpenCode":
		dirs, ok := settingsDirs(environ, "OPENCODE_CONFIG_DIR", ".config/opencode")
		dirs = append(dirs, path.Join(variable(environ, "XDG_CONFIG_HOME"), "opencode"))
		for _, dir := range upwards(e.Project) {
			dirs = append(dirs, dir, path.Join(dir, ".opencode"))
		}
		return slices.ContainsFunc([]string{"opencode.json", "opencode.jsonc", "config.json"},
			func(name string) bool { return settingsSay(dirs, ok, name, opencodeRuled) })
	case "@zed-industries/claude-code-acp", "@zed-industries/claude-agent-acp", "@agentclientprotocol/claude-agent-acp":
		dirs, ok := settingsDirs(environ, "CLAUDE_CONFIG_DIR", ".claude", e.Project)
		return settingsSay(dirs, ok, ".json", holding(`"ask"`))
	}
	return true
}

// opencodeRuled reports whether settings of opencode's ask about a part of what a permission
// is for, or for an agent alone.
func opencodeRuled(text string) bool {
	var s map[string]json.RawMessage
	asks := strings.Count(text, `"ask"`)
	if asks == 0 || json.Unmarshal([]byte(text), &s) != nil {
		return asks > 0
	}
	var whole map[string]json.RawMessage
	_ = json.Unmarshal(s["permission"], &whole) // one word for all is no list
	for _, one := range append([]json.RawMessage{s["permission"]}, slices.Collect(maps.Values(whole))...) {
		if string(one) == `"ask"` {
			asks--
		}
	}
	return asks > 0
}

// claudeGranted reports whether a rule of the person's may let this call run where nobody can be asked. nod allows
// nothing by it: the host, which is left to it, compares by itself, and denies where its rule does not hold.
func claudeGranted(c nod.Call, home string) bool {
	var s permissions
	text, _, err := hostText(path.Join(home, ".claude", "settings.json"))
	if err != nil || json.Unmarshal([]byte(text), &s) != nil {
		return false
	}
	return slices.ContainsFunc(s.Permissions.Allow, func(rule string) bool {
		tool, _, _ := strings.Cut(rule, "(")
		// The repository may have named its server so.
		return tool == c.RawTool && len(c.Paths) == 0 || c.MCP != nil && !c.MCP.Brought &&
			strings.HasPrefix(c.RawTool, strings.TrimSuffix(strings.TrimSuffix(tool, "*"), "__"))
	})
}

// claudeContained reports whether Claude Code runs a command in its sandbox (read in
// 2.1.329, not run: it needs socat): the person has switched it on, and without it nothing
// runs; they say nothing else of it, no other settings speak of it, and the call neither.
func claudeContained(e *Event, home string) bool {
	own := path.Join(e.Project, ".claude")
	for _, name := range []string{path.Join(own, "settings.json"), path.Join(own, "settings.local.json"),
		"/etc/claude-code/managed-settings.json"} {
		// A key may be written with escapes.
		text, _, err := hostText(name)
		if err != nil || strings.Contains(text, "sandbox") || strings.Contains(text, `\u`) {
			return false
		}
	}
	var s struct{ Sandbox map[string]json.RawMessage }
	text, _, err := hostText(path.Join(home, ".claude", "settings.json"))
	return err == nil && json.Unmarshal([]byte(text), &s) == nil && len(s.Sandbox) == 2 &&
		string(s.Sandbox["enabled"]) == "true" && string(s.Sandbox["failIfUnavailable"]) == "true" &&
		e.Kind == Decide && e.Call.RawTool == "Bash" && e.Project != "" &&
		!strings.Contains(string(e.Call.Input), "dangerouslyDisableSandbox")
}
