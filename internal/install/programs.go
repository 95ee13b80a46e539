package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/system"
)

// GetProgram is how nod gets to where it can stay.
const GetProgram = "CGO_ENABLED=0 go install github.com/nodgate/nod/cmd/nod@latest " +
	"github.com/nodgate/nod/cmd/nod-hook@latest"

// GetServe is what brings nod-serve, for who wants it.
const GetServe = "github.com/nodgate/nod/cmd/nod-serve@latest"

// Programs are nod's own executables, whose paths go into the settings.
type Programs struct {
	Nod, Hook string // absolute paths
	// Version is nod's own, which nod-hook must share.
	Version string
	// Home is the home directory: a repository that is all of it is no workspace.
	Home string
	// Passing lists directories whose contents do not last or are anybody's,
	// see [PassingDirs]. nil means no such directory.
	Passing []string
}

// PassingDirs lists the temporary directories and the build cache, as the system and the given environment name them.
func PassingDirs(getenv func(string) string) []string {
	dirs := []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm", "/var/folders", "/run/user"}
	for _, name := range []string{"TMPDIR", "GOTMPDIR", "GOCACHE"} {
		if dir := getenv(name); filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Check returns nil if both programs may be named in an agent's settings: they lie where they will stay, only their
// owner may change them, and they are of one build.
//
// What lies in a build cache, a temporary directory or a repository may be
// gone or replaced by the time it is asked, and the agent itself works there.
func (p Programs) Check(ctx context.Context) error {
	for _, path := range []string{p.Nod, p.Hook} {
		if err := p.lasting(path); err != nil {
			return err
		}
	}
	return p.OneBuild(ctx)
}

// OneBuild returns nil if both programs are of one version: nod-hook decides and
// confines by the rules that it was built with. It starts nod-hook with "version".
func (p Programs) OneBuild(ctx context.Context) error {
	out, err := output(ctx, []string{"HOME=/nonexistent", "PATH=/usr/bin:/bin"}, p.Hook, "version")
	if err != nil {
		return fmt.Errorf("%s does not answer \"version\": %w; %s", p.Hook, err, instead)
	}
	if hook := strings.TrimPrefix(out, "nod "); hook != p.Version {
		return fmt.Errorf("%s is version %q and %s is version %q; install both together:\n  %s", p.Nod, p.Version,
			p.Hook, hook, GetProgram)
	}
	return nil
}

// Owners returns a finding for each program that somebody other than root may
// change, which the managed level would have to trust for every user.
func (p Programs) Owners() (all []Finding) {
	for _, path := range []string{p.Nod, p.Hook} {
		if why := replaceable(path); why != "" {
			all = append(all, Finding{Kind: Weak, Path: path,
				Text: fmt.Sprintf("%s, so an agent of that user can replace the program; better: sudo install -m 755 "+
					"%s %s /usr/local/bin, then install from there", why, Quote(p.Nod), Quote(p.Hook))})
		}
	}
	return all
}

// OnlyRoots reports whether nobody but root can replace a program.
func OnlyRoots(path string) bool { return plainPath(path) == nil && replaceable(path) == "" }

// replaceable says how somebody other than root can change a program, "" if
// nobody can: by owning it or a directory above it, or by writing there.
func replaceable(path string) string {
	at, err := filepath.EvalSymlinks(path)
	for ; err == nil; at = filepath.Dir(at) {
		var info fs.FileInfo
		if info, err = os.Stat(at); err != nil {
			break
		}
		is, err := system.Describe(at, info)
		if err != nil || is.UID != 0 {
			return fmt.Sprintf("%s belongs to user id %d", at, is.UID)
		}
		if is.Mode&0o002 != 0 && is.Mode&fs.ModeSticky == 0 {
			return at + " is anybody's to write to"
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
	return err.Error()
}

// instead says what to do with a program that cannot be named.
const instead = "install nod where it can stay:\n  " + GetProgram + "\n  \"$(go env GOPATH)/bin/nod\" install"

func (p Programs) lasting(path string) error {
	if err := plainPath(path); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there; %s", path, instead)
	}
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	for _, at := range []string{path, real} {
		if why := p.passing(at); why != "" {
			return fmt.Errorf("%s lies in %s, where it may be replaced or gone when an agent asks it; %s", at, why,
				instead)
		}
	}
	return ownersAlone(real)
}

// passing says in what place that does not last path lies, "" if in none.
func (p Programs) passing(path string) string {
	for _, dir := range p.Passing {
		real, err := filepath.EvalSymlinks(dir)
		if below(dir, path) || err == nil && below(real, path) {
			return "the temporary or cache directory " + dir
		}
	}
	for _, cache := range [][2]string{{"/go-build", "a Go build cache"}, {"/_npx/", "a cache of npx"},
		{"/pnpm/dlx", "a cache of pnpm dlx"}, {"/uv/archive-v", "a cache of uvx"}} {
		if strings.Contains(path, cache[0]) {
			return cache[1]
		}
	}
	if root := p.workspace(path); root != "" {
		return "the repository " + root
	}
	return ""
}

// workspace returns the repository whose work tree holds path, "" if none does. A home directory kept in git is not
// one, nor are the prefixes that package managers keep in git.
func (p Programs) workspace(path string) string {
	home, err := filepath.EvalSymlinks(p.Home)
	if err != nil {
		home = p.Home
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		switch dir {
		case p.Home, home, "/usr", "/usr/local", "/opt/homebrew", "/home/linuxbrew/.linuxbrew":
			return ""
		}
		for _, mark := range []string{".git", ".hg", ".jj"} {
			if isRepository(filepath.Join(dir, mark)) {
				return dir
			}
		}
	}
	return ""
}

// isRepository reports whether a mark of a repository is there. An empty directory
// is no mark: Codex's sandbox leaves a .git in /tmp (0.169.0, measured).
func isRepository(mark string) bool {
	info, err := os.Lstat(mark)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	entries, err := os.ReadDir(mark)
	return err != nil || len(entries) > 0
}

// ownersAlone refuses a program that is not one, or that others may change.
func ownersAlone(path string) error {
	is, err := system.Stat(path)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	dir, err := system.Stat(filepath.Dir(path))
	switch {
	case err != nil:
		return fmt.Errorf("install: %w", err)
	case !is.Mode.IsRegular() || is.Mode&0o111 == 0:
		return fmt.Errorf("%s is not a program", path)
	case is.Mode&0o022 != 0:
		return fmt.Errorf("%s: others may change it (mode %v); run: chmod go-w %s", path, is.Mode.Perm(),
			Quote(path))
	case dir.Mode&0o002 != 0:
		return fmt.Errorf("%s: anybody may replace it (mode of its directory: %v); run: chmod o-w %s", path,
			dir.Mode.Perm(), Quote(filepath.Dir(path)))
	}
	return nil
}

// startDeadline bounds a program that is asked for its version. Some agents unpack themselves first.
const startDeadline = 45 * time.Second

// output runs a program with the given environment and returns the first line that it prints.
func output(ctx context.Context, environ []string, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	ran := Start(ctx, Command{Words: append([]string{path}, args...)}, "/", environ, nil)
	if !ran.Ended {
		return "", fmt.Errorf("no answer within %v", startDeadline)
	}
	if ran.Err != nil {
		return "", fmt.Errorf("%w: %s", ran.Err, printable.Text(firstLine(ran.Stderr)))
	}
	return firstLine(ran.Stdout), nil
}

func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	return string(bytes.TrimSpace(line))
}

// Ran is what a command line did. Of what it printed the first 64 KiB are kept.
type Ran struct {
	Stdout, Stderr []byte
	Exit           int // -1 where it was ended by a signal or did not start
	Ended          bool
	Err            error
}

// Start runs a command line as a host does: with the given environment and no
// more. When ctx ends, all that it has started ends with it.
func Start(ctx context.Context, c Command, dir string, environ []string, stdin []byte) Ran {
	words := c.Words
	if c.Shell != "" {
		words = []string{"/bin/sh", "-c", c.Shell}
	}
	if len(words) == 0 {
		return Ran{Exit: -1, Err: errors.New("there is no command line")}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = environ, dir, bytes.NewReader(stdin)
	var stdout, stderr firstBytes
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// What it starts ends with it, and must not keep the pipes open.
	cmd.SysProcAttr, cmd.Cancel = system.Apart(&cmd.Process)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	ran := Ran{Stdout: stdout, Stderr: stderr, Exit: -1, Ended: ctx.Err() == nil, Err: err}
	if cmd.ProcessState != nil {
		ran.Exit = cmd.ProcessState.ExitCode()
	}
	return ran
}

// firstBytes keeps the first 64 KiB and drops the rest.
type firstBytes []byte

func (w *firstBytes) Write(p []byte) (int, error) {
	const most = 64 << 10
	*w = append(*w, p[:min(len(p), most-len(*w))]...)
	return len(p), nil
}
