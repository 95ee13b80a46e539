// Package corpus holds labelled tool calls that were written for nod. Tests, evaluation and fuzz
// seeds read the same files. Nothing in them is ever run: they are strings to be judged.
//
// A file is JSON lines: the [Header], then a [Row] each, decoded strictly. demo is one coding session, as Claude Code
// sends it; guard, edits and shell are about layers 0, 2 and 3, scripts about scripts, package scripts and Makefiles.
// Each holds calls that must not pass, and calls that only look like those and must. They are judged in the [World].
//
// A new row stands at the end of its category, with the next free id, and says in "why" what no other row shows.
package corpus

import (
	"bytes"
	"crypto/sha1"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/adler32"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

//go:embed *.jsonl
var files embed.FS

// Row is one call and what is to become of it.
type Row struct {
	ID     string `json:"id"`     // unique in its file
	Source string `json:"source"` // "nod": written for this project
	// Tool is the canonical name, "" for a tool that nod does not know.
	Tool string `json:"tool"`
	// ToolName is the agent's spelling, where the row gives one.
	ToolName string `json:"tool_name,omitempty"`
	// Input is the arguments. Where ToolName is set they are the agent's own; else "command", "file_path",
	// "notebook_path", "path" or "paths", and what an edit would change ("content", "old_string", "new_string").
	Input json.RawMessage `json:"input"`
	// Dir is where the agent stands; "" is [Project].
	Dir string `json:"cwd,omitempty"`
	// Label says what the call is: benign-readonly, benign-sideeffect, harmful or ambiguous.
	Label string `json:"label"`
	// Why says what the row shows.
	Why      string `json:"why"`
	Category string `json:"category"`
	// Expect is allow, ask, deny, or "model" where the call goes to layer 4.
	Expect string `json:"expect"`
	// Layer is the layer that is to decide.
	Layer string `json:"expect_layer"`
}

// Header is the first line of a file.
type Header struct {
	Corpus  string `json:"corpus"` // "nod"
	Version int    `json:"version"`
	About   string `json:"about"`
	Rules   Rules  `json:"rules"`
}

// Rules are added to the built-in ones before the rows are judged.
type Rules struct {
	Allow    []string `json:"allow,omitempty"`
	SoftDeny []string `json:"soft_deny,omitempty"`
	HardDeny []string `json:"hard_deny,omitempty"`
	Hosts    []string `json:"hosts,omitempty"`
}

// version is that of the header line.
const version = 1

// Names lists the files, as [Rows] takes them.
func Names() []string { return []string{"demo", "guard", "edits", "shell", "scripts"} }

// Rows returns the rows of a file in their order. Each call returns fresh ones.
func Rows(name string) ([]Row, error) {
	_, rows, err := Load(name)
	return rows, err
}

// Load returns header and rows of a file.
func Load(name string) (Header, []Row, error) {
	data, err := files.ReadFile(name + ".jsonl")
	if err != nil {
		return Header{}, nil, fmt.Errorf("corpus %q: there is no such file; there are %v", name, Names())
	}
	head, rows, err := Read(data)
	if err != nil {
		return Header{}, nil, fmt.Errorf("corpus/%s.jsonl:%w", name, err)
	}
	return head, rows, nil
}

// Read decodes the content of a file. An error begins with the line's number.
func Read(data []byte) (Header, []Row, error) {
	var head Header
	var rows []Row
	seen := map[string]bool{}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if number == 1 {
			if err := readHeader(line, &head); err != nil {
				return Header{}, nil, fmt.Errorf("1: %w", err)
			}
			continue
		}
		row, err := readRow(line)
		if err == nil && seen[row.ID] {
			err = fmt.Errorf("the id %q occurs twice", row.ID)
		}
		if err != nil {
			return Header{}, nil, fmt.Errorf("%d: %w", number, err)
		}
		seen[row.ID] = true
		rows = append(rows, row)
	}
	if number == 0 {
		return Header{}, nil, fmt.Errorf("1: the header is missing")
	}
	return head, rows, nil
}

func readHeader(line []byte, h *Header) error {
	err := decode(line, h)
	if err == nil && (h.Corpus != "nod" || h.Version != version) {
		err = fmt.Errorf("want the header of a nod corpus, version %d", version)
	}
	return err
}

func readRow(line []byte) (r Row, err error) {
	if err := decode(line, &r); err != nil {
		return r, err
	}
	if r.ID == "" || r.Source == "" || len(r.Input) == 0 || r.Why == "" || r.Category == "" {
		return r, fmt.Errorf("one of id, source, input, why and category is missing")
	}
	for value, known := range map[string]string{
		r.Label:  "benign-readonly benign-sideeffect harmful ambiguous",
		r.Expect: "allow ask deny model",
		r.Layer:  "guard allowlist edit shell model",
	} {
		if !slices.Contains(strings.Fields(known), value) {
			return r, fmt.Errorf("%q is not one of: %s", value, known)
		}
	}
	return r, nil
}

// decode reads exactly one JSON value.
func decode(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("something follows the object")
	}
	return nil
}

// ignored is the project's ignore file.
const ignored = "/vendor/lib/\ndist/\n*.log\n.env\n.env.production\n/certs/*.key\n"

// tracked puts files under version control: the project's index lists them
// with the content they had when they were added.
func tracked(m *view.Memory) {
	git := Project + "/.git/"
	var index []GitEntry
	for _, f := range []struct{ name, then, now string }{
		{".env.example", "STRIPE_KEY=\n", "STRIPE_KEY=\n"},
		{".gitignore", ignored, ignored},
		{"docs/hooks.md", "hooks\n", "hooks\n"},
		{"src/draft.js", "export const draft = 1;\n", "export const draft = 2;\n"},
		{"src/old/a.js", "a\n", "a\n"},
		{"src/old/b.js", "b\n", "b\n"},
		{"src/tax.js", "export const tax = 7;\n", "export const tax = 7;\n"},
	} {
		packed, id := GitObject("blob", f.then)
		index = append(index, GitEntry{f.name, id})
		m.File(git+"objects/"+id[:2]+"/"+id[2:], packed, 0o444).File(Project+"/"+f.name, f.now, 0o644)
	}
	m.File(git+"index", GitIndex(index), 0o644)
}

// GitObject returns what git's file of an object holds, and the object's name.
func GitObject(kind, content string) (packed, id string) {
	object := fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
	sum := sha1.Sum([]byte(object))
	if len(object) > math.MaxUint16 {
		panic("an object of the corpus is longer than one block")
	}
	text := []byte{0x78, 0x01, 1} // zlib's head, and one block that is stored: package flate costs nod-hook's start
	text = binary.LittleEndian.AppendUint16(text, uint16(len(object)))
	text = append(binary.LittleEndian.AppendUint16(text, ^uint16(len(object))), object...)
	text = binary.BigEndian.AppendUint32(text, adler32.Checksum([]byte(object)))
	return string(text), hex.EncodeToString(sum[:])
}

// GitEntry is a file in an index, and the name of its object.
type GitEntry struct{ Name, ID string }

// GitIndex is an index of version 2: of each entry times and owner are 0, and it
// is an ordinary file. Entries stand in the order of their names.
func GitIndex(entries []GitEntry) string {
	index := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(len(entries)))
	for _, e := range entries {
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			panic("no name of an object: " + e.ID)
		}
		entry := append(binary.BigEndian.AppendUint32(make([]byte, 24), 0o100644), make([]byte, 12)...)
		entry = binary.BigEndian.AppendUint16(append(entry, id...), uint16(len(e.Name)))
		entry = append(entry, e.Name...)
		index = append(index, append(entry, make([]byte, 8-len(entry)%8)...)...)
	}
	sum := sha1.Sum(index)
	return string(index) + string(sum[:])
}
