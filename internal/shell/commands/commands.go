// Package commands holds what is known of programs, one text file for each
// program or family. README.md describes the format. Nothing is read or
// indexed when a program starts; [Find] opens the one file that is asked for.
package commands

import (
	"embed"
	"strings"
	"unsafe"
)

//go:embed *.txt
var files embed.FS

//go:embed families
var families string

// The large files are kept as strings, which need no copy.
//
//go:embed git.txt
var git string

//go:embed gh.txt
var gh string

//go:embed docker.txt
var docker string

// Find returns the text that describes a program, by its base name, and the
// name of the file that holds it. ok is false for a program of which nothing
// is known.
func Find(name string) (text, file string, ok bool) {
	if name == "" || strings.ContainsAny(name, "/\x00") {
		return "", "", false
	}
	file = name
	if text = large(file); text != "" {
		return text, file, true
	}
	data, err := files.ReadFile(name + ".txt")
	if err != nil {
		if file, ok = family(name); !ok {
			return "", "", false
		}
		if text = large(file); text != "" {
			return text, file, true
		}
		if data, err = files.ReadFile(file + ".txt"); err != nil {
			return "", "", false
		}
	}
	// The bytes are this call's own copy, and nothing writes to them.
	return unsafe.String(unsafe.SliceData(data), len(data)), file, true
}

func large(file string) string {
	switch file {
	case "git":
		return git
	case "gh":
		return gh
	case "docker":
		return docker
	}
	return ""
}

// family returns the file of a program that shares one: lines "name file",
// sorted by name.
func family(name string) (string, bool) {
	lo, hi := 0, len(families)
	for lo < hi {
		mid := lo + (hi-lo)/2
		start := strings.LastIndexByte(families[:mid], '\n') + 1
		end := start + strings.IndexByte(families[start:], '\n')
		word, file, _ := strings.Cut(families[start:end], " ")
		switch {
		case word == name:
			return file, true
		case word < name:
			lo = end + 1
		default:
			hi = start
		}
	}
	return "", false
}

// Names returns every name that [Find] knows, sorted within files and families.
func Names() []string {
	var names []string
	entries, _ := files.ReadDir(".")
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	for _, line := range strings.Split(strings.TrimSpace(families), "\n") {
		word, _, _ := strings.Cut(line, " ")
		names = append(names, word)
	}
	return names
}
