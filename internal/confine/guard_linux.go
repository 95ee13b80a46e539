//go:build amd64 || arm64

package confine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// guard watches a run: its bounds, and the signals that are meant for it.
type guard struct {
	pid   int // bubblewrap's, outside
	limit uint64
	until time.Time
	done  chan struct{}

	mu      sync.Mutex
	stopped string
}

// look is how often the memory is looked at.
const look = 500 * time.Millisecond

func (g *guard) watch(ctx context.Context, signals <-chan os.Signal) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-g.done:
			return
		case s := <-signals:
			g.pass(s.(syscall.Signal))
		case now := <-tick.C:
			if used := g.used(); used > g.limit {
				g.stop(fmt.Sprintf("it used more than %d MiB of memory", g.limit>>20))
			} else if now.After(g.until) {
				g.stop("it ran for longer than it may")
			} else if left, known := available(); known && left < memory()/32 {
				g.stop("the machine had almost no memory left")
			}
		}
	}
}

func (g *guard) stop(why string) {
	g.mu.Lock()
	g.stopped = why
	g.mu.Unlock()
	_ = syscall.Kill(g.pid, syscall.SIGKILL) // the others die with it
}

func (g *guard) why() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stopped
}

// pass hands a signal on as a terminal would: to every process of the run.
func (g *guard) pass(s syscall.Signal) {
	for _, p := range g.processes() {
		if p.depth > 1 { // not bubblewrap itself, outside and inside
			_ = syscall.Kill(p.pid, s)
		}
	}
}

func (g *guard) used() (bytes uint64) {
	for _, p := range g.processes() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.pid))
		fields := strings.Fields(string(text))
		if err != nil || len(fields) < 3 {
			continue
		}
		resident, _ := strconv.ParseUint(fields[1], 10, 64)
		shared, _ := strconv.ParseUint(fields[2], 10, 64)
		bytes += (resident - min(resident, shared)) * uint64(os.Getpagesize())
	}
	return bytes
}

type process struct{ pid, depth int }

// processes are those below bubblewrap, itself first.
func (g *guard) processes() []process {
	below := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			parent := parentOf(pid)
			below[parent] = append(below[parent], pid)
		}
	}
	list := []process{{g.pid, 0}}
	for i := 0; i < len(list); i++ {
		for _, child := range below[list[i].pid] {
			list = append(list, process{child, list[i].depth + 1})
		}
	}
	return list
}

func parentOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := bytes.LastIndexByte(text, ')')
	if err != nil || end < 0 {
		return -1
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 2 {
		return -1
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return -1
	}
	return parent
}

// available is how much memory the machine could still give. What a run writes
// into memory without a process that holds it (/dev/shm, its home, memfd) is seen
// here only.
func available() (bytes uint64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	return availableIn(string(text))
}

func availableIn(meminfo string) (bytes uint64, known bool) {
	for line := range strings.Lines(meminfo) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "MemAvailable:" && f[2] == "kB" {
			kB, err := strconv.ParseUint(f[1], 10, 54)
			return kB << 10, err == nil
		}
	}
	return 0, false
}

// memory is the machine's.
func memory() uint64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 4 << 30
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
