package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/shell/commands"
)

// sheetTexts returns what is tried of the data on programs: every example, and
// every option with a few arguments, of the programs that are installed here.
// missing counts those that are not, or
// that need a service.
// The examples come first.
func sheetTexts() (texts []string, missing int) {
	var tried []string
	seen := map[string]bool{}
	missing = eachSheet(func(name, text, file string) {
		tried = append(tried, trials(name, text)...)
		if !seen[file] {
			texts = append(texts, examples(text)...)
		}
		seen[file] = true
	})
	return append(texts, tried...), missing
}

// eachSheet hands over the programs of the data that are installed here and need no
// service, with the text that describes each and the file that holds it. missing
// counts the others.
func eachSheet(do func(name, text, file string)) (missing int) {
	for _, name := range commands.Names() {
		text, file, ok := commands.Find(name)
		switch {
		case !ok || strings.ContainsAny(name, ".\\"):
		case !installed(name) || asksAService(file):
			missing++
		default:
			do(name, text, file)
		}
	}
	return missing
}

func installed(name string) bool {
	_, err := os.Stat(binDir + "/" + name)
	if err != nil {
		_, err = os.Stat(sbinDir + "/" + name)
	}
	return err == nil
}

// stageAndRunPrograms runs all of them.
func (w *witnessing) stageAndRunPrograms() error {
	if _, err := os.Stat(binDir + "/strace"); err != nil {
		fmt.Fprintln(w.out, "skipped, nothing was run: strace is not installed (Debian: strace)")
		return nil
	}
	texts, missing := sheetTexts()
	all := uint64(len(texts))
	w.seed = max(w.seed, 1)
	w.texts, w.helpers, w.n = texts, map[string]uint64{}, min(w.n, all-min(all, w.seed-1))
	fmt.Fprintf(w.out, "%d of %d texts are tried (-n), the examples first\n", w.n, all)
	err := w.stageAndRun()
	fmt.Fprintf(w.out, "skipped %d programs of the data that are not installed here or need a service\n", missing)
	for _, helper := range slices.Sorted(maps.Keys(w.helpers)) {
		fmt.Fprintf(w.out, "beside the sheets: %s (%d times)\n", helper, w.helpers[helper])
	}
	return err
}

// asksAService reports whether a program is of no use without its service,
// which is not there: it keeps notes of its own, and ends.
func asksAService(file string) bool {
	return slices.Contains([]string{"gcloud", "bq", "aws", "az", "doctl", "heroku", "ibmcloud", "gh", "glab", "fly",
		"vercel", "supabase", "docker", "kubectl", "helm"}, file)
}

// trapped is the turn of the repository over which programs run: nothing but what
// comes with any turn, the program that nobody may start.
func trapped() []string { return []string{"true"} }

func examples(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		if example, ok := strings.CutPrefix(line, "$ "); ok {
			command, _, _ := strings.Cut(example, " => ")
			list = append(list, command)
		}
	}
	return list
}

// trials are calls with each option that a sheet lists.
func trials(name, text string) []string {
	list := []string{name, name + " a", name + " a b"}
	heads := []string{""}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "[") {
			heads = headings(line)
			heads = heads[:min(len(heads), 1)] // what stands side by side is alike
			for _, h := range heads {
				list = append(list, name+h, name+h+" a", name+h+" a b")
			}
			continue
		}
		if !strings.HasPrefix(line, "-") {
			continue
		}
		for _, option := range options(line) {
			for _, h := range heads {
				for _, after := range append([]string{" a", " a b", ""}, telling(option)...) {
					list = append(list, name+h+" "+option+after)
				}
			}
		}
	}
	return list
}

// telling are values that show what an option makes of its value: a secret that
// it prints, a program that it starts, a file that it writes.
func telling(option string) []string {
	sep := ""
	if strings.HasPrefix(option, "--") || len(option) > 2 {
		sep = "="
	}
	return []string{sep + ".env", sep + ".env a", " .env a", sep + "@.env a", sep + "./run.sh a", " ./run.sh a",
		sep + "new a", " new a"}
}

// headings are the subcommands that a section is about.
func headings(line string) []string {
	var list []string
	for _, h := range strings.Split(strings.Trim(line, "[]"), "][") {
		if !strings.ContainsAny(h, "*.=@") {
			list = append(list, " "+h)
		}
	}
	return list
}

// options are the first words of a line as far as they are options.
func options(line string) []string {
	var list []string
	for _, word := range strings.Fields(line) {
		if !strings.HasPrefix(word, "-") {
			break
		}
		switch {
		case strings.HasPrefix(word, "--[no-]"):
			list = append(list, "--"+word[7:], "--no-"+word[7:])
		case word == "-NUM":
			list = append(list, "-3")
		default:
			list = append(list, word)
		}
	}
	return list
}

// oneTrial runs a call of a program under strace, and lays what it wrote,
// started and connected to beside what nod says of it.
func (w *witnessing) oneTrial(s *stage, b *bed, worlds *worlds, seed uint64, text string) error {
	world := worlds.ofLines(s)
	if w.allowedLine(world, seed, text, nod.Bash) == nil {
		return nil
	}
	r, err := b.run(job{Shell: "bash", Text: text, Line: true, Trace: true, Seed: seed})
	if err != nil {
		return err
	}
	report := world.analyze(text, nod.Bash)
	harm := append(r.Harm, w.unsaid(report, r)...)
	for _, c := range r.Changed {
		switch {
		case expected(report.Effects, world.files, c) || gitsOwn(c.Name):
		case ownNotes(c.Name):
			w.helper(program(report) + " keeps notes of its own below the home directory")
		default:
			harm = append(harm, fmt.Sprintf("effect: %s is changed", c.Name))
		}
	}
	w.bookLine(seed, "bash", text, r, harm, said(report))
	return nil
}

// gitsOwn are git's own files, which nod speaks of as one.
func gitsOwn(name string) bool { return strings.HasPrefix(name, project+"/.git/") }

// unsaid lists the programs that were started, and the hosts that were asked,
// of which a report says nothing. What a system's program is made of does not
// count: nobody but its maker has a say in it.
func (w *witnessing) unsaid(report shell.Report, r ran) []string {
	var list []string
	speaks := func(kinds ...shell.Kind) bool {
		return slices.ContainsFunc(report.Effects, func(e shell.Effect) bool {
			return slices.Contains(kinds, e.Kind)
		})
	}
	for _, s := range r.Started {
		named := slices.ContainsFunc(report.Commands, func(c shell.Command) bool {
			return len(c.Words) > 0 && path.Base(c.Words[0].Value) == path.Base(s.Words[0]) ||
				slices.Contains(c.Wrappers,
					path.Base(s.Words[0]))
		})
		switch {
		case named || speaks(shell.Run), s.Words[0] == "/proc/self/exe": // itself once more
		case strings.HasPrefix(s.Words[0], "/usr/"), strings.HasPrefix(s.Words[0], "/bin/"),
			strings.HasPrefix(s.Words[0], "/sbin/"):
			w.helper(program(report) + " starts " + s.Words[0])
		default:
			list = append(list, fmt.Sprintf("program: %s was started", s.Words[0]))
		}
	}
	for _, c := range r.Connected {
		if !speaks(shell.Fetch, shell.Send, shell.Remote) {
			list = append(list, "network: connect "+c)
		}
	}
	return list
}

func (w *witnessing) helper(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.helpers[what]++
}

// program is the first program of a report.
func program(report shell.Report) string {
	if len(report.Commands) == 0 || len(report.Commands[0].Words) == 0 {
		return ""
	}
	return report.Commands[0].Words[0].Value
}
