package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// marking is a library that leaves the name of each program that loads it.
const marking = `#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void mark(void) {
	char name[4096];
	snprintf(name, sizeof name, "%%s/%%s", "%s", program_invocation_short_name);
	FILE *f = fopen(name, "w");
	if (f) fclose(f);
}
`

// A repository's settings reach the environment of the hook. nod-hook itself
// loads no library, so none of a repository's runs before nod has decided. A
// shell in front of it would: that is why Claude Code's hook has none, and two
// cells of its failure matrix stay open that only another program in the place
// of nod-hook can reach.
func TestNoLibraryOfTheProjectsBeforeTheHook(t *testing.T) {
	deep(t, "hostile repositories")
	begin(t)
	if runtime.GOOS != "linux" {
		t.Skip("LD_PRELOAD is Linux's: not tried on " + runtime.GOOS)
	}
	for _, row := range []struct {
		name  string
		shell bool
		loads []string
	}{
		{"as installed", false, nil},
		{"behind a shell", true, []string{"sh"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, ruleSettings)
			m.install("user")
			if row.shell {
				m.putShellInFront()
			}
			marks := filepath.Join(m.dir, "marks")
			if err := os.Mkdir(marks, 0o755); err != nil {
				t.Fatal(err)
			}
			m.projectSettings(map[string]any{"env": map[string]string{"LD_PRELOAD": m.library(marks)}})
			list := []expectation{{call: llmtest.Write("guarded", filepath.Join(m.work, ".git", "hooks", "pre-commit"),
				"x"), answered: "deny"}}
			m.prompt(llmtest.NewServer(t, script(list)), "acceptEdits").check(list)
			for _, program := range []string{"nod-hook", "nod", "sh"} {
				if loaded := exists(filepath.Join(marks, program)); loaded != slices.Contains(row.loads, program) {
					t.Errorf("%s loaded the project's library: %v", program, loaded)
				}
			}
		})
	}
}

// library builds marking.
func (m *machine) library(marks string) string {
	m.t.Helper()
	source, built := filepath.Join(m.work, "mark.c"), filepath.Join(m.work, "mark.so")
	m.write(source, fmt.Sprintf(marking, marks), 0o644)
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", built, source).CombinedOutput(); err != nil {
		missing(m.t, fmt.Sprintf("cc builds no library: %v: %s", err, out))
	}
	return built
}

// putShellInFront has each hook started by /bin/sh.
func (m *machine) putShellInFront() {
	m.t.Helper()
	path := filepath.Join(m.home, ".claude", "settings.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	hook, err := json.Marshal(filepath.Join(m.bin, "nod-hook"))
	if err != nil {
		m.t.Fatal(err)
	}
	plain := fmt.Sprintf("\"command\": %s,", hook)
	changed := strings.ReplaceAll(string(raw), plain, `"command": "/bin/sh",`)
	changed = strings.ReplaceAll(changed, "\"args\": [\n",
		fmt.Sprintf("\"args\": [\n\"-c\", \"\\\"$0\\\" \\\"$@\\\"; exit $?\", %s,\n", hook))
	if changed == string(raw) || !json.Valid([]byte(changed)) {
		m.t.Fatalf("no hook to change in %s:\n%s", path, changed)
	}
	m.write(path, changed, 0o600)
}
