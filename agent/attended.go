package agent

import (
	"os"
	"path"
	"slices"
	"strings"
)

// attended reports whether a person started the host at a terminal and sits there: of the processes above
// this one, the nearest that is the host reads from a terminal, and none of its arguments says that nobody
// is there. False where that cannot be seen.
func attended(host string) bool {
	pid := os.Getppid()
	for range 32 {
		args, parent, err := started(pid)
		if err != nil || pid <= 1 {
			return false
		}
		if own, is := argumentsOf(host, args); is {
			return onTerminal(pid) && sitsThere(own, factsOf(host))
		}
		pid = parent
	}
	return false
}

// argumentsOf returns the arguments of a process, if the process is the host: the name of its
// program, or of the script that node or bun runs, contains the host's name.
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

// sitsThere reports whether the arguments leave room for a person: none of them says that nobody can be asked or that
// a program is at the other end. Qwen Code answers a question among the arguments once.
func sitsThere(args []string, host facts) bool {
	before := ""
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		says := func(word string) bool {
			return name == word || len(word) == 2 && word[0] == '-' && strings.HasPrefix(arg, word)
		}
		question := arg != "" && !strings.HasPrefix(arg, "-") && !strings.HasPrefix(before, "-")
		if question && len(host.list("question")) > 0 || slices.ContainsFunc(host.list("headless"), says) {
			return false
		}
		before = arg
	}
	return true
}
