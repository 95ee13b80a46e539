package repo

import "strings"

// Gitlinks returns the names, below the top, of the repositories that the
// index holds as such: git status and its kin run git inside each that is
// there. ok is false where the index is there and cannot be read.
func (r *Repo) Gitlinks() (names []string, ok bool) {
	if _, err := r.files.Lstat(r.Dir + "/index"); err != nil {
		return nil, true
	}
	data, err := r.files.Read(r.Dir+"/index", maxIndex)
	if err != nil {
		return nil, false
	}
	text := string(data)
	// The mode of one, 0160000, or an extension that says where more entries are.
	if !strings.Contains(text, "\x00\x00\xe0\x00") && !strings.Contains(text, "link\x00\x00") {
		return nil, true
	}
	if !r.load() {
		return nil, false
	}
	for _, e := range r.index.entries {
		if e.mode == 0o160000 {
			names = append(names, e.name)
		}
	}
	return names, true
}
