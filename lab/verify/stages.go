package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Pinned, so that the same tree gives the same answer next year.
const (
	staticcheckAt = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
	govulncheckAt = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"

	piPackage = "@earendil-works/pi-coding-agent"
	piAt      = "1.5.2"
	piSHA256  = "691bde186273b457d9d1c41d0fd47b57853b5e85ded1add1a1f6b78e66c261f4"
)

func installTools(ctx context.Context, h *house) (string, error) {
	for _, need := range []struct{ name, why string }{
		{"cc", "the race detector needs a C compiler"},
		{"git", "tests make repositories"},
		{"node", "the real Claude Code and the vendors' specifications are tested with it"},
		{"npm", "it installs them, pinned by e2e/package-lock.json"},
	} {
		if _, err := exec.LookPath(need.name); err != nil {
			return "", fmt.Errorf("%s is missing: %s", need.name, need.why)
		}
	}
	if err := h.installWitness(ctx); err != nil {
		return "", err
	}
	want, err := h.toolsWanted()
	if err != nil {
		return "", err
	}
	installed := filepath.Join(h.tools, "node_modules", ".nod-tools")
	if have, err := os.ReadFile(installed); err == nil && string(have) == want {
		return "npm programs are there (remove e2e/node_modules to install them again)", nil
	}
	if _, err := h.output(ctx, nil, "npm", "ci", "--prefix", h.tools, "--ignore-scripts", "--no-audit", "--no-fund",
		"--loglevel", "error"); err != nil {
		return "", err
	}
	if h.deep { // an agent for editors, which runs the Claude Code that is there already
		if _, err := h.output(ctx, nil, "npm", "ci", "--prefix", filepath.Join(h.tools, "acp"), "--omit=optional",
			"--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"); err != nil {
			return "", err
		}
	}
	if err := installPi(ctx, h); err != nil {
		return "", err
	}
	return "npm programs installed", os.WriteFile(installed, []byte(want), 0o644)
}

// installWitness installs the shells and the namespace that the witness needs,
// in CI and on Debian's kin alone: elsewhere its tests say what is missing.
func (h *house) installWitness(ctx context.Context) error {
	var missing []string
	for program, from := range map[string]string{"bwrap": "bubblewrap", "zsh": "zsh", "dash": "dash"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, from)
		}
	}
	apt, err := exec.LookPath("apt-get")
	if len(missing) == 0 || err != nil || os.Getenv("CI") != "true" || os.Getuid() != 0 {
		return nil
	}
	if _, err := h.output(ctx, nil, apt, "update", "-q"); err != nil {
		return err
	}
	_, err = h.output(ctx, []string{"DEBIAN_FRONTEND=noninteractive"}, apt,
		append([]string{"install", "-q", "-y"}, missing...)...)
	return err
}

// toolsWanted names what is installed: if it changes, all is installed again.
func (h *house) toolsWanted() (string, error) {
	lock, err := os.ReadFile(filepath.Join(h.tools, "package-lock.json"))
	if h.deep && err == nil {
		var more []byte
		more, err = os.ReadFile(filepath.Join(h.tools, "acp", "package-lock.json"))
		lock = append(lock, more...)
	}
	return fmt.Sprintf("%x %s\n", sha256.Sum256(lock), piSHA256), err
}

// installPi fetches Pi by itself: not all that it names as dependencies is
// published, and its program needs none of that. See e2e/doc.go. The archive
// lies in a directory of its own, which goes.
func installPi(ctx context.Context, h *house) error {
	scratch, err := os.MkdirTemp("", "nod-pi-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if _, err := h.output(ctx, nil, "npm", "pack", "--loglevel", "error", "--pack-destination", scratch,
		piPackage+"@"+piAt); err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(scratch, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("npm pack %s@%s left %q: %v", piPackage, piAt, archives, err)
	}
	text, err := os.ReadFile(archives[0])
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != piSHA256 {
		return fmt.Errorf("%s %s is not the file that was tried", piPackage, piAt)
	}
	dir := filepath.Join(h.tools, "node_modules", filepath.FromSlash(piPackage))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	_, err = h.output(ctx, nil, "tar", "-xzf", archives[0], "--strip-components", "1", "-C", dir)
	return err
}

func verifyModules(ctx context.Context, h *house) (string, error) {
	if _, err := h.output(ctx, nil, "go", "mod", "verify"); err != nil {
		return "", err
	}
	_, err := h.output(ctx, nil, "go", "mod", "tidy", "-diff")
	return "modules verified and tidy", err
}

func checkFormat(ctx context.Context, h *house) (string, error) {
	files, err := h.output(ctx, nil, "git", "ls-files", "*.go")
	if err != nil {
		return "", err
	}
	names := strings.Fields(files)
	out, err := h.output(ctx, nil, "gofmt", append([]string{"-l"}, names...)...)
	if err == nil && strings.TrimSpace(out) != "" {
		err = fmt.Errorf("not formatted:\n%s", out)
	}
	return fmt.Sprintf("%d files", len(names)), err
}

func vet(ctx context.Context, h *house) (string, error) {
	packages, err := h.output(ctx, nil, "go", "list", "./...")
	if err != nil {
		return "", err
	}
	_, err = h.output(ctx, nil, "go", "vet", "-p", atOnce(), "./...")
	return fmt.Sprintf("%d packages", len(strings.Fields(packages))), err
}

func staticcheck(ctx context.Context, h *house) (string, error) {
	_, err := h.output(ctx, nil, "go", "run", "-p", atOnce(), staticcheckAt, "./...")
	return "no findings", err
}

// govulncheck needs its database; without it nothing was checked, and the
// line says so.
func govulncheck(ctx context.Context, h *house) (string, error) {
	_, err := h.output(ctx, nil, "go", "run", "-p", atOnce(), govulncheckAt, "./...")
	if err != nil && strings.Contains(err.Error(), "vuln.go.dev") {
		return "did not run: its database does not answer", nil
	}
	return "no known vulnerabilities reached", err
}

func demo(ctx context.Context, h *house) (string, error) {
	out, err := h.output(ctx, nil, "go", "run", "./cmd/nod-hook", "demo")
	return fmt.Sprintf("%d lines", strings.Count(out, "\n")), err
}
