package config

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/view"
)

// TestWorlds: a file that somebody else could have written is refused by name, with what to do. With anything in a
// repository, the other settings hold, and the person hears of it. testdata/worlds.txt says how it is read.
func TestWorlds(t *testing.T) {
	text, err := os.ReadFile("testdata/worlds.txt")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(named(string(text)), "\n\n") {
		name, ops, _ := strings.Cut(strings.TrimRight(part, "\n"), "\n")
		if !strings.HasPrefix(name, "#") {
			t.Run(name, func(t *testing.T) { checkWorld(t, strings.Split(ops, "\n")) })
		}
	}
}

// named has the names in the place of the words that stand for them.
func named(text string) string {
	return strings.NewReplacer("USER", userFile, "MANAGED", managedFile, "ROOT", projectRoot, "REPO", repoFile,
		"HOME", "/home/u").Replace(text)
}

func checkWorld(t *testing.T, ops []string) {
	word, want, _ := strings.Cut(ops[len(ops)-1], " ")
	m := world()
	if word == "notice" {
		m.File(userFile, `allow = ["git diff"]`, 0o600)
	}
	p := placesIn(furnished(t, m, ops[:len(ops)-1]))
	switch word {
	case "used":
		if s := loaded(t, p); s.Mode != Observe {
			t.Errorf("mode %v: the file was not used", s.Mode)
		}
	case "refused":
		if got := badSettings(t, p); !strings.HasPrefix(got, want) {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	case "notice":
		s := loaded(t, p)
		if diff := cmp.Diff([]string{"allow: git diff"}, added(s)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if notices := strings.Join(s.Notices, "\n"); !strings.Contains(notices, want) {
			t.Errorf("\n got %s\nwant %s", notices, want)
		}
	default:
		t.Fatalf("%q is no end of a world", word)
	}
}

// furnished puts what the lines say into a world.
func furnished(t *testing.T, m *view.Memory, ops []string) *view.Memory {
	t.Helper()
	for _, op := range ops {
		word, rest, _ := strings.Cut(op, " ")
		name, what, _ := strings.Cut(rest, " ")
		digits, text, _ := strings.Cut(what, " ")
		mode, _ := strconv.ParseUint(digits, 8, 32)
		number, _ := strconv.Atoi(digits)
		switch word {
		case "file":
			content, err := strconv.Unquote(text)
			if err != nil {
				t.Fatalf("%s: %v", op, err)
			}
			m.File(name, content, fs.FileMode(mode))
		case "long":
			m.File(name, strings.Repeat("#", number), 0o644)
		case "dir":
			perm := fs.FileMode(mode & 0o777)
			if mode&0o1000 != 0 {
				perm |= fs.ModeSticky
			}
			m.Dir(name, perm)
		case "link":
			m.Link(name, what)
		case "pipe":
			m.Special(name, fs.ModeNamedPipe|0o600)
		case "owner":
			m.Chown(name, uint32(number))
		default:
			t.Fatalf("%q is no word of a world", op)
		}
	}
	return m
}
