package view

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Walk calls visit for each name below a directory, the shallow places first, links not
// followed. Like [fs.WalkDir] it passes over a directory for which visit says
// [fs.SkipDir], and ends with any other error. For a directory that cannot be listed, or that takes the names beyond limit,
// visit is called once more, with why.
func Walk(files Files, start string, limit int, visit func(name string, kind fs.FileMode, err error) error) error {
	for dirs := []string{start}; len(dirs) > 0; dirs = dirs[1:] {
		dir := dirs[0]
		entries, err := Entries(files, cmp.Or(dir, "/"), limit)
		if limit -= len(entries); limit < 0 {
			err = fmt.Errorf("%s: more names than are looked at", dir)
		}
		if err != nil {
			if err := visit(dir, fs.ModeDir, err); err != nil && !errors.Is(err, fs.SkipDir) {
				return err
			}
			continue
		}
		for _, e := range entries {
			name := strings.TrimSuffix(dir, "/") + "/" + e.Name
			switch err := visit(name, e.Type, nil); {
			case err == nil && e.Type.IsDir():
				dirs = append(dirs, name)
			case err != nil && !errors.Is(err, fs.SkipDir):
				return err
			}
		}
	}
	return nil
}
