package commands

import (
	_ "embed"
	"sort"
	"strings"
)

// The large files are kept as strings, which need no copy, with the places of
// their headings beside them: lines "heading\toffset", sorted by heading.
// TestIndexes holds that each is what its file says.
//
//go:embed az.txt
var az string

//go:embed az.index
var azIndex string

//go:embed aws.txt
var aws string

//go:embed aws.index
var awsIndex string

//go:embed gcloud.txt
var gcloud string

//go:embed gcloud.index
var gcloudIndex string

//go:embed gh.txt
var gh string

//go:embed gh.index
var ghIndex string

//go:embed docker.txt
var docker string

//go:embed docker.index
var dockerIndex string

//go:embed kubectl.txt
var kubectl string

//go:embed kubectl.index
var kubectlIndex string

//go:embed git.txt
var git string

//go:embed git.index
var gitIndex string

// large returns a file that is kept as a string, and the places of its
// headings.
func large(file string) (text, index string) {
	switch file {
	case "git":
		return git, gitIndex
	case "az":
		return az, azIndex
	case "aws":
		return aws, awsIndex
	case "gcloud":
		return gcloud, gcloudIndex
	case "gh":
		return gh, ghIndex
	case "docker":
		return docker, dockerIndex
	case "kubectl":
		return kubectl, kubectlIndex
	}
	return "", ""
}

// Index holds where the headings of a file stand. The zero value is that of a
// file that is searched.
type Index string

// IndexOf returns the index of a file, by the name that [Find] returned.
func IndexOf(file string) Index {
	_, index := large(file)
	return Index(index)
}

// Body returns where the lines under a heading begin. ok is false where the
// file has no such heading.
func (x Index) Body(heading string) (at int, ok bool) {
	line := x.from(heading + "\t")
	digits, ok := strings.CutPrefix(line, heading+"\t")
	if !ok {
		return 0, false
	}
	for i := 0; i < len(digits) && digits[i] != '\n'; i++ {
		at = at*10 + int(digits[i]-'0')
	}
	return at, true
}

// Begins reports whether a heading begins with a text.
func (x Index) Begins(prefix string) bool { return strings.HasPrefix(x.from(prefix), prefix) }

// from returns the lines from the first on that is not below a text.
func (x Index) from(text string) string {
	s := string(x)
	start := func(i int) int { return strings.LastIndexByte(s[:i], '\n') + 1 }
	at := sort.Search(len(s), func(i int) bool { return s[start(i):] >= text })
	if at == len(s) {
		return ""
	}
	return s[start(at):]
}
