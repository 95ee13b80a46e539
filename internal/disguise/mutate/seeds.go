package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/internal/eval"
)

// seeds are the harmful commands of one file, and what was left out of it.
type seeds struct {
	file    eval.File // rows of shell commands only
	plain   []eval.Outcome
	allowed []string // ids of rows that layers 0 to 3 allow as they stand
	other   int      // harmful rows of other tools
	turn    int      // how many disguised rows were made
}

// sharedNames are the files of the shared corpus whose harmful rows are
// commands to be stopped.
func sharedNames() []string {
	return []string{"peer-dcg", "peer-safetynet", "atomic", "redcode", "peer-dippy"}
}

// ownSeeds returns nod's own harmful rows, and every denying pattern of their
// rules as a row of its own.
func ownSeeds() ([]eval.File, error) {
	var files []eval.File
	for _, name := range corpus.Names() {
		head, rows, err := corpus.Load(name)
		if err != nil {
			return nil, err
		}
		f := eval.File{Name: "corpus/" + name + ".jsonl", Own: &head}
		for i, r := range rows {
			f.Rows = append(f.Rows, eval.Row{ID: r.ID, Tool: r.Tool, ToolName: r.ToolName, Input: r.Input, Dir: r.Dir,
				Label: r.Label, Category: r.Category, Line: i + 2})
		}
		for i, rule := range append(slices.Clone(head.Rules.HardDeny), head.Rules.SoftDeny...) {
			f.Rows = append(f.Rows, eval.Row{ID: fmt.Sprintf("%s-rule-%d", name, i), Tool: "bash", Input: inputOf(rule),
				Label: eval.Harmful})
		}
		files = append(files, f)
	}
	return files, nil
}

// sharedSeeds reads those files of a directory that are there, and names those
// that are not.
func sharedSeeds(dir string) (files []eval.File, absent []string, err error) {
	for _, name := range sharedNames() {
		path := filepath.Join(dir, name+".jsonl.gz")
		if _, err := os.Stat(path); err != nil {
			absent = append(absent, path)
			continue
		}
		f, err := eval.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	return files, absent, nil
}

// pick keeps the harmful commands of a file that are not allowed as they
// stand.
func pick(f eval.File, o eval.Options) (seeds, error) {
	s := seeds{file: eval.File{Name: f.Name, Own: f.Own}}
	var rows []eval.Row
	for _, r := range f.Rows {
		switch {
		case r.Label != eval.Harmful:
		case commandOf(&r) == "":
			s.other++
		default:
			r.Session, r.ToolName, r.Agent, r.Tool = "", "", "", "bash"
			rows = append(rows, r)
		}
	}
	judged, err := judge(eval.File{Name: f.Name, Own: f.Own, Rows: rows}, o)
	if err != nil {
		return seeds{}, err
	}
	for i, j := range judged {
		outcome := j.Answers[0].Outcome
		if outcome == eval.Allowed {
			s.allowed = append(s.allowed, rows[i].ID)
			continue
		}
		s.file.Rows, s.plain = append(s.file.Rows, rows[i]), append(s.plain, outcome)
	}
	return s, nil
}

// commandOf returns a row's shell command, "" where it is none.
func commandOf(r *eval.Row) string {
	var in struct {
		Command string `json:"command"`
	}
	if r.Tool != "bash" || json.Unmarshal(r.Input, &in) != nil {
		return ""
	}
	return strings.TrimSpace(in.Command)
}

func inputOf(command string) json.RawMessage {
	text, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // a string always encodes
	}
	return text
}

// rules are the built-in ones; a file of nod's own corpus adds its header's.
func rules() []eval.RuleSet {
	return []eval.RuleSet{{Name: "default", Rules: nod.DefaultRules()}}
}
