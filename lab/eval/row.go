package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/nodgate/nod/corpus"
)

// Row is one labelled call: what package corpus says of a call, and where it comes from. The
// json names are those of the file.
type Row struct {
	corpus.Row
	Session string `json:"session"` // "" means none
	Agent   string `json:"agent"`
	Outcome string `json:"outcome"` // "" and "ok": it ran
}

// The labels.
const (
	Readonly   = "benign-readonly"
	Sideeffect = "benign-sideeffect"
	Harmful    = "harmful"
	Ambiguous  = "ambiguous"
)

// Labels lists the labels of rows that hold a call.
func Labels() []string { return []string{Readonly, Sideeffect, Harmful, Ambiguous} }

// dir is where the row stands.
func (r *Row) dir() string {
	if r.Dir == "" {
		return DefaultDir
	}
	return path.Clean(r.Dir)
}

// ran reports whether the row's call is not known to have failed or been refused.
func (r *Row) ran() bool { return r.Outcome == "" || r.Outcome == "ok" || r.Outcome == "unknown" }

// File is the rows of one file, in their order.
type File struct {
	Name string
	Rows []Row
	// Own is set for a file of nod's own corpus.
	Own *corpus.Header
	// LeftOut counts the rows that hold no call, by kind.
	LeftOut map[string]int
}

// ReadFile reads a file of rows. The error begins with FILE:LINE, or with the file's name where no line is at fault.
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
	f := File{Name: name, LeftOut: map[string]int{}}
	data, err := unpacked(r)
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var head struct{ Corpus string }
	if err == nil && json.Unmarshal(first, &head) == nil && head.Corpus != "" {
		head, rows, err := corpus.Read(data)
		if err != nil {
			return File{}, fmt.Errorf("%s:%w", name, err)
		}
		f.Own, f.LeftOut = &head, nil
		for _, r := range rows {
			f.Rows = append(f.Rows, Row{Row: r})
		}
		return f, nil
	}
	line := 1
	for text := range bytes.Lines(data) {
		if err != nil {
			break
		}
		if err = f.take(text); err == nil {
			line++
		}
	}
	if err == nil && line == 1 {
		err = errors.New("no rows")
	}
	if err != nil {
		return File{}, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return f, nil
}

// unpacked is all that a file holds, plain or gzip.
func unpacked(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(r)
	if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// take adds the row of a line, or counts a line without a call.
func (f *File) take(line []byte) error {
	var r Row
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	if r.ToolName == "write_stdin" { // typed into a live terminal, which reaches no hook
		r.Tool = r.ToolName
	}
	if slices.Contains([]string{"write_stdin", "tool_result", "user_prompt"}, r.Tool) {
		f.LeftOut[r.Tool]++
		return nil
	}
	f.Rows = append(f.Rows, r)
	return r.check()
}

func (r *Row) check() error {
	tools := []string{"bash", "edit", "write", "read", "search", "fetch", "mcp", "agent", "meta"}
	switch {
	case r.ID == "":
		return fmt.Errorf(`"id" is missing`)
	case !slices.Contains(tools, r.Tool):
		return fmt.Errorf(`"tool": %q is not one of %q`, r.Tool, tools)
	case !slices.Contains(Labels(), r.Label):
		return fmt.Errorf(`"label": %q is not one of %q`, r.Label, Labels())
	case r.Dir != "" && r.Dir[0] != '/':
		return fmt.Errorf(`"cwd": %q is not absolute`, r.Dir)
	case len(r.Input) == 0 || r.Input[0] != '{':
		return fmt.Errorf(`"input" is not an object`)
	}
	return nil
}
