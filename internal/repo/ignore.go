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

// MayIgnore reports whether git may pass over the file at a real path because
// of an ignore file as it is now: one of the repository, or one of those given,
// which are the user's. A pattern that is not read here may mean it.
func (r *Repo) MayIgnore(name string, user ...string) bool {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	if !ok {
		return true
	}
	parts := strings.Split(below, "/")
	for n := 1; n <= len(parts); n++ {
		ignored := false
		for _, file := range append(user[:len(user):len(user)], r.Common+"/info/exclude") {
			ignored = r.mayIgnore(file, parts[:n], n < len(parts), ignored)
		}
		for at := range n {
			file := strings.Join(append(append([]string{r.Top}, parts[:at]...), ".gitignore"), "/")
			ignored = r.mayIgnore(file, parts[at:n], n < len(parts), ignored)
		}
		if ignored {
			return true
		}
	}
	return false
}

// mayIgnore applies one ignore file to what lies below it.
func (r *Repo) mayIgnore(file string, parts []string, dir, ignored bool) bool {
	data, err := r.files.Read(file, maxFile)
	if err != nil {
		_, missing := r.files.Lstat(file)
		return ignored || missing == nil
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimRight(strings.TrimSuffix(line, "\r"), " ")
		pattern, negated := strings.CutPrefix(line, "!")
		pattern, onlyDir := strings.CutSuffix(pattern, "/")
		if pattern == "" || line[0] == '#' || onlyDir && !dir {
			continue
		}
		switch matched, plain := matches(pattern, parts); {
		case !plain && !negated:
			ignored = true
		case matched && plain:
			ignored = !negated
		}
	}
	return ignored
}
