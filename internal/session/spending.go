//go:build unix

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// spentDir holds one file a day, UTC: a time zone comes from an environment.
const spentDir = "spent"

func spentFile(now time.Time) string { return now.UTC().Format(time.DateOnly) + ".jsonl" }

// Spend adds to what the day has cost, in US dollars, all sessions together.
func Spend(stateDir string, now time.Time, cost float64) error {
	if !(cost > 0) || math.IsInf(cost, 0) {
		return nil
	}
	file, err := openBelow(stateDir, filepath.Join(stateDir, spentDir, spentFile(now)))
	if err != nil {
		return fmt.Errorf("what the day has cost: %w", err)
	}
	s := &Session{file: file}
	defer s.Close()
	defer s.lock()()
	return s.append(line{Kind: kindSpent, Record: Record{At: now.UTC(), Cost: cost}, Sum: s.Cost() + cost})
}

// Spent returns what the day has cost so far.
func Spent(stateDir string, now time.Time) (float64, error) {
	file, err := os.Open(filepath.Join(stateDir, spentDir, spentFile(now)))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	spent := parse(tailOf(file, 0, info.Size()))
	if len(spent) == 0 && info.Size() > 0 {
		return 0, fmt.Errorf("%s is damaged; remove it", file.Name())
	}
	return largestSum(spent), nil
}

// pruneMin is the least age of what may be forgotten: a session whose root is forgotten
// takes a new one from its next call.
const pruneMin = 24 * time.Hour

// Prune removes the memory of sessions and days that were last written to longer than olderThan ago. It
// reads whole directories, so that it is not for every hook. Less than a day is refused.
func Prune(stateDir string, olderThan time.Duration) error {
	if olderThan < pruneMin {
		return fmt.Errorf("sessions younger than %v are kept", pruneMin)
	}
	var errs []error
	for _, dir := range [...]string{dirName, spentDir} {
		entries, err := os.ReadDir(filepath.Join(stateDir, dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && isOurs(e.Name()) && info.Mode().IsRegular() && time.Since(info.ModTime()) > olderThan {
				errs = append(errs, os.Remove(filepath.Join(stateDir, dir, e.Name())))
			}
		}
	}
	return errors.Join(errs...)
}

// isOurs reports whether a file is named by a hash or a day.
func isOurs(name string) bool {
	stem, ok := strings.CutSuffix(name, ".jsonl")
	_, err := time.Parse(time.DateOnly, stem)
	return ok && (err == nil || len(stem) == 32 && strings.Trim(stem, "0123456789abcdef") == "")
}
