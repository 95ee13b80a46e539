package index

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/lines"
)

// version is that of the sidecars. It changes with the meaning of anything in them.
const version = 1

const (
	magic        = "nod index\n"
	sidecarLimit = 1 << 30
)

// writeSidecar keeps what was read of a file.
func (b *batch) writeSidecar(name string, of os.FileInfo) error {
	if err := lines.PrivateDir(filepath.Dir(name)); err != nil {
		return err
	}
	return lines.Replace(name, b.sidecar(of), 0o600, -1)
}

// sidecar is a magic word, the version, the file's size and time, the counts of lines without a row, the texts, the
// classes, the rows, and a checksum of it all.
func (b *batch) sidecar(of os.FileInfo) []byte {
	w := writer(magic)
	w.number(version)
	w.number(uint64(of.Size()))
	w.number(uint64(of.ModTime().UnixNano()))
	w.number(uint64(b.torn))
	w.number(uint64(b.newer))
	w.number(uint64(len(b.texts) - 1))
	for _, text := range b.texts[1:] {
		w.text(text)
	}
	w.number(uint64(len(b.classes)))
	for _, c := range b.classes {
		for _, text := range []string{c.kind, c.answered, c.setting, c.agent, c.tool, c.model} {
			w.text(text)
		}
		w.number(uint64(c.verdict))
		w.number(uint64(c.layer))
	}
	w.number(uint64(len(b.rows)))
	for i := range b.rows {
		w.row(&b.rows[i])
	}
	return binary.LittleEndian.AppendUint32(w, crc32.Checksum(w, crc32.MakeTable(crc32.Castagnoli)))
}

type writer []byte

func (w *writer) number(n uint64) { *w = binary.AppendUvarint(*w, n) }

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	*w = append(*w, s...)
}

func (w *writer) row(r *row) {
	*w = binary.LittleEndian.AppendUint64(*w, uint64(r.time))
	for _, n := range [...]uint32{r.latency, math.Float32bits(r.cost), r.tokens, r.offset, r.id, r.session, r.root,
		r.rule, r.class} {
		*w = binary.LittleEndian.AppendUint32(*w, n)
	}
}

// readSidecar returns what a sidecar holds of a file, where it is whole and of this very file.
func readSidecar(name string, of os.FileInfo) (*batch, bool) {
	text, err := lines.Read(name, sidecarLimit)
	if err != nil || len(text) < len(magic)+4 {
		return nil, false
	}
	body, sum := text[:len(text)-4], binary.LittleEndian.Uint32(text[len(text)-4:])
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != sum || string(body[:len(magic)]) != magic {
		return nil, false
	}
	r := reader{left: body[len(magic):]}
	if r.number() != version || r.number() != uint64(of.Size()) || r.number() != uint64(of.ModTime().UnixNano()) {
		return nil, false
	}
	b := r.batch()
	return b, !r.short && len(r.left) == 0
}

// reader takes apart what a writer made. short says that there was not enough.
type reader struct {
	left  []byte
	short bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.left)
	r.take(max(size, 0))
	r.short = r.short || size <= 0
	return n
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.left) {
		r.short, n = true, len(r.left)
	}
	taken := r.left[:n]
	r.left = r.left[n:]
	return taken
}

func (r *reader) text() string { return string(r.take(int(r.number()))) }

func (r *reader) batch() *batch {
	b := &batch{names: newNames(), unread: unread{torn: int(r.number()), newer: int(r.number())}}
	for n := r.number(); n > 0 && !r.short; n-- {
		b.texts = append(b.texts, r.text())
	}
	for n := r.number(); n > 0 && !r.short; n-- {
		c := class{r.text(), r.text(), r.text(), r.text(), r.text(), r.text(), nod.Verdict(r.number()),
			nod.Layer(r.number())}
		r.short = r.short || c.verdict < 0 || c.verdict > nod.Allow || c.layer < 0 || c.layer > nod.LayerApproval
		b.classes = append(b.classes, c)
	}
	n := r.number()
	if n*rowSize != uint64(len(r.left)) {
		r.short = true
		return b
	}
	b.rows = make([]row, n)
	for i := range b.rows {
		row := &b.rows[i]
		*row = rowOf(r.left[i*rowSize:])
		r.short = r.short || max(row.session, row.root, row.rule) >= uint32(len(b.texts)) ||
			row.class >= uint32(len(b.classes))
	}
	r.left = nil
	return b
}

const rowSize = 8 + 9*4

func rowOf(b []byte) row {
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(b[8+4*i:]) }
	return row{time: int64(binary.LittleEndian.Uint64(b)), latency: at(0), cost: math.Float32frombits(at(1)),
		tokens: at(2), offset: at(3), id: at(4), session: at(5), root: at(6), rule: at(7), class: at(8)}
}
