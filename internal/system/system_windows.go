package system

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Whom a file belongs to, as user ids: Windows has none.
const (
	root = iota
	user
	stranger
)

// User is who this process runs as.
func User() int { return user }

// Describe says the rest of what os.Lstat said of name. The rights of others are those of the access list: "others"
// are all but this user and the system.
func Describe(name string, info fs.FileInfo) (File, error) {
	f := File{Mode: info.Mode().Type() | 0o600, UID: stranger, GID: -1}
	if info.IsDir() || slices.Contains([]string{".exe", ".com", ".bat", ".cmd"}, strings.ToLower(filepath.Ext(name))) {
		f.Mode |= 0o100
	}
	wide, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return f, err
	}
	handle, err := windows.CreateFile(wide, windows.READ_CONTROL|windows.FILE_READ_ATTRIBUTES,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return f, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer windows.CloseHandle(handle)
	var by windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &by); err != nil {
		return f, err
	}
	f.Links, f.Dev, f.Born = uint64(by.NumberOfLinks), uint64(by.VolumeSerialNumber), by.CreationTime.Nanoseconds()
	f.Inode = uint64(by.FileIndexHigh)<<32 | uint64(by.FileIndexLow)
	rights, err := f.owned(handle)
	f.Mode |= rights
	return f, err
}

// owned notes the owner of what is open, and returns what its access list lets others do.
func (f *File) owned(handle windows.Handle) (rights fs.FileMode, err error) {
	sd, err := windows.GetSecurityInfo(handle, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return 0, err
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return 0, err
	}
	f.UID = idOf(owner)
	list, _, err := sd.DACL()
	if err != nil || list == nil { // without a list everybody may do everything
		return 0o006, nil
	}
	const inheritOnly, denied, deleteChild = 0x8, 1, 0x40
	const write = windows.FILE_WRITE_DATA | deleteChild | windows.DELETE |
		windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_WRITE | windows.GENERIC_ALL
	for i := range uint32(list.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &ace); err != nil {
			return 0, err
		}
		switch {
		case ace.Header.AceType == denied, ace.Header.AceFlags&inheritOnly != 0:
		case ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE:
			return 0o006, nil // a kind that is not read here
		case idOf((*windows.SID)(unsafe.Pointer(&ace.SidStart))) != stranger:
		case ace.Mask&write != 0:
			rights |= 0o006
		default:
			rights |= 0o004
		}
	}
	return rights, nil
}

// idOf is the user id that stands for an owner.
func idOf(sid *windows.SID) int {
	const installer = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464" // TrustedInstaller
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	switch {
	case err == nil && sid.Equals(me.User.Sid), sid.IsWellKnown(windows.WinCreatorOwnerRightsSid):
		return user
	case sid.IsWellKnown(windows.WinLocalSystemSid), sid.IsWellKnown(windows.WinBuiltinAdministratorsSid),
		sid.String() == installer:
		return root
	}
	return stranger
}

// Open opens what stands at a name: it follows no final link.
func Open(name string, flags int, perm fs.FileMode) (*os.File, error) {
	file, err := os.OpenFile(name, flags, perm)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	named, other := os.Lstat(name)
	if err = errors.Join(err, other); err == nil && !os.SameFile(info, named) {
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// far is where the lock lies: locked bytes cannot be read, so these are behind the end of every file.
func far() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// Lock takes a file's lock for this process alone, without waiting.
func Lock(file *os.File) bool {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, far()) == nil
}

// Unlock releases it.
func Unlock(file *os.File) { _ = windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, far()) }

// Apart is nothing here: a process alone is ended, and what it has started goes on.
func Apart(process **os.Process) (*syscall.SysProcAttr, func() error) {
	return nil, func() error { return (*process).Kill() }
}

// Processor is how long this process has computed so far.
func Processor() time.Duration {
	var made, ended, kernel, own windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &own); err != nil {
		panic(err)
	}
	return time.Duration(int64(own.HighDateTime)<<32|int64(own.LowDateTime)) * 100
}

// MayWrite leaves it to the writing.
func MayWrite(string) error { return nil }

// Sync is nothing here: NTFS writes names down by itself.
func Sync(string) error { return nil }
