package history

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const opencode = "opencode"

// opencodePart is a line of opencode's as [opencodeLines] makes it: a part of a
// message, with what its session says. (1.18.33 driven; files of before the
// database read in descriptions of the format.)
type opencodePart struct {
	ID      string          `json:"id"`
	Session string          `json:"session"`
	Dir     string          `json:"directory"`
	Time    time.Time       `json:"time"`
	Part    json.RawMessage `json:"part"`
}

// opencodeReader reads those lines. One database holds the sessions of many
// directories, so that the root is that of the line that was read last.
type opencodeReader struct{ began string }

func (r *opencodeReader) root() string { return r.began }

func (r *opencodeReader) line(text []byte) (list []past, at time.Time) {
	var line opencodePart
	var part struct {
		Type, Tool string
		State      struct {
			Status, Error string
			Input         json.RawMessage
		}
	}
	if json.Unmarshal(text, &line) != nil || json.Unmarshal(line.Part, &part) != nil || part.Type != "tool" {
		return nil, at
	}
	r.began = line.Dir
	call := past{id: line.ID, session: line.Session, tool: part.Tool, input: part.State.Input, dir: line.Dir}
	switch part.State.Status {
	case "completed", "error":
		refused := strings.Contains(part.State.Error, "rejected permission")
		return []past{call, {id: line.ID, outcome: outcomeOf(part.State.Status == "error", refused)}}, line.Time
	}
	return []past{call}, line.Time
}

// opencodeLines calls each with a line for every part of a database, or of the
// directory in which earlier versions kept a file for each.
func opencodeLines(ctx context.Context, path string, each func([]byte), read func(int)) (long int, err error) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return opencodeFiles(ctx, path, each, read)
	}
	db, err := openDatabase(ctx, path, read)
	if err != nil {
		return 0, err
	}
	defer db.close()
	dirs := map[string]string{}
	err = db.table("session", []string{"id", "directory"}, func(row []value) {
		if row != nil {
			dirs[string(row[0].text)] = string(row[1].text)
		}
	})
	if err != nil {
		return 0, err
	}
	err = db.table("part", []string{"id", "session_id", "time_created", "data"}, func(row []value) {
		if row == nil {
			long++
			return
		}
		session := string(row[1].text)
		emit(each, opencodePart{string(row[0].text), session, dirs[session], time.UnixMilli(row[2].number).UTC(),
			row[3].text})
	})
	return long, err
}

func emit(each func([]byte), p opencodePart) {
	if line, err := json.Marshal(p); err == nil {
		each(line)
	}
}

// opencodeFiles reads storage/session/PROJECT/ID.json and
// storage/part/MESSAGE/ID.json.
func opencodeFiles(ctx context.Context, storage string, each func([]byte), read func(int)) (long int, err error) {
	dirs := map[string]string{}
	long, err = jsonBelow(ctx, filepath.Join(storage, "session"), read, func(text []byte) {
		var session struct{ ID, Directory string }
		if json.Unmarshal(text, &session) == nil {
			dirs[session.ID] = session.Directory
		}
	})
	if err != nil {
		return long, err
	}
	more, err := jsonBelow(ctx, filepath.Join(storage, "part"), read, func(text []byte) {
		var part struct {
			ID, SessionID string
			State         struct{ Time struct{ Start int64 } }
		}
		if json.Unmarshal(text, &part) == nil {
			emit(each, opencodePart{part.ID, part.SessionID, dirs[part.SessionID],
				time.UnixMilli(part.State.Time.Start).UTC(), text})
		}
	})
	return long + more, err
}

// jsonBelow calls each with every JSON file below a directory, by name.
func jsonBelow(ctx context.Context, dir string, read func(int), each func(text []byte)) (long int, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err = cmp.Or(ctx.Err(), err); err != nil || !d.Type().IsRegular() || !strings.HasSuffix(name, ".json") {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > LineLimit {
			long++
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil {
			read(len(text))
			each(text)
		}
		return nil
	})
	return long, err
}

// opencodePlaces are the directory in which opencode keeps its sessions, and a
// database that it was told to use, where that is not among those of the directory.
func opencodePlaces(home string, getenv func(string) string) []Place {
	data := filepath.Join(home, ".local/share")
	if moved := getenv("XDG_DATA_HOME"); filepath.IsAbs(moved) {
		data = moved
	}
	dir, database := filepath.Join(data, "opencode"), getenv("OPENCODE_DB")
	places := []Place{{opencode, dir}}
	if database == "" || database == ":memory:" {
		return places
	}
	if !filepath.IsAbs(database) {
		database = filepath.Join(dir, database)
	}
	if usual, _ := filepath.Match(filepath.Join(dir, "opencode*.db"), filepath.Clean(database)); !usual {
		places = append(places, Place{opencode, filepath.Clean(database)})
	}
	return places
}

// opencodeStores are the databases in opencode's directory, and what an earlier
// version left there; or one database, which is named.
func opencodeStores(dir string) (files []File) {
	paths, _ := filepath.Glob(filepath.Join(dir, "opencode*.db"))
	if info, err := os.Lstat(dir); err == nil && info.Mode().IsRegular() {
		paths = []string{dir}
	}
	for _, path := range paths {
		size := int64(0)
		for _, name := range []string{path, path + "-wal"} {
			if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
				size += info.Size()
			}
		}
		files = append(files, File{Path: path, Agent: opencode, Size: size})
	}
	storage := filepath.Join(dir, "storage")
	if info, err := os.Lstat(filepath.Join(storage, "part")); err == nil && info.IsDir() {
		files = append(files, File{Path: storage, Agent: opencode, Size: sizeBelow(storage)})
	}
	return files
}

func sizeBelow(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}
