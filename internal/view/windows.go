package view

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
)

const onWindows = runtime.GOOS == "windows"

// Windows reports whether the names of a file system are Windows'. They are held as Git Bash writes them: /c/x is
// C:\x, and /unc/host/share is \\host\share. So all that reads names elsewhere reads these.
func Windows(files Files) bool {
	w, ok := files.(interface{ Windows() bool })
	return ok && w.Windows()
}

// Slashed is a name of Windows' as nod holds it. It is false where nobody can say where the name leads, or it is none
// of a plain file's: C:x lies in the directory in which some program last was on C:, PROGRA~1 is another name of some
// directory, "x." and "x " are x for some programs, x:y is a stream of x, and CON and NUL are devices anywhere.
func Slashed(name string) (string, bool) {
	name = strings.ReplaceAll(name, `\`, "/")
	if rest, ok := strings.CutPrefix(name, "//?/"); ok {
		if name = rest; len(rest) > 4 && strings.EqualFold(rest[:4], "UNC/") {
			name = "//" + rest[4:]
		} else if len(rest) < 3 || rest[1:3] != ":/" {
			return name, false
		}
	}
	switch {
	case strings.HasPrefix(name, "//./"):
		return name, false
	case strings.HasPrefix(name, "//"):
		name = "/unc/" + strings.TrimLeft(name, "/")
	case len(name) > 1 && name[1] == ':' && isLetter(name[0]) && (len(name) == 2 || name[2] != '/'):
		return name, false
	case len(name) > 2 && name[1:3] == ":/" && isLetter(name[0]):
		name = "/" + strings.ToLower(name[:1]) + name[2:]
	case onDrive(name):
		name = "/" + strings.ToLower(name[1:2]) + name[2:]
	}
	for part := range strings.SplitSeq(name, "/") {
		if !isPlainPart(part) {
			return name, false
		}
	}
	return name, true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isPlainPart reports whether a component is one name of one file for every program.
func isPlainPart(part string) bool {
	if part == "" || part == "." || part == ".." {
		return true
	}
	_, behind, short := strings.Cut(part, "~")
	base, _, _ := strings.Cut(strings.ToLower(part), ".")
	base = strings.TrimRight(base, " ")
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return false
	}
	port := strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")
	return !strings.HasSuffix(part, ".") && !strings.HasSuffix(part, " ") && !strings.Contains(part, ":") &&
		!(short && behind != "" && behind[0] >= '0' && behind[0] <= '9') &&
		!(port && len([]rune(base)) == 4 && strings.ContainsAny(base[3:], "0123456789¹²³"))
}

// onDrive reports whether a name as nod holds it lies on a drive.
func onDrive(held string) bool {
	return len(held) > 1 && held[0] == '/' && isLetter(held[1]) && (len(held) == 2 || held[2] == '/')
}

// errNoDrive is said of a name that lies on no drive of this machine. To look at a share is to log in there.
var errNoDrive = errors.New("not on a drive of this machine")

// Native is a name as the system takes it, C:/x for /c/x. What lies on no drive becomes a name that no system takes.
func Native(name string) string {
	if !onWindows {
		return name
	}
	held, ok := Slashed(name)
	if !ok || !onDrive(held) {
		return "?:" + name
	}
	return strings.ToUpper(held[1:2]) + ":/" + strings.TrimPrefix(held[2:], "/")
}

// Home is the home directory as nod holds it, which on Windows is not what HOME says.
func Home(home string) string {
	if onWindows {
		home, _ = Slashed(os.Getenv("USERPROFILE"))
	}
	return home
}

// Environ is an environment of Windows' with the names in it as nod holds them, and HOME and PATH as they are called
// elsewhere: Windows calls home USERPROFILE, and ignores the case of names.
func Environ(environ []string) []string {
	out, home := []string{}, ""
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch strings.ToUpper(name) {
		case "USERPROFILE":
			home, _ = Slashed(value)
		case "HOME":
			continue // where nod's own files are is not Git Bash's to say
		case "PWD", "CLAUDE_PROJECT_DIR":
			value, _ = Slashed(value)
			kv = name + "=" + value
		case "PATH":
			kv = "PATH=" + slashedPath(value)
		}
		out = append(out, kv)
	}
	return append(out, "HOME="+home)
}

// slashedPath is PATH with colons. What is found behind a directory that nobody can name may not be what runs.
func slashedPath(list string) string {
	var dirs []string
	for dir := range strings.SplitSeq(list, ";") {
		held, ok := Slashed(strings.Trim(dir, `"`))
		if !ok || !onDrive(held) && dir != "" {
			held = "?"
		}
		dirs = append(dirs, held)
	}
	return strings.Join(slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" }), ":")
}
