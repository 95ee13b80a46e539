package shell

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// gitLogins notes that a command of git prints a password or a token that git keeps.
func gitLogins(a *analysis, r *repository, inv *invocation, sub string, args []word) {
	switch {
	case r.secret && printsSettings(sub, args):
		a.out.does(Secret, "git settings", inv.raw)
	case r.namesLogin && printsRemote(sub, args):
		a.out.does(Secret, "the name of a remote of git, an address with a password", inv.raw)
	case printsReflog(sub, args) && reflogHoldsLogin(a.repos.machine, r):
		a.out.does(Secret, "a reflog of git, which has or may have an address with a password", inv.raw)
	}
}

// secretSetting reports whether a setting of git holds what nobody should
// read: a header of requests, or a URL with a password or a token in it.
func secretSetting(name, text string) bool {
	key := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	holds := slices.Contains([]string{"extraheader", "smtppass", "password", "pass", "token", "oauthtoken"}, key)
	return holds && text != "" && text != `""` || passwordInURL(name) || passwordInURL(text)
}

// namesRemote reports whether a setting names a remote by an address with a password: git
// prints such a name like that of any remote.
func namesRemote(name, text string) bool {
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return strings.HasPrefix(name, "remote.") && passwordInURL(name) ||
		strings.HasSuffix(last, "remote") && passwordInURL(text) || last == "pushdefault" && passwordInURL(text)
}

// tokenLength is how long the user of a URL is if it is a token, at least.
const tokenLength = 20

// passwordInURL looks for ://user:password@ and for ://token@.
func passwordInURL(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "://")
		if !ok {
			return false
		}
		authority := rest
		if end := strings.IndexAny(rest, "/?# \t\n\""); end >= 0 {
			authority = rest[:end]
		}
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			_, password, _ := strings.Cut(authority[:at], ":")
			if password != "" || at >= tokenLength {
				return true
			}
		}
		text = rest
	}
}

// printsSettings reports whether a subcommand prints settings that may be any:
// all but those asked for by a name that says that they are harmless.
func printsSettings(sub string, args []word) bool {
	switch sub {
	case "config":
		for _, w := range args {
			if !w.known || w.many || !plainGitKey(w.text) && !plainConfigWord(w.text) {
				return true
			}
		}
	case "var", "remote", "ls-remote":
		for _, w := range args {
			if !w.known || w.many || printsURL(sub, w.text) {
				return true
			}
		}
	}
	return false
}

// printsRemote reports whether a subcommand may print the name of a remote: by a field of
// a format, or in a message about what a branch follows.
func printsRemote(sub string, args []word) bool {
	return sub == "remote" || slices.ContainsFunc(args, func(w word) bool {
		return !w.known || strings.Contains(w.text, "@{") || strings.Contains(w.text, "remotename") ||
			strings.Contains(w.text, "%(push") || strings.Contains(w.text, "%(upstream")
	})
}

// printsReflog reports whether a subcommand prints what a reflog says was done.
func printsReflog(sub string, args []word) bool {
	says := func(text string) bool {
		return slices.ContainsFunc(args, func(w word) bool { return !w.known || strings.HasPrefix(w.text, text) })
	}
	switch sub {
	case "reflog":
		return !says("exists") && !says("expire") && !says("delete")
	case "stash":
		return says("list")
	}
	return says("--walk") || says("--reflog") || slices.ContainsFunc(args, func(w word) bool {
		return isCluster(w.text) && strings.Contains(w.text, "g")
	})
}

// isCluster recognises a word of letters of options.
func isCluster(text string) bool { return len(text) > 1 && text[0] == '-' && text[1] != '-' }

// Bounds of a look through a repository's reflogs.
const (
	maxLogs     = 2000
	maxLogDepth = 12
)

// reflogHoldsLogin reports whether a reflog has an address with a password, as git pull
// leaves the one it was given, or nod cannot tell.
func reflogHoldsLogin(m *machine, r *repository) bool {
	look := fileSearch{files: m.env.Files, is: holdsAddress}
	return m.exists(r.common+"/reftable") || look.below(r.common+"/logs", 0) ||
		r.dir != r.common && look.below(r.dir+"/logs", 0)
}

// oldRemotesHoldLogin reports whether one of the files in which git kept its remotes once,
// and still reads them, has an address with a password.
func oldRemotesHoldLogin(m *machine, r *repository) bool {
	look := fileSearch{files: m.env.Files, is: holdsAddress}
	return look.below(r.common+"/remotes", 0) || look.below(r.common+"/branches", 0)
}

// holdsAddress reports whether a file has an address with a password, or cannot be read.
func holdsAddress(files view.Files, name string) bool {
	data, err := files.Read(name, maxReflog)
	return err != nil || passwordInURL(string(data))
}

// fileSearch asks something of each file below a directory, until the answer is yes. What
// is over its bounds counts as one.
type fileSearch struct {
	files view.Files
	is    func(view.Files, string) bool
	seen  int
}

func (s *fileSearch) below(dir string, depth int) bool {
	if _, err := s.files.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	entries, err := s.files.Entries(dir, maxLogs)
	if s.seen += len(entries); err != nil || s.seen > maxLogs || depth > maxLogDepth {
		return true
	}
	return slices.ContainsFunc(entries, func(e view.Entry) bool {
		if e.Type.IsDir() {
			return s.below(dir+"/"+e.Name, depth+1)
		}
		return s.is(s.files, dir+"/"+e.Name)
	})
}

// printsURL recognises the words after which git var, git remote and git
// ls-remote print settings or URLs as they are.
func printsURL(sub, text string) bool {
	if sub == "ls-remote" {
		return strings.HasPrefix(text, "--get")
	}
	return strings.HasPrefix(text, "-") || sub == "remote" && (text == "get-url" || text == "show")
}

// plainConfigWord lists the words of git config that do not widen what is
// printed.
func plainConfigWord(text string) bool {
	switch text {
	case "get", "--get", "--get-all", "--global", "--local", "--system", "--worktree", "--bool", "--int", "--path",
		"-z", "--null":
		return true
	}
	return false
}

// HoldsGitLogin reports whether the text of a git configuration holds a
// password, a token or a header of requests.
func HoldsGitLogin(config string) bool {
	for line := range strings.Lines(config) {
		name, text, _ := strings.Cut(line, "=")
		if secretSetting(strings.TrimSpace(name), strings.TrimSpace(text)) || passwordInURL(line) {
			return true
		}
	}
	return false
}
