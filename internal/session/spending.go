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

	"github.com/nodgate/nod/internal/lines"
)

// spentDir holds one file a day, UTC: a time zone comes from an environment.
const spentDir = "spent"

func spentFile(now time.Time) string { return now.UTC().Format(time.DateOnly) + ".jsonl" }

// Spend adds to what the day has cost, in US dollars, all sessions together.
func Spend(stateDir string, now time.Time, cost float64) error {
	if !(cost > 0) || math.IsInf(cost, 0) {
		return nil
	}
	dir := filepath.Join(stateDir, spentDir)
	for _, d := range []string{stateDir, dir} {
		if err := lines.PrivateDir(d); err != nil {
			return fmt.Errorf("what the day has cost: %w", err)
		}
	}
	file, err := lines.Open(filepath.Join(dir, spentFile(now)))
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

// pruneSpent removes the files of days that are over.
func pruneSpent(stateDir string, before time.Time) error {
	entries, err := os.ReadDir(filepath.Join(stateDir, spentDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if day, err := time.Parse(time.DateOnly, name); ok && err == nil && day.Before(before) && e.Type().IsRegular() {
			errs = append(errs, os.Remove(filepath.Join(stateDir, spentDir, e.Name())))
		}
	}
	return errors.Join(errs...)
}
