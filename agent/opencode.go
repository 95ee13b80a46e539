package agent

import (
	"cmp"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// opencodeQuirk says in which shell a command runs, whether the host asks about it, and
// which files a sub-agent's prompt names.
func opencodeQuirk(e *Event, in, f fields) {
	plugin(e, f)
	if shell := cmp.Or(f.optional("shell"), variable(e.Call.Environ, "SHELL"), "sh"); !readsAsShell(path.Base(shell)) {
		e.Call.Dialect = otherShell(shell)
	}
	switch e.Call.RawTool {
	case "bash":
		e.PromptFollows = e.PromptFollows && e.Call.Dialect == nod.Unstated && opencodeAsks(e.Call.Command)
	case "task":
		if e.Kind == Decide {
			mentioned(&e.Call, in.optional("prompt"))
			e.Complete = opencodeTop
		}
	}
}

// opencodeMCP recognises a call to an MCP server. nod's lines in the agent look the server up in the
// agent's settings, since the tool's name does not say where the server's name ends.
func opencodeMCP(e *Event, f fields, input *member) bool {
	server := f.optional("server")
	if server == "" {
		return false
	}
	f.asObject(input) // free-form, but an object
	tool, found := strings.CutPrefix(e.Call.RawTool, server+"_")
	if !found || tool == "" {
		f.wrong(f.get("server"), "the beginning of the tool's name")
	}
	e.Call.Tool, e.Call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool, Named: true}
	return true
}

// mentioned are the files that a prompt names with @. Some hosts read them by themselves, without a hook and without
// asking: opencode what a sub-agent is told (1.18.33, run), Claude Code perhaps what it wakes up with (2.1.329, read).
func mentioned(call *nod.Call, prompt string) {
	for i, text := range strings.Split(prompt, "@")[1:] {
		if i == 100 {
			call.Unread = "the prompt names more files with @ than nod looks at; give it fewer"
			return
		}
		if quoted, is := strings.CutPrefix(text, `"`); is {
			quoted, _, _ = strings.Cut(quoted, `"`)
			call.Paths = append(call.Paths, quoted)
		}
		text = strings.TrimLeft(text, `"`)
		ends := func(r rune) bool { return isBlank(r) || strings.ContainsRune("`,\"#", r) }
		if end := strings.IndexFunc(text, ends); end >= 0 {
			text = text[:end]
		}
		steps, _, _ := strings.Cut(text, "..")                                             // where opencode ends a name
		for _, name := range []string{text, steps, strings.TrimRight(text, ".;:!?)]}'")} { // which may end a sentence
			if name != "" && !slices.Contains(call.Paths, name) {
				call.Paths = append(call.Paths, name)
			}
		}
	}
}

// opencodeTop adds the names as they are read from the top of the repository, which
// opencode takes for their directory; outside a repository they are read from /.
func opencodeTop(e *Event) {
	top := e.Call.Dir
	for top != "/" {
		if _, err := os.Lstat(view.Native(top + "/.git")); err == nil {
			break
		}
		top = path.Dir(top)
	}
	for _, name := range slices.Clone(e.Call.Paths) {
		if !path.IsAbs(name) && !strings.HasPrefix(name, "~/") {
			e.Call.Paths = append(e.Call.Paths, strings.TrimSuffix(top, "/")+"/"+name)
		}
	}
}

// plugin reads what the lines of JavaScript say beside the call that nod installs for an agent which starts no
// program by itself (internal/install/plugin). The payload and the answer are nod's own:
//
//	{"hook", "tool", "session", "call", "directory", "args",
//	 "server"?, "interactive"?, "asks"?, "rewrites"?, "failed"?,
//	 "said"?: [{"by", "text", "tool"?}], "first"?, "cut"?}
//	{"decision": "allow" | "ask" | "deny", "reason", "command"?}
//
// rewrites says that a command of the answer's runs in the place of the call's. said is the conversation as those lines
// heard it (see [decodeSaid]). They block where nod-hook exits with anything but 0, is killed, is too slow or prints
// something else; nothing printed is no decision. The directory is the workspace: it is where the agent was started.
func plugin(e *Event, f fields) {
	e.Project = e.Start
	e.PromptFollows, e.Call.Interactive, e.Rewrites = f.flag("asks"), f.flag("interactive"), f.flag("rewrites")
	if e.Kind == Outcome {
		e.Failed = f.flag("failed")
	}
	e.Call.Transcript, e.Call.Opening = decodeSaid(f)
}

// readsAsShell reports whether a program reads a line as nod does. fish and nu count too:
// opencode runs no commands in them, but takes another shell (1.18.33, read).
func readsAsShell(name string) bool {
	return slices.Contains([]string{"bash", "zsh", "sh", "dash", "ksh", "fish", "nu"}, name)
}

// opencodeMayRewrite: measured on 1.18.33. The plugin says where it puts a line in the place of the command: not
// where a rule of the person's or a client's speaks of commands, which opencode would hold to that line.
func opencodeMayRewrite(e Event) bool { return rewritable(e, "bash") && e.Rewrites }

// opencodeAsks reports whether opencode certainly asks about a line of shell. It asks about what tree-sitter takes
// for a command, but for cd and its kin, and about nothing else; of a text that tree-sitter cannot read it may see no
// command at all (1.18.33, read, and run). So the line has to be of plain commands, and one of them has to be another
// than cd. nod's own reading of a line is no help here: what counts is another parser's.
func opencodeAsks(line string) bool {
	const (
		word     = `(?:[\w./+:,@%=~*?-]|\$[A-Za-z_]\w*|'[^']*'|"(?:[^"\\$` + "`" + `]|\$[A-Za-z_]\w*)*")+`
		argument = `(?: +(?:\d*(?:>>|>&|<&|>|<) *)?` + word + `)`
		assigned = `(?:[A-Za-z_]\w*=(?:` + word + `)? +)*`
	)
	command := regexp.MustCompile(`^[ \n]*` + assigned + `([A-Za-z_./][\w./+-]*)` + argument + `* *(&&|\|\||[|;\n]|$)`)
	asks, follows := false, false // follows: another command has to
	for strings.Trim(line, " \n") != "" {
		m := command.FindStringSubmatch(line)
		if m == nil || isSyntax(m[1]) || isGoingTo(m[1]) && strings.ContainsAny(m[0], "<>") {
			return false
		}
		asks = asks || !isGoingTo(m[1])
		follows = m[2] == "&&" || m[2] == "||" || m[2] == "|"
		line = line[len(m[0]):]
	}
	return asks && !follows
}

// isGoingTo reports whether opencode never asks about a program: what only says where it is.
func isGoingTo(name string) bool {
	return slices.Contains([]string{"cd", "chdir", "popd", "pushd", "push-location", "set-location"}, name)
}

// isSyntax reports whether a word at the beginning of a line is no program for the grammar, or may be none.
func isSyntax(word string) bool {
	return strings.Trim(word, "_./+-") == "" || slices.Contains([]string{"if", "then", "else", "elif", "fi", "for",
		"while", "until", "do", "done", "case", "esac", "select", "function", "time", "coproc", "in", "declare",
		"typeset", "export", "readonly", "local", "unset", "unsetenv", "let", "test", "eval"}, word)
}

func piQuirk(e *Event, _, f fields) {
	plugin(e, f)
	respelled(&e.Call, piOdd)
}

// piOdd reports whether Pi reads a name otherwise (1.5.2, dist/utils/paths.js): blanks
// beyond ASCII are blanks, a sign for a mention is left out, and file:// begins an address.
func piOdd(name string) bool {
	return strings.HasPrefix(name, "@") || strings.HasPrefix(name, "file://") ||
		strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 && unicode.IsSpace(r) })
}
