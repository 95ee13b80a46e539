package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/testworld"
)

// Each flag of a help text is completed, and what the shells read is what was
// meant.
func TestCompletionWords(t *testing.T) {
	for name, want := range map[string][]string{
		"install": {"claude-code", "codex", "--managed", "--user", "--dry-run", "--hook", "--settings", "--state",
			"--claude-version"},
		"rules":   {"check", "critique", "--mine", "--json", "--root", "--settings", "--managed", "--state"},
		"history": {"--json", "--agent"},
		"mode":    {"enforce", "observe", "off", "--unattended"},
		"help":    {"check", "settings"},
		"confine": {"on", "off", "--json"},
	} {
		i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
		got := commands()[i].words()
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: lacks %s: %v", name, w, got)
			}
		}
	}
}

// Each flag with known values is a flag of its subcommand, which takes every one of
// them and refuses another.
func TestCompletionValues(t *testing.T) {
	rest := map[string][]string{"check": {"--", "ls"}, "log": {"--state", t.TempDir()},
		"prompt":  {"--payload", "/none"},
		"history": {}}
	free := func(name, flag string) bool { return flag == "--agent" && name != "history" && name != "prompt" }
	for _, c := range commands() {
		for _, v := range c.values() {
			for _, word := range append(v.words, "rubbish") {
				var errs strings.Builder
				p := &Process{Stdout: io.Discard, Stderr: &errs, Dir: t.TempDir(),
					Environ: []string{"HOME=" + t.TempDir()}}
				Main(t.Context(), p, append([]string{c.name, v.flag, word}, rest[c.name]...))
				if refused := strings.Contains(errs.String(),
					v.flag+` "`+word); refused != (word == "rubbish" && !free(c.name, v.flag)) {
					t.Errorf("nod %s %s %s: %s", c.name, v.flag, word, errs.String())
				}
			}
		}
	}
}

// The real shells take the scripts, and bash completes by its own.
func TestCompletionInShells(t *testing.T) {
	for shell, script := range map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion,
		"fish": fishCompletion} {
		t.Run(shell, func(t *testing.T) {
			program := testworld.Needs(t, shell)
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(script()), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(hang.Context(t), program, "-n", file).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if shell != "bash" {
				return
			}
			const try = `source "$1"; COMP_WORDS=(nod "${@:2}"); COMP_CWORD=$(($# - 1)); _nod; echo "${COMPREPLY[*]}"`
			for typed, want := range map[string]string{"hi": "history", "mode o": "observe off",
				"rules --m": "--mine --managed", "install cod": "codex",
				"log --verdict a": "allow ask", "log --verdict = d": "deny", "log --verdict =": "allow ask deny",
				"history --agent cod": "codex",
				"check --mode p":      "plan", "check --json --mode d": "default dontAsk"} {
				args := append([]string{"--norc", "-c", try, "bash", file}, strings.Fields(typed)...)
				out, err := exec.CommandContext(hang.Context(t), program, args...).CombinedOutput()
				if got := strings.TrimSpace(string(out)); err != nil || got != want {
					t.Errorf("nod %s: %q, want %q (%v)", typed, got, want, err)
				}
			}
		})
	}
}
