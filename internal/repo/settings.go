package repo

import (
	"slices"
	"strings"
)

// Setting is a line of a file of git's settings (git-config(1)).
type Setting struct {
	Name string // section.key or section.subsection.key, in lower case but for the subsection
	Text string // what stands behind the equals sign, as it is written; "" where none does
}

// Settings reads a file of git's settings. ok is false where a heading has no end; the
// list holds what stands before it. A line that goes on in the next is read as two.
func Settings(text string) (list []Setting, ok bool) {
	section := ""
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		for line = strings.TrimSpace(line); line != "" && line[0] == '['; {
			end := headingEnd(line)
			if end < 0 {
				return list, false
			}
			section, line = sectionName(line[1:end]), strings.TrimSpace(line[end+1:])
		}
		if line != "" && line[0] != '#' && line[0] != ';' {
			key, text, _ := strings.Cut(line, "=")
			name := section + "." + strings.ToLower(strings.TrimSpace(key))
			list = append(list, Setting{name, strings.TrimSpace(text)})
		}
	}
	return list, true
}

// Value is what a setting means: without its quotes. A comment behind it stays.
func (s Setting) Value() string { return strings.TrimSpace(strings.ReplaceAll(s.Text, `"`, "")) }

// headingEnd returns where the heading that a line begins with ends, -1 if
// nowhere. A bracket in quotes belongs to the name.
func headingEnd(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

// sectionName turns `remote "origin"` into remote.origin.
func sectionName(heading string) string {
	name, sub, ok := strings.Cut(heading, " ")
	if !ok {
		return strings.ToLower(strings.TrimSpace(heading))
	}
	return strings.ToLower(name) + "." + strings.Trim(strings.TrimSpace(sub), `"`)
}

// settings are those of the repository; nil where they cannot be read.
func (r *Repo) settings() ([]Setting, error) {
	text, err := r.files.Read(r.Common+"/config", 1<<20)
	list, _ := Settings(string(text))
	return list, err
}

// HooksPaths are what the repository's settings say of core.hooksPath.
func (r *Repo) HooksPaths() (dirs []string) {
	list, _ := r.settings()
	for _, s := range list {
		if s.Name == "core.hookspath" {
			dirs = append(dirs, s.Value())
		}
	}
	return dirs
}

// HasBranch reports whether a local branch is there.
func (r *Repo) HasBranch(name string) bool {
	if _, err := r.files.Lstat(r.Common + "/refs/heads/" + name); err == nil {
		return true
	}
	packed, err := r.files.Read(r.Common+"/packed-refs", 4<<20)
	_, missing := r.files.Lstat(r.Common + "/packed-refs")
	return strings.Contains(string(packed), " refs/heads/"+name+"\n") || err != nil && missing == nil
}

// Stashes are the names of the commits that were stashed, newest first.
func (r *Repo) Stashes() (ids []string) {
	data, err := r.files.Read(r.Common+"/logs/refs/stash", 4<<20)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 1 {
			ids = append(ids, words[1])
		}
	}
	slices.Reverse(ids)
	return ids
}

// Remotes are the repository's remotes as host/path, in lower case and without a login, a port or .git. known is false
// where the settings cannot be read. A remote that is a file is left out.
func (r *Repo) Remotes() (list []string, known bool) {
	settings, err := r.settings()
	for _, s := range settings {
		if strings.HasPrefix(s.Name, "remote.") && (strings.HasSuffix(s.Name, ".url") ||
			strings.HasSuffix(s.Name, ".pushurl")) {
			if remote := hostAndPath(strings.ToLower(s.Value())); remote != "" {
				list = append(list, remote)
			}
		}
	}
	return list, err == nil
}

// hostAndPath reads https://login@host:port/path.git and login@host:path.git.
func hostAndPath(url string) string {
	_, rest, hasScheme := strings.Cut(url, "://")
	if !hasScheme {
		rest = url
	}
	authority, below, ok := strings.Cut(rest, "/")
	if host, first, short := strings.Cut(authority, ":"); short && !hasScheme { // host:path, as of ssh
		authority, below, ok = host, strings.Trim(first+"/"+below, "/"), true
	}
	host, _, _ := strings.Cut(authority[strings.LastIndexByte(authority, '@')+1:], ":")
	below = strings.TrimSuffix(strings.Trim(below, "/"), ".git")
	if !ok || host == "" || host[0] == '.' || below == "" {
		return ""
	}
	return host + "/" + below
}
