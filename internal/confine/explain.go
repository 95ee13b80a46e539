package confine

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

// Server begins what is said of a server on this machine that a run did not reach: each run has a network of its own.
const Server = "a server outside"

//go:embed missed.txt
var signs string

// missed is what a run seems to have wanted and did not get. unseen reports
// whether there is something at a path outside that the run did not see.
func missed(said string, unseen func(path string) bool) (all []string) {
	var kinds []string
	const host = `([a-z0-9][a-z0-9.-]*\.[a-z]{2,})`
	for line := range strings.Lines(signs) {
		what, pattern, is := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !is || slices.Contains(kinds, what) {
			continue
		}
		m := regexp.MustCompile(strings.ReplaceAll(pattern, "HOST", host)).FindStringSubmatch(said)
		if m == nil {
			continue
		}
		kinds = append(kinds, what)
		if len(m) > 1 {
			what += ": " + strings.TrimSpace(m[1])
		}
		all = append(all, what)
	}
	if name := absent(said, unseen); name != "" {
		all = append(all, "a file that it does not see: "+name)
	}
	return all
}

// maxAbsent bounds how many names are looked for.
const maxAbsent = 50

// absent is the first of the names that programs say are not there, and that are there outside.
func absent(said string, unseen func(path string) bool) string {
	for _, pattern := range []string{
		`(?i)([^\s'"‘’:,]+)['"’]?: no such file or directory`,
		`(?i)no such file or directory[^\n]{0,20}?['"]([^'"\n]+)['"]`,
		`(?i)could not open [a-z ]*file (\S+)`,
	} {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(said, maxAbsent) {
			if unseen(m[1]) {
				return m[1]
			}
		}
	}
	return ""
}
