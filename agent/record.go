package agent

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/transcript"
)

// A host's record of a session is a file of JSON lines that is appended to while it is read.
// The judge and nod history read turns from its end, the opening from its begin.

const (
	// transcriptLimit bounds how much of a record is read, from its end. What the person said
	// at the start of a session of 1,000 calls still lies in it.
	transcriptLimit = 32 << 20
	// openingLimit bounds how far into a record the opening is looked for, and openingLine how
	// long its line may be: a picture may stand in it.
	openingLimit = 1 << 20
	openingLine  = 8 << 20
	// awaitLimit is how long a record is waited for that its host has not written yet: Claude
	// Code writes a prompt 0.6 to 0.9 s after it was typed.
	awaitLimit = time.Second
	awaitPause = 40 * time.Millisecond
)

// turnsOf says what one line of a record holds, oldest first; before is what stands before it. message is false for a
// line outside the conversation.
type turnsOf func(line fields, before tail) (turns []transcript.Turn, message bool)

// of gives the turns the time of their line. A line that cannot be read is an error.
func (read turnsOf) of(line fields, before tail) (turns []transcript.Turn, message bool, err error) {
	turns, message = read(line, before)
	at, _ := time.Parse(time.RFC3339, line.hint("timestamp"))
	for i := range turns {
		turns[i].Time = at
	}
	return turns, message, *line.err
}

// record is how the file of a host is read.
type record struct {
	host  string // the program's name, for errors
	turns turnsOf
	// prompt is the id of what the person typed last, "" where the host does not say it.
	prompt string
}

// of gives a call the conversation in a file.
func (r record) of(call *nod.Call, name string) {
	call.Transcript, call.Opening = r.transcript(name), r.opening(name)
}

// transcript returns what yields the turns of a file, newest first, waiting a little for what its host writes late.
// Where the prompt does not come, the newest turn is nobody's, so that the model hears of a gap.
func (r record) transcript(name string) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			gap := !awaited(ctx, name, r.prompt)
			lines, err := tailOf(name, transcriptLimit)
			if err != nil {
				yield(transcript.Turn{}, err)
				return
			}
			if gap && !yield(transcript.Turn{Text: "a prompt that is not written yet"}, nil) {
				return
			}
			r.all(ctx, lines, yield)
		}
	}
}

func (r record) all(ctx context.Context, lines tail, yield func(transcript.Turn, error) bool) {
	for messages := 0; ; messages++ {
		turns, err := r.message(&lines)
		err = cmp.Or(err, ctx.Err())
		switch {
		case errors.Is(err, io.EOF) && messages > 0:
			return
		case errors.Is(err, io.EOF):
			err = errors.New("the transcript holds no message of " + r.host)
			fallthrough
		case err != nil:
			yield(transcript.Turn{}, err)
			return
		}
		for _, turn := range slices.Backward(turns) {
			if !yield(turn, nil) {
				return
			}
		}
	}
}

// message returns the turns of the message before.
func (r record) message(lines *tail) ([]transcript.Turn, error) {
	for {
		line, err := lines.object()
		var turns []transcript.Turn
		message := false
		if err == nil {
			turns, message, err = r.turns.of(line, *lines)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, transcript.ErrEarlier):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("the transcript is not one of %s: %w", r.host, err)
		case message:
			return turns, nil
		}
	}
}

// opening returns what finds the first thing that the person said. A line that cannot be read ends the search.
func (r record) opening(name string) func(context.Context) (transcript.Turn, bool) {
	return func(ctx context.Context) (first transcript.Turn, found bool) {
		file, _, err := openRegular(name)
		if err != nil {
			return first, false
		}
		defer file.Close()
		lines, before := bufio.NewScanner(file), tail{ids: map[string]bool{}}
		lines.Buffer(make([]byte, 0, 32<<10), openingLine)
		for seen := 0; seen < openingLimit && ctx.Err() == nil && lines.Scan(); seen += len(lines.Bytes()) + 1 {
			line, err := readLoosely(lines.Bytes())
			var turns []transcript.Turn
			if err == nil {
				turns, _, err = r.turns.of(line, before)
			}
			if err != nil && len(lines.Bytes()) > 0 {
				return first, false
			}
			for _, turn := range turns {
				if turn.Origin == transcript.Person && turn.Text != "" {
					return turn, true
				}
			}
		}
		return first, false
	}
}

// tail is the end of a file, whose lines are taken from it last line first. A copy looks ahead.
type tail struct {
	text []byte // what is not taken yet
	cut  bool   // the file has more before it
	seen bool   // the last line was taken
	done bool   // the first line was taken

	ids map[string]bool // of the messages that were read, where a host repeats them
}

// tailOf reads the last bytes of a regular file, at most limit.
func tailOf(name string, limit int64) (tail, error) {
	file, size, err := openRegular(name)
	if err != nil {
		return tail{}, err
	}
	defer file.Close()
	from := max(0, size-limit)
	text := make([]byte, size-from)
	if n, err := file.ReadAt(text, from); n < len(text) {
		return tail{}, fmt.Errorf("the file shrank while it was read: %w", err)
	}
	return tail{text: text, cut: from > 0, ids: map[string]bool{}}, nil
}

// openRegular opens a regular file and says how long it is. It never blocks: a FIFO in its place is an error.
func openRegular(name string) (*os.File, int64, error) {
	name = view.Native(name)
	if !filepath.IsAbs(name) {
		return nil, 0, fmt.Errorf("%q is not an absolute path", name)
	}
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// object takes the line before; empty lines and a torn last one are passed over.
func (t *tail) object() (fields, error) {
	for {
		text, torn, err := t.next()
		if err != nil {
			return fields{}, err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if line, err := readLoosely(text); err == nil || !torn {
			return line, err
		}
	}
}

// next takes the line before, without its line end, and says whether it may be torn. The error is
// io.EOF at the start of the file, and transcript.ErrEarlier where the limit ends the reading.
func (t *tail) next() (line []byte, torn bool, err error) {
	torn, t.seen = !t.seen, true
	end := bytes.LastIndexByte(t.text, '\n')
	switch {
	case t.done:
		return nil, false, io.EOF
	case end < 0 && t.cut:
		return nil, false, transcript.ErrEarlier
	case end < 0:
		line, t.text, t.done = t.text, nil, true
	default:
		line, t.text = t.text[end+1:], t.text[:end]
	}
	return line, torn, nil
}

// awaited waits until a host has written what the person typed last, at most awaitLimit and a
// quarter of the time that is left, and reports whether it came.
func awaited(ctx context.Context, name, prompt string) bool {
	limit := awaitLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/4) // the question needs the rest
	}
	for end := time.Now().Add(limit); ctx.Err() == nil && time.Now().Before(end); {
		if isWritten(name, prompt) {
			return true
		}
		select {
		case <-ctx.Done():
		case <-time.After(awaitPause):
		}
	}
	return isWritten(name, prompt)
}

// isWritten reports whether a record holds the prompt of that id, or where no id is known,
// anything at all. A file without ids counts as holding it: ids will not come.
func isWritten(name, prompt string) bool {
	lines, err := tailOf(name, transcriptLimit)
	if err != nil || prompt == "" || len(lines.text) == 0 {
		return err == nil && len(lines.text) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
	}
	const key = `"promptId":`
	return !bytes.Contains(lines.text, []byte(key)) || bytes.Contains(lines.text, []byte(key+quoted(prompt))) ||
		bytes.Contains(lines.text, []byte(key+" "+quoted(prompt)))
}
