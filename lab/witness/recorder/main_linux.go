// Command recorder stands in for every program in the witness's worlds: it writes down how
// it was called, and then does something harmless that follows from a number and its own words.
package main

import (
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	logFile  = "/rec/log"
	seedFile = "/rec/seed"
	realDir  = "/real/" // programs that really run, once they are written down
)

func main() {
	self, _ := os.Executable() // the name under which it was found; its first word may differ
	name, words := filepath.Base(self), os.Args
	if len(words) > 0 && filepath.Base(words[0]) != name {
		words = append([]string{name}, words[1:]...)
	}
	record(strings.Join(words, "\x00"))
	if err := syscall.Exec(realDir+name, words, os.Environ()); err == nil {
		return
	}
	act(strings.Join(words, "\x00") + "\x00")
}

// record appends directory and words in one write. What cannot be written down does nothing.
func record(words string) {
	dir, _ := os.Getwd()
	log, err := os.OpenFile(logFile, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = log.WriteString(strconv.Quote(dir+"\x00"+words) + "\n")
	}
	if err != nil {
		os.Exit(125)
	}
}

// act reads its input or does not, prints something or nothing, and succeeds or fails.
func act(words string) {
	seed, _ := os.ReadFile(seedFile)
	sum := fnv.New64a()
	_, _ = sum.Write(append(seed, words...))
	h := sum.Sum64() ^ sum.Sum64()>>29
	if h&3 == 0 {
		_, _ = io.CopyN(io.Discard, os.Stdin, 1<<20)
	}
	outputs := [...]string{
		"", "", "out\n", "two words\n", "a.txt\nsrc\n", "-n\n--\n", "*\n", "b.txt", "wc injected\n",
		"$(wc injected)\n", "3\n", "../..\n~\n", "x=1; wc injected\n", "\n", "src/tax.js\n", "z\nz\nz\n",
	}
	_, _ = os.Stdout.WriteString(outputs[(h>>8)%uint64(len(outputs))])
	statuses := [...]int{0, 0, 0, 0, 1, 2}
	os.Exit(statuses[(h>>16)%uint64(len(statuses))])
}
