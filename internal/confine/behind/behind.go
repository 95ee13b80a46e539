// Package behind is a line that somebody types to have it run behind the boundary: nod confine -- 'LINE', and nod-hook
// confine -- 'LINE', which is the same and starts faster, since it links no SDK, so that agents are told to type it.
//
// It finds the workspace (the repository around the directory, else the directory), reads the settings, asks a gate
// what of the workspace may be seen and what may be changed, runs the line, and says in one line for the agent what
// it did not get.
package behind

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/keep"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

// Word is the argument before "--" and the line.
const Word = "confine"

// NothingRan is the exit code where nothing of the line was run, or kept.
const NothingRan = 125

// Process is the process in which a line was behind.
type Process struct {
	Environ []string
	Dir     string
	// Stdin, Stdout and Stderr are the line's. nil is /dev/null.
	Stdin, Stdout, Stderr *os.File
}

// Main runs the line of the arguments -- LINE and returns the exit code.
func Main(ctx context.Context, p Process, args []string) int {
	if len(args) != 2 || args[0] != "--" || strings.TrimSpace(args[1]) == "" {
		p.say("want -- and the whole line as one quoted word")
		return 2
	}
	o, err := confinement(p, args[1])
	var result confine.Result
	if err == nil {
		result, err = confine.Run(ctx, o)
	}
	if err != nil {
		p.say(printable.Line(failed(err), 400) + "; a person can let the line run as it is: nod approve")
		return NothingRan
	}
	if text := explain(result); text != "" {
		p.say(printable.Line(text, 1200))
	}
	return result.Code
}

func failed(err error) string {
	if errors.Is(err, confine.ErrNotKept) {
		return err.Error()
	}
	return "nothing was run: " + err.Error()
}

func (p Process) say(text string) {
	if p.Stderr != nil {
		fmt.Fprintln(p.Stderr, "nod confine:", text)
	}
}

// confinement is the boundary for a line of this process's directory.
func confinement(p Process, line string) (confine.Options, error) {
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return confine.Options{}, err
	}
	places := Places(p.Environ)
	root, repository := dir, ""
	if r := repo.Around(view.Disk{}, dir); r != nil {
		root, repository = r.Top, r.Common
	}
	places.Root = root
	home, _ := filepath.EvalSymlinks(places.Home)
	settle := func(o *confine.Options) error {
		settings, err := config.Load(places)
		if err != nil {
			return err
		}
		kept := newParcel(places.State, dir, line)
		gate := hook.NewGate(hook.Options{Environ: p.Environ, Places: places, Files: view.Disk{},
			Nod: hook.Beside("nod"), Self: hook.Programs(), Keeper: kept}, settings, nil, nil)
		go gate.HoldsSecret("/") // takes the list apart, which all later questions wait for
		o.Hidden, o.Keep = gate.HoldsSecret, confine.Keep(gate, root, p.Environ, true)
		o.Before = func(names []string) { kept.before(names, o.Keep) }
		o.Stores = confine.Stores(settings.Rules.Secrets, home)
		return nil
	}
	return confine.Options{
		Line: line, Dir: dir, Root: root, Home: home, Environ: p.Environ,
		Cache: filepath.Join(home, ".cache/nod/confine"), Repository: repository, Shell: shell(p.Environ),
		Settle: settle, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr,
	}, nil
}

// Places are where the settings lie: below the home that /etc/passwd has for the user
// of this process, if settings are there, else below HOME.
func Places(environ []string) config.Places {
	users, _ := os.ReadFile("/etc/passwd") // package os/user would do, and link libc
	if home := listed(string(users), os.Getuid()); filepath.IsAbs(home) {
		places := config.DefaultPlaces(home)
		if _, err := os.Stat(places.User); err == nil {
			return places.WithClaude()
		}
	}
	return config.DefaultPlaces(confine.Variable(environ, "HOME")).WithClaude()
}

// listed is a user's home in the system's list of users, "" where it has no such user.
func listed(text string, uid int) string {
	for line := range strings.Lines(text) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), ":"); len(f) == 7 && f[2] == strconv.Itoa(uid) {
			return f[5]
		}
	}
	return ""
}

// shell is the shell that started this line, else the person's shell; always a shell of the system's.
func shell(environ []string) string {
	parent, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	for _, name := range []string{parent, confine.Variable(environ, "SHELL"), "/bin/bash"} {
		base := filepath.Base(name)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && slices.Contains([]string{"bash",
			"zsh", "dash", "sh"}, base) &&
			(strings.HasPrefix(name, "/usr/") || strings.HasPrefix(name, "/bin/")) {
			return name
		}
	}
	return "/bin/sh"
}

// parcel keeps, all at once, what a run is about to replace or remove. Until it has looked
// it takes everything that it is handed; then it says what was kept.
type parcel struct {
	store  *keep.Store
	call   keep.Call
	looked bool
	files  []string
	kept   map[string]bool
	fault  error
}

// newParcel is for a line that somebody typed in a directory.
func newParcel(state, dir, line string) *parcel {
	now, random := time.Now().UTC(), make([]byte, 6)
	_, _ = rand.Read(random)
	return &parcel{store: keep.Open(keep.Dir(state), keep.Options{}), kept: map[string]bool{},
		call: keep.Call{ID: now.Format("20060102T150405.000000") + "-" + hex.EncodeToString(random),
			Agent: "nod confine", Tool: "bash", Words: audit.MaskText(line), Dir: dir, Time: now}}
}

// Keep implements nod.Keeper.
func (p *parcel) Keep(_ string, _ nod.Call, files []string, _ []nod.KeptCommit) error {
	for _, f := range files {
		switch {
		case p.looked && p.fault != nil:
			return p.fault
		case p.looked && !p.kept[f]:
			return errors.New("it was not there when nod kept what the run changes")
		case !p.looked && !p.kept[f]:
			p.files, p.kept[f] = append(p.files, f), true
		}
	}
	return nil
}

// before keeps what a run changes, as far as a gate whose keeper this is says that it must be kept.
func (p *parcel) before(names []string, look func(name string, deletes bool) string) {
	for _, name := range names {
		look(name, true)
	}
	p.looked = true
	if len(p.files) > 0 {
		p.fault = p.store.Keep(p.call, p.files)
	}
}
