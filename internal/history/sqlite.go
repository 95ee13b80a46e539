package history

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// database reads the tables of an SQLite file as its documentation lays the
// format down (sqlite.org/fileformat2.html). It takes no lock, writes nothing and
// keeps one page of each level in memory. What is committed in the write-ahead
// log beside the file counts, up to what was there when it was opened.
type database struct {
	file, log    *os.File
	page, usable int
	frames       map[uint32]int64 // where the newest committed copy of a page lies in the log
	salt         [8]byte
	ctx          context.Context
	read         func(bytes int)
	left         int // pages that a table may still have
}

var errDatabase = errors.New("not a database that nod can read, or it was changed while it was read")

func openDatabase(ctx context.Context, path string, read func(int)) (db *database, err error) {
	db = &database{frames: map[uint32]int64{}, ctx: ctx, read: read}
	if db.file, err = os.Open(path); err != nil {
		return nil, err
	}
	head := make([]byte, 100)
	_, err = io.ReadFull(db.file, head)
	if err == nil && (string(head[:16]) != "SQLite format 3\x00" || head[19] > 2 ||
		binary.BigEndian.Uint32(head[56:]) > 1) { // newer, or in another encoding than UTF-8
		err = errDatabase
	}
	db.page = int(binary.BigEndian.Uint16(head[16:]))
	if db.page == 1 {
		db.page = 1 << 16
	}
	db.usable = db.page - int(head[20])
	if err == nil && (db.page < 512 || db.usable < 480) {
		err = errDatabase
	}
	if err == nil {
		err = db.openLog(path + "-wal")
	}
	if err != nil {
		db.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

func (db *database) close() {
	db.file.Close()
	if db.log != nil {
		db.log.Close()
	}
}

const logHead, frameHead = 32, 24

// openLog finds the pages that are committed in the log. A frame counts if its
// salt and its checksum are right, and a commit comes after it.
func (db *database) openLog(path string) (err error) {
	if db.log, err = os.Open(path); err != nil {
		db.log = nil
		return nil // no log
	}
	head := make([]byte, logHead)
	if _, err := io.ReadFull(db.log, head); err != nil {
		return nil // empty
	}
	magic := binary.BigEndian.Uint32(head)
	sum := checksum{order: binary.LittleEndian}
	if magic&1 != 0 {
		sum.order = binary.BigEndian
	}
	sum.add(head[:24])
	if magic&^1 != 0x377f0682 || int(binary.BigEndian.Uint32(head[8:])) != db.page || !sum.is(head[24:]) {
		return nil // SQLite passes such a log over too
	}
	copy(db.salt[:], head[16:24])
	db.readFrames(sum)
	return nil
}

func (db *database) readFrames(sum checksum) {
	frame := make([]byte, frameHead+db.page)
	open := map[uint32]int64{}
	for at := int64(logHead); ; at += int64(len(frame)) {
		if _, err := db.log.ReadAt(frame, at); err != nil || [8]byte(frame[8:16]) != db.salt {
			return
		}
		db.read(len(frame))
		sum.add(frame[:8])
		if sum.add(frame[frameHead:]); !sum.is(frame[16:]) {
			return
		}
		open[binary.BigEndian.Uint32(frame)] = at
		if binary.BigEndian.Uint32(frame[4:]) != 0 { // a commit
			for page, at := range open {
				db.frames[page] = at
			}
			clear(open)
		}
	}
}

// checksum is that of the log, over words of its own byte order.
type checksum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (c *checksum) add(data []byte) {
	for i := 0; i+8 <= len(data); i += 8 {
		c.s0 += c.order.Uint32(data[i:]) + c.s1
		c.s1 += c.order.Uint32(data[i+4:]) + c.s0
	}
}

func (c *checksum) is(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == c.s0 && binary.BigEndian.Uint32(stored[4:]) == c.s1
}

// load reads a page: from the log, if that has a copy and was not begun anew.
func (db *database) load(number uint32) ([]byte, error) {
	if at, ok := db.frames[number]; ok {
		frame := make([]byte, frameHead+db.page)
		_, err := db.log.ReadAt(frame, at)
		if err != nil || binary.BigEndian.Uint32(frame) != number || [8]byte(frame[8:16]) != db.salt {
			return nil, errDatabase
		}
		return frame[frameHead:], nil
	}
	if err := db.ctx.Err(); err != nil {
		return nil, err
	}
	page := make([]byte, db.page)
	if number == 0 {
		return nil, errDatabase
	}
	if _, err := db.file.ReadAt(page, int64(number-1)*int64(db.page)); err != nil {
		return nil, errDatabase
	}
	db.read(db.page)
	return page, nil
}

// pages is how many pages there may be: a table that has more runs in a circle.
func (db *database) pages() int {
	info, err := db.file.Stat()
	if err != nil {
		return 0
	}
	return int(info.Size()/int64(db.page)) + len(db.frames)
}

// scan calls each with every row of the table whose root is given. A row is
// valid until each returns; one that is too long is nil.
func (db *database) scan(root uint32, each func(row []value) error) error {
	page, err := db.load(root)
	if err != nil {
		return err
	}
	head := page
	if root == 1 {
		head = page[100:]
	}
	db.left--
	kind, cells := head[0], int(binary.BigEndian.Uint16(head[3:]))
	size := map[byte]int{tableLeaf: 8, tableInside: 12}[kind]
	if db.left < 0 || size == 0 || size+2*cells > len(head) {
		return errDatabase
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(head[size+2*i:]))
		if at+4 > db.usable {
			return errDatabase
		}
		if kind == tableInside {
			err = db.scan(binary.BigEndian.Uint32(page[at:]), each)
		} else {
			err = db.leaf(page[at:db.usable], each)
		}
		if err != nil {
			return err
		}
	}
	if kind == tableInside {
		return db.scan(binary.BigEndian.Uint32(head[8:]), each)
	}
	return nil
}

const tableLeaf, tableInside = 0x0d, 0x05

func (db *database) leaf(cell []byte, each func([]value) error) error {
	size, n := varint(cell)
	_, m := varint(cell[n:])
	if n == 0 || m == 0 || size < 0 {
		return errDatabase
	}
	if size > LineLimit {
		return each(nil)
	}
	payload, err := db.payload(cell[n+m:], int(size))
	if err != nil {
		return err
	}
	row, err := valuesOf(payload)
	if err != nil {
		return err
	}
	return each(row)
}

// payload puts together what a cell holds and what overflows from it.
func (db *database) payload(cell []byte, size int) ([]byte, error) {
	here, most := size, db.usable-35
	if size > most {
		least := (db.usable-12)*32/255 - 23
		if here = least + (size-least)%(db.usable-4); here > most {
			here = least
		}
	}
	if here > len(cell) || here < size && here+4 > len(cell) {
		return nil, errDatabase
	}
	data := append(make([]byte, 0, size), cell[:here]...)
	for next := cell[here:]; len(data) < size; {
		page, err := db.load(binary.BigEndian.Uint32(next))
		if err != nil {
			return nil, err
		}
		data = append(data, page[4:4+min(size-len(data), db.usable-4)]...)
		next = page
	}
	return data, nil
}

// value is a text, or a number.
type value struct {
	text   []byte
	number int64
}

var widths = [...]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}

// valuesOf reads a record: the kinds of its values, then the values.
func valuesOf(record []byte) (row []value, err error) {
	size, n := varint(record)
	if n == 0 || size > int64(len(record)) || size < int64(n) {
		return nil, errDatabase
	}
	body := record[size:]
	for kinds := record[n:size]; len(kinds) > 0; {
		kind, n := varint(kinds)
		width := (kind - 12) / 2
		if kind < 12 && kind < int64(len(widths)) {
			width = int64(widths[max(kind, 0)])
		}
		if n == 0 || kind < 0 || width < 0 || width > int64(len(body)) {
			return nil, errDatabase
		}
		row = append(row, valueOf(kind, body[:width]))
		kinds, body = kinds[n:], body[width:]
	}
	return row, nil
}

func valueOf(kind int64, data []byte) value {
	switch {
	case kind >= 12:
		return value{text: data}
	case kind == 9:
		return value{number: 1}
	case kind == 0 || kind > 6:
		return value{}
	}
	number := int64(int8(data[0]))
	for _, b := range data[1:] {
		number = number<<8 | int64(b)
	}
	return value{number: number}
}

// varint reads a number of up to nine bytes; n is 0 where none stands.
func varint(data []byte) (number int64, n int) {
	for n = range min(len(data), 9) {
		if n == 8 {
			return number<<8 | int64(data[8]), 9
		}
		if number = number<<7 | int64(data[n]&0x7f); data[n] < 0x80 {
			return number, n + 1
		}
	}
	return 0, 0
}

// table calls each with the wanted columns of every row of a table.
func (db *database) table(name string, wanted []string, each func(row []value)) error {
	var root uint32
	var columns []string
	db.left = db.pages()
	err := db.scan(1, func(row []value) error {
		if len(row) == 5 && string(row[0].text) == "table" && string(row[1].text) == name {
			root, columns = uint32(row[3].number), columnsOf(string(row[4].text))
		}
		return nil
	})
	if err == nil && root == 0 {
		err = fmt.Errorf("it has no table %q, so this nod does not know its format", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", db.file.Name(), err)
	}
	db.left = db.pages()
	at := map[string]int{}
	for i, c := range columns {
		at[c] = i
	}
	err = db.scan(root, func(row []value) error {
		each(picked(row, at, wanted))
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", db.file.Name(), err)
	}
	return nil
}

// picked are the wanted columns of a row; those that a row of before a column was
// added does not have are zero.
func picked(row []value, at map[string]int, wanted []string) (list []value) {
	if row == nil {
		return nil
	}
	list = make([]value, len(wanted))
	for i, name := range wanted {
		if n, ok := at[name]; ok && n < len(row) {
			list[i] = row[n]
		}
	}
	return list
}

// columnsOf are the names of a table's columns, in the order of its statement.
func columnsOf(statement string) (names []string) {
	_, body, _ := strings.Cut(statement, "(")
	depth, begin := 0, 0
	for i, r := range body {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0 && (r == ',' || r == ')'):
			if words := strings.Fields(body[begin:i]); len(words) > 0 {
				names = append(names, strings.Trim(words[0], "`\"[]'"))
			}
			begin = i + 1
		}
	}
	return names
}
