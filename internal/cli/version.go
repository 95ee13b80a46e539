package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/system"
	"github.com/nodgate/nod/internal/version"
)

// printVersion prints the version on a line of its own, by which nod-hook knows a nod of its build.
func printVersion(_ context.Context, p *Process, args []string) error {
	if err := newArguments(p).parse(args, 0); err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	fmt.Fprint(p.Stdout, "nod ", version.String(), "\n", built(info))
	return nil
}

// built is what a build's own record says of where it came from, a line or nothing.
func built(info *debug.BuildInfo) string {
	said := map[string]string{}
	if info != nil && info.Main.Sum != "" {
		return "module " + info.Main.Version + "\n"
	}
	for i := 0; info != nil && i < len(info.Settings); i++ {
		said[info.Settings[i].Key] = info.Settings[i].Value
	}
	if said["vcs.revision"] == "" {
		return ""
	}
	changed := map[string]string{"true": ", with changes"}[said["vcs.modified"]]
	return fmt.Sprintf("revision %.12s of %s%s\n", said["vcs.revision"], said["vcs.time"], changed)
}

func completion(_ context.Context, p *Process, args []string) error {
	a := newArguments(p)
	if err := a.parse(args, 1); err != nil {
		return err
	}
	return forShell(p, a.Arg(0))
}

// forShell prints a text of shells, in which what stands between two @EACH@ stands for each subcommand.
func forShell(p *Process, name string) error {
	text, err := texts.ReadFile("shells/" + name + ".txt")
	if err != nil {
		return usage(errors.New("name the shell: bash, zsh or fish"))
	}
	for i, part := range strings.Split(string(text), "@EACH@\n") {
		list := commands()
		if i%2 == 0 {
			list = []command{{}}
		}
		for _, c := range list {
			fmt.Fprint(p.Stdout, c.fill(part))
		}
	}
	return nil
}

// fill puts what is known of a subcommand into lines; what a shell or man reads in a special way is escaped.
func (c command) fill(lines string) string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	roff := strings.NewReplacer(`\`, `\e`, "\n.", "\n\\&.", "\n'", "\n\\&'", "-", `\-`)
	return strings.NewReplacer("@NAMES@", strings.Join(names, " "), "@NAME@", c.name, "@VERSION@", version.String(),
		"@SUMMARY@", strings.ReplaceAll(c.summary(), "'", "’"), "@WORDS@", strings.Join(c.words(names), " "),
		"@TEXT@", strings.TrimSpace(roff.Replace(c.long()))).Replace(lines)
}

// words are what may stand behind a subcommand, as its text says: its flags, words in brackets, and agents.
func (c command) words(names []string) (all []string) {
	called, body, _ := strings.Cut(c.long(), "\n\n")
	if called == "" || c.name == "help" {
		return names
	}
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "  --") {
			called += line
		}
	}
	for _, m := range regexp.MustCompile(`--[a-z][-a-z]*|[[|] ?[a-z]+`).FindAllString(called, -1) {
		word := strings.Trim(m, "[| ")
		if !slices.Contains(append(all, c.name, "flags"), word) {
			all = append(all, word)
		}
	}
	if strings.Contains(called, "AGENT") && !strings.Contains(called, "-- AGENT") {
		all = append(all, install.Agents()...)
	}
	return all
}

// upgrade says how this copy was installed, what brings the newest, and which release that is.
func (in installer) upgrade(ctx context.Context, p *Process, args []string) error {
	if err := newArguments(p).parse(args, 0); err != nil {
		return err
	}
	self, err := in.program()
	if err != nil {
		return internal(err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	how, newest := in.cameBy(self)
	fmt.Fprintf(p.Stdout, `nod %s, by %s: %s
%s
To bring the newest:

  %s

Then run nod install again. What is new, and the packages:
  %s
`, version.String(), how, homely(p, self), released(ctx, cmp.Or(in.latest, releases+"/latest")),
		newest, releases)
	return nil
}

const releases = "https://github.com/nodgate/nod/releases"

// released says which release an address leads to. Nothing but the request is sent, and no more than where it leads
// is read.
func released(ctx context.Context, latest string) string {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, latest, nil)
	if err != nil {
		return "The newest release is not known: " + err.Error() + "."
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return "The newest release is not known: " + printable.Line(err.Error(), 200) + "."
	}
	defer resp.Body.Close()
	_, tag, found := strings.Cut(resp.Header.Get("Location"), "/releases/tag/v")
	switch {
	case !found || !regexp.MustCompile(`^[0-9][-.0-9a-z]*$`).MatchString(tag):
		return "The newest release is not known: " + latest + " names none."
	case tag == version.String():
		return "It is the newest release."
	}
	return "The newest release is " + tag + "."
}

// cameBy is how the program at a path was installed, by installed.txt, and the command that brings the newest.
func (in installer) cameBy(self string) (how, newest string) {
	rows, _ := texts.ReadFile("installed.txt")
	for row := range strings.Lines(string(rows)) {
		words := strings.Fields(row)
		if words[0] == "#" || !strings.Contains(filepath.ToSlash(self), words[0]) {
			continue
		}
		mark := filepath.Join(in.root, words[1])
		if beside, ok := strings.CutPrefix(words[1], "~"); ok {
			mark = filepath.Join(filepath.Dir(self), beside)
		}
		if there, _ := filepath.Glob(mark); words[1] == "-" || len(there) > 0 {
			return words[2], strings.Join(words[3:], " ")
		}
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Sum != "" || strings.Contains(filepath.ToSlash(self), "/go/bin/") {
		newest = install.GetProgram
		if system.IsProgram(filepath.Join(filepath.Dir(self), "nod-serve")) {
			newest += " " + install.GetServe
		}
		return "go install", newest
	}
	if prefix, usual := strings.CutSuffix(filepath.Dir(self), "/bin"); usual {
		return "an archive", "curl -fsSLO " + releases + "/latest/download/install.sh && sh install.sh --prefix " +
			install.Quote(prefix)
	}
	return "an archive", "tar -xzf nod_*.tar.gz -C " + install.Quote(filepath.Dir(self)) + " nod nod-hook nod-serve"
}
