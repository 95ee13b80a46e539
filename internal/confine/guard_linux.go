//go:build amd64 || arm64

package confine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// guard watches a run: its bounds, and the signals that are meant for it.
type guard struct {
	pid     int // bubblewrap's, outside
	limit   uint64
	tasks   int // processes and threads
	until   time.Time
	told    bool // to end, by a signal
	done    chan struct{}
	stopped atomic.Pointer[string]
}

const look = 500 * time.Millisecond // how often the memory is looked at

// watch begins when the line runs: to ask for signals takes longer than to read the settings.
func (g *guard) watch(ctx context.Context) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH,
		syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-g.done:
			return
		case s := <-signals:
			g.pass(s.(syscall.Signal))
			g.ends(s, time.Now())
		case now := <-tick.C:
			if why := g.over(now); why != "" {
				g.stopped.Store(&why)
				_ = syscall.Kill(g.pid, syscall.SIGKILL) // the others die with it
			}
		}
	}
}

// why is what the run was stopped for, "" if it was not.
func (g *guard) why() string {
	if why := g.stopped.Load(); why != nil {
		return *why
	}
	return ""
}

const grace = 5 * time.Second // how long a run may go on after a signal that tells it to end

func (g *guard) ends(s os.Signal, now time.Time) {
	if (s == syscall.SIGTERM || s == syscall.SIGHUP) && !g.told {
		g.told, g.until = true, now.Add(grace)
	}
}

// over says which bound the run has gone past, "" for none.
func (g *guard) over(now time.Time) (why string) {
	used, tasks := g.used()
	left, known := available()
	switch {
	case used > g.limit:
		return fmt.Sprintf("it used more than %d MiB of memory", g.limit>>20)
	case now.After(g.until) && g.told:
		return "it did not end when it was told to"
	case now.After(g.until):
		return fmt.Sprintf("it ran for longer than %s", maxTime)
	case known && left < memory()/32:
		return "the machine had almost no memory left"
	case tasks > g.tasks:
		return fmt.Sprintf("it had more than %d processes and threads", g.tasks)
	}
	return ""
}

// pass hands a signal on as a terminal would: to every process of the run.
func (g *guard) pass(s syscall.Signal) {
	for _, p := range g.processes() {
		if p.depth > 1 { // not bubblewrap itself, outside and inside
			_ = syscall.Kill(p.pid, s)
		}
	}
}

func (g *guard) used() (bytes uint64, tasks int) {
	for _, p := range g.processes() {
		tasks += p.threads
		var size, resident, shared uint64
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.pid))
		if n, _ := fmt.Sscan(string(text), &size, &resident, &shared); n == 3 {
			bytes += (resident - min(resident, shared)) * uint64(os.Getpagesize())
		}
	}
	return bytes, tasks
}

type process struct{ pid, depth, threads int }

// processes are those below bubblewrap, itself first.
func (g *guard) processes() []process {
	below := map[int][]process{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			parent, threads := statOf(pid)
			below[parent] = append(below[parent], process{pid: pid, threads: threads})
		}
	}
	list := []process{{pid: g.pid}}
	for i := 0; i < len(list); i++ {
		for _, child := range below[list[i].pid] {
			child.depth = list[i].depth + 1
			list = append(list, child)
		}
	}
	return list
}

// statOf reads a process's parent, -1 where it is not there, and how many threads it has.
func statOf(pid int) (parent, threads int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 18 {
		return -1, 0
	}
	parent, _ = strconv.Atoi(fields[1])
	threads, _ = strconv.Atoi(fields[17])
	return parent, threads
}

// available is how much memory the machine could still give. What a run writes into memory without a process that
// holds it (/dev/shm, its home, memfd) is seen here only.
func available() (bytes uint64, known bool) {
	text, _ := os.ReadFile("/proc/meminfo")
	return availableIn(string(text))
}

func availableIn(meminfo string) (bytes uint64, known bool) {
	_, rest, found := strings.Cut(meminfo, "MemAvailable:")
	f := strings.Fields(rest)
	if !found || len(f) < 2 || f[1] != "kB" {
		return 0, false
	}
	kB, err := strconv.ParseUint(f[0], 10, 54)
	return kB << 10, err == nil
}

// maxMemory is how much a run may use.
func maxMemory() uint64 { return memory() / 4 * 3 }

// memory is the machine's.
func memory() uint64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 4 << 30
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
