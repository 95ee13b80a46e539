package repo

import "encoding/hex"

// maxBaseWalk bounds how many commits are looked at for where two histories parted.
const maxBaseWalk = 2000

// MergeBase returns the name of the commit from which two revisions parted, as git
// merge-base prints it. ok is false where there is none, more than one, or it is too far.
func MergeBase(r *Repo, one, other string) (name string, ok bool) {
	a, known := r.Revision(one)
	b, also := r.Revision(other)
	w := treeWalk{repo: r, known: true}
	p := painting{history: history{walk: &w, seen: map[string]bool{}}, colors: map[string]color{}}
	if known, also = known && p.paint(a, fromOne), also && p.paint(b, fromOther); !known || !also {
		return "", false
	}
	var found []string
	for n := 0; p.unsettled(); n++ {
		c := p.newest()
		shade := p.colors[c.id]
		if shade == fromBoth {
			found = append(found, c.id)
			shade |= stale
		}
		p.seen[c.id] = false // it may be painted once more
		for _, parent := range c.parents {
			if !p.paint(parent, shade) || n > maxBaseWalk {
				return "", false
			}
		}
	}
	for _, id := range found {
		if p.colors[id]&stale != 0 {
			continue
		}
		if name != "" {
			return "", false
		}
		name = hex.EncodeToString([]byte(id))
	}
	return name, name != ""
}

// color says from which revisions a commit was reached; stale is what lies below a commit
// that was reached from both.
type color uint8

const (
	fromOne color = 1 << iota
	fromOther
	stale
	fromBoth = fromOne | fromOther
)

// painting is git's own walk to where two histories parted.
type painting struct {
	history
	colors map[string]color
}

// paint adds a color to a commit, which is walked on from if that is new.
func (p *painting) paint(id string, shade color) bool {
	id, _, _ = tagged(p.walk.repo, id)
	if p.colors[id]&shade == shade {
		return true
	}
	p.colors[id] |= shade
	p.add(id)
	return p.walk.known
}

// unsettled reports whether a commit waits that is not below one reached from both.
func (p *painting) unsettled() bool {
	for _, c := range p.open {
		if p.colors[c.id]&stale == 0 {
			return true
		}
	}
	return false
}
