package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/install"
)

func completionCommand() command {
	return command{
		name:    "completion",
		usage:   "completion bash|zsh|fish",
		summary: "complete nod's words in your shell",
		long: `Prints a script that completes nod's subcommands, their words and their flags.
It names them all itself, so completing starts no nod.

  bash   source <(nod completion bash)     in ~/.bashrc
  zsh    source <(nod completion zsh)      in ~/.zshrc, after compinit
  fish   nod completion fish | source      in ~/.config/fish/config.fish

Exit status: 0; 2 another shell.`,
		examples: []string{`nod completion bash`},
		run:      printCompletion,
	}
}

func printCompletion(_ context.Context, p *Process, args []string) int {
	scripts := map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	if len(args) > 0 && strings.HasPrefix(args[len(args)-1], "-") {
		return usageError(p, completionCommand(), errors.New(completionCommand().noFlag(args[len(args)-1])))
	}
	if len(args) != 1 || scripts[args[0]] == nil {
		return usageError(p, completionCommand(), fmt.Errorf("name one shell: bash, zsh or fish"))
	}
	io.WriteString(p.Stdout, scripts[args[0]]())
	return ExitOK
}

// words are what may follow a subcommand: its own words, then its flags.
func (c command) words() []string {
	var list []string
	switch c.name {
	case "install", "uninstall", "doctor":
		list = install.Agents()
	case "mode":
		list = []string{"enforce", "observe", "off"}
	case "confine":
		list = []string{"on", "off", "profile"}
	case "rules":
		list = []string{"check", "critique"}
	case "daemon":
		list = []string{"status", "stop"}
	case "completion":
		list = []string{"bash", "zsh", "fish"}
	case "help":
		list = append(commandNames(), "settings")
	}
	return append(list, c.flags()...)
}

// flags are those that a help text names at the beginning of a line.
func (c command) flags() (list []string) {
	flags := regexp.MustCompile(`(?m)^  (?:-[a-z][, ]+)?--[a-z-]+(?: [A-Z]+)?(?:, --[a-z-]+(?: [A-Z]+)?)*`)
	for _, line := range flags.FindAllString(c.long, -1) {
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }) {
			if strings.HasPrefix(word, "--") && !slices.Contains(list, word) {
				list = append(list, word)
			}
		}
	}
	return list
}

// value is a flag whose values are a few known words.
type value struct {
	flag  string
	words []string
}

// values are those of a subcommand.
func (c command) values() []value {
	switch c.name {
	case "check":
		return []value{{"--mode", claudeModes()}, {"--agent", agentNames()}}
	case "history":
		return []value{{"--agent", history.Agents()}}
	case "log":
		return []value{{"--verdict", []string{"allow", "ask", "deny"}},
			{"--layer", []string{"guard", "allowlist", "edit", "shell", "approval", "model", "none"}},
			{"--kind", logKinds()}, {"--agent", agentNames()}}
	case "prompt":
		return []value{{"--agent", agentNames()}}
	}
	return nil
}

// agentNames are the agents whose calls nod reads.
func agentNames() (names []string) {
	for _, a := range agent.All() {
		names = append(names, a.Name())
	}
	return names
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// eachValue calls write with every subcommand and flag that has known values.
func eachValue(write func(command, flag, words string)) {
	for _, c := range commands() {
		for _, v := range c.values() {
			write(c.name, v.flag, strings.Join(v.words, " "))
		}
	}
}

// bashValues finds the flag before the word. Bash makes --flag=word three words.
const bashValues = `		local flag=${COMP_WORDS[COMP_CWORD-1]}
		[ "$flag" != = ] || flag=${COMP_WORDS[COMP_CWORD-2]}
		[ "$typed" != = ] || typed=
		case "${COMP_WORDS[1]} $flag" in
`

func bashCompletion() string {
	var b strings.Builder
	b.WriteString("# bash completion for nod\n_nod() {\n\tlocal words typed=${COMP_WORDS[COMP_CWORD]}\n\tCOMPREPLY=()\n" +
		"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n")
	fmt.Fprintf(&b, "\t\twords='%s'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n", strings.Join(commandNames(), " "))
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t\t%s) words='%s' ;;\n", c.name, strings.Join(c.words(), " "))
	}
	b.WriteString("\t\tesac\n" + bashValues)
	eachValue(func(command, flag, words string) {
		fmt.Fprintf(&b, "\t\t'%s %s') words='%s' ;;\n", command, flag, words)
	})
	b.WriteString("\t\tesac\n\tfi\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$typed\"))\n}\n" +
		"complete -o default -F _nod nod\n")
	return b.String()
}

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef nod\n_nod() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a list=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t\t\t'%s:%s'\n", c.name, strings.ReplaceAll(c.summary, "'", `'\''`))
	}
	b.WriteString("\t\t)\n\t\t_describe nod list\n\t\treturn\n\tfi\n\tcase \"$words[2] $words[CURRENT-1]\" in\n")
	eachValue(func(command, flag, words string) {
		fmt.Fprintf(&b, "\t'%s %s') compadd -- %s; return ;;\n", command, flag, words)
	})
	b.WriteString("\tesac\n\tcase $words[2] in\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t%s) compadd -- %s ;;\n", c.name, strings.Join(c.words(), " "))
	}
	b.WriteString("\tesac\n\t_files\n}\ncompdef _nod nod\n")
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for nod\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c nod -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name,
			strings.ReplaceAll(c.summary, "'", `\'`))
		for _, word := range c.words() {
			what := "-f -a " + word
			if flag, isFlag := strings.CutPrefix(word, "--"); isFlag {
				what = "-l " + flag
			}
			fmt.Fprintf(&b, "complete -c nod -n '__fish_seen_subcommand_from %s' %s\n", c.name, what)
		}
	}
	eachValue(func(command, flag, words string) {
		fmt.Fprintf(&b, "complete -c nod -n '__fish_seen_subcommand_from %s' -l %s -x -a '%s'\n", command,
			strings.TrimPrefix(flag, "--"), words)
	})
	return b.String()
}
