// Package commands holds what is known of programs, one text file for each program or family. README.md describes the
// format. Nothing is read or indexed when a program starts; [Find] opens the one file that is asked for.
package commands

import (
	"embed"
	"strings"
	"unsafe"
)

//go:embed *.txt
var files embed.FS

// git, the largest file and the file that is asked for most, needs no copy.
//
//go:embed git.txt
var git string

// families has a line for each further name, sorted: the name, and the file that it shares.
//
//go:embed families
var families string

// Find returns the text that describes a program, by its base name, and the
// name of the file that holds it. ok is false for an unknown program.
func Find(name string) (text, file string, ok bool) {
	if name == "" || strings.ContainsAny(name, "/\x00\n ") {
		return "", "", false
	}
	if name == "git" {
		return git, name, true
	}
	file = name
	data, err := files.ReadFile(name + ".txt")
	if err != nil {
		file = family(name)
		data, err = files.ReadFile(file + ".txt")
	}
	// The bytes are this call's own copy, and nothing writes to them.
	return unsafe.String(unsafe.SliceData(data), len(data)), file, err == nil
}

// family returns the file of a program that shares one, "" for none.
func family(name string) string {
	for rest := families; rest != ""; {
		start := strings.LastIndexByte(rest[:len(rest)/2], '\n') + 1
		line, after, _ := strings.Cut(rest[start:], "\n")
		switch word, file, _ := strings.Cut(line, " "); {
		case word == name:
			return file
		case word < name:
			rest = after
		default:
			rest = rest[:start]
		}
	}
	return ""
}

// Names returns every name that [Find] knows, sorted within files and families.
func Names() []string {
	var names []string
	entries, _ := files.ReadDir(".")
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	for line := range strings.Lines(families) {
		if word, _, _ := strings.Cut(line, " "); word != "#" {
			names = append(names, word)
		}
	}
	return names
}
