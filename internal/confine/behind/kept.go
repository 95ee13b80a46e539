package behind

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/keep"
)

// parcel keeps, all at once, what a run is about to replace or remove. Until it has looked
// it takes everything that it is handed; then it says what was kept.
type parcel struct {
	store  *keep.Store
	call   keep.Call
	looked bool
	files  []string
	kept   map[string]bool
	fault  error
}

// newParcel is for a line that somebody typed in a directory.
func newParcel(state, dir, line string) *parcel {
	now, random := time.Now().UTC(), make([]byte, 6)
	_, _ = rand.Read(random)
	return &parcel{store: keep.Open(keep.Dir(state), keep.Options{}), kept: map[string]bool{},
		call: keep.Call{ID: now.Format("20060102T150405.000000") + "-" + hex.EncodeToString(random),
			Agent: "nod confine", Tool: "bash", Words: audit.MaskText(line), Dir: dir, Time: now}}
}

// Keep implements nod.Keeper.
func (p *parcel) Keep(_ string, _ nod.Call, files []string, _ []nod.KeptCommit) error {
	for _, f := range files {
		switch {
		case p.looked && p.fault != nil:
			return p.fault
		case p.looked && !p.kept[f]:
			return errors.New("it was not there when nod kept what the run changes")
		case !p.looked && !p.kept[f]:
			p.files, p.kept[f] = append(p.files, f), true
		}
	}
	return nil
}

// before keeps what a run changes, as far as a gate whose keeper this is says that it must be kept.
func (p *parcel) before(names []string, look func(name string, deletes bool) string) {
	for _, name := range names {
		look(name, true)
	}
	p.looked = true
	if len(p.files) > 0 {
		p.fault = p.store.Keep(p.call, p.files)
	}
}
