package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/nodgate/nod/internal/version"
)

func helpCommand() command {
	return command{name: "help", usage: "help [SUBCOMMAND]", summary: "this, or all about one subcommand", run: help,
		examples: []string{`nod help check`, `nod help settings`},
		long: "Prints the subcommands, or what one of them does, its flags and exit status.\n\n" +
			"Exit status: 0; 2 there is no such subcommand."}
}

const intro = `nod decides whether a coding agent's tool call may run without asking a person.

usage: nod SUBCOMMAND [ARGUMENTS]

`

const outro = `
Start with: nod demo, then nod install, then nod doctor.
What may stand in a settings file: nod help settings.
Exit status: 0 done or allow, 1 a fault of nod's, 2 bad input, 3 ask, 4 deny;
of nod doctor: nod help doctor.
`

const settingsIntro = `Settings are TOML, in three files, each optional. Lists add up; of everything
else the managed file's value holds, then yours.

  /etc/nod/nod.toml        managed: the organisation's
  ~/.config/nod/nod.toml   yours
  .nod.toml                a repository's: patterns in hard_deny and soft_deny;
                           more once you trust it (nod help trust)

A rule is a command pattern, matched by nod, if it begins with a program; else
it is text for the model. A final " *" stands for further arguments;
within a word a star is any text where the rule denies or asks.
"$defaults" stands for the built-in list. See what holds with: nod rules

Rules of ~/.claude/settings.json hold too where they tighten; claude_rules =
"all" takes what they allow as well, "off" takes none. See docs/rules.md.

`

// settingsExample is a settings file with every key that most people need.
const settingsExample = `mode        = "enforce"                      # or "observe", "off"
profile     = ""                             # "reinforce": never allow;
                                             # "replace": ask in auto too
allow       = ["npm test", "go test *"]      # may run without asking
soft_deny   = ["$defaults", "DROP TABLE"]    # advice to the model, no boundary
hard_deny   = ["git push --force"]           # a boundary, cleared by nothing
ask         = ["git push"]                   # a person decides, no model does
environment = ["Node.js project"]            # hints for the model
hosts       = ["pkg.go.dev"]                 # may be read from
secrets     = ["$defaults", "~/.config/acme"]
guarded     = ["$defaults", "Justfile"]      # no edit without asking
approvals   = "on"                           # or "off": nod approve is void
confine     = "off"                          # or "on", or ["npm test"]: see
                                             # nod help confine
allowlist   = ["$defaults"]                  # tools that layer 1 allows

[model]                                      # without it, a person is asked
provider = "anthropic"                       # or openai, gemini, bedrock,
                                             # vertex, azure, compatible
                                             # (Ollama, vLLM ...)
name     = ""                                # the provider's default
endpoint = ""                                # for compatible and gateways
key_file = "~/.config/nod/key"               # chmod 600
timeout  = "20s"
profile  = "ledger"                          # or "seed": last 20 entries,
                                             # one question, half a page
stages   = 2                                 # 1: one careful question
max_tokens = 1024                            # of an answer; 256 with "seed"
on_block = "deny"                            # or "ask"
on_unavailable = "ask"                       # or "deny"; headless it is denied
max_cost_day = 5.00                          # US dollars, then you are asked
                                             # [[fallback]]: another model

[[repository]]                               # only in this repository
path  = "~/src/shop"                         # see nod help init
allow = ["go test *", "mise run lint"]

[log]
on_failure = "continue"                      # or "block": no line, no call
dump_dir   = "~/.local/share/nod/dumps"      # whole requests and answers, 0700
`

func help(_ context.Context, p *Process, args []string) int {
	switch {
	case len(args) > 0 && strings.HasPrefix(args[0], "-"):
		return usageError(p, helpCommand(), errors.New(helpCommand().noFlag(args[0])))
	case len(args) > 0:
		return helpFor(p, args[0])
	}
	fmt.Fprint(p.Stdout, intro)
	for _, c := range commands() {
		fmt.Fprintf(p.Stdout, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(p.Stdout, outro)
	return ExitOK
}

func helpFor(p *Process, name string) int {
	if name == "settings" {
		fmt.Fprint(p.Stdout, settingsIntro, settingsExample)
		return ExitOK
	}
	for _, c := range commands() {
		if c.name == name {
			fmt.Fprintf(p.Stdout, "usage: nod %s\n\n%s\n\nExamples:\n  %s\n", c.usage, c.long,
				strings.Join(c.examples, "\n  "))
			return ExitOK
		}
	}
	fmt.Fprintln(p.Stderr, "nod help:", noSubcommand(name))
	return ExitBadInput
}

func versionCommand() command {
	return command{name: "version", usage: "version [--json]", summary: "which nod this is", run: printVersion,
		examples: []string{`nod version`},
		long: "Prints the version, as nod --version does. nod and nod-hook must be of the same\nversion.\n\n" +
			"  --json   one JSON object, \"v\": 1\n\nExit status: 0; 2 arguments that cannot be used."}
}

// versionOutput is the answer of version --json. Fields are only ever added.
type versionOutput struct {
	V       int    `json:"v"`
	Version string `json:"version"`
}

func printVersion(_ context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("version", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return usageError(p, versionCommand(), cmp.Or(err, fmt.Errorf("no argument is taken")))
	}
	if *asJSON {
		text, _ := json.Marshal(versionOutput{1, version.String()})
		fmt.Fprintf(p.Stdout, "%s\n", text)
		return ExitOK
	}
	fmt.Fprintln(p.Stdout, "nod", version.String())
	return ExitOK
}
