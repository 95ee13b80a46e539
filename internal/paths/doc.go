// Package paths compares names of files with lists of patterns, as text: it
// looks at no file system.
//
// A [List] is what a person or nod writes down of secrets, guarded files or an
// agent's settings. An entry is a run of components that may stand at any depth
// (".env", ".claude/hooks"), a path from the root ("/etc/shadow") or from home
// ("~/.ssh"); each component may be a glob. An entry that begins with "!" takes
// back what an earlier entry says: of entries that match, the last holds.
//
// Components are compared folded ([FoldName]), so that two spellings which any
// supported file system takes for the same file are the same here.
package paths
