package install

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"

	rows "github.com/nodgate/nod/internal/hosts"
)

// host is how nod's hook is written into one agent's settings. Another agent is
// a function that returns one, in a file of its own, and a line in hosts. What
// else is known of the agent stands in its row, package internal/hosts.
type host struct {
	agent string // the adapter's name
	// Where hooks are registered: below /, below the home directory, below a
	// repository. "" where the host has no such level, or hooks stand there
	// in a file that nod does not edit.
	managed, managedDarwin string
	user, project          string
	// top is what a new file must hold beside "hooks".
	top ordered
	// named is the hook's name where the file's top holds hooks by name, each
	// with its own events; "" where they stand under "hooks".
	named string
	// flat says that an event's list holds the handlers themselves, not
	// groups of them under a matcher.
	flat bool
	// matcher asks about every tool; "" where it is left out.
	matcher string
	events  []event
	// handler writes a hook.
	handler func(o Options, decides bool) ordered
	// file is the whole of a file that is nod's alone, for hosts that load
	// code. Such a host has no events, and what is above about a settings
	// file does not hold.
	file func(o Options) []byte
	// plain says that the host reads standard JSON only.
	plain bool
	// silencers are keys at the top of the same file that switch its hooks off.
	silencers []string
	// next is what the person must do before the hook is asked, "" if nothing.
	next string
	// confirm is next for all levels but the managed one.
	confirm string
	// trust reads what a person has said about the hooks, on hosts that ask.
	trust func(*Installed) ([]Trust, error)
	// failOpen is what nod cannot close on this host, in a sentence; "" where
	// it can.
	failOpen string
}

// event is one that nod-hook answers. Where one that decides fails, the call
// must not run; a failure of one that records must not stop work.
type event struct {
	name    string
	decides bool
}

// hosts lists the agents that nod can be installed for.
func hosts() []host {
	return []host{claudeCode(), codex(), copilot(), gemini(), qwen(), opencode(), pi(), antigravity(),
		crush(), cursor(), droid(), grok(), openhands(), windsurf()}
}

// title is what people call the agent; "" for the zero value.
func (h host) title() string { return rows.ByName(h.agent).Title }

// under is the key at the top of the file under which nod's events stand.
func (h host) under() string { return cmp.Or(h.named, "hooks") }

// Agents returns their names.
func Agents() []string {
	var names []string
	for _, h := range hosts() {
		names = append(names, h.agent)
	}
	return names
}

// Title returns the name that people call an agent by; "" for none of
// [Agents].
func Title(agent string) string { return Options{Agent: agent}.host().title() }

// Next returns what a person must do after installing at a level before the
// agent asks nod, "" if nothing.
func Next(agent string, level Level) string {
	h := Options{Agent: agent}.host()
	if level == Managed {
		return h.next
	}
	return cmp.Or(h.next, h.confirm)
}

// FailOpen returns what nod cannot close on this host, "" if nothing.
func FailOpen(agent string) string { return Options{Agent: agent}.host().failOpen }

// host returns the facts about o's agent; the zero value where there is none,
// which has no file.
func (o Options) host() host {
	for _, h := range hosts() {
		if h.agent == o.Agent || o.Agent == "" && h.agent == "claude-code" {
			return h
		}
	}
	return host{}
}

func (o Options) relative() string {
	h := o.host()
	switch {
	case o.Level == User:
		return h.user
	case o.Level == Project:
		return h.project
	case h.managedDarwin != "" && (o.OS == "darwin" || o.OS == "" && runtime.GOOS == "darwin"):
		return h.managedDarwin
	}
	return h.managed
}

// HasLevel reports whether nod can be installed for o's agent at o's level.
func (o Options) HasLevel() bool { return o.relative() != "" }

// words is nod-hook's command line.
func (o Options) words() []string {
	words := []string{o.Hook, o.host().agent}
	for _, a := range []struct{ flag, path string }{
		{"--settings", o.Settings}, {"--managed", o.Managed}, {"--state", o.State}, {"--nod", o.Nod},
	} {
		if a.path != "" {
			words = append(words, a.flag, a.path)
		}
	}
	return words
}

// guardScript is for hosts without a switch of their own that makes a failing
// hook block. It turns whatever becomes of nod-hook (missing, killed, an exit
// code of its own, an answer that is no object) into exit 2 with a reason,
// which all of them take for a denial, and ends it before the host gives up on
// it, where the machine has timeout(1). It names programs by their place: PATH
// may lead elsewhere.
const guardScript = `t=; [ -x /usr/bin/timeout ] && t="/usr/bin/timeout -s KILL %d"; o=$($t "$0" "$@"); c=$?; case "$c:$o" in 0:|0:{*}) printf %%s "$o"; exit 0;; 2:*) echo "nod-hook blocked the call" >&2; exit 2;; esac; echo "nod-hook failed ($c), so the call is blocked" >&2; exit 2`

// denyScript is guardScript for a host on which no exit code is known to
// block: it turns every failure into the object that denies.
const denyScript = `t=; [ -x /usr/bin/timeout ] && t="/usr/bin/timeout -s KILL %d"; o=$($t "$0" "$@"); c=$?; case "$c:$o" in 0:|0:{*}) printf %%s "$o"; exit 0;; esac; echo "{\"decision\":\"deny\",\"reason\":\"nod-hook failed ($c), so the call is blocked\"}"`

// guarded is the hook's command for hosts that hand it to a shell, whichever
// that is: what stands between the quotes is read by /bin/sh. seconds must be
// less than the host's own limit.
func (o Options) guarded(seconds int) string {
	return o.behind(guardScript, seconds)
}

func (o Options) behind(script string, seconds int) string {
	return "/bin/sh -c '" + fmt.Sprintf(script, seconds) + "' " + quoteAll(o.words())
}

// unguarded is the command for events that only record.
func (o Options) unguarded() string { return quoteAll(o.words()) }

func quoteAll(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, Quote(w))
	}
	return strings.Join(quoted, " ")
}

// programOf returns the program of a command that a shell reads: the first
// word, or what guardScript is handed.
func programOf(command string) string {
	first, rest := cutWord(command)
	if first != "/bin/sh" {
		return first
	}
	if flag, after := cutWord(rest); flag == "-c" {
		_, after = cutWord(after)
		first, _ = cutWord(after)
	}
	return first
}

// cutWord takes the first word off a command, quotes and backslashes taken
// off. It knows no more of a shell than [Quote] writes and people do.
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
