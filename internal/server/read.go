package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/strict"
)

// request is a call as a harness sends it.
type request struct {
	Agent       string          `json:"agent"`
	Session     string          `json:"session,omitempty"`
	Tool        string          `json:"tool"` // the canonical name; "" where the harness has none for it
	RawTool     string          `json:"raw_tool,omitempty"`
	Input       json.RawMessage `json:"input"`
	Dir         string          `json:"dir"`
	Roots       []string        `json:"roots,omitempty"`
	Environ     []string        `json:"environ,omitempty"`
	Interactive bool            `json:"interactive,omitempty"`
	ID          string          `json:"id,omitempty"`
}

// members are the keys of a call, and where each goes.
func (q *request) members() map[string]any {
	return map[string]any{"agent": &q.Agent, "session": &q.Session, "tool": &q.Tool, "raw_tool": &q.RawTool,
		"input": &q.Input, "dir": &q.Dir, "roots": &q.Roots, "environ": &q.Environ, "interactive": &q.Interactive,
		"id": &q.ID}
}

// readCall reads one call.
func readCall(body []byte) (request, error) {
	var q request
	if err := strict.Check(body, strings.ToLower); err != nil {
		return q, err
	}
	return q, q.read(body)
}

func (q *request) read(text []byte) error {
	if err := readObject(text, q.members()); err != nil {
		return err
	}
	return q.check()
}

// readBatch reads the calls of a batch, in order: all of them, or none.
func readBatch(body []byte) ([]request, error) {
	var texts []json.RawMessage
	if err := strict.Check(body, strings.ToLower); err != nil {
		return nil, err
	}
	if err := readObject(body, map[string]any{"calls": &texts}); err != nil {
		return nil, err
	}
	if len(texts) == 0 || len(texts) > maxBatch {
		return nil, fmt.Errorf("calls: 1 to %d are taken, and there are %d", maxBatch, len(texts))
	}
	list := make([]request, len(texts))
	for i := range texts {
		err := list[i].read(texts[i])
		if len(texts[i]) > maxBody {
			err = errors.New("a call has at most 1 MiB")
		}
		if err != nil {
			return nil, fmt.Errorf("calls[%d]: %w", i, err)
		}
	}
	return list, nil
}

// decode reads a body that is no call: one reading, and no field that is not known.
func decode(body []byte, into any) error {
	if err := strict.Check(body, strings.ToLower); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// readObject reads the members of an object. Package json would take a key in any case, and for no key at all.
func readObject(text []byte, members map[string]any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return errors.New("an object is expected")
	}
	for d.More() {
		key, err := d.Token()
		name, _ := key.(string)
		if err != nil || members[name] == nil {
			return fmt.Errorf("%q is not known here", printable.Line(name, 60))
		}
		if err := d.Decode(members[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// check refuses a call that leaves out what it is decided by.
func (q *request) check() error {
	switch {
	case q.Agent == "":
		return errors.New("agent: name the harness")
	case q.Tool == "" && q.RawTool == "":
		return errors.New("tool: give the canonical name, or raw_tool")
	case len(q.Input) == 0 || q.Input[0] != '{':
		return errors.New("input: give the arguments of the tool, an object")
	}
	for _, dir := range append([]string{q.Dir}, q.Roots...) {
		if !path.IsAbs(dir) {
			return fmt.Errorf("dir, roots: %q is not an absolute path", printable.Line(dir, 100))
		}
	}
	return nil
}

// call is the call as the gate takes it. The gate reads the command, paths and edits out of the input.
func (q *request) call() nod.Call {
	c := nod.Call{ID: q.ID, Agent: q.Agent, Session: q.Session, Tool: q.Tool, RawTool: q.RawTool, Input: q.Input,
		Dir: path.Clean(q.Dir), Roots: q.Roots, Environ: q.Environ, Interactive: q.Interactive}
	if name, is := strings.CutPrefix(q.RawTool, "mcp__"); is && q.Tool == "" {
		server, tool, _ := strings.Cut(name, "__")
		c.MCP = &nod.MCP{Server: server, Tool: tool}
	}
	return c
}
