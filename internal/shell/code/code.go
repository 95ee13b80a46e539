// Package code reads scripts of sed, programs of awk and filters of jq and yq, and
// says what names in a program of another language hint at. Nothing is run, opened
// or looked up.
package code

import "strings"

// Kind is what a program does to something.
type Kind uint8

const (
	Read    Kind = iota + 1 // reads the file Name
	Write                   // creates or changes the file Name
	Secret                  // prints the secret Name
	Run                     // runs Name, code that nobody has read
	Unclear                 // does what is not known; Name says why
)

// Effect is one thing that a program does.
type Effect struct {
	Kind  Kind
	Name  string
	Known bool // Name is what it will be, and not just unknown
}

func known(kind Kind, name string) Effect { return Effect{Kind: kind, Name: name, Known: true} }

// Mentions says what names in a text hint at, whatever its language.
func Mentions(source string) []string {
	var out []string
	for _, group := range [...]struct{ what, names string }{
		{"deletes", " remove unlink unlinkSync rmtree rmdir rmdirSync rm rmSync rm_rf rm_r removedirs " +
			"truncate delete_file " +
			"DROP TRUNCATE DELETE drop truncate delete "},
		{"writes", " write_text write_bytes writeFile writeFileSync appendFile appendFileSync " +
			"createWriteStream rename " +
			"renameSync makedirs mkdir mkdirSync copyfile copytree move symlink chmod dump to_csv " +
			"binwrite file_put_contents "},
		{"network", " socket requests urllib urlopen httpx aiohttp http https fetch XMLHttpRequest WebSocket ftplib " +
			"smtplib paramiko net Net dgram LWP "},
		{"subprocess", " subprocess system popen Popen spawn spawnSync exec execSync execFile " +
			"execFileSync execv execve " +
			"fork child_process pty backticks Bun "},
		{"eval", " eval exec compile __import__ getattr globals importlib Function constructor " +
			"instance_eval class_eval " +
			"send pickle marshal ctypes "},
		{"environment", " environ getenv env ENV "},
	} {
		if namesOne(source, group.names) {
			out = append(out, group.what)
		}
	}
	return out
}

// namesOne reports whether an identifier of source is in a list.
func namesOne(source, list string) bool {
	for i := 0; i < len(source); {
		if !nameByte(source[i]) {
			i++
			continue
		}
		start := i
		for i < len(source) && nameByte(source[i]) {
			i++
		}
		if among(source[start:i], list) {
			return true
		}
	}
	return false
}

func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// among reports whether name is one of the words of a list that begins and
// ends with a blank.
func among(name, list string) bool {
	for from := 0; name != ""; {
		i := strings.Index(list[from:], name)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(name)
		if i > 0 && list[i-1] == ' ' && from < len(list) && list[from] == ' ' {
			return strings.IndexByte(name, ' ') < 0
		}
	}
	return false
}
