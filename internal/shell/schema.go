package shell

import (
	"encoding/binary"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// maxSchema bounds the file of a database that is looked into.
const maxSchema = 16 << 20

// heedsSchema reports a database whose own views and triggers may call what a
// statement may not: the client has a function that starts an editor, and others
// that read and write files. What the line does to the file counts.
func (c *client) heedsSchema(name string) {
	if c.marks.has(markPrints) { // it is told to run nothing, and to open no other file
		return
	}
	why := ""
	for _, file := range []string{name, name + "-wal", name + "-journal"} {
		c.defs.watches(watched{path: file, command: c.out.command, heeded: true})
		if !c.machine.exists(file) {
			continue
		}
		real, err := view.Resolve(c.machine.env.Files, file)
		if err != nil {
			why = "a link that leads nowhere"
			break
		}
		if info, err := c.machine.env.Files.Lstat(real); err == nil && info.Mode.IsDir() {
			continue
		}
		c.defs.watches(watched{path: real, command: c.out.command, heeded: true})
		data, err := c.machine.env.Files.Read(real, maxSchema)
		switch {
		case err != nil || c.sheet.sql != "sqlite" || file != name && len(data) > 0:
			why = "views of it that nod does not read"
		case file == name:
			c.defs.rests(real, data)
			if len(data) > 0 && !plainSchema(data) {
				why = "views or triggers that may start a program"
			}
		}
		if why != "" {
			break
		}
	}
	if why != "" {
		c.out.unknown(PartWords, c.inv.raw, "this opens a database with "+why)
	}
}

// plainSchema reports whether the data is an SQLite file of which no table, view
// or trigger names a function that only the client has (sqlite.org/fileformat2).
func plainSchema(data []byte) bool {
	if len(data) < 512 || string(data[:16]) != "SQLite format 3\x00" || binary.BigEndian.Uint32(data[56:]) > 1 {
		return false // no database, or one in another encoding
	}
	s := schema{data: data, page: int(binary.BigEndian.Uint16(data[16:])), left: 4096}
	if s.page == 1 {
		s.page = 1 << 16
	}
	s.usable = s.page - int(data[20])
	return s.page >= 512 && s.usable >= 480 && s.plain(1)
}

type schema struct {
	data         []byte
	page, usable int
	left         int // pages that are still looked at
}

// number returns a page. One that is not there, or too many, is none.
func (s *schema) number(n uint32) []byte {
	s.left--
	if from := (int64(n) - 1) * int64(s.page); n > 0 && s.left > 0 && from+int64(s.page) <= int64(len(s.data)) {
		return s.data[from : from+int64(s.page)]
	}
	return nil
}

// plain looks at the table that begins in a page.
func (s *schema) plain(n uint32) bool {
	page := s.number(n)
	if page == nil {
		return false
	}
	head := 0
	if n == 1 {
		head = 100
	}
	kind, cells, at := page[head], int(binary.BigEndian.Uint16(page[head+3:])), head+8
	if kind == 5 { // an inner page
		if at += 4; !s.plain(binary.BigEndian.Uint32(page[head+8:])) {
			return false
		}
	} else if kind != 13 {
		return false
	}
	for i := range cells {
		if at+2*i+2 > len(page) {
			return false
		}
		from := int(binary.BigEndian.Uint16(page[at+2*i:]))
		if from+4 > len(page) {
			return false
		}
		if kind == 5 && !s.plain(binary.BigEndian.Uint32(page[from:])) || kind == 13 && !s.plainRow(page[from:]) {
			return false
		}
	}
	return true
}

// plainRow looks at a cell of a leaf: its length, its number and its record, of
// which what has no room here stands in a chain of pages.
func (s *schema) plainRow(cell []byte) bool {
	size, n := sqliteNumber(cell)
	_, m := sqliteNumber(cell[n:])
	cell = cell[n+m:]
	if n == 0 || m == 0 || size > 1<<20 {
		return false
	}
	here, most, least := int(size), s.usable-35, (s.usable-12)*32/255-23
	if here > most {
		if here = least + (int(size)-least)%(s.usable-4); here > most {
			here = least
		}
	}
	if here > len(cell) || here < int(size) && here+4 > len(cell) {
		return false
	}
	text := append([]byte{}, cell[:here]...)
	for len(text) < int(size) {
		if len(text) == here {
			cell = cell[here:]
		}
		page := s.number(binary.BigEndian.Uint32(cell))
		if page == nil {
			return false
		}
		text = append(text, page[4:4+min(s.usable-4, int(size)-len(text))]...)
		cell = page
	}
	return !namesClientFunction(string(text))
}

// sqliteNumber reads a number of one to nine bytes, and how many these are: 0
// where it does not end.
func sqliteNumber(data []byte) (number uint64, n int) {
	for n < len(data) && n < 8 {
		number = number<<7 | uint64(data[n]&0x7f)
		if n++; data[n-1] < 0x80 {
			return number, n
		}
	}
	if n == len(data) {
		return 0, 0
	}
	return number<<8 | uint64(data[n]), n + 1
}

// namesClientFunction reports whether a record of a schema holds the name of a
// function or table that sqlite3 adds, and that leads out of the database.
func namesClientFunction(record string) bool {
	part := func(c byte) bool {
		return c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
	}
	record = strings.ToLower(record)
	for _, name := range []string{"edit", "readfile", "writefile", "fsdir", "zipfile", "load_extension"} {
		for from := 0; ; {
			i := strings.Index(record[from:], name)
			if i < 0 {
				break
			}
			i += from
			from = i + len(name)
			if (i == 0 || !part(record[i-1])) && (from == len(record) || !part(record[from])) {
				return true
			}
		}
	}
	return false
}
