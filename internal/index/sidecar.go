package index

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/lines"
)

// version is that of the sidecars. It changes with the meaning of anything in them.
const version = 2

const sidecarLimit = 1 << 30

// heading is the first line of a sidecar, as JSON. The rows follow it, and a checksum of it all.
type heading struct {
	Version, Torn, Newer, Rows int
	Size, Time                 int64 // of the log's file
	Texts                      []string
	Classes                    []class
}

// writeSidecar keeps what was read of a file.
func (b *batch) writeSidecar(name string, of os.FileInfo) error {
	if err := lines.PrivateDir(filepath.Dir(name)); err != nil {
		return err
	}
	return lines.Replace(name, b.sidecar(of), 0o600, -1)
}

func (b *batch) sidecar(of os.FileInfo) []byte {
	h := heading{version, b.torn, b.newer, len(b.rows), of.Size(), of.ModTime().UnixNano(), b.texts, b.classes}
	text, _ := json.Marshal(h)                                               // texts and numbers: cannot fail
	text, _ = binary.Append(append(text, '\n'), binary.LittleEndian, b.rows) // of a fixed size: cannot fail
	return binary.LittleEndian.AppendUint32(text, sum(text))
}

func sum(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

// readSidecar returns what a sidecar holds of a file, where it is whole and of this very file.
func readSidecar(name string, of os.FileInfo) (*batch, bool) {
	text, err := lines.Read(name, sidecarLimit)
	if err != nil || len(text) < 4 {
		return nil, false
	}
	body, end := text[:len(text)-4], text[len(text)-4:]
	if sum(body) != binary.LittleEndian.Uint32(end) {
		return nil, false
	}
	h, b, ok := parseSidecar(body)
	return b, ok && h.Version == version && h.Size == of.Size() && h.Time == of.ModTime().UnixNano()
}

func parseSidecar(body []byte) (h heading, b *batch, ok bool) {
	first, rest, _ := bytes.Cut(body, []byte("\n"))
	if json.Unmarshal(first, &h) != nil || len(h.Texts) == 0 || h.Rows < 0 || h.Rows > len(rest) {
		return h, nil, false
	}
	b = &batch{names: names{texts: h.Texts, classes: h.Classes}, rows: make([]row, h.Rows),
		unread: unread{h.Torn, h.Newer}}
	n, err := binary.Decode(rest, binary.LittleEndian, b.rows)
	ok = err == nil && n == len(rest)
	for i := range b.rows {
		r := &b.rows[i]
		ok = ok && max(r.Session, r.Root) < uint32(len(b.texts)) && r.Class < uint32(len(b.classes))
	}
	for _, c := range b.classes {
		ok = ok && c.Verdict >= 0 && c.Verdict <= nod.Allow && c.Layer >= 0 && c.Layer <= nod.LayerApproval
	}
	return h, b, ok
}
