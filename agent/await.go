package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"time"
)

const (
	// awaitLimit is how long a transcript is waited for that its host has not
	// written yet: Claude Code writes a prompt 0.6 to 0.9 s after it was typed.
	awaitLimit = time.Second
	awaitPause = 20 * time.Millisecond
)

// awaited waits until there is what a host writes late, at most awaitLimit and a
// quarter of the time that is left, and reports whether it came.
func awaited(ctx context.Context, there func() bool) bool {
	limit := awaitLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/4) // the question needs the rest
	}
	for end := time.Now().Add(limit); ctx.Err() == nil && time.Now().Before(end); {
		if there() {
			return true
		}
		select {
		case <-ctx.Done():
		case <-time.After(awaitPause):
		}
	}
	return there()
}

// promptSearch looks for what the person typed last in a transcript of Claude
// Code that grows: the prompt of that id, or where no id is known, anything at
// all.
type promptSearch struct {
	name, prompt string
	at           int64 // what lies before was looked at
	ids          bool  // prompts have ids in this file
}

// there reports whether it is there. What is no file of lines with ids will not
// become one, and is not waited for.
func (s *promptSearch) there() bool {
	file, size, err := openRegular(s.name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	if s.prompt == "" || size == 0 {
		return size > 0
	}
	const key = `"promptId":`
	wanted, spaced := []byte(key+quoted(s.prompt)), []byte(key+" "+quoted(s.prompt))
	chunk := make([]byte, 256<<10)
	for s.at = max(s.at, size-transcriptLimit); s.at < size; {
		n, err := file.ReadAt(chunk, s.at)
		s.ids = s.ids || bytes.Contains(chunk[:n], []byte(key))
		if bytes.Contains(chunk[:n], wanted) || bytes.Contains(chunk[:n], spaced) || err != nil && err != io.EOF {
			return true
		}
		if s.at += int64(n); n == len(chunk) {
			s.at -= int64(len(spaced)) // it may stand across the border
		}
	}
	s.at = max(0, s.at-int64(len(spaced)))
	return !s.ids
}
