package history

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/internal/propose"
)

// Refused reports to which of a session's calls a person said no, as far as the
// session's transcripts say it: no hook is told. files are those of [Find].
func Refused(files []File, agent, session string, calls []string) map[string]bool {
	refused := map[string]bool{}
	if session == "" || len(calls) == 0 {
		return refused
	}
	for _, f := range files {
		if f.Agent != agent || !strings.Contains(filepath.Base(f.Path), session) {
			continue
		}
		refusedIn(f, calls, refused)
	}
	return refused
}

// refusedIn reads one transcript. What cannot be read says nothing.
func refusedIn(f File, calls []string, refused map[string]bool) {
	reader, _ := readerOf(f)
	f.lines(context.Background(), func(text []byte) {
		for _, id := range calls {
			if !bytes.Contains(text, []byte(id)) {
				continue
			}
			list, _ := reader.line(text)
			for _, c := range list {
				if c.id == id && c.tool == "" && c.outcome == propose.Refused {
					refused[id] = true
				}
			}
			return
		}
	}, func(int) {})
}
