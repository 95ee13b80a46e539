package agent

import (
	"os"
	"path"
	"slices"
	"strings"
)

// attended reports whether a person started the host at a terminal and sits there: the
// nearest process above this one that is the host has a terminal for its input, and none
// of its arguments says that nobody is there. False where that cannot be seen.
func attended(host string, headless func(before, arg string) bool) bool {
	pid := os.Getppid()
	for range 32 {
		args, parent, err := started(pid)
		if err != nil || pid <= 1 {
			return false
		}
		if own, is := argumentsOf(host, args); is {
			return onTerminal(pid) && sitsThere(own, headless)
		}
		pid = parent
	}
	return false
}

// argumentsOf returns what a process was told, if it is the host: by the name of its
// program or, of one that runs scripts, of its script.
func argumentsOf(host string, args []string) (own []string, is bool) {
	for i, arg := range args {
		interprets := slices.Contains([]string{"node", "bun"}, path.Base(arg))
		if i > 0 && strings.HasPrefix(arg, "-") || i == 0 && interprets {
			continue
		}
		return args[i+1:], strings.Contains(arg, host)
	}
	return nil, false
}

func sitsThere(args []string, headless func(before, arg string) bool) bool {
	before := ""
	for _, arg := range args {
		if headless(before, arg) {
			return false
		}
		before = arg
	}
	return true
}

// printsOnly are arguments of Gemini CLI, Qwen Code and Copilot CLI with which nobody is
// there to be asked, or a program is at the other end.
func printsOnly(_, arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	short := strings.HasPrefix(arg, "-p") && !strings.HasPrefix(arg, "--")
	return short || slices.Contains([]string{"--prompt", "--acp", "--experimental-acp", "--server", "--headless",
		"serve", "channel", "board", "review", "--input-format", "--output-format", "-o"}, name)
}

// printsOnlyQwen takes a question among the arguments for one that is answered once,
// as Qwen Code does.
func printsOnlyQwen(before, arg string) bool {
	return printsOnly(before, arg) || arg != "" && !strings.HasPrefix(arg, "-") && !strings.HasPrefix(before, "-")
}

// commandsCodex are the subcommands of Codex under which nobody is at a prompt.
func commandsCodex(_, arg string) bool {
	return slices.Contains([]string{"exec", "e", "review", "app-server", "mcp-server", "exec-server", "remote-control",
		"cloud", "debug"}, arg)
}
