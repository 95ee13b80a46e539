package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// Where everything lies, in the namespace as in nod's view of it.
const (
	home    = "/home/dev"
	project = home + "/project"
	binDir  = "/usr/bin"
	sbinDir = "/usr/sbin" // only where real programs run
	recDir  = "/rec"
	realDir = "/real"
)

// entry is a file, directory or link of a world.
type entry struct {
	Name    string
	Mode    fs.FileMode // with fs.ModeDir or fs.ModeSymlink
	Content string      // or where the link leads
}

// worldText describes its own format.
//
//go:embed texts/world.txt
var worldText string

// worldOf returns what a world holds, parents before what lies in them. Some files are sometimes not there.
func worldOf(variant uint64) (list []entry) {
	r := rand.New(rand.NewPCG(variant, 7))
	for line := range strings.Lines(worldText) {
		var when string
		var mode uint32
		var e entry
		if n, _ := fmt.Sscanf(line, "%s %q %o %q", &when, &e.Name, &mode, &e.Content); n < 4 {
			continue
		}
		e.Mode = fs.FileMode(mode & 0o777)
		switch mode & 0o170000 {
		case 0o040000:
			e.Mode |= fs.ModeDir
		case 0o120000:
			e.Mode |= fs.ModeSymlink
		}
		if mode&0o1000 != 0 {
			e.Mode |= fs.ModeSticky
		}
		if when == "always" || r.IntN(4) > 0 {
			list = append(list, e)
		}
	}
	return list
}

// programs are those of a kind in the text.
func programs(kind string) []string {
	_, list, _ := strings.Cut(worldText, "\n"+kind+" ")
	list, _, _ = strings.Cut(list, "\n")
	return strings.Fields(list)
}

// stubs names the programs that write down how they were called.
func stubs() []string { return append(programs("stubs"), programs("real")...) }

// viewOf is the same world as nod sees it, with the programs of the namespace.
func viewOf(list []entry) *view.Memory {
	m := view.NewMemory(false)
	for _, name := range slices.AppendSeq(stubs(), maps.Keys(shellNames())) {
		m.File(binDir+"/"+name, "\x7fELF", 0o755)
	}
	m.Link("/bin", "usr/bin").Dir("/proc/self/fd", 0o755).Link("/dev/fd", "/proc/self/fd")
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		m.Special("/dev/"+name, fs.ModeDevice|fs.ModeCharDevice|0o666)
	}
	for i, name := range []string{"stdin", "stdout", "stderr"} {
		m.Link("/dev/"+name, "/proc/self/fd/"+string(rune('0'+i)))
	}
	for _, e := range list {
		switch {
		case e.Mode.IsDir():
			m.Dir(e.Name, e.Mode)
		case e.Mode&fs.ModeSymlink != 0:
			m.Link(e.Name, e.Content)
		default:
			m.File(e.Name, e.Content, e.Mode)
		}
	}
	return m
}

// environ is the whole environment of a program in a world of the namespace.
func environ(variant uint64) []string {
	lang := []string{"LANG=C", "LANG=C.UTF-8"}[variant%2]
	return []string{"HOME=" + home, "PATH=" + binDir + ":" + sbinDir, "USER=dev", lang, "PWD=" + project}
}

// shellNames are the names under which texts may start a shell, and which it is.
func shellNames() map[string]string {
	return map[string]string{"bash": "bash", "sh": "dash", "zsh": "zsh", "dash": "dash"}
}
