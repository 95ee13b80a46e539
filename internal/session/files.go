//go:build unix

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pruneMin is the least age of what may be forgotten: a session whose root is
// forgotten takes a new one from its next call.
const pruneMin = 24 * time.Hour

// Prune removes the memory of sessions that were last written to longer than
// olderThan ago, and returns how many it removed. It reads the whole
// directory, so that it is not for every hook. Less than a day is refused.
func Prune(stateDir string, olderThan time.Duration) (int, error) {
	if olderThan < pruneMin {
		return 0, fmt.Errorf("sessions younger than %v are kept", pruneMin)
	}
	dir := filepath.Join(stateDir, dirName)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	before := time.Now().Add(-olderThan)
	removed, errs := 0, []error{err, pruneSpent(stateDir, before)}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !isOurs(e.Name()) || !info.Mode().IsRegular() || info.ModTime().After(before) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// isOurs reports whether a file is named as fileName does.
func isOurs(name string) bool {
	hash, ok := strings.CutSuffix(name, ".jsonl")
	return ok && len(hash) == 32 && strings.Trim(hash, "0123456789abcdef") == ""
}
