package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/nodgate/nod/corpus"
)

// Row is one labelled call. The json names are those of the file.
type Row struct {
	ID       string          `json:"id"`
	Tool     string          `json:"tool"`
	ToolName string          `json:"tool_name"` // the agent's spelling, "" where not given
	Input    json.RawMessage `json:"input"`
	Dir      string          `json:"cwd"`     // "" is [DefaultDir]
	Session  string          `json:"session"` // "" is none
	Agent    string          `json:"agent"`
	Label    string          `json:"label"`
	Category string          `json:"category"`
	Outcome  string          `json:"outcome"` // "" and "ok": it ran
	Why      string          `json:"why"`
	Context  string          `json:"context"` // what the person asked for; only a model is shown it

	// Turns are the conversation before the call, oldest first, in place of
	// Context. Files are files of the project (names below Dir, or absolute), Git
	// is its repository. A row with any of them has a world of its own.
	Turns []Turn            `json:"turns"`
	Files map[string]string `json:"files"`
	Git   *Git              `json:"git"`
	// Scenario names the situation that a row is a variation of; rows of a
	// scenario are drawn together for an interval. Twin is the id of the row that
	// differs in one word of the person's.
	Scenario string `json:"scenario"`
	Twin     string `json:"twin"`

	Line int `json:"-"` // in its file, from 1
}

// The labels.
const (
	Readonly   = "benign-readonly"
	Sideeffect = "benign-sideeffect"
	Harmful    = "harmful"
	Ambiguous  = "ambiguous"
)

// File is the rows of one file, in their order.
type File struct {
	Name string
	Rows []Row
	// Own is set for a file of nod's own corpus.
	Own *corpus.Header
	// LeftOut counts the rows that hold no call, by kind.
	LeftOut map[string]int
}

// lineLimit bounds one line, and fileLimit a file's content, unpacked: a small
// gzip file can hold any amount.
const (
	lineLimit = 64 << 20
	fileLimit = 4 << 30
)

// ReadFile reads a file of rows. The error begins with FILE:LINE, or with the
// file's name where no line is at fault.
func ReadFile(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	return Read(name, f)
}

// Read reads rows as [ReadFile] does; name is for errors.
func Read(name string, r io.Reader) (File, error) {
	lines, err := readLines(name, r)
	if err != nil {
		return File{}, err
	}
	if len(lines) == 0 {
		return File{}, fmt.Errorf("%s:1: no rows", name)
	}
	if isOwn(lines[0]) {
		return readOwn(name, lines)
	}
	return readRows(name, lines)
}

// readLines unpacks and splits. A line keeps its end out.
func readLines(name string, r io.Reader) ([][]byte, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var source io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		source = z
	}
	limited := &io.LimitedReader{R: source, N: fileLimit}
	scan := bufio.NewScanner(limited)
	scan.Buffer(make([]byte, 1<<16), lineLimit)
	var lines [][]byte
	for scan.Scan() {
		lines = append(lines, bytes.Clone(scan.Bytes()))
	}
	err := scan.Err()
	if err == nil && limited.N == 0 {
		err = fmt.Errorf("more than %d GiB; split the file", fileLimit>>30)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, len(lines)+1, err)
	}
	return lines, nil
}

func isOwn(line []byte) bool {
	var head struct {
		Corpus string `json:"corpus"`
	}
	return json.Unmarshal(line, &head) == nil && head.Corpus != ""
}

// readOwn reads a file of nod's own corpus.
func readOwn(name string, lines [][]byte) (File, error) {
	head, rows, err := corpus.Read(bytes.Join(lines, []byte("\n")))
	if err != nil {
		return File{}, fmt.Errorf("%s:%w", name, err)
	}
	f := File{Name: name, Own: &head}
	for i, r := range rows {
		f.Rows = append(f.Rows, Row{
			ID: r.ID, Tool: r.Tool, ToolName: r.ToolName, Input: r.Input, Dir: r.Dir,
			Label: r.Label, Category: r.Category, Line: i + 2,
		})
	}
	return f, nil
}

// readRows decodes all lines, on all cores.
func readRows(name string, lines [][]byte) (File, error) {
	rows := make([]Row, len(lines))
	errs := make([]error, len(lines))
	inParallel(len(lines), func(i int) {
		errs[i] = readRow(lines[i], &rows[i])
		rows[i].Line = i + 1
	})
	f := File{Name: name, LeftOut: map[string]int{}}
	for i, r := range rows {
		if errs[i] != nil {
			return File{}, fmt.Errorf("%s:%d: %w", name, i+1, errs[i])
		}
		if kind := leftOut(r); kind != "" {
			f.LeftOut[kind]++
			continue
		}
		f.Rows = append(f.Rows, r)
	}
	return f, nil
}

// inParallel calls do for 0 to n-1, on all cores, in runs of neighbours.
func inParallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				do(i)
			}
		})
	}
	wg.Wait()
}

func readRow(line []byte, r *Row) error {
	if err := json.Unmarshal(line, r); err != nil {
		return err
	}
	for _, f := range []struct{ name, value string }{{"id", r.ID}, {"tool", r.Tool}, {"input", string(r.Input)},
		{"label", r.Label}} {
		if f.value == "" {
			return fmt.Errorf("%q is missing", f.name)
		}
	}
	if leftOut(*r) != "" {
		return nil
	}
	return checkRow(r)
}

func checkRow(r *Row) error {
	if tools := []string{"bash", "edit", "write", "read", "search", "fetch", "mcp", "agent",
		"meta"}; !slices.Contains(tools, r.Tool) {
		return fmt.Errorf(`"tool": %q is none of %q`, r.Tool, tools)
	}
	if labels := Labels(); !slices.Contains(labels, r.Label) {
		return fmt.Errorf(`"label": %q is none of %q`, r.Label, labels)
	}
	if r.Dir != "" && r.Dir[0] != '/' {
		return fmt.Errorf(`"cwd": %q is not absolute`, r.Dir)
	}
	if r.Input[0] != '{' {
		return fmt.Errorf(`"input" is not an object`)
	}
	return checkConversation(r)
}

// Labels lists the labels of rows that hold a call.
func Labels() []string { return []string{Readonly, Sideeffect, Harmful, Ambiguous} }

// leftOut names the kind of a row that holds no call, "" for one that does.
func leftOut(r Row) string {
	switch {
	case r.Tool == "tool_result", r.Tool == "user_prompt":
		return r.Tool
	case r.ToolName == "write_stdin":
		return r.ToolName
	}
	return ""
}
