package ancestry

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Peer returns the processes that hold the other end of a TCP connection, each with those above it, and the agent whose
// mark one of them bears. remote and local are as the connection has them here.
func Peer(remote, local net.Addr) (above []Process, marked string, err error) {
	theirs, ours := addrPort(remote), addrPort(local)
	inode := ""
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		if inode == "" && theirs.IsValid() {
			inode = socketInode(table, theirs, ours)
		}
	}
	if inode == "" {
		return nil, "", ErrUnseen
	}
	for _, pid := range holders(inode) {
		list, err := from(pid)
		if err != nil {
			return nil, "", err
		}
		above = append(above, list...)
		if name, is := Marked(environOf(pid)); is {
			marked = name
		}
	}
	if above == nil {
		return nil, "", ErrUnseen
	}
	return above, marked, nil
}

func addrPort(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	p := tcp.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}

// socketInode looks in a table of the kernel's for the socket whose own end is the one address and whose other end is
// the other.
func socketInode(table string, own, other netip.AddrPort) string {
	file, err := os.Open(table)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) > 9 && kernelAddr(f[1]) == own && kernelAddr(f[2]) == other && f[9] != "0" {
			return f[9]
		}
	}
	return ""
}

// kernelAddr reads 0100007F:1F90: words of four bytes in the machine's order, and a port.
func kernelAddr(text string) netip.AddrPort {
	var port uint16
	digits, rest, _ := strings.Cut(text, ":")
	if _, err := fmt.Sscanf(rest, "%04X", &port); err != nil || len(digits)%8 != 0 {
		return netip.AddrPort{}
	}
	var raw []byte
	for ; digits != ""; digits = digits[8:] {
		var word uint32
		if _, err := fmt.Sscanf(digits[:8], "%08X", &word); err != nil {
			return netip.AddrPort{}
		}
		raw = binary.NativeEndian.AppendUint32(raw, word)
	}
	addr, _ := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), port)
}

// holders are the processes of this user that have a socket open.
func holders(inode string) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, name := range names {
		if to, err := os.Readlink(name); err == nil && to == "socket:["+inode+"]" {
			pid, err := strconv.Atoi(strings.Split(name, "/")[2])
			if err == nil && !slices.Contains(pids, pid) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// environOf looks a variable up in the environment that a process was started with.
func environOf(pid int) func(string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return func(name string) string {
		for _, entry := range bytes.Split(text, []byte{0}) {
			if value, is := bytes.CutPrefix(entry, []byte(name+"=")); is {
				return string(value)
			}
		}
		return ""
	}
}
