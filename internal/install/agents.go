package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// Presence says by what an agent shows on this machine.
type Presence struct {
	Agent string
	// Program is the absolute path of its program, "" where PATH has none.
	Program string
	// Config is its directory in the home directory, "" where there is none.
	Config string
}

// Find lists the agents that have a program in PATH or a directory in the home
// directory. It starts nothing.
func Find(home, path string) (all []Presence) {
	for _, name := range Agents() {
		row := hosts.ByName(name)
		p := Presence{Agent: name, Program: FindProgram(row.ProgramName(), path)}
		dir := filepath.Join(home, row.Home[0])
		if info, err := os.Stat(dir); filepath.IsAbs(home) && err == nil && info.IsDir() {
			p.Config = dir
		}
		if p.Program != "" || p.Config != "" {
			all = append(all, p)
		}
	}
	return all
}

// FindProgram returns the first program of that name in a PATH, made
// absolute; "" if there is none. Relative elements are passed over: what they
// mean depends on the directory.
func FindProgram(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		at := filepath.Join(dir, name)
		if info, err := os.Stat(at); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() &&
			info.Mode()&0o111 != 0 {
			return at
		}
	}
	return ""
}

// Version is that of an agent's program: major, minor, patch.
type Version [3]uint

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// FailsClosed is the first Claude Code that knows onFailure "block" for
// command hooks. An older one lets a call run when its hook is missing,
// crashes or hangs.
func FailsClosed() Version { return Version{2, 1, 295} }

// Before reports whether v is older than w.
func (v Version) Before(w Version) bool { return slices.Compare(v[:], w[:]) < 0 }

// parseVersion reads what `claude --version` prints: "2.1.329 (Claude Code)".
// A pre-release is refused: what it can do is not known.
func parseVersion(s string) (v Version, err error) {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	if _, err := fmt.Sscanf(word, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil || v.String() != word {
		return Version{}, fmt.Errorf("%q is not a version such as 2.1.329", word)
	}
	return v, nil
}

// ProgramVersion asks the agent's program at an absolute path for its version,
// with a home directory that is thrown away and no more environment than PATH,
// which a script needs to find its interpreter. Root does not run a program
// that another user can replace.
func ProgramVersion(ctx context.Context, program, path string) (Version, error) {
	if err := plainPath(program); err != nil || program == "" {
		return Version{}, fmt.Errorf("install: %q is not a clean absolute path", program)
	}
	if os.Geteuid() == 0 {
		if why := replaceable(program); why != "" {
			return Version{}, fmt.Errorf("%s: %s, and root does not start such a program", program, why)
		}
	}
	home, err := os.MkdirTemp("", "nod-install-*")
	if err != nil {
		return Version{}, fmt.Errorf("install: %w", err)
	}
	defer os.RemoveAll(home)
	v := Version{}
	out, err := output(ctx, []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + path, "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1"}, program, "--version")
	if err == nil {
		v, err = parseVersion(versionWord(out))
	}
	if err != nil {
		return Version{}, fmt.Errorf("%s --version: %w", program, err)
	}
	return v, nil
}

// versionWord is the first word that starts with a digit, as in "codex-cli
// 0.169.0" and "GitHub Copilot CLI 1.0.102."; the whole line where none does.
func versionWord(line string) string {
	for word := range strings.FieldsSeq(line) {
		if word = strings.TrimPrefix(word, "v"); word != "" && '0' <= word[0] && word[0] <= '9' {
			return strings.TrimRight(word, ".,")
		}
	}
	return line
}
