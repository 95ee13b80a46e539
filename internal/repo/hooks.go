package repo

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

const (
	maxIncludes = 8
	maxHooks    = 1000
)

// HooksPaths returns where git takes the repository's hooks and settings from
// besides its own directory, as core.hooksPath and include.path say in its own
// settings, the user's, and what those include, and as links among its hooks say:
// real paths. What merely looks like the setting counts.
//
// Started are the values of settings that say what git starts, from the top of the
// working tree.
func (r *Repo) HooksPaths(home string) (from, started []string) {
	from = r.linkedHooks(home)
	files := []string{r.Common + "/config", r.Dir + "/config.worktree", home + "/.gitconfig",
		home + "/.config/git/config", "/etc/gitconfig"}
	for i := 0; i < len(files) && i < maxIncludes+5; i++ {
		data, err := r.files.Read(files[i], 256<<10)
		if err != nil {
			continue
		}
		settings, _ := Settings(string(data))
		for _, s := range settings {
			switch key, value := s.Key(), s.Value(); {
			case s.Name == "core.hookspath", s.Name == "core.attributesfile":
				from = append(from, places(r, r.Top, value, home)...)
			case key == "path" && strings.HasPrefix(s.Name, "include"):
				at := places(r, path.Dir(files[i]), value, home)
				files, from = append(files, at...), append(from, at...)
			case startsFiles(key), key == "path", strings.HasPrefix(s.Name, "pager."),
				key == "url" && strings.HasPrefix(value, "ext::"):
				started = append(started, strings.TrimPrefix(value, "ext::"))
				from = append(from, namedFiles(r, strings.TrimPrefix(value, "ext::"), home)...)
			}
		}
	}
	return from, started
}

// places are where a path of a setting leads, with what looks like a comment behind it
// and without.
func places(r *Repo, from, value, home string) (real []string) {
	real = []string{r.named(from, value, home)}
	if i := strings.IndexAny(value, "#;"); i >= 0 {
		real = append(real, r.named(from, strings.TrimSpace(value[:i]), home))
	}
	return real
}

// startsFiles reports whether the value of a setting says what git starts by itself,
// or holds more of its attributes. What an alias starts runs when it is called.
func startsFiles(key string) bool {
	switch key {
	case "fsmonitor", "pager", "editor", "sshcommand", "gitproxy", "askpass", "alternaterefscommand", "external",
		"command", "textconv", "driver", "clean", "smudge", "process", "cmd", "program", "difffilter",
		"packobjectshook", "recentobjectshook", "helper", "defaultkeycommand", "templatedir",
		"uploadpack", "receivepack", "update", "smtpserver", "tunnel", "httpd", "browser", "cccmd", "tocmd",
		"headercmd":
		return true
	}
	return false
}

// namedFiles are what the words of a setting name of what lies in the working tree,
// or may lie there: what is not there yet counts where the word has a slash or an
// ending, which the names of programs have not. What stands before a slash may be the
// top itself ($PWD/scripts/x).
func namedFiles(r *Repo, value, home string) (names []string) {
	value = strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(value) // as the shell reads it
	between := func(c rune) bool { return strings.ContainsRune(" \t\n\b;|&()=!<>`$#{}", c) }
	for word := range strings.FieldsFuncSeq(value, between) {
		if name := r.named(r.Top, word, home); mayStart(r, name, word) {
			names = append(names, name)
		}
		first, rest, ok := strings.Cut(word, "/")
		if name := r.named(r.Top, rest, home); ok && (first == "PWD" || first == "") && mayStart(r, name, "/"+rest) {
			names = append(names, name)
		}
	}
	return names
}

// mayStart reports whether a word means a file of the working tree, there or not.
func mayStart(r *Repo, name, word string) bool {
	info, err := r.files.Lstat(name)
	slash := strings.Contains(word, "/")
	is := err == nil && (info.Mode.IsRegular() || info.Mode.IsDir() && slash) ||
		errors.Is(err, fs.ErrNotExist) && word[0] != '-' && (slash || strings.Contains(word, "."))
	return is && name != r.Top && view.Below(r.Top, name)
}

// linkedHooks is where hooks that are links lead: scripts/pre-commit.sh.
func (r *Repo) linkedHooks(home string) (to []string) {
	dir := r.Common + "/hooks"
	names, _ := r.files.List(dir, maxHooks)
	for _, name := range names {
		if info, err := r.files.Lstat(dir + "/" + name); err == nil && info.Mode&fs.ModeSymlink != 0 {
			to = append(to, r.named(dir, name, home))
		}
	}
	return to
}

// named is where a path of a configuration leads.
func (r *Repo) named(from, value, home string) string {
	if below, ok := strings.CutPrefix(value, "%(prefix)/"); ok { // where git is installed
		value = "/usr/" + below
	}
	if below, ok := strings.CutPrefix(value, "~/"); ok {
		value = home + "/" + below
	} else if !path.IsAbs(value) {
		value = from + "/" + value
	}
	value = withoutProc(r, value)
	real, err := view.Resolve(r.files, value)
	if err != nil {
		return path.Clean(value)
	}
	return real
}

// withoutProc is a path without the names that Linux has for the directory of a process
// and for its root: git runs at the top of the working tree, nod elsewhere.
func withoutProc(r *Repo, value string) string {
	clean := path.Clean(value)
	for _, own := range [...]string{"/proc/self/", "/proc/thread-self/"} {
		if below, ok := strings.CutPrefix(clean+"/", own+"cwd/"); ok {
			return r.Top + "/" + below
		}
		if below, ok := strings.CutPrefix(clean+"/", own+"root/"); ok {
			return "/" + below
		}
	}
	return value
}
