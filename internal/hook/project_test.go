package hook_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{name: "Makefile", command: "make test", file: "Makefile", before: "test:\n\tgo test ./...\n",
			after: "test:\n\tgo run ./evil\n"},
		{name: "script", command: "./scripts/t.sh", file: "scripts/t.sh", before: "#!/bin/sh\nvitest run\n",
			after: "#!/bin/sh\nnode x.js\n"},
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

// Without a session nod cannot know whose the project's code is.
func TestWithoutASessionRulesDoNotClearProjectCode(t *testing.T) {
	p := project(t, map[string]string{"package.json": testVitest})
	p.session = ""
	if s := p.command("1", "npm test"); s.verdict == "allow" {
		t.Errorf("%+v", s)
	}
}
