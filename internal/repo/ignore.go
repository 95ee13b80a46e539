package repo

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// matches reports whether a pattern means the last of the parts. plain is false for a
// pattern that may mean more than is read here.
func matches(pattern string, parts []string) (matched, plain bool) {
	pattern, deep := strings.CutPrefix(pattern, "**/")
	above, all := strings.CutSuffix(pattern, "/**") // what lies below ignored names is ignored with them
	if all {
		pattern = above + "/*"
	}
	if strings.ContainsAny(pattern, `\`) || strings.Contains(pattern, "**") || strings.Contains(pattern, "[[") ||
		strings.Contains(pattern, "[!") || strings.Contains(pattern, "[]") {
		return false, false
	}
	wants := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	if strings.Contains(pattern, "/") && !deep && len(wants) != len(parts) || len(wants) > len(parts) {
		return false, !all
	}
	for i, got := range parts[len(parts)-len(wants):] {
		if ok, err := path.Match(wants[i], got); !ok {
			return false, err == nil && !all
		}
	}
	return true, !all
}

// PassesOver reports whether git surely passes over the file, or the directory, at a real
// path because of an ignore file of the repository as it is now. A pattern that is not read
// here may mean the file, and may not.
func (r *Repo) PassesOver(name string, dir bool) bool {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	if !ok {
		return false
	}
	parts := strings.Split(below, "/")
	for n := 1; n <= len(parts); n++ {
		if r.passesOver(parts[:n], dir || n < len(parts)) {
			return true
		}
	}
	return false
}

// BringsBack reports whether an ignore file of the repository may take a hidden component
// of a name out of what is ignored.
func (r *Repo) BringsBack(name string) bool {
	for at := path.Dir(name); view.Below(r.Top, at); at = path.Dir(at) {
		f := r.ignoreFile(at + "/.gitignore")
		shows := func(p ignorePattern) bool { return p.negated && p.showsHidden(name) }
		if f.unread || slices.ContainsFunc(f.patterns, shows) {
			return true
		}
		if at == "/" {
			break
		}
	}
	return false
}

// showsHidden reports whether a pattern may mean a hidden component of a name: a star means a dot, too.
func (p ignorePattern) showsHidden(name string) bool {
	last := path.Base(p.text)
	return strings.ContainsAny(last, `[\{`) || slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		shown, err := path.Match(last, part)
		return strings.HasPrefix(part, ".") && (shown || err != nil)
	})
}

// passesOver asks all ignore files about one name, the nearest last.
func (r *Repo) passesOver(parts []string, dir bool) (ignored bool) {
	ignored = r.applied(r.Common+"/info/exclude", parts, dir, ignored)
	at := r.Top
	for n := range parts {
		ignored = r.applied(at+"/.gitignore", parts[n:], dir, ignored)
		at += "/" + parts[n]
	}
	return ignored
}

// applied is what one ignore file makes of the answer of those before it.
func (r *Repo) applied(file string, parts []string, dir, ignored bool) bool {
	f := r.ignoreFile(file)
	for _, p := range f.patterns {
		if p.onlyDir && !dir {
			continue
		}
		switch matched, plain := matches(p.text, parts); {
		case p.negated && (matched || !plain):
			ignored = false
		case matched:
			ignored = true
		}
	}
	return ignored && !f.unread
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
