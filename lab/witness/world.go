package main

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"

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

// worldOf returns what a world holds, parents before what lies in them. Some
// files are sometimes not there.
func worldOf(variant uint64) []entry {
	r := rand.New(rand.NewPCG(variant, 7))
	dir := func(name string) entry { return entry{name, fs.ModeDir | 0o755, ""} }
	list := []entry{dir(home), dir("/tmp"), dir(project)}
	list[1].Mode |= 0o777 | fs.ModeSticky
	for _, name := range []string{"src", "src/sub", "docs", "z", "build", "a b"} {
		list = append(list, dir(project+"/"+name))
	}
	list = append(list, gitEntries()...)
	sometimes := []entry{
		{"a.txt", 0o644, "one two\nthree\n"}, {"b.txt", 0o644, "b\n"}, {"README.md", 0o644, "# x\n"}, {"notes.txt",
			0o644, "mine\n"},
		{"src/tax.js", 0o644, "let x\n"}, {"src/a.txt", 0o644, "inner\n"}, {"src/sub/c.c", 0o644,
			"int x;\n"}, {"docs/k1", 0o644, "k\n"},
		{"z/1", 0o644, ""}, {"z/bash", 0o644, ""}, {"z/evil.sh", 0o755, "wc evil\n"}, {"z/ls", 0o644, ""}, {"z/2",
			0o644, "2\n"},
		{"1", 0o644, "1\n"}, {"-n", 0o644, ""}, {"wc", 0o644, ""}, {"k1.txt", 0o644, "k\n"}, {".env", 0o600,
			"KEY=secret\n"}, {"x.sh", 0o755, "#!/bin/bash\nwc script\n"},
		{"a b/c d.txt", 0o644, ""}, {"lnk", fs.ModeSymlink | 0o777, "src"}, {"up", fs.ModeSymlink | 0o777,
			"../../../tmp"},
		{"of=~", fs.ModeDir | 0o755, ""}, {"x.js.bak", 0o644, "x\n"}, {"build/o.o", 0o644, "o\n"},
	}
	for _, e := range sometimes {
		if r.IntN(4) > 0 {
			e.Name = project + "/" + e.Name
			list = append(list, e)
		}
	}
	for _, e := range []entry{{".bashrc", 0o644, "# rc\n"}, {"k1", 0o644, "k\n"}, {"new1", 0o644, "n\n"}} {
		if r.IntN(4) > 0 {
			e.Name = home + "/" + e.Name
			list = append(list, e)
		}
	}
	return list
}

// gitEntries are what makes a directory a repository.
func gitEntries() []entry {
	git := project + "/.git"
	list := []entry{{git, fs.ModeDir | 0o755, ""}}
	for _, name := range []string{"objects", "refs", "refs/heads", "hooks", "info"} {
		list = append(list, entry{git + "/" + name, fs.ModeDir | 0o755, ""})
	}
	return append(list,
		entry{git + "/HEAD", 0o644, "ref: refs/heads/main\n"},
		entry{git + "/config", 0o644, "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"})
}

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

// stubs names the programs that only write down how they were called, and
// those that run as well.
func stubs() []string {
	return append([]string{
		"ls", "wc", "grep", "file", "stat", "rm", "git", "npm", "make", "curl", "dd", "diff", "rg", "sed", "awk",
		"ps", "date", "whoami", "uname", "du", "df", "chmod", "kill", "sleep", "which", "tar", "node", "python3",
		"id", "md5sum", "cmp", "cut", "tree", "nod", "od", "strings", "nproc", "hostname",
	}, realPrograms()...)
}

// realPrograms run for real once they are written down: what they print, or
// whom they start, is what a text is about.
func realPrograms() []string {
	return []string{
		"dirname", "basename", "realpath", "readlink", "seq", "expr", "cat", "tr", "head", "tail", "sort", "uniq",
		"tee", "mkdir", "touch", "cp", "mv", "ln", "rmdir", "xargs", "env", "nice", "timeout", "nohup", "stdbuf",
		"find", "test", "true", "false", "echo", "printf",
	}
}

// shellNames are the names under which texts may start a shell, and which it is.
func shellNames() map[string]string {
	return map[string]string{"bash": "bash", "sh": "dash", "zsh": "zsh", "dash": "dash"}
}

// wraps reports whether a program runs others that are reported for
// themselves.
func wraps(program string) bool {
	return slices.Contains([]string{"xargs", "env", "nice", "timeout", "nohup", "stdbuf", "find"}, path.Base(program))
}
