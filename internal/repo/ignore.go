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
	if !readable(pattern) {
		return false, false
	}
	if rest, ok := strings.CutPrefix(pattern, "**/"); ok && !strings.Contains(rest, "/") {
		pattern = rest
	}
	if !strings.Contains(pattern, "/") {
		matched, err := path.Match(pattern, parts[len(parts)-1])
		return matched, err == nil
	}
	return across(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), parts)
}

// readable reports whether a pattern has no sign that git reads otherwise than
// path.Match, or that is not read here.
func readable(pattern string) bool {
	for part := range strings.SplitSeq(pattern, "/") {
		if strings.Contains(part, "**") && part != "**" {
			return false
		}
	}
	return !strings.Contains(pattern, `\`) && !strings.Contains(pattern, "[[") && !strings.Contains(pattern, "[!") &&
		!strings.Contains(pattern, "[]")
}

// across matches component by component: ** stands for any number of them, and at
// the end for one at least.
func across(pattern, parts []string) (matched, plain bool) {
	if len(pattern) == 0 || len(parts) == 0 {
		return len(pattern) == len(parts), true
	}
	if pattern[0] == "**" {
		if len(pattern) == 1 {
			return true, true
		}
		if matched, plain = across(pattern[1:], parts); matched || !plain {
			return matched, plain
		}
		return across(pattern, parts[1:])
	}
	if ok, err := path.Match(pattern[0], parts[0]); !ok {
		return false, err == nil
	}
	return across(pattern[1:], parts[1:])
}

// Certainty is how sure an answer must be. The zero value asks what is sure.
type Certainty uint8

const (
	Surely Certainty = iota
	Maybe
)

// PassesOver reports whether git surely passes over the file, or the directory, at a
// real path because of an ignore file as it is now, or whether it may: one of the
// repository, or one of those given, which are the user's. A pattern that is not read
// here may mean the file, and may not.
func (r *Repo) PassesOver(is Certainty, name string, dir bool, user ...string) bool {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	if !ok {
		return is == Maybe
	}
	parts := strings.Split(below, "/")
	for n := 1; n <= len(parts); n++ {
		if r.passesOver(is, parts[:n], dir || n < len(parts), user) {
			return true
		}
	}
	return false
}

// PassesOverNext is [Repo.PassesOver] for a directory, or a file, of which it is known that
// git passes over nothing that leads there.
func (r *Repo) PassesOverNext(is Certainty, name string, dir bool, user ...string) bool {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	if !ok {
		return is == Maybe
	}
	return r.passesOver(is, strings.Split(below, "/"), dir, user)
}

// passesOver asks all ignore files about one name, the nearest last.
func (r *Repo) passesOver(is Certainty, parts []string, dir bool, user []string) (ignored bool) {
	for _, file := range user {
		ignored = r.applied(is, file, parts, dir, ignored)
	}
	ignored = r.applied(is, r.Common+"/info/exclude", parts, dir, ignored)
	at := r.Top
	for n := range parts {
		ignored = r.applied(is, at+"/.gitignore", parts[n:], dir, ignored)
		at += "/" + parts[n]
	}
	return ignored
}

// applied is what one ignore file makes of the answer of those before it.
func (r *Repo) applied(is Certainty, file string, parts []string, dir, ignored bool) bool {
	f := r.ignoreFile(file)
	for _, p := range f.patterns {
		if p.onlyDir && !dir {
			continue
		}
		switch matched, plain := matches(p.text, parts); {
		case !plain && p.negated == (is == Surely):
			ignored = is == Maybe
		case matched && plain:
			ignored = !p.negated
		}
	}
	if f.unread {
		return is == Maybe
	}
	return ignored
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
		f.patterns = ignorePatterns(strings.TrimPrefix(string(data), "\ufeff")) // git skips the mark too
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
