package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
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
	if _, err := h.output(ctx, nil, "npm", "ci", "--prefix", h.tools, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"); err != nil {
		return "", err
	}
	return "npm programs installed", installPi(ctx, h)
}

// installPi fetches Pi by itself: not all that it names as dependencies is
// published, and its program needs none of that. See e2e/doc.go.
func installPi(ctx context.Context, h *house) error {
	name, err := h.output(ctx, nil, "npm", "pack", "--loglevel", "error", "--pack-destination", h.tools, piPackage+"@"+piAt)
	if err != nil {
		return err
	}
	archive := filepath.Join(h.tools, strings.TrimSpace(name))
	text, err := os.ReadFile(archive)
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
	_, err = h.output(ctx, nil, "tar", "-xzf", archive, "--strip-components", "1", "-C", dir)
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
	_, err = h.output(ctx, nil, "go", "vet", "./...")
	return fmt.Sprintf("%d packages", len(strings.Fields(packages))), err
}

func staticcheck(ctx context.Context, h *house) (string, error) {
	_, err := h.output(ctx, nil, "go", "run", staticcheckAt, "./...")
	return "no findings", err
}

// govulncheck needs its database; without it nothing was checked, and the
// line says so.
func govulncheck(ctx context.Context, h *house) (string, error) {
	client := &http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get("https://vuln.go.dev/index/modules.json")
	if err != nil {
		return "did not run: its database does not answer", nil
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "did not run: its database answers " + resp.Status, nil
	}
	_, err = h.output(ctx, nil, "go", "run", govulncheckAt, "./...")
	return "no known vulnerabilities reached", err
}

func demo(ctx context.Context, h *house) (string, error) {
	out, err := h.output(ctx, nil, "go", "run", "./cmd/nod-hook", "demo", "--json")
	return fmt.Sprintf("%d lines", strings.Count(out, "\n")), err
}
