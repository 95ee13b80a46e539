package history

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
)

// LineLimit bounds a line. Longer ones hold pictures or whole files that a
// tool returned, hardly ever a call.
const LineLimit = 4 << 20

// lines calls each with every line of the file, as [lines] does.
func (f File) lines(ctx context.Context, each func(line []byte), read func(bytes int)) (long int, err error) {
	if f.Agent == opencode {
		return opencodeLines(ctx, f.Path, each, read)
	}
	in, err := os.Open(f.Path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return lines(untilDone{ctx, in}, each, read)
}

// untilDone is a reader that ends with ctx.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// lines calls each with every line of r, which is valid until each returns.
// Lines above the limit are counted instead. read is told how many bytes were
// taken in.
func lines(r io.Reader, each func(line []byte), read func(bytes int)) (long int, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	over := false
	for {
		part, err := in.ReadSlice('\n')
		read(len(part))
		if over = over || len(line)+len(part) > LineLimit; !over {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch {
		case over:
			long++
		case len(line) > 0:
			each(line)
		}
		if line, over = line[:0], false; err != nil {
			if err == io.EOF {
				err = nil
			}
			return long, err
		}
	}
}
