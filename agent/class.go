package agent

import (
	"slices"
	"strings"
)

// Class says what becomes of a call of one of a host's own tools. The names
// that [ClassOf] knows are those of hosts.txt; every row has a class.
type Class uint8

const (
	// Unclassified is the zero value: nobody has looked at the tool. Layer 1
	// does not know it, so the call is left open.
	Unclassified Class = iota
	// Read tells by the call's arguments: a command, a file, a search, an address.
	Read
	// Idle changes nothing outside of the session and starts no code: lists, notes, reports,
	// notices, and what starts an agent each of whose calls comes to nod. It is on the allow-list,
	// and nod says nothing, so that the host does what it does without nod.
	Idle
	// Persons is for the person alone: the host's prompt is its point. It is on the allow-list, and nod says nothing.
	Persons
	// Acts changes something, starts code or sends something out, and its arguments do not say
	// enough. Nothing but a model, a rule or a person settles it.
	Acts
)

// ClassOf returns the class of a host's own tool by the host's name of it.
func ClassOf(host, raw string) Class { return classOf(lookUp(host, raw).canonical) }

// Names reports whether some host has a tool that nod calls by this name.
func Names(tool string) bool { return classOf(tool) != Unclassified }

// classOf goes by nod's own name of a tool.
func classOf(tool string) Class {
	text := section("class")
	at := max(strings.Index(text, " "+tool+" "), strings.Index(text, " "+tool+"\n"))
	if tool == "" || at < 0 {
		return Unclassified
	}
	class, _, _ := strings.Cut(text[strings.LastIndexByte(text[:at], '\n')+1:], " ")
	// In the order of the constants.
	return Class(max(0, slices.Index([]string{"", "read", "idle", "persons", "acts"}, class)))
}

// Arguments are what nod knows of the arguments of a host's own tool, by the name under which a
// model is offered it; nil for a tool that nod settles by no argument. A call with an unknown
// argument is not settled: the argument may say where or how the call runs.
func Arguments(host, offered string) []string {
	if tool := lookUp(host, offered); tool.listed() {
		return tool.known()
	}
	return nil
}
