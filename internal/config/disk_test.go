package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onDisk is a fresh home, owned by this process.
func onDisk(t *testing.T) Places {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := DefaultPlaces(home)
	p.Managed = filepath.Join(home, "managed.toml")
	return p
}

func write(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestEditMode(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "mode = \"observe\"\n"},
		{"replaced", "# a\nmode  =  'off'   # why\nallow = []\n", "# a\nmode  =  \"observe\"   # why\nallow = []\n"},
		{"quoted key", "\"mode\" = \"off\"", "\"mode\" = \"observe\""},
		{"added at the top", "# a\nallow = []\n[log]\n", "mode = \"observe\"\n# a\nallow = []\n[log]\n"},
		{"no line end", "allow = []", "mode = \"observe\"\nallow = []"},
		{"CRLF", "allow = []\r\n[log]\r\n", "mode = \"observe\"\r\nallow = []\r\n[log]\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := placesIn(world()).withWord([]byte(c.text), "mode", "observe")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetWord(t *testing.T) {
	p := onDisk(t)
	if err := SetWord(p, "mode", "observe"); err != nil {
		t.Fatal(err)
	}
	if got := modeOf(t, p.User); got != 0o600 {
		t.Errorf("file mode %v", got)
	}
	if got := modeOf(t, filepath.Dir(p.User)); got != fs.ModeDir|0o700 {
		t.Errorf("directory mode %v", got)
	}
	for _, m := range []Mode{Off, Enforce} {
		if err := SetWord(p, "mode", m.String()); err != nil {
			t.Fatal(err)
		}
		s, err := Load(p)
		if err != nil || s.Mode != m {
			t.Errorf("mode %v, %v; want %v", s.Mode, err, m)
		}
	}
}

// TestSetWordThroughLink: dotfiles stay links, and keep their permissions.
func TestSetWordThroughLink(t *testing.T) {
	p := onDisk(t)
	real := filepath.Join(p.Home, "dotfiles/nod.toml")
	write(t, real, "# mine\n", 0o644)
	if err := os.MkdirAll(filepath.Dir(p.User), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, p.User); err != nil {
		t.Fatal(err)
	}
	if err := SetWord(p, "mode", "off"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(real)
	if want := "mode = \"off\"\n# mine\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
	if modeOf(t, p.User)&fs.ModeSymlink == 0 || modeOf(t, real) != 0o644 {
		t.Errorf("link %v, file %v", modeOf(t, p.User), modeOf(t, real))
	}
}
