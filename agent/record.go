package agent

import (
	"bufio"
	"bytes"
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
	"github.com/nodgate/nod/transcript"
)

// A host's record of a session is a file of JSON lines that is appended to while
// it is read. The judge reads turns from its end, the opening from its begin.

const (
	// transcriptLimit bounds how much of a record is read, from its end. What
	// the person said at the start of a session of 1,000 calls still lies in it.
	transcriptLimit = 32 << 20
	recordChunk     = 128 << 10
	// openingLimit bounds how far into a record the opening is looked for, and
	// openingLine how long its line may be: a picture may stand in it.
	openingLimit = 1 << 20
	openingLine  = 8 << 20
)

// turnsOf says what one line of a record holds, oldest first. message is false for
// a line that is none of the conversation.
type turnsOf func(line object) (turns []transcript.Turn, message bool, err error)

// record is how the file of a host is read.
type record struct {
	host string // the program's name, for errors
	turn turnsOf
	// begin, if it is set, makes what reads from the end in the place of turn: it has a
	// state, and is made anew for each reading.
	begin func(lines *backwards) turnsOf
	// prompt is the id of what the person typed last, "" where the host does not say it.
	prompt string
}

// transcript returns what yields the turns of a file, waiting a little for what its host
// writes late. Where the prompt does not come, the newest turn is nobody's, so that the
// model hears of a gap.
func (r record) transcript(name string) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			gap := !awaited(ctx, (&promptSearch{name: name, prompt: r.prompt}).there)
			r.turns(ctx, name)(func(turn transcript.Turn, err error) bool {
				if gap && err == nil && !yield(transcript.Turn{Text: "a prompt that is not written yet"}, nil) {
					return false
				}
				gap = false
				return yield(turn, err)
			})
		}
	}
}

// of gives a call the conversation in a file.
func (r record) of(call *nod.Call, name string) {
	call.Transcript, call.Opening = r.transcript(name), r.opening(name)
}

func (r record) turns(ctx context.Context, name string) iter.Seq2[transcript.Turn, error] {
	return func(yield func(transcript.Turn, error) bool) {
		r := r
		lines, err := openBackwards(name, transcriptLimit)
		if err != nil {
			yield(transcript.Turn{}, err)
			return
		}
		defer lines.file.Close()
		if r.begin != nil {
			r.turn = r.begin(lines)
		}
		newestFirst(ctx, r.host, func() ([]transcript.Turn, error) { return lines.message(r) }, yield)
	}
}

// newestFirst yields the turns of the messages that next returns, each oldest
// first. next ends with io.EOF at the start, and with transcript.ErrEarlier at a limit.
func newestFirst(ctx context.Context, host string, next func() ([]transcript.Turn, error),
	yield func(transcript.Turn, error) bool) {
	for messages := 0; ; messages++ {
		turns, err := next()
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case errors.Is(err, io.EOF) && messages > 0:
			return
		case errors.Is(err, io.EOF):
			err = errors.New("the transcript holds no message of " + host)
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

// opening returns what finds the first thing that the person said. A line that cannot
// be read ends the search.
func (r record) opening(name string) func(context.Context) (transcript.Turn, bool) {
	return func(ctx context.Context) (first transcript.Turn, found bool) {
		file, _, err := openRegular(name)
		if err != nil {
			return first, false
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(make([]byte, 0, 32<<10), openingLine)
		for seen := 0; seen < openingLimit && ctx.Err() == nil && lines.Scan(); seen += len(lines.Bytes()) + 1 {
			line, err := readLoosely(lines.Bytes())
			var turns []transcript.Turn
			if err == nil {
				turns, _, err = r.turn(line)
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

// backwards reads the lines of a file, last line first, in chunks from the end,
// so that the length of the file does not matter.
type backwards struct {
	file *os.File
	at   int64  // offset of the first byte of data
	left int64  // bytes that may still be read
	data []byte // read and not yet returned
	seen bool   // the last line was looked at
	done bool   // the first line was returned
	// ahead was looked at before its time, and broken is what stands behind it.
	ahead  []object
	broken error
}

// openBackwards opens a regular file. At most limit bytes of it will be read.
func openBackwards(name string, limit int64) (*backwards, error) {
	file, size, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	return &backwards{file: file, at: size, left: limit}, nil
}

// openRegular opens a regular file and says how long it is. It never blocks: a FIFO
// in its place is an error.
func openRegular(name string) (*os.File, int64, error) {
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

// message returns the turns of the message before. The host writes its lines with
// an encoder under which a text that was cut may end in half a character.
func (b *backwards) message(r record) ([]transcript.Turn, error) {
	for {
		line, err := b.object(r.host)
		if err != nil {
			return nil, err
		}
		turns, message, err := r.turn(line)
		if err != nil {
			return nil, fmt.Errorf("the transcript is not one of %s: %w", r.host, err)
		}
		if message {
			return turns, nil
		}
	}
}

// object returns the line before.
func (b *backwards) object(host string) (object, error) {
	line, err := b.peek(host, 0)
	if err == nil {
		b.ahead = b.ahead[1:]
	}
	return line, err
}

// peek looks at a line further back, and leaves it there.
func (b *backwards) peek(host string, lines int) (line object, err error) {
	for len(b.ahead) <= lines && b.broken == nil {
		if line, b.broken = b.read(host); b.broken == nil {
			b.ahead = append(b.ahead, line)
		}
	}
	if lines < len(b.ahead) {
		return b.ahead[lines], nil
	}
	return object{}, b.broken
}

// read takes the line before from the file; a torn last one is passed over.
func (b *backwards) read(host string) (object, error) {
	for {
		text, torn, err := b.next()
		if err != nil {
			return object{}, err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		line, err := readLoosely(text)
		switch {
		case err == nil:
			return line, nil
		case !torn:
			return object{}, fmt.Errorf("the transcript is not one of %s: %w", host, err)
		}
	}
}

// next returns the line before the one it returned last, without its line
// end, and whether that line may be torn. The error is io.EOF at the start of
// the file, and transcript.ErrEarlier where the limit ends the reading.
func (b *backwards) next() (line []byte, torn bool, err error) {
	torn, b.seen = !b.seen, true
	for searched := 0; ; {
		if i := bytes.LastIndexByte(b.data[:len(b.data)-searched], '\n'); i >= 0 {
			line, b.data = b.data[i+1:], b.data[:i]
			return line, torn, nil
		}
		searched = len(b.data)
		switch {
		case b.done:
			return nil, false, io.EOF
		case b.at == 0:
			line, b.data, b.done = b.data, nil, true
			return line, torn, nil
		}
		if err := b.more(); err != nil {
			return nil, false, err
		}
	}
}

// more reads what stands before b.at: of a long line as much again.
func (b *backwards) more() error {
	size := min(max(recordChunk, int64(len(b.data))), b.at, b.left)
	if size == 0 {
		return transcript.ErrEarlier
	}
	data := make([]byte, size, size+int64(len(b.data)))
	if n, err := b.file.ReadAt(data, b.at-size); n < len(data) {
		return fmt.Errorf("the file shrank while it was read: %w", err)
	}
	b.data, b.at, b.left = append(data, b.data...), b.at-size, b.left-size
	return nil
}

const (
	// awaitLimit is how long a record is waited for that its host has not
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

// promptSearch looks for what the person typed last in a record of Claude Code
// that grows: the prompt of that id, or where no id is known, anything at all.
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
	s.at = max(s.at, size-transcriptLimit)
	text, err := io.ReadAll(io.NewSectionReader(file, s.at, size-s.at))
	s.ids = s.ids || bytes.Contains(text, []byte(key))
	s.at = max(s.at, size-int64(len(spaced))) // it may stand across the border
	return err != nil || !s.ids || bytes.Contains(text, wanted) || bytes.Contains(text, spaced)
}
