package corpus

import (
	_ "embed"
	"io/fs"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

//go:embed world.txtar
var worldText string

// Where the rows are judged.
const (
	Home    = "/home/dev"
	Project = "/home/dev/shop" // the workspace
	// Settings, State, Nod and Hook are nod's own files in that world.
	Settings = "/home/dev/.config/nod/nod.toml"
	State    = "/home/dev/.local/state/nod"
	Nod      = "/home/dev/.local/bin/nod"
	Hook     = "/home/dev/.local/bin/nod-hook"
)

// Environ is the environment of the agent in that world.
func Environ() []string {
	return []string{
		"HOME=" + Home, "USER=dev", "SHELL=/bin/bash", "LANG=en_US.UTF-8", "TERM=xterm-256color",
		"PATH=/usr/local/bin:/usr/bin:/bin:" + Project + "/tools/bin",
	}
}

// World returns the machine on which the rows are judged: a developer's home with a small web shop in
// it. It is held in memory; each call returns a new one.
func World() *view.Memory {
	m := view.NewMemory(false)
	for _, f := range worldFiles() {
		m.File(f.name, f.content, f.mode)
	}
	system(m)
	project(m)
	tracked(m)
	return m
}

// worldFile is a file of world.txtar.
type worldFile struct {
	name, content string
	mode          fs.FileMode
}

// worldFiles reads world.txtar: in front of each file stands its name between
// two dashes, and its mode if that is not 0644.
func worldFiles() (list []worldFile) {
	for line := range strings.Lines(worldText) {
		is := strings.HasPrefix(line, "-- /") && strings.HasSuffix(line, " --\n")
		switch fields := strings.Fields(strings.Trim(line, "- \n")); {
		case is && len(fields) == 2:
			mode, err := strconv.ParseUint(fields[1], 8, 12)
			if err != nil {
				panic("world.txtar: " + line)
			}
			list = append(list, worldFile{name: fields[0], mode: fs.FileMode(mode)})
		case is:
			list = append(list, worldFile{name: fields[0], mode: 0o644})
		case len(list) > 0:
			list[len(list)-1].content += line
		}
	}
	return list
}

// system is what every machine has.
func system(m *view.Memory) {
	m.Dir("/tmp", 0o777|fs.ModeSticky).Dir("/usr/local/bin", 0o755).Link("/bin", "usr/bin").Link("/sbin", "usr/sbin")
	for name := range strings.FieldsSeq(programs) {
		m.File("/usr/bin/"+name, "\x7fELF", 0o755)
	}
	m.Dir("/opt", 0o755).Dir("/var", 0o755).Dir("/usr/lib", 0o755)
	for _, name := range []string{"null", "zero", "stdout", "stderr", "tty"} {
		m.Special("/dev/"+name, fs.ModeDevice|fs.ModeCharDevice|0o666)
	}
	for _, name := range []string{"sda", "sda1", "nvme0n1"} {
		m.Special("/dev/"+name, fs.ModeDevice|0o660)
	}
}

// programs are in /usr/bin.
const programs = `
[ awk base64 basename bash cat chmod cp crontab curl cut date dd df diff dirname docker du echo env false file
find gh git go grep head jq just kill less ln ls make man mkdir mkfs.ext4 mv nc nice node nohup npm npx pip
printf psql pwd python3 realpath rg rm scp sed seq sh sha256sum sleep sort ssh stat sudo systemctl tail tar
tee terraform test time timeout touch tr true truncate uname uniq wc wget which whoami xargs
`

// project is what text cannot say of the home and of the project in it.
func project(m *view.Memory) {
	m.Dir(Home+"/.config/nod", 0o700).Dir(Home+"/lib/.git", 0o755).Dir(Project+"/tools/bin", 0o755)
	m.File(Nod, "\x7fELF", 0o755).File(Hook, "\x7fELF", 0o755)
	m.File(Project+"/ci/crlf.sh", "#!/bin/sh\r\nls\r\n", 0o755)
	m.File(Project+"/ci/setuid.sh", "#!/bin/sh\nls\n", 0o755|fs.ModeSetuid)
	m.File(Project+"/dist/local.sqlite", "x", 0o644)
	m.Hard(Project+"/twin.txt", 2).Special(Project+"/pipe", fs.ModeNamedPipe|0o644)
	for name, to := range map[string]string{
		"assets": Home + "/media", "dangling": "/etc/profile.d/x.sh", "loop": "loop", "cfg": Home + "/.config/nod",
		"key": Home + "/.ssh/id_rsa", "src/latest.js": "cart.js",
	} {
		m.Link(Project+"/"+name, to)
	}
}
