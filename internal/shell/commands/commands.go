// Package commands holds what is known of programs, one text file for each
// program or family. README.md describes the format. Nothing is read or
// indexed when a program starts; [Find] opens the one file that is asked for.
package commands

import (
	"embed"
	"strings"
)

//go:embed *.txt
var files embed.FS

// families has a line for each further name: the name, and the file that it shares.
//
//go:embed families
var families string

// Find returns the text that describes a program, by its base name, and the
// name of the file that holds it. ok is false for a program of which nothing
// is known.
func Find(name string) (text, file string, ok bool) {
	if name == "" || strings.ContainsAny(name, "/\x00\n ") {
		return "", "", false
	}
	data, err := files.ReadFile(name + ".txt")
	if err == nil {
		return string(data), name, true
	}
	if _, rest, found := strings.Cut(families, "\n"+name+" "); found {
		file, _, _ = strings.Cut(rest, "\n")
		data, err = files.ReadFile(file + ".txt")
	}
	return string(data), file, err == nil
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
