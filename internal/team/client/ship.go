package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"slices"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/lines"
)

// Lines is the media type of shipped lines: JSON, a line each, as they stand in the log, newest last.
//
// A line's id is [audit.Link] of it, so that a line that is sent twice is known, and so that "prev" of the line behind
// it proves that none is missing. A line that is not sent whole says its id as "hash": [Bare], and what could not be
// read, whose kind is [audit.Unread].
const Lines = "application/x-ndjson"

// Bare is a line without its input and without names of places.
type Bare struct {
	Hash string `json:"hash"`
	audit.Entry
}

// Ship sends the lines of a batch. Without inputs they go as [Bare]. nil says that the server has them all for good;
// after an error the same batch may be sent again.
func (c *Client) Ship(ctx context.Context, b audit.Batch, inputs bool) error {
	list := fresh(b)
	if len(list) == 0 {
		return nil
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	for _, raw := range list {
		line, err := shipped(raw, inputs)
		if err != nil {
			return err
		}
		_, _ = zip.Write(append(line, '\n')) // into memory
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return c.do(ctx, request{method: "POST", path: "/v1/log", kind: Lines, gzip: true, body: packed.Bytes()})
}

// fresh are the lines of a batch without those from before the shipping began.
func fresh(b audit.Batch) [][]byte {
	old := false
	for i, raw := range b.Raw {
		l, newer, err := audit.Decode(raw)
		switch {
		case err != nil || newer > 0:
		case l.Time.Before(b.Place.Since):
			old = true
		case old:
			return b.Raw[i:]
		default:
			return b.Raw
		}
	}
	if old {
		return nil
	}
	return b.Raw
}

// shipped is a line as it is sent.
func shipped(raw []byte, inputs bool) ([]byte, error) {
	l, newer, err := audit.Decode(bytes.TrimRight(raw, "\r"))
	switch {
	case err != nil || newer > 0 || len(raw) > lines.Limit:
		return lines.JSON(Bare{audit.Link(raw), audit.Entry{Version: audit.Version, Kind: audit.Unread}})
	case inputs:
		return slices.Clip(raw), nil
	}
	return lines.JSON(Without(raw, l.Entry))
}

// Without is a line without what the call was given.
func Without(raw []byte, e audit.Entry) Bare {
	e.Input, e.Dir, e.Root, e.Evidence = nil, "", "", nil
	return Bare{audit.Link(raw), e}
}
