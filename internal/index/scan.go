package index

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"math"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
)

// row is a line of the log as it is held. Sessions and roots are places in names.texts, class one in names.classes.
type row struct {
	Time                 int64   // µs since 1970
	Latency              uint32  // µs
	Cost                 float32 // US dollars
	Tokens, Offset, ID   uint32  // ID: see [tailOf]
	Session, Root, Class uint32
}

// class is what many lines have in common.
type class struct {
	Kind, Agent, Tool string
	Verdict           nod.Verdict
	Layer             nod.Layer
}

// names holds each text and each class once. The text at 0 is "".
type names struct {
	texts    []string
	ids      map[string]uint32
	classes  []class
	classIDs map[class]uint32
}

func newNames() names {
	return names{texts: []string{""}, ids: map[string]uint32{"": 0}, classIDs: map[class]uint32{}}
}

func (n *names) text(s string) uint32 { return place(&n.texts, n.ids, s) }
func (n *names) class(c class) uint32 { return place(&n.classes, n.classIDs, c) }

// place is where something stands in a list, to which it is added where it is not there yet.
func place[T comparable](list *[]T, places map[T]uint32, one T) uint32 {
	id, known := places[one]
	if !known {
		id = uint32(len(*list)) // each needs a line of the log: fewer than 2³²
		*list, places[one] = append(*list, one), id
	}
	return id
}

// translate makes the numbers of a batch those of n.
func (n *names) translate(b *batch) {
	texts, classes := make([]uint32, len(b.texts)), make([]uint32, len(b.classes))
	for i, s := range b.texts {
		texts[i] = n.text(s)
	}
	for i, c := range b.classes {
		classes[i] = n.class(c)
	}
	for i := range b.rows {
		r := &b.rows[i]
		r.Session, r.Root, r.Class = texts[r.Session], texts[r.Root], classes[r.Class]
	}
}

// batch is what was read of a file, with names of its own.
type batch struct {
	names
	rows []row
	unread
}

// line adds a line, with its end, that stands at a place of a file.
func (b *batch) line(at int64, line []byte) {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		return
	}
	if at > math.MaxUint32 { // no file of nod's is so long
		b.torn++
		return
	}
	var f fields
	err := json.Unmarshal(line, &f)
	switch {
	case f.V > audit.Version:
		b.newer++
	case err != nil || f.V < 1:
		b.torn++
	default:
		b.rows = append(b.rows, b.row(uint32(at), &f))
	}
}

// fields are what a row is made of. All of a line takes package json twice as long, and a scanner of nod's own half as
// long; but each file is read once, in the background, newest first.
type fields struct {
	V       int         `json:"v"`
	Kind    string      `json:"kind"`
	ID      string      `json:"id"`
	Time    time.Time   `json:"time"`
	Agent   string      `json:"agent"`
	Session string      `json:"session"`
	Tool    string      `json:"tool"`
	RawTool string      `json:"raw_tool"`
	Root    string      `json:"root"`
	Verdict nod.Verdict `json:"verdict"`
	Layer   nod.Layer   `json:"layer"`
	Latency int64       `json:"latency_us"`
	Usage   nod.Usage   `json:"tokens"`
	Cost    float64     `json:"cost_usd"`
}

func (b *batch) row(at uint32, f *fields) row {
	if f.Tool == "" || f.Tool == "mcp" { // which server and tool, stands in the agent's name
		f.Tool = f.RawTool
	}
	tokens := int64(f.Usage.In) + int64(f.Usage.Out)
	return row{f.Time.UnixMicro(), narrow(f.Latency), float32(f.Cost), narrow(tokens), at, tailOf(f.ID),
		b.text(f.Session), b.text(f.Root), b.class(class{f.Kind, f.Agent, f.Tool, f.Verdict, f.Layer})}
}

func narrow(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// tailOf is a hash of the end of an id, by which [Index.Find] finds it.
func tailOf(id string) uint32 {
	return crc32.ChecksumIEEE([]byte(id[max(0, len(id)-ShortestID):]))
}
