//go:build unix

package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/keep"
	"github.com/nodgate/nod/internal/mcp"
	"github.com/nodgate/nod/internal/page"
	"github.com/nodgate/nod/internal/shown"
	"github.com/nodgate/nod/internal/version"
	"github.com/nodgate/nod/internal/watch"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) {
	syscall.Umask(0o022) // scripts hold settings files, which others may not write
	testscript.Main(m, map[string]func(){"nod": func() { nodMain(nil) }, "nod-hook": hookMain, "nod-serve": serveMain})
}

// hookMain is cmd/nod-hook.
func hookMain() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println("nod", version.String())
		os.Exit(0)
	}
	os.Exit(hook.Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr, os.Exit))
}

// serveMain is cmd/nod-serve, as far as nod turns into it.
func serveMain() {
	nodMain(&Views{Page: func(o shown.Page) Page { return page.New(o) }, Watch: watch.Run, MCP: mcp.Serve})
}

// nodMain is cmd/nod, save that the processes above it are what the script
// says: a developer's shell may well run under an agent.
func nodMain(v *Views) {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(ExitInternal)
	}
	p := &Process{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Dir: dir,
		Ancestors: scriptAncestors, Views: v}
	if root := os.Getenv("MACHINE"); root != "" {
		os.Exit(onMachine(root, p))
	}
	os.Exit(Main(context.Background(), p, os.Args[1:]))
}

// onMachine installs, uninstalls and tries below a directory, as [machine] does; PASSING does not last, ROOT is root,
// REAL has the programs of the test itself, SELF is where nod lies, LATEST leads to the
// newest release, and MORE is one more variable.
func onMachine(root string, p *Process) int {
	in := installer{root: root, passing: filepath.SplitList(os.Getenv("PASSING")),
		self:   func() (string, error) { return root + cmp.Or(os.Getenv("SELF"), "/opt/nod"), nil },
		isRoot: func() bool { return os.Getenv("ROOT") != "" }, latest: os.Getenv("LATEST")}
	in.examine = answers
	if os.Getenv("REAL") != "" {
		in.examine = doctor.Examine
		in.self = func() (string, error) { return exec.LookPath("nod") }
	}
	p.Environ = []string{"HOME=" + root + "/home", "PATH=" + root + "/bin:/usr/bin:/bin", os.Getenv("MORE")}
	run := map[string]func(context.Context, *Process, []string) error{"install": in.install,
		"uninstall": in.uninstall, "doctor": in.doctor, "upgrade": in.upgrade}[os.Args[1]]
	return command{name: os.Args[1], run: run}.main(context.Background(), p, os.Args[2:])
}

// answers stands for a trial in which each hook answers as it should.
func answers(_ context.Context, o doctor.Options) (all []doctor.Block, err error) {
	for _, level := range []string{"managed", "user"} {
		all = append(all, doctor.Block{Agent: o.Agents[0], Level: level})
	}
	return all, nil
}

// setMachine makes the script's directory a machine that has what [furnish] puts there.
func setMachine(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(furnish(ts.MkAbs(".")))
	ts.Setenv("MACHINE", ts.MkAbs("."))
	ts.Check(ts.Chdir("repo"))
}

// scriptAncestors reads the script's variable ANCESTORS, names with commas between them.
func scriptAncestors() ([]Ancestor, error) {
	list := []Ancestor{{Name: "bash"}}
	for name := range strings.SplitSeq(os.Getenv("ANCESTORS"), ",") {
		list = append(list, Ancestor{Name: name})
	}
	return list, nil
}

// exits runs a command that must end with a status: exits 3 nod check -- make.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ...")
	}
	var ended *exec.ExitError
	got := 0
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit %d, want %s", got, args[0])
	}
}

// keepFiles keeps files for a call, as the hook does before it: keep ID WORDS FILE...
// What names an object of git's is only recorded.
func keepFiles(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs("shop")
	c := keep.Call{ID: args[0], Agent: "claude-code", Session: "s1", Tool: "Bash", Words: args[1], Dir: dir}
	var files []string
	for _, name := range args[2:] {
		if strings.HasPrefix(name, "stash@") || strings.HasPrefix(name, "refs/") {
			c.Objects = append(c.Objects, keep.Object{Repo: dir, Name: "0a1b2c", What: name})
		} else {
			files = append(files, ts.MkAbs(name))
		}
	}
	err := os.MkdirAll(filepath.Join(ts.Getenv("HOME"), ".local/state/nod"), 0o700)
	if err == nil {
		err = keep.Open(keep.Dir(filepath.Join(ts.Getenv("HOME"), ".local/state/nod")), keep.Options{}).Keep(c, files)
	}
	ts.Check(err)
}

// TestScripts runs testdata/script, each script in a directory of its own with an empty home.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "keep": keepFiles,
			"machine": setMachine},
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("ANCESTORS", "")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each command takes a second under -race
			return os.MkdirAll(home, 0o755)
		},
	})
}
