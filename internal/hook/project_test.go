package hook_test

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// project is a place whose package.json, Makefile and scripts are set, with
// rules for them, and whose session has begun.
func project(t *testing.T, files map[string]string) *place {
	p := newPlace(t)
	p.options.Environ = append(p.options.Environ[:3:3], "CLAUDE_CODE_ENTRYPOINT=cli") // a person is there
	p.settings(`unknown = "ask"` + "\n" + `allow = ["npm test", "make test", "./scripts/t.sh", "just check", "go test ./..."]` + "\n")
	for name, content := range files {
		p.write(filepath.Join(p.shop, name), content)
		if strings.HasSuffix(name, ".sh") {
			if err := os.Chmod(filepath.Join(p.shop, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.run(bytes.NewReader(p.bash("ls")))
	return p
}

// call is one call of a session, which the host carries out if it may.
func (p *place) call(id, tool string, input map[string]string) said {
	p.t.Helper()
	s := p.run(bytes.NewReader(p.payload("PreToolUse", tool, input, map[string]any{"tool_use_id": id})))
	if s.verdict == "allow" {
		p.ran(id, tool, input)
	}
	return s
}

// ran is the call's outcome.
func (p *place) ran(id, tool string, input map[string]string) {
	if name := input["file_path"]; name != "" {
		p.write(name, cmp.Or(input["content"], input["new_string"]))
	}
	p.run(bytes.NewReader(p.payload("PostToolUse", tool, input,
		map[string]any{"tool_use_id": id, "tool_response": "ok"})))
}

func (p *place) command(id, command string) said {
	return p.call(id, "Bash", map[string]string{"command": command})
}

func (p *place) edit(id, name, content string) said {
	return p.call(id, "Edit", map[string]string{"file_path": filepath.Join(p.shop, name), "old_string": "before",
		"new_string": content})
}

const (
	testVitest = `{"name":"shop","scripts":{"test":"vitest run"}}`
	testOther  = `{"name":"shop","scripts":{"test":"node collect.js"}}`
)

func TestARuleStandsForWhatItsDefinitionSaid(t *testing.T) {
	for _, row := range []struct {
		name, command, file, before, after string
		more                               map[string]string
	}{
		{name: "package script", command: "npm test", file: "package.json", before: testVitest, after: testOther},
		{name: "file that a package script names", command: "npm test", file: "scripts/run.sh",
			before: "#!/bin/sh\nvitest run\n", after: "#!/bin/sh\nnode x.js\n",
			more: map[string]string{"package.json": `{"scripts":{"test":"./scripts/run.sh"}}`}},
		{name: "Makefile", command: "make test", file: "Makefile", before: "test:\n\tgo test ./...\n",
			after: "test:\n\tgo run ./evil\n"},
		{name: "Makefile that is not plain", command: "make test", file: "Makefile",
			before: "include x.mk\ntest:\n\tgo test\n", after: "include x.mk\ntest:\n\tgo run x\n"},
		{name: "file that such a Makefile names", command: "make test", file: "x.mk", before: "a = 1\n",
			after: "a = 2\n", more: map[string]string{"Makefile": "include x.mk\ntest:\n\tgo test\n"}},
		{name: "script", command: "./scripts/t.sh", file: "scripts/t.sh", before: "#!/bin/sh\nvitest run\n",
			after: "#!/bin/sh\nnode x.js\n"},
		{name: "script by a script", command: "./scripts/t.sh", file: "scripts/u.sh", before: "vitest\n",
			after: "node x.js\n", more: map[string]string{
				"scripts/t.sh": "#!/bin/bash\ncd \"$(dirname \"$0\")\"\n. ./u.sh\n"}},
		{name: "justfile", command: "just check", file: "justfile", before: "check:\n  vitest\n",
			after: "check:\n  node x.js\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := map[string]string{row.file: row.before}
			for name, content := range row.more {
				files[name] = content
			}
			p := project(t, files)
			if s := p.command("1", row.command); s.verdict != "allow" || !strings.Contains(s.reason, "allow rule") {
				t.Fatalf("before: %+v", s)
			}
			if s := p.edit("2", row.file, row.after); s.verdict != "allow" {
				t.Fatalf("edit: %+v", s)
			}
			if s := p.command("3", row.command); s.verdict == "allow" || !strings.Contains(s.reason, row.file) {
				t.Fatalf("after: %+v", s)
			}
			// A person lets it run: that very content is asked about no more.
			p.ran("3", "Bash", map[string]string{"command": row.command})
			if s := p.command("4", row.command); s.verdict != "allow" {
				t.Fatalf("approved: %+v", s)
			}
			p.edit("5", row.file, row.after+"\n\n# again\n")
			if s := p.command("6", row.command); row.file != "package.json" && s.verdict == "allow" {
				t.Fatalf("changed again: %+v", s)
			}
			p.edit("7", row.file, row.before)
			if s := p.command("8", row.command); s.verdict != "allow" {
				t.Fatalf("as it was: %+v", s)
			}
		})
	}
}

func TestTheModelIsAskedOnceForEachContent(t *testing.T) {
	p := project(t, map[string]string{"package.json": testVitest})
	asked := 0
	p.options.Model = modelFunc(func() bool { asked++; return asked == 1 }) // blocks the first time
	p.command("1", "npm test")
	if asked != 0 {
		t.Fatal("the rule did not clear it")
	}
	p.edit("2", "package.json", testOther)
	for i, want := range []struct {
		verdict string
		asked   int
	}{{"deny", 1}, {"allow", 2}, {"allow", 2}, {"allow", 2}} {
		if s := p.command("npm"+string(rune('a'+i)), "npm test"); s.verdict != want.verdict || asked != want.asked {
			t.Errorf("%d: %+v, asked %d times", i, s, asked)
		}
	}
}

func TestADefinitionThatChangedBeforeItsFirstUse(t *testing.T) {
	for name, change := range map[string]func(p *place){
		"by an edit": func(p *place) { p.edit("1", "package.json", testOther) },
		// The host asked, and nobody told nod what became of it.
		"by a command":   func(p *place) { p.command("1", "echo x > package.json") },
		"of a directory": func(p *place) { p.command("1", "cp -r /elsewhere/. .") },
		"unseen": func(p *place) {
			p.write(filepath.Join(p.shop, "new"), testOther)
			if err := os.Rename(filepath.Join(p.shop, "new"), filepath.Join(p.shop, "package.json")); err != nil {
				p.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, map[string]string{"package.json": testVitest})
			change(p)
			if s := p.command("2", "npm test"); s.verdict == "allow" || !strings.Contains(s.reason, "package.json") {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestWhatIsNoDefinitionDoesNotCount(t *testing.T) {
	p := project(t, map[string]string{"package.json": testVitest, "main_test.go": "package main\n"})
	p.command("1", "npm test")
	p.edit("2", "package.json",
		`{"name":"shop","version":"2","scripts":{"test":"vitest run","build":"x"},"dependencies":{"a":"1"}}`)
	p.edit("3", "main_test.go", "package main\n\nfunc x() {}\n")
	for i, command := range []string{"npm test", "go test ./..."} {
		if s := p.command("b"+string(rune('0'+i)), command); s.verdict != "allow" {
			t.Errorf("%s: %+v", command, s)
		}
	}
}

func TestWithoutASessionRulesDoNotClearProjectCode(t *testing.T) {
	p := project(t, map[string]string{"package.json": testVitest})
	p.session = ""
	if s := p.command("1", "npm test"); s.verdict == "allow" {
		t.Errorf("%+v", s)
	}
}

func TestAnUnreadableDefinition(t *testing.T) {
	p := project(t, map[string]string{"package.json": `{"scripts":{"test":"vitest"}}`})
	big := strings.Repeat(" ", 65<<20)
	p.write(filepath.Join(p.shop, "Makefile"), big)
	if s := p.command("1", "make test"); s.verdict == "allow" || !strings.Contains(s.reason, "Makefile") {
		t.Errorf("%+v", s)
	}
	if s := p.command("2", "mkdir sub && echo '{}' > sub/package.json && cd sub && npm test"); s.verdict == "allow" {
		t.Errorf("made by the line: %+v", s)
	}
}

// modelFunc is a model that blocks what it says.
type modelFunc func() (block bool)

// Classify implements nod.Model.
func (f modelFunc) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	return nod.Classification{Digest: p.Digest, ShouldBlock: f(), Reason: "because"}, nil
}
