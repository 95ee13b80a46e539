// Package wiring reads what the settings of an agent say about nod: which lines
// call nod ([Lines], [Calls]), and what silences hooks ([Silenced]). It is
// handed names and texts; it looks at no file system and decides nothing.
//
// A host may read its settings more loosely than any standard says: with
// comments, with a key twice, in another case, in another spelling. So a text
// counts as silencing where any reading of it may silence. Which files are an
// agent's settings, and which keys silence its hooks, stands in the agent's row
// in package hosts.
package wiring
