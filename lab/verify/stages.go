package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Pinned, so that the same tree gives the same answer next year.
const (
	staticcheckAt = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
	govulncheckAt = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
)

// installTools installs the real agents.
func installTools(ctx context.Context, h *house) (string, error) {
	script := []string{filepath.Join(h.tools, "install.sh")}
	if h.deep {
		script = append(script, "deep")
	}
	said, err := h.output(ctx, script...)
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return lines[len(lines)-1], err
}

func checkFormat(ctx context.Context, h *house) (string, error) {
	files, err := h.output(ctx, "git", "ls-files", "*.go")
	if err != nil {
		return "", err
	}
	names := strings.Fields(files)
	out, err := h.output(ctx, append([]string{"gofmt", "-l"}, names...)...)
	if err == nil && strings.TrimSpace(out) != "" {
		err = fmt.Errorf("not formatted:\n%s", out)
	}
	return fmt.Sprintf("%d files", len(names)), err
}

// govulncheck needs its database; without it nothing was checked, and the line says so.
func govulncheck(ctx context.Context, h *house) (string, error) {
	_, err := h.output(ctx, "go", "run", "-p", atOnce(), govulncheckAt, "./...")
	if err != nil && strings.Contains(err.Error(), "vuln.go.dev") {
		return "did not run: its database does not answer", nil
	}
	return "no known vulnerabilities reached", err
}

// tests runs every test but those of the other stages. Fuzz targets run with their seeds.
func tests(ctx context.Context, h *house) (string, error) {
	packages, err := h.packages(ctx)
	if err != nil {
		return "", err
	}
	env := []string{"NOD_TOOLS=" + h.tools}
	if h.deep {
		env = append(env, "NOD_DEEP=1")
	}
	return h.test(ctx, env, packages...)
}

// packages lists all but those that have a stage of their own.
func (h *house) packages(ctx context.Context) ([]string, error) {
	out, err := h.output(ctx, "go", "list", "./...")
	return slices.DeleteFunc(strings.Fields(out), func(p string) bool {
		return strings.HasSuffix(p, "/e2e") || strings.HasSuffix(p, "/lab/witness")
	}), err
}

// slow are tests that take long with the race detector and have nothing for it: one goroutine does their work, or a
// process that is built without it, or a goroutine that shorter tests start too. The stage tests has run them.
const slow = "^(TestTheLedgerGrowsAtItsEnd|TestWaysAroundTheStaticLayers|" +
	"TestWhatIsObeyedIsGuarded|TestWriteShortensAndMasks|" +
	"TestManyProcessesRotate|TestMaskIsLinear|TestContract|TestReadersAgree|TestHolesPutBack|TestFound|" +
	"TestWhatIsLostWasKept|TestLinesInAProject)$"

// vendors are packages that take longer to build and run with the race detector than all
// others: llmtest's test links a vendor's SDK, and the other two start processes. That is left to -deep.
var vendors = regexp.MustCompile(`^(internal/(cli|hook)|llm/llmtest)$`)

// race runs the tests of what shares memory between goroutines once more, with the race detector; with -deep all tests.
func race(ctx context.Context, h *house) (string, error) {
	env := []string{"NOD_TOOLS=" + h.tools, "CGO_ENABLED=1"}
	if h.deep {
		packages, err := h.packages(ctx)
		if err != nil {
			return "", err
		}
		return h.test(ctx, env, append([]string{"-race"}, packages...)...)
	}
	shares := `"sync(/atomic)?"$|^\s*go (func|[a-z])|AfterFunc\(`
	files, err := h.output(ctx, "git", "grep", "-lE", shares, "--", "*.go", ":!*_test.go")
	if err != nil {
		return "", err
	}
	args := []string{"-race", "-short", "-skip", slow}
	for name := range strings.FieldsSeq(files) {
		if dir := "./" + path.Dir(name); !slices.Contains(args, dir) && !vendors.MatchString(path.Dir(name)) {
			args = append(args, dir)
		}
	}
	return h.test(ctx, env, args...)
}

// tested is a stage that runs tests, whatever was run before.
func tested(packages ...string) func(context.Context, *house) (string, error) {
	return func(ctx context.Context, h *house) (string, error) {
		return h.test(ctx, []string{"NOD_TOOLS=" + h.tools}, append([]string{"-count=1"}, packages...)...)
	}
}

// witness lays what nod says beside what real shells and programs do: a sample, and with -deep many more texts.
func witness(ctx context.Context, h *house) (string, error) {
	said, err := h.test(ctx, nil, "-count=1", "./lab/witness/...")
	if err != nil || !h.deep {
		return said, err
	}
	_, shells := h.output(ctx, "go", "run", "./lab/witness", "-n", "100000")
	_, files := h.output(ctx, "go", "run", "./lab/witness", "-files", "-n", "50000")
	return said, errors.Join(shells, files)
}

// endToEnd runs the core cases of each real agent, and with -deep every case.
func endToEnd(ctx context.Context, h *house) (string, error) {
	args := []string{"-count=1", "-parallel", atOnce(), "./e2e/..."}
	if !h.deep {
		args = append([]string{"-short"}, args...)
	}
	return h.test(ctx, []string{"NOD_TOOLS=" + h.tools, "NOD_E2E=require"}, args...)
}

// databases runs the team server's suites on SQLite and on PostgreSQL, which it installs where Debian has it.
func databases(ctx context.Context, h *house) (string, error) {
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); found == nil && os.Getuid() == 0 {
		_, _ = h.output(ctx, "sh", "-c", "apt-get -qq update && apt-get -qqy install postgresql")
	}
	return h.test(ctx, []string{"NOD_DATABASES=require"}, "-count=1", "./internal/store/...", "./internal/server/...",
		"./internal/team/...")
}

// browser drives the page in a real Chromium, also for the real Claude Code. It installs Chromium where Debian has it;
// elsewhere the tests say that they were skipped.
func browser(ctx context.Context, h *house) (string, error) {
	if _, err := exec.LookPath("chromium"); err != nil && os.Getuid() == 0 {
		_, _ = h.output(ctx, "sh", "-c", "apt-get -qq update && apt-get -qqy install chromium")
	}
	said, err := tested("./internal/page")(ctx, h)
	env := []string{"NOD_TOOLS=" + h.tools, "NOD_E2E=require"}
	again, agent := h.test(ctx, env, "-count=1", "-run", "ABrowser|ATeamGuides", "./e2e")
	return said + " and " + again, errors.Join(err, agent)
}

// fuzzTargets runs each target of each package for a few seconds, from the
// seeds in the repository. A package that cannot be built or listed fails.
func fuzzTargets(ctx context.Context, h *house) (string, error) {
	out, err := h.output(ctx, "go", "test", "-list", "^Fuzz", "./...")
	if err != nil {
		return "", err
	}
	n := 0
	var targets []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz") {
			targets = append(targets, fields[0])
			continue
		}
		for _, target := range targets { // behind them stands their package
			n++
			err = errors.Join(err, h.fuzzOne(ctx, fields[1], target))
		}
		targets = nil
	}
	if n == 0 {
		err = errors.New("no fuzz target ran")
	}
	return fmt.Sprintf("%d targets", n), err
}

// fuzzOne runs one target. That its time came to its end in the middle of an input
// is no find (golang/go issue 75804): a find names the file of its input.
func (h *house) fuzzOne(ctx context.Context, dir, target string) error {
	_, err := h.output(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", "4s", dir)
	if err != nil && strings.Contains(err.Error(), "    context deadline exceeded\n") &&
		!strings.Contains(err.Error(), "Failing input") {
		return nil
	}
	return err
}
