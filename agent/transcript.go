package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/nodgate/nod/transcript"
)

// turnsOf says what one line of a transcript holds, oldest first. message is
// false for a line that is none of the conversation.
type turnsOf func(line object) (turns []transcript.Turn, message bool, err error)

// lineTranscript returns what reads a file of JSON lines that is appended to
// while it is read, newest turn first, from its end. host names the format in
// errors. results is what stands behind the first "type": of a line that holds
// what a tool returned and nothing else, where a line says that early: of a
// long file such lines are nearly all, no model is shown them, and they are
// not looked into.
//
// Any error ends the turns: no such file, not a regular one, a line that is
// not of the format (a torn last one is skipped), no message in it at all,
// [transcript.ErrEarlier] where not all was read.
func lineTranscript(name, host string, results []string,
	read turnsOf) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			awaited(ctx, (&promptSearch{name: name}).there)
			lines, err := openBackwards(name, transcriptLimit)
			if err != nil {
				yield(transcript.Turn{}, err)
				return
			}
			defer lines.close()
			r := lineReader{lines: lines, host: host, results: results, read: read}
			newestFirst(ctx, host, r.next, yield)
		}
	}
}

type lineReader struct {
	lines   *backwards
	walk    walk
	host    string
	results []string
	read    turnsOf
}

// isResult reports whether a line holds only what a tool returned. A text in
// it cannot pass for the key: its quotes are escaped.
func (r *lineReader) isResult(line []byte) bool {
	_, kind, found := bytes.Cut(line[:min(len(line), 512)], []byte(`"type":`))
	return found && slices.ContainsFunc(r.results,
		func(result string) bool { return bytes.HasPrefix(kind, []byte(result)) })
}

// newestFirst yields the turns of the messages that next returns, each oldest
// first. next ends with io.EOF at the start, and with transcript.ErrEarlier at a limit.
func newestFirst(ctx context.Context, host string, next func() ([]transcript.Turn, error),
	yield func(transcript.Turn, error) bool) {
	messages := 0
	for ; ; messages++ {
		turns, err := next()
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case errors.Is(err, io.EOF) && messages > 0:
			return
		case errors.Is(err, io.EOF):
			yield(transcript.Turn{}, errors.New("the transcript holds no message of "+host))
			return
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

// next returns the turns of the line before. The host writes its lines with
// an encoder under which a text that was cut may end in half a character.
func (r *lineReader) next() ([]transcript.Turn, error) {
	for {
		text, last, err := r.lines.next()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if r.isResult(text) {
			return nil, nil
		}
		line, err := r.walk.object(text)
		if err != nil && last {
			continue // half written
		}
		var turns []transcript.Turn
		message := false
		if err == nil {
			turns, message, err = r.read(line)
		}
		if err != nil {
			return nil, fmt.Errorf("the transcript is not one of %s: %w", r.host, err)
		}
		if message {
			return turns, nil
		}
	}
}
