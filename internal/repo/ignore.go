package repo

import (
	"path"
	"strings"
)

// Ignored reports whether the ignore files of the repository, as git has
// them, ignore the directory at a real path. An ignore file on the way that
// differs from git's copy settles it: false.
func (r *Repo) Ignored(dir string) bool {
	below, ok := strings.CutPrefix(dir, r.Top+"/")
	if !ok || !r.load() {
		return false
	}
	parts := strings.Split(below, "/")
	for n := 1; n <= len(parts); n++ {
		ignored, known := r.ignores(parts[:n])
		if ignored || !known {
			return ignored
		}
	}
	return false
}

// ignores asks the ignore files above the directory that parts name, the
// nearest last: it counts most.
func (r *Repo) ignores(parts []string) (ignored, known bool) {
	for n := range parts {
		file := strings.Join(append(append([]string{r.Top}, parts[:n]...), ".gitignore"), "/")
		if _, err := r.files.Lstat(file); err != nil {
			continue
		}
		if r.Lost(file) != "" {
			return false, false
		}
		data, err := r.files.Read(file, maxFile)
		if err != nil {
			return false, false
		}
		if ignored, known = lines(string(data), parts[n:], ignored); !known {
			return false, false
		}
	}
	return ignored, true
}

// lines applies one ignore file to a directory below it.
func lines(text string, parts []string, ignored bool) (result, known bool) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " ")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, negated := strings.CutPrefix(line, "!")
		matched, plain := matches(strings.TrimSuffix(pattern, "/"), parts)
		switch {
		case !plain && negated:
			return false, false
		case matched:
			ignored = !negated
		}
	}
	return ignored, true
}

// matches reports whether a pattern means the directory. plain is false for a
// pattern that is not read here.
func matches(pattern string, parts []string) (matched, plain bool) {
	name := parts[len(parts)-1]
	if rest, ok := strings.CutPrefix(pattern, "**/"); ok && !strings.Contains(rest, "/") {
		pattern = rest
	}
	if strings.Contains(pattern, "**") || strings.ContainsAny(pattern, `\[`) {
		return false, false
	}
	if strings.Contains(pattern, "/") {
		pattern, name = strings.TrimPrefix(pattern, "/"), strings.Join(parts, "/")
	}
	matched, err := path.Match(pattern, name)
	return matched, err == nil
}

// MayIgnore reports whether git may pass over the file, or the directory, at a
// real path because of an ignore file as it is now: one of the repository, or
// one of those given, which are the user's. A pattern that is not read here may
// mean it.
func (r *Repo) MayIgnore(name string, dir bool, user ...string) bool {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	if !ok {
		return true
	}
	parts := strings.Split(below, "/")
	for n := 1; n <= len(parts); n++ {
		if r.mayPassOver(parts[:n], dir || n < len(parts), user) {
			return true
		}
	}
	return false
}

// MayIgnoreNext is [Repo.MayIgnore] for a directory, or a file, of which it is
// known that git passes over nothing that leads there.
func (r *Repo) MayIgnoreNext(name string, dir bool, user ...string) bool {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	return !ok || r.mayPassOver(strings.Split(below, "/"), dir, user)
}

// mayPassOver asks all ignore files about one name, the nearest last.
func (r *Repo) mayPassOver(parts []string, dir bool, user []string) (ignored bool) {
	for _, file := range user {
		ignored = r.mayIgnore(file, parts, dir, ignored)
	}
	ignored = r.mayIgnore(r.Common+"/info/exclude", parts, dir, ignored)
	at := r.Top
	for n := range parts {
		ignored = r.mayIgnore(at+"/.gitignore", parts[n:], dir, ignored)
		at += "/" + parts[n]
	}
	return ignored
}

// mayIgnore applies one ignore file to what lies below it.
func (r *Repo) mayIgnore(file string, parts []string, dir, ignored bool) bool {
	f := r.ignoreFile(file)
	for _, p := range f.patterns {
		if p.onlyDir && !dir {
			continue
		}
		switch matched, plain := matches(p.text, parts); {
		case !plain && !p.negated:
			ignored = true
		case matched && plain:
			ignored = !p.negated
		}
	}
	return ignored || f.unread
}

// ignoreFile is an ignore file as it is now.
type ignoreFile struct {
	patterns []ignorePattern
	unread   bool // it is there and cannot be read
}

type ignorePattern struct {
	text             string
	negated, onlyDir bool
}

// ignoreFile reads an ignore file once.
func (r *Repo) ignoreFile(name string) ignoreFile {
	f, known := r.ignoring[name]
	if known {
		return f
	}
	if data, err := r.files.Read(name, maxFile); err == nil {
		f.patterns = ignorePatterns(string(data))
	} else {
		_, err := r.files.Lstat(name)
		f.unread = err == nil
	}
	if r.ignoring == nil {
		r.ignoring = map[string]ignoreFile{}
	}
	r.ignoring[name] = f
	return f
}

func ignorePatterns(text string) (list []ignorePattern) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.TrimSuffix(line, "\r"), " ")
		var p ignorePattern
		p.text, p.negated = strings.CutPrefix(line, "!")
		p.text, p.onlyDir = strings.CutSuffix(p.text, "/")
		if p.text != "" && line[0] != '#' {
			list = append(list, p)
		}
	}
	return list
}
