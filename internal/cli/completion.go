package cli

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

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
	case "rules":
		list = []string{"check", "critique"}
	case "daemon":
		list = []string{"status", "stop"}
	case "completion":
		list = []string{"bash", "zsh", "fish"}
	case "help":
		list = append(commandNames(), "settings")
	}
	// The flags that a help text names at the beginning of a line.
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

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func bashCompletion() string {
	var b strings.Builder
	b.WriteString("# bash completion for nod\n_nod() {\n\tlocal words\n\tCOMPREPLY=()\n\tif [ " +
		"\"$COMP_CWORD\" -eq 1 ]; then\n")
	fmt.Fprintf(&b, "\t\twords='%s'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n", strings.Join(commandNames(), " "))
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t\t%s) words='%s' ;;\n", c.name, strings.Join(c.words(), " "))
	}
	b.WriteString("\t\tesac\n\tfi\n\tCOMPREPLY=($(compgen -W \"$words\" -- " +
		"\"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _nod nod\n")
	return b.String()
}

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef nod\n_nod() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a list=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t\t\t'%s:%s'\n", c.name, strings.ReplaceAll(c.summary, "'", `'\''`))
	}
	b.WriteString("\t\t)\n\t\t_describe nod list\n\t\treturn\n\tfi\n\tcase $words[2] in\n")
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
	return b.String()
}
