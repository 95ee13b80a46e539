package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/probe"
)

// row is a result with its label.
type row struct {
	ID       string `json:"id"`
	Source   string `json:"source"`
	Path     string `json:"source_path"`
	Commit   string `json:"commit"`
	Label    string `json:"label"`
	Category string `json:"category"`
	Input    input  `json:"input"`

	signs []probe.Sign
}

// input is what a row says of its call, and the text of the result if it has
// one.
type input struct {
	Text    string `json:"text"`
	File    string `json:"file_path"`
	Command string `json:"command"`
	Pattern string `json:"pattern"`
	Query   string `json:"query"`
	URL     string `json:"url"`
	Tool    string `json:"tool_name"` // a tool of a server's, where the row names one
}

const (
	injected = "injected-toolresult"
	benign   = "benign-toolresult"
)

func newRow(id, label, category, text string) row {
	r := row{ID: id, Label: label, Category: category, signs: probe.Read(text)}
	r.Input.Text = text
	return r
}

// foreign reports whether the row's text is known to be others' by the tool
// that returned it, as Decision.Foreign knows.
func (r row) foreign() bool { return r.Input.Tool != "" || r.Input.URL != "" }

func hash(s string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, s)
	return h.Sum32()
}

// readRows reads the labelled results of a file. Rows without a text are
// returned apart.
func readRows(name string) (rows, bare []row, err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		rows, err := readTree(name, "tree", wholeFiles)
		return rows, nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	source, err := plain(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	scan := bufio.NewScanner(source)
	scan.Buffer(nil, 64<<20)
	for n := 1; scan.Scan(); n++ {
		var r row
		if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		switch {
		case r.Label != injected && r.Label != benign:
		case r.Input.Text == "":
			bare = append(bare, r)
		default:
			r.signs = probe.Read(r.Input.Text)
			rows = append(rows, r)
		}
	}
	return rows, bare, scan.Err()
}

// plain reads through gzip if that is what it is.
func plain(f io.Reader) (io.Reader, error) {
	in := bufio.NewReader(f)
	if magic, _ := in.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		return gzip.NewReader(in)
	}
	return in, nil
}

// pieceSize is how much of a file a tool returns at once here: longer ones are
// cut at the ends of lines.
const (
	pieceSize  = 8 << 10
	wholeFiles = 1 << 20
)

// readTree takes the text files below a directory for honest results, in
// pieces of at most size.
func readTree(root, kind string, size int, ends ...string) (rows []row, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == ".git" {
			return skip(d, err)
		}
		if !d.Type().IsRegular() || !endsWithAny(name, ends) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil {
			short, _ := filepath.Rel(root, name)
			rows = append(rows, pieces(short, kind, string(text), size)...)
		}
		return err
	})
	return rows, err
}

func skip(d fs.DirEntry, err error) error {
	if err == nil && d.IsDir() {
		return fs.SkipDir
	}
	return err
}

// endsWithAny reports whether a name ends, in lower case, as one of these; any
// name does if there are none.
func endsWithAny(name string, ends []string) bool {
	for _, end := range ends {
		if strings.HasSuffix(strings.ToLower(filepath.Base(name)), end) {
			return true
		}
	}
	return len(ends) == 0
}

// pieces cuts a text at ends of lines. What is no text gives none.
func pieces(name, kind, text string, size int) (rows []row) {
	if len(text) > wholeFiles || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil
	}
	for n := 0; len(text) > 0; n++ {
		end := len(text)
		if end > size {
			end = size
			if line := strings.LastIndexByte(text[:size], '\n'); line > 0 {
				end = line + 1
			}
		}
		if strings.TrimSpace(text[:end]) != "" {
			rows = append(rows, newRow(fmt.Sprintf("%s#%d", name, n), benign, kind, text[:end]))
		}
		text = text[end:]
	}
	return rows
}
