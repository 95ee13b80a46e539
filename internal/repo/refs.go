package repo

import (
	"slices"
	"strings"
)

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
