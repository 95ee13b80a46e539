// Command recorder stands in for every program in the witness's worlds: it
// writes down how it was called, and then does something harmless that
// follows from a number and its own words. It imports next to nothing, since
// it is started some millions of times.
package main

import "syscall"

const (
	logFile  = "/rec/log"
	seedFile = "/rec/seed"
	realDir  = "/real/" // programs that really run, once they are written down
)

func main() {
	words := read("/proc/self/cmdline")
	name := program()
	words = named(words, name)
	record(words)
	if err := syscall.Exec(realDir+name, arguments(words), syscall.Environ()); err == nil {
		return
	}
	act(hash(read(seedFile), words))
}

// read returns a whole file, nil where it cannot be read.
func read(name string) []byte {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	return drain(fd)
}

func drain(fd int) []byte {
	var all []byte
	buffer := make([]byte, 4096)
	for len(all) < 1<<20 {
		n, err := syscall.Read(fd, buffer)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		all = append(all, buffer[:n]...)
	}
	return all
}

// record appends directory and words, with their length before them, in one
// write. What cannot be written down does nothing.
func record(words []byte) {
	dir := make([]byte, 4096)
	n, _ := syscall.Getcwd(dir)
	body := append(dir[:max(n-1, 0)], 0)
	body = append(body, words...)
	size := len(body)
	line := append([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}, body...)
	fd, err := syscall.Open(logFile, syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CLOEXEC, 0)
	if err == nil {
		n, err = syscall.Write(fd, line)
	}
	if err != nil || n != len(line) {
		syscall.Exit(125)
	}
}

func arguments(words []byte) []string {
	var list []string
	from := 0
	for i, b := range words {
		if b == 0 {
			list, from = append(list, string(words[from:i])), i+1
		}
	}
	return list
}

// program is the name under which this program was found, whatever its first
// word says.
func program() string {
	exe := make([]byte, 4096)
	n, _ := syscall.Readlink("/proc/self/exe", exe)
	return base(string(exe[:max(n, 0)]))
}

func base(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[i+1:]
		}
	}
	return name
}

// named puts the name in the place of a first word that says something else.
func named(words []byte, name string) []byte {
	for i, b := range words {
		if b == 0 && base(string(words[:i])) != name {
			return append([]byte(name), words[i:]...)
		} else if b == 0 {
			break
		}
	}
	return words
}

func hash(seed, words []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, part := range [...][]byte{seed, words} {
		for _, b := range part {
			h = (h ^ uint64(b)) * 1099511628211
		}
	}
	return h ^ h>>29
}

// act reads its input or does not, prints something or nothing, and succeeds
// or fails.
func act(h uint64) {
	if h&3 == 0 {
		drain(0)
	}
	outputs := [...]string{
		"", "", "out\n", "two words\n", "a.txt\nsrc\n", "-n\n--\n", "*\n", "b.txt", "wc injected\n",
		"$(wc injected)\n", "3\n", "../..\n~\n", "x=1; wc injected\n", "\n", "src/tax.js\n", "z\nz\nz\n",
	}
	_, _ = syscall.Write(1, []byte(outputs[(h>>8)%uint64(len(outputs))]))
	statuses := [...]int{0, 0, 0, 0, 1, 2}
	syscall.Exit(statuses[(h>>16)%uint64(len(statuses))])
}
