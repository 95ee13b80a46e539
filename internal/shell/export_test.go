package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// AnalyzeWith is [Analyze] for bash on a machine that has one more sheet.
func AnalyzeWith(source string, env Env, name, text string) Report {
	m := &machine{env: env, sheets: []*sheet{newSheet(name, text)}}
	return read(source, m, syntax.LangBash)
}

// Faults are what the test of the sheets says against one.
func Faults(name, text string) []string {
	f, faults := readSheet(name, text)
	for _, s := range f.sections {
		for _, o := range s.options {
			if o.grave && !f.shows(s, o) {
				faults = append(faults, "["+s.headings[0]+"] has no example of "+strings.Join(o.spellings, " "))
			}
		}
	}
	return append(faults, wrongExamples(name, text)...)
}

// wrongExamples are those that do not yield what they say.
func wrongExamples(name, text string) (wrong []string) {
	env, examples := WorldWith(name), 0
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		command, want, _ := strings.Cut(command, " => ")
		if got := brief(AnalyzeWith(command, env, name, text)); got != sorted(want) {
			wrong = append(wrong, command+"\nwant "+sorted(want)+"\ngot  "+got)
		}
		examples++
	}
	if examples == 0 {
		wrong = append(wrong, "no examples")
	}
	return wrong
}

// WorldWith is the repository of the examples, where one more program is
// installed, and which holds a secret and some code.
func WorldWith(program string) Env {
	m := world()
	m.File("/usr/bin/"+program, "", 0o755)
	m.File(testRepo+"/.env", "KEY=1\n", 0o600)
	m.File(testRepo+"/.deep/.env", "KEY=1\n", 0o600)
	m.File(testRepo+"/src/main.go", "package main // TODO\n", 0o644)
	return testEnv(m)
}
