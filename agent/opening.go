package agent

import (
	"bufio"
	"context"
	"io"

	"github.com/nodgate/nod/transcript"
)

// openingLimit bounds how far into a transcript the opening is looked for, and
// openingLine how long its line may be: a picture may stand in it.
const (
	openingLimit = 1 << 20
	openingLine  = 8 << 20
)

// opening returns what finds the first thing that the person said in a file
// of lines that only grows. turns reads one line; a line that it cannot read
// ends the search.
func opening(name string,
	turns func(line []byte) ([]transcript.Turn, error)) func(context.Context) (transcript.Turn, bool) {
	return func(ctx context.Context) (transcript.Turn, bool) {
		file, _, err := openRegular(name)
		if err != nil {
			return transcript.Turn{}, false
		}
		defer file.Close()
		return firstOfPerson(ctx, file, turns)
	}
}

func firstOfPerson(ctx context.Context, from io.Reader,
	turns func([]byte) ([]transcript.Turn, error)) (transcript.Turn, bool) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 32<<10), openingLine)
	for seen := 0; seen < openingLimit && ctx.Err() == nil && lines.Scan(); seen += len(lines.Bytes()) + 1 {
		if len(lines.Bytes()) == 0 {
			continue
		}
		found, err := turns(lines.Bytes())
		if err != nil {
			return transcript.Turn{}, false
		}
		for _, turn := range found {
			if turn.Origin == transcript.Person && turn.Text != "" {
				return turn, true
			}
		}
	}
	return transcript.Turn{}, false
}

// lineOpening is opening for what lineTranscript reads.
func lineOpening(name string, read turnsOf) func(context.Context) (transcript.Turn, bool) {
	return opening(name, func(text []byte) ([]transcript.Turn, error) {
		line, err := new(walk).object(text)
		if err != nil {
			return nil, err
		}
		turns, _, err := read(line)
		return turns, err
	})
}

// claudeOpening reads what may be the opening in one line of Claude Code's.
func claudeOpening(line []byte) ([]transcript.Turn, error) {
	parsed, err := parseClaudeLine(line, new(walk))
	if err != nil || parsed.kind != "user" || parsed.origin != transcript.Person {
		return nil, err
	}
	var out []transcript.Turn
	for _, b := range parsed.blocks {
		if b.kind == "text" {
			turn := transcript.Turn{Time: parsed.time}
			turn.Origin, turn.Text = claudeSpeaker(b.text)
			out = append(out, turn)
		}
	}
	return out, nil
}
