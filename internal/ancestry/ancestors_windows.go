package ancestry

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Above looks upwards from the parent in a list of all processes. It tells the names of programs alone.
func Above() (list []Process, err error) {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(all)
	running := map[uint32]windows.ProcessEntry32{}
	one := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(all, &one); err == nil; err = windows.Process32Next(all, &one) {
		running[one.ProcessID] = one
	}
	p, ok := running[uint32(os.Getppid())]
	for ; ok && len(list) < 1000; p, ok = running[p.ParentProcessID] { // the parent of the first ended long ago
		list = append(list, Process{PID: int(p.ProcessID), Name: windows.UTF16ToString(p.ExeFile[:])})
	}
	if err == windows.ERROR_NO_MORE_FILES {
		err = nil
	}
	return list, err
}
