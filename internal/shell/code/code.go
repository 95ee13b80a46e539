// Package code reads scripts of sed, programs of awk and filters of jq and yq. Nothing
// is run, opened or looked up.
package code

import "strings"

// Kind is what a program does to something.
type Kind uint8

const (
	Read    Kind = iota + 1 // reads the file Name
	Write                   // creates or changes the file Name
	Secret                  // prints the secret Name
	Run                     // runs Name, code that nobody has read
	Unclear                 // does what is not known; Name says why
)

// Effect is one thing that a program does.
type Effect struct {
	Kind  Kind
	Name  string
	Known bool // Name is what it will be, and not just unknown
}

func known(kind Kind, name string) Effect { return Effect{Kind: kind, Name: name, Known: true} }

// namesOne reports whether an identifier of source is in a list.
func namesOne(source, list string) bool {
	for i := 0; i < len(source); {
		if !nameByte(source[i]) {
			i++
			continue
		}
		start := i
		for i < len(source) && nameByte(source[i]) {
			i++
		}
		if among(source[start:i], list) {
			return true
		}
	}
	return false
}

func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// among reports whether name is one of the words of a list that begins and
// ends with a blank.
func among(name, list string) bool {
	for from := 0; name != ""; {
		i := strings.Index(list[from:], name)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(name)
		if i > 0 && list[i-1] == ' ' && from < len(list) && list[from] == ' ' {
			return strings.IndexByte(name, ' ') < 0
		}
	}
	return false
}
