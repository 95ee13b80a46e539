package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// What an honest tool returns, from what is on every machine with Go and a
// clone of this repository: nobody wrote any of it for the probe.

var documents = []string{".md", ".markdown", ".html", ".txt", ".rst", "license", "readme", "changelog",
	"contributing", "authors", "notice"}

// here returns the texts that this machine holds, by kind: files of the Go
// installation, of the modules that nod is built with, of the npm packages in
// NOD_TOOLS, and what commands print about this repository.
func here() (rows []row, err error) {
	goroot, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	goroot = strings.TrimSpace(goroot)
	type tree struct {
		dir, kind string
		ends      []string
	}
	trees := []tree{
		{goroot + "/src", "here/go sources", []string{".go", ".s", ".c", ".h"}},
		{goroot + "/src", "here/go documents", documents},
		{goroot + "/doc", "here/go documents", documents},
		{goroot + "/test", "here/go tests", []string{".go"}},
		{goroot + "/src", "here/go testdata", []string{".script", ".golden", ".out", ".json", ".yaml", ".yml",
			".js", ".css", ".sh", ".bash", ".py", ".pl", ".csv"}},
		{goroot + "/misc", "here/go testdata", nil},
	}
	modules, err := moduleDirs()
	if err != nil {
		return nil, err
	}
	for _, dir := range modules {
		trees = append(trees, tree{dir, "here/module documents", documents},
			tree{dir, "here/module sources", []string{".go", ".proto", ".json", ".yaml", ".yml", ".sh"}})
	}
	if tools := os.Getenv("NOD_TOOLS"); tools != "" {
		trees = append(trees, tree{filepath.Join(tools, "node_modules"), "here/npm documents", documents},
			tree{filepath.Join(tools, "node_modules"), "here/npm files", []string{".json", ".d.ts", ".yml", ".sh"}})
	}
	for _, t := range trees {
		more, err := readTree(t.dir, t.kind, pieceSize, t.ends...)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		rows = append(rows, some(apart(more))...)
	}
	more, err := printed()
	return once(append(rows, more...)), err
}

// apart gives documents of coding agents a kind of their own: they are orders
// to agents, and honest.
func apart(rows []row) []row {
	for i, r := range rows {
		for _, agent := range [...]string{"claude-code", "codex", "coding-agent", "copilot", "cursor", "gemini-cli",
			"opencode", "qwen-code"} {
			if r.Category == "here/npm documents" && strings.Contains(r.ID, agent) {
				rows[i].Category = "here/npm documents of agents"
			}
		}
	}
	return rows
}

// most is how many results one tree gives, so that none outweighs the others.
const most = 2000

// some chooses by name, so that every machine chooses the same.
func some(rows []row) []row {
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(hash(a.ID), hash(b.ID)) })
	return rows[:min(most, len(rows))]
}

// once leaves out texts that were there before: modules copy each other's.
func once(rows []row) (all []row) {
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Input.Text] {
			seen[r.Input.Text] = true
			all = append(all, r)
		}
	}
	return all
}

// moduleDirs are the directories of the modules in go.mod that are at hand.
func moduleDirs() ([]string, error) {
	list, err := output("go", "list", "-m", "-f", "{{if not .Main}}{{.Dir}}{{end}}", "all")
	return strings.Fields(list), err
}

// printed is what commands print. They only read.
func printed() (rows []row, err error) {
	commands := [][]string{
		{"git", "log", "--stat", "-n", "200"},
		{"git", "log", "-p", "-n", "40", "--", ":!corpus", ":!internal/probe"}, // which hold injected texts
		{"git", "log", "--format=%H %an %ad%n%B"},
		{"git", "ls-files"},
		{"git", "grep", "-n", "must", "--", ":!corpus", ":!internal/probe"},
		{"git", "grep", "-n", "func ", "--", ":!corpus", ":!internal/probe"},
		{"go", "list", "-deps", "-json", "./cmd/nod"},
		{"go", "vet", "-n", "./internal/probe"},
		{"go", "test", "-v", "-count=1", "-run", "TestSigns", "./internal/probe"},
		{"go", "mod", "graph"}, {"go", "env"},
		{"go", "tool", "compile", "-h"}, {"go", "tool", "link", "-h"}, {"go", "vet", "help"},
	}
	for _, topic := range strings.Fields("build test mod run get work generate env list vet buildconstraint cache c " +
		"environment filetype goproxy gopath importpath modules module-auth packages private testflag " +
		"testfunc vcs fix fmt tool") {
		commands = append(commands, []string{"go", "help", topic})
	}
	for _, topic := range strings.Fields("check eval explain init install log mode rules trust doctor policy " +
		"settings limits agents") {
		commands = append(commands, []string{"go", "run", "./cmd/nod", "help", topic})
	}
	std, err := output("go", "list", "std")
	if err != nil {
		return nil, err
	}
	for _, pkg := range strings.Fields(std) {
		if !strings.Contains(pkg, "/") {
			commands = append(commands, []string{"go", "doc", "-all", pkg})
		}
	}
	for _, c := range commands {
		text, err := output(c[0], c[1:]...)
		if err != nil && text == "" {
			return nil, fmt.Errorf("%s: %w", strings.Join(c, " "), err)
		}
		rows = append(rows, pieces(strings.Join(c, " "), "here/printed by "+c[0]+" "+c[1], text, pieceSize)...)
	}
	return rows, nil
}

// output is what a command prints, to both streams.
func output(name string, arg ...string) (string, error) {
	var all bytes.Buffer
	c := exec.Command(name, arg...)
	c.Stdout, c.Stderr = &all, &all
	err := c.Run()
	return all.String(), err
}
