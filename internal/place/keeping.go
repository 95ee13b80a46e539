package place

import (
	"maps"
	"slices"
)

// Keeping collects what is kept before a call replaces or deletes it: files of the
// workspace whose bytes git does not have, and objects of git's that nothing names after
// the call. nil collects nothing. It is not safe for concurrent use.
type Keeping struct {
	files   map[string]bool // true: the name goes, and the bytes stay where another name holds them
	objects []Object
}

// Object is a commit of git's that a call leaves without a name.
type Object struct{ Repo, Name, What string }

// File is a file that is kept, real. Gone says that the call takes its name away; else
// it may be written in place.
type File struct {
	Path string
	Gone bool
}

// Take notes a file. What one command deletes and another writes in place is written.
func (k *Keeping) Take(name string, gone bool) {
	if k.files == nil {
		k.files = map[string]bool{}
	}
	before, noted := k.files[name]
	k.files[name] = gone && (before || !noted)
}

// TakeObject notes an object of git's.
func (k *Keeping) TakeObject(o Object) {
	if !slices.Contains(k.objects, o) {
		k.objects = append(k.objects, o)
	}
}

// Files are those that were noted, by name.
func (k *Keeping) Files() (files []File) {
	if k == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(k.files)) {
		files = append(files, File{name, k.files[name]})
	}
	return files
}

// Objects are those that were noted.
func (k *Keeping) Objects() []Object {
	if k == nil {
		return nil
	}
	return k.objects
}
