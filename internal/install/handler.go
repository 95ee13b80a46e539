package install

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Seconds that an agent waits for nod-hook. The first must exceed nod's own deadlines, at most 45 s for the model
// and hook.hostLimit for a person, by what starting and answering take: a hook that is killed says nothing about
// why. guardTime is the guard script's own limit.
const (
	decideTimeout = 600
	recordTimeout = 10
	guardTime     = decideTimeout - 5
)

// handler writes a hook in the format of o's agent: exec is Claude Code's, which
// no shell reads and whose onFailure blocks where one fails. In all others a
// shell reads the command, which stands behind the guard script where it decides.
func (o Options) handler(decides bool) ordered {
	timeout, onFailure, command := recordTimeout, "continue", quoteAll(o.words())
	if decides {
		timeout, onFailure, command = decideTimeout, "block", o.behind(guardScript, guardTime)
	}
	shell := func(name, limit string, seconds int) ordered {
		return ordered{{"type", "command"}, {name, command}, {limit, seconds}}
	}
	switch o.row().Install.Format {
	case "exec":
		words := o.words()
		return ordered{{"type", "command"}, {"command", words[0]}, {"args", words[1:]}, {"timeout", timeout},
			{"onFailure", onFailure}}
	case "bash":
		return shell("bash", "timeoutSec", timeout)
	case "milliseconds": // Qwen Code takes numbers below 1000 for seconds
		return shell("command", "timeout", timeout*1000)
	case "denying": // no exit code is known to block
		command = o.behind(denyScript, guardTime)
	case "untyped":
		return shell("command", "timeout", timeout)[1:]
	case "closed":
		return append(shell("command", "timeout", timeout), member{"failClosed", true})
	case "shown": // it names no limit, so that the guard script's is the only one
		return ordered{{"command", command}, {"show_output", true}}
	}
	return shell("command", "timeout", timeout)
}

// same reports whether a handler is h, member for member, spacing aside.
func same(handler map[string]any, h ordered) bool {
	var want map[string]any
	return json.Unmarshal(encode(h), &want) == nil && reflect.DeepEqual(handler, want)
}

// words is nod-hook's command line.
func (o Options) words() []string {
	words := []string{o.Hook, o.row().Name}
	for _, f := range o.flags() {
		if *f.path != "" {
			words = append(words, f.name, *f.path)
		}
	}
	return words
}

type pathFlag struct {
	name string
	path *string
}

// flags name nod's own files.
func (o *Options) flags() []pathFlag {
	return []pathFlag{{"--settings", &o.Settings}, {"--managed", &o.Managed}, {"--state", &o.State}, {"--nod", &o.Nod}}
}

// withPaths reads the paths off nod-hook's command line. What it does not
// understand shows in that nod would write another line.
func (o Options) withPaths(words []string) Options {
	if len(words) > 0 {
		o.Hook = words[0]
	}
	for i := 2; i+1 < len(words); i += 2 {
		for _, f := range o.flags() {
			if f.name == words[i] {
				*f.path = words[i+1]
			}
		}
	}
	return o
}

// guardScript is for hosts without a switch of their own that makes a failing hook block. It turns every failure of
// nod-hook (missing, killed, an exit code of its own, an answer that is no object) into exit 2 with a reason, which
// all these hosts take for a denial. Where the machine has timeout(1), it ends nod-hook before the host gives up on
// it. It names programs by their place: PATH may lead elsewhere.
const guardScript = `t=; [ -x /usr/bin/timeout ] && t="/usr/bin/timeout -s KILL %d"; o=$($t "$0" "$@"); c=$?; case "$c:$o" in 0:|0:{*}) printf %%s "$o"; exit 0;; 2:*) echo "nod-hook blocked the call" >&2; exit 2;; esac; echo "nod-hook failed ($c), so the call is blocked" >&2; exit 2`

// denyScript is guardScript for a host on which no exit code is known to
// block: it turns every failure into the object that denies.
const denyScript = `t=; [ -x /usr/bin/timeout ] && t="/usr/bin/timeout -s KILL %d"; o=$($t "$0" "$@"); c=$?; case "$c:$o" in 0:|0:{*}) printf %%s "$o"; exit 0;; esac; echo "{\"decision\":\"deny\",\"reason\":\"nod-hook failed ($c), so the call is blocked\"}"`

// behind is the hook's command for hosts that hand it to a shell, of any kind: what stands between the quotes
// is read by /bin/sh. seconds must be less than the host's own limit.
func (o Options) behind(script string, seconds int) string {
	return "/bin/sh -c '" + fmt.Sprintf(script, seconds) + "' " + quoteAll(o.words())
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

// Quote writes a path as a shell reads it back.
func Quote(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// programOf returns the program of a command that a shell reads: the first word, or what the guard script is handed.
func programOf(command string) string {
	words := lineWords(command)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// lineWords are the words of a command up to an operator of the shell, without the guard script before them.
func lineWords(line string) (words []string) {
	for rest := line; rest != ""; {
		before := rest
		var word string
		if word, rest = cutWord(rest); rest == before {
			break
		}
		words = append(words, word)
	}
	if len(words) > 3 && words[0] == "/bin/sh" && words[1] == "-c" {
		words = words[3:]
	}
	return words
}

// cutWord takes the first word off a command, as far as [Quote] and people write one.
func cutWord(command string) (word, rest string) {
	command = strings.TrimLeft(command, " \t")
	var out []byte
	for i := 0; i < len(command); i++ {
		switch c := command[i]; c {
		case '\'', '"':
			inside, _, _ := strings.Cut(command[i+1:], string(c))
			out = append(out, inside...)
			i += 1 + len(inside)
		case '\\':
			if i++; i < len(command) {
				out = append(out, command[i])
			}
		case ' ', '\t', '\n', ';', '|', '&', '<', '>':
			return string(out), command[i:]
		default:
			out = append(out, c)
		}
	}
	return string(out), ""
}

// plugins are the lines of JavaScript for agents that start no program before
// a call but load code: what they have in common, and one file for each.
//
//go:embed plugin
var plugins embed.FS

// pluginMark is how a file of nod's own begins. The gate knows it too.
const pluginMark = "// nod-hook: "

// plugin returns the whole of a file that asks nod before every call.
func (o Options) plugin() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%swritten by nod install %s; nod uninstall %s removes it.\n", pluginMark, o.Agent, o.Agent)
	b.WriteString("import { spawn } from \"node:child_process\"\nimport { fstatSync } from " +
		"\"node:fs\"\n\nconst words = ")
	b.Write(encode(o.words()))
	b.WriteByte('\n')
	for _, part := range []string{"shim", o.Agent} {
		text, err := plugins.ReadFile("plugin/" + part + ".js")
		if err != nil {
			panic(err) // it is linked in
		}
		b.Write(text)
	}
	return b.Bytes()
}
