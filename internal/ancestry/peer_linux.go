package ancestry

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Peer returns the processes that hold the other end of a TCP connection, each with those above it, and the agent whose
// mark one of them bears. remote and local are as the connection has them here.
func Peer(remote, local net.Addr) (above []Process, marked string, err error) {
	theirs, is := remote.(*net.TCPAddr)
	ours, are := local.(*net.TCPAddr)
	if !is || !are {
		return nil, "", ErrUnseen
	}
	inode := socketInode("/proc/net/tcp", kernelAddr(theirs.IP.To4(), theirs.Port),
		kernelAddr(ours.IP.To4(), ours.Port))
	if inode == "" {
		inode = socketInode("/proc/net/tcp6", kernelAddr(theirs.IP.To16(), theirs.Port),
			kernelAddr(ours.IP.To16(), ours.Port))
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

// socketInode looks in a table of the kernel's for the socket whose own end is the one address and whose other end is
// the other.
func socketInode(table, own, other string) string {
	text, _ := os.ReadFile(table)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) > 9 && f[1] == own && f[2] == other && f[9] != "0" {
			return f[9]
		}
	}
	return ""
}

// kernelAddr writes 0100007F:1F90: words of four bytes in the machine's order, and a port.
func kernelAddr(ip net.IP, port int) (text string) {
	for ; len(ip) > 0; ip = ip[4:] {
		text += fmt.Sprintf("%08X", binary.NativeEndian.Uint32(ip))
	}
	return fmt.Sprintf("%s:%04X", text, port)
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
