package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// claudeCode is measured on 2.1.329. Hooks are in exec form, which no shell
// reads, and onFailure blocks where one fails.
func claudeCode() host {
	return host{
		agent:         "claude-code",
		managed:       "etc/claude-code/managed-settings.json",
		managedDarwin: "Library/Application Support/ClaudeCode/managed-settings.json",
		user:          ".claude/settings.json",
		project:       ".claude/settings.json",
		matcher:       "*",
		events: []event{
			{"PreToolUse", true}, {"PermissionRequest", true},
			{"PostToolUse", false}, {"PostToolUseFailure", false}, {"PermissionDenied", false},
		},
		handler: func(o Options, decides bool) ordered {
			timeout, onFailure := recordTimeout, "continue"
			if decides {
				timeout, onFailure = decideTimeout, "block"
			}
			words := o.words()
			return ordered{{"type", "command"}, {"command", words[0]}, {"args", words[1:]}, {"timeout", timeout},
				{"onFailure", onFailure}}
		},
		plain: true,
	}
}

// Version is a Claude Code version.
type Version struct{ Major, Minor, Patch int }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// FailsClosed is the first Claude Code that knows onFailure "block" for
// command hooks. An older one lets a call run when its hook is missing,
// crashes or hangs.
func FailsClosed() Version { return Version{2, 1, 295} }

// Before reports whether v is older than w.
func (v Version) Before(w Version) bool {
	if v.Major != w.Major {
		return v.Major < w.Major
	}
	if v.Minor != w.Minor {
		return v.Minor < w.Minor
	}
	return v.Patch < w.Patch
}

// ParseVersion reads what `claude --version` prints: "2.1.329 (Claude Code)".
// A pre-release is refused: what it can do is not known.
func ParseVersion(s string) (Version, error) {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	parts := strings.Split(word, ".")
	if len(parts) != 3 {
		return Version{}, fmt.Errorf("%q is not a version such as 2.1.329", word)
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return Version{}, fmt.Errorf("%q is not a version such as 2.1.329", word)
		}
		n[i] = int(v)
	}
	return Version{n[0], n[1], n[2]}, nil
}

// ErrNotFound says that there is no Claude Code to ask for its version.
var ErrNotFound = errors.New("claude is not in PATH")

// FindClaude returns the first claude in a PATH, made absolute.
func FindClaude(path string) (string, error) {
	if at := findProgram("claude", path); at != "" {
		return at, nil
	}
	return "", ErrNotFound
}

// ClaudeVersion asks the claude at an absolute path for its version, as
// [ProgramVersion] does.
func ClaudeVersion(ctx context.Context, claude, path string) (Version, error) {
	return ProgramVersion(ctx, claude, path)
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
	out, err := output(ctx, []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + path, "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1"}, program, "--version")
	if err != nil {
		return Version{}, fmt.Errorf("%s --version: %w", program, err)
	}
	v, err := ParseVersion(versionWord(out))
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
