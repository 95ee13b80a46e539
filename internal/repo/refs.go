package repo

import (
	"slices"
	"strings"
)

// Branches returns the names of the local branches, at most so many; known is false
// where there may be more.
func (r *Repo) Branches(most int) (names []string, known bool) {
	packed, err := r.files.Read(r.Common+"/packed-refs", 4<<20)
	_, missing := r.files.Lstat(r.Common + "/packed-refs")
	known = err == nil || missing != nil
	for line := range strings.Lines(string(packed)) {
		_, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			names = append(names, name)
		}
	}
	for dirs := []string{""}; len(dirs) > 0 && len(names) < most; dirs = dirs[1:] {
		below, _ := r.files.List(r.Common+"/refs/heads/"+dirs[0], most)
		for _, n := range below {
			name := dirs[0] + n
			if info, err := r.files.Lstat(r.Common + "/refs/heads/" + name); err == nil && info.Mode.IsDir() {
				dirs = append(dirs, name+"/")
			} else {
				names = append(names, name)
			}
		}
	}
	return names, known && len(names) < most
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
