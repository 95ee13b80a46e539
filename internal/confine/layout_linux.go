package confine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nodgate/nod/internal/confine/stage"
)

// layout is what a run sees: overlays, and the words that tell bubblewrap about them.
type layout struct {
	o      Options
	run    string // this run's directory
	kept   string // the directory of the caches' layers
	plan   stage.Plan
	mounts []string               // where file systems are mounted
	stores []shown                // that are there
	absent func(name string) bool // of names below home
	sheets []*sheet
	places []place
	hidden []string // names of the workspace that are not there
	upper  string   // what the run writes into the workspace
}

// place is one thing that bubblewrap puts somewhere.
type place struct {
	at    string
	words []string
}

// sheet is an overlay over a whole directory; a run sees some parts of it. To make, mount and remove a writable
// overlay takes about two milliseconds, so everything in the home directory shares one sheet.
type sheet struct {
	top         string
	mask, upper string   // layers of what is hidden, if the mask is there, and of what is written; "" for no layer
	secrets     []string // names below it that are not there
}

type shown struct{ name, real string } // a directory that a run sees, by its name and by its real path

// How a directory is shown.
const (
	toRead  = "--ro-bind"
	toWrite = "--bind"
)

// lay makes the layers. kept is a directory that no other run uses meanwhile.
func lay(o Options, run, kept string) (*layout, error) {
	l := &layout{o: o, run: run, kept: kept, mounts: mounts(), absent: absentFrom(o.Home),
		plan: stage.Plan{Dir: layers(o.Cache)}}
	for _, name := range o.Stores { // once: there are hundreds, and many directories that one may lie in
		if !l.absent(name) && exists(name) {
			real, _ := filepath.EvalSymlinks(name) // "" for a link that leads nowhere
			l.stores = append(l.stores, shown{name, real})
		}
	}
	for _, step := range []func() error{l.ground, l.caches, l.programs, l.finish, l.workspace, l.repository,
		l.footing} {
		if err := step(); err != nil {
			return l, err
		}
	}
	slices.SortStableFunc(l.places, func(a, b place) int { return strings.Count(a.at, "/") - strings.Count(b.at, "/") })
	return l, nil
}

func (l *layout) put(at string, words ...string) {
	l.places = append(l.places, place{filepath.Clean(at), words})
}

// ground is what is there on every machine.
func (l *layout) ground() error {
	for _, dir := range names("system") {
		if to, err := os.Readlink(dir); err == nil {
			l.put(dir, "--symlink", to, dir)
		} else if isDir(dir) {
			if err := l.show(toRead, dir); err != nil {
				return err
			}
		}
	}
	// Without /sys/fs/cgroup: Java takes the cgroup of another namespace for its own, and fails.
	l.put("/sys/devices/system", "--ro-bind-try", "/sys/devices/system", "/sys/devices/system")
	l.put("/run", "--dir", "/run")
	l.put("/var/tmp", "--symlink", "/tmp", "/var/tmp")
	l.put("/proc", "--proc", "/proc")
	if os.Getuid() == 0 { // may write there in any namespace
		for _, name := range []string{"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/mtrr",
			"/proc/scsi", "/proc/driver"} {
			l.put(name, "--ro-bind-try", name, name)
		}
	}
	l.put("/dev", "--dev", "/dev")
	l.put(l.o.Home, "--size", strconv.FormatUint(maxMemory()/4, 10), "--tmpfs", l.o.Home)
	return errors.Join(l.own("/tmp", filepath.Join(l.run, "tmp")),
		l.own(filepath.Join(l.o.Home, ".cache"), filepath.Join(l.kept, "cache")))
}

// own puts a directory of confine's own somewhere, to be written.
func (l *layout) own(at, dir string) error {
	l.put(at, toWrite, dir, at)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700) // an earlier run may have changed it
}

// footing makes the directories on which bubblewrap mounts below the cache that stays. An earlier run may have put a
// link there, which bubblewrap would follow, to the file system outside as well.
func (l *layout) footing() (err error) {
	cache := filepath.Join(l.o.Home, ".cache")
	for _, p := range l.places {
		if within(cache, p.at) {
			err = errors.Join(err, directories(filepath.Join(l.kept, "cache"), below(cache, p.at), "", true))
		}
	}
	return err
}

// caches are those of package managers, with a layer of confine's own over each.
func (l *layout) caches() error {
	dirs := slices.Concat(l.inHome(names("caches")), l.namedBy(names("named caches")))
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) || l.absent(dir) || !isDir(dir) || !l.fits(dir) {
			continue
		}
		if err := l.show(toWrite, dir); err != nil {
			return err
		}
	}
	return nil
}

// programs are toolchains, and where PATH leads.
func (l *layout) programs() error {
	err := l.read(slices.Concat(l.inHome(names("toolchains")), l.namedBy(names("named toolchains"))))
	for _, dir := range filepath.SplitList(Variable(l.o.Environ, "PATH")) {
		if dir = filepath.Clean(dir); filepath.IsAbs(dir) && !l.isShown(dir) { // to list one costs more than all else
			err = errors.Join(err, l.read(l.ofPrograms(dir)))
		}
	}
	return err
}

func (l *layout) read(dirs []string) error {
	for _, dir := range dirs {
		if !l.absent(dir) && isDir(dir) && !l.isShown(dir) && l.fits(dir) && l.isNarrow(dir) {
			if err := l.show(toRead, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *layout) inHome(below []string) (dirs []string) {
	for _, name := range below {
		dirs = append(dirs, filepath.Join(l.o.Home, name))
	}
	return dirs
}

// isShown reports whether a directory is there already, or a part of what is there to be read.
func (l *layout) isShown(dir string) bool {
	return slices.ContainsFunc(l.places, func(p place) bool {
		return p.at == dir || p.words[0] == toRead && within(p.at, dir)
	})
}

// fits reports whether a directory may be shown: it holds neither home nor the
// workspace nor what is nod's, and is no secret.
func (l *layout) fits(dir string) bool {
	return filepath.IsAbs(dir) && strings.Count(dir, "/") > 1 && !within(dir, l.o.Home) && !within(dir, l.o.Root) &&
		!within(l.o.Root, dir) && !within(dir, l.o.Cache) && !within(l.o.Cache, dir) && !l.secret(dir)
}

// isNarrow reports whether a directory of programs is not one of all sorts of things.
func (l *layout) isNarrow(dir string) bool {
	wide := append(l.inHome([]string{".cache", ".config"}), "/proc", "/sys", "/dev", "/run", "/var/run")
	return !slices.ContainsFunc(wide, func(wide string) bool { return within(wide, dir) }) &&
		!slices.Contains(append(l.inHome([]string{".local", ".local/share", ".ssh", ".aws", ".gnupg"}), "/tmp"), dir)
}

// namedBy are the directories that variables name and that are what the variables say, but for those in which a secret
// lies.
func (l *layout) namedBy(variables []string) (dirs []string) {
	for _, row := range variables {
		at, holds, _ := strings.Cut(row, "=")
		name, below, _ := strings.Cut(at, "/")
		value := Variable(l.o.Environ, name)
		dir := filepath.Join(value, below)
		holding := func(name string) bool { return exists(filepath.Join(dir, name)) }
		if filepath.IsAbs(value) && slices.ContainsFunc(strings.Split(holds, ","), holding) {
			if _, plain := l.plain(dir); plain {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

const maxPrograms = 4096 // bounds how many names of a directory of PATH are looked at

// ofPrograms are a directory of PATH, if it holds a program and no secret, and those
// beside it in which programs keep what they load.
func (l *layout) ofPrograms(dir string) (dirs []string) {
	names, plain := l.plain(dir)
	if !plain || !slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	}) {
		return nil
	}
	if above := filepath.Dir(dir); filepath.Base(dir) == "bin" && above != l.o.Home {
		for _, beside := range []string{"lib", "lib64", "libexec", "share", "include", "pkg"} {
			at := filepath.Join(above, beside)
			if info, err := os.Lstat(at); err == nil && info.IsDir() && !l.isShown(at) {
				if _, plain := l.plain(at); plain {
					dirs = append(dirs, at)
				}
			}
		}
	}
	return append(dirs, dir)
}

// plain reports whether a directory can be listed and no secret lies right in it.
func (l *layout) plain(dir string) (names []string, plain bool) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	names, _ = f.Readdirnames(maxPrograms)
	return names, !slices.ContainsFunc(names, func(name string) bool { return l.secret(filepath.Join(dir, name)) })
}

func (l *layout) secret(name string) bool { return l.o.Hidden != nil && l.o.Hidden(name) }

// show shows a directory through an overlay, to be read, or to be written with a layer that stays for
// the next run. A directory with secrets in it has an overlay of its own. A directory that holds the
// home, as /opt may, is not shown: what is needed of it is shown by itself.
func (l *layout) show(how, dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	top, secrets := real, l.secretsIn(shown{dir, real})
	if len(secrets) > 0 && within(real, l.run) {
		return nil // the home lies in it, and no layer of an overlay may lie in another
	}
	if within(l.o.Home, real) && len(secrets) == 0 && l.mountedBelow(l.o.Home) == "" {
		top = l.o.Home
	}
	i := slices.IndexFunc(l.sheets, func(s *sheet) bool { return s.top == top })
	if i < 0 {
		i = l.add(&sheet{top: top, secrets: secrets})
	}
	if how == toWrite { // the run's layer has its directories
		l.sheets[i].upper = filepath.Join(l.kept, "layer-"+short(top))
		err = directories(l.sheets[i].upper, below(top, real), top, true)
	}
	l.put(dir, how, filepath.Join(l.plan.At(i), below(top, real)), dir)
	return err
}

// secretsIn are the stores that lie in a directory, below it: by their own names, and by where a link leads.
func (l *layout) secretsIn(dir shown) (names []string) {
	for _, store := range l.stores {
		for _, row := range [][2]string{{store.name, dir.name}, {store.real, dir.real}} {
			at, in := row[0], row[1]
			if within(in, at) && at != in && !slices.Contains(names, below(in, at)) {
				names = append(names, below(in, at))
			}
		}
	}
	return names
}

// add puts a sheet on the list and returns its number.
func (l *layout) add(s *sheet) int {
	l.sheets = append(l.sheets, s)
	return len(l.sheets) - 1
}

// short is a name for a directory.
func short(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}

// finish takes the secrets out of what is shown so far.
func (l *layout) finish() error {
	for _, s := range l.sheets {
		// The mask stays for the next run: to make its files takes the disk far longer than to look them up.
		s.mask = filepath.Join(l.kept, "mask-"+short(s.top+"\n"+strings.Join(s.secrets, "\n")))
		for _, name := range s.secrets {
			if err := whiteout(s.top, s.mask, name); err != nil {
				return err
			}
		}
		if err := l.overlay(s); err != nil {
			return err
		}
	}
	return nil
}

// overlay is a sheet as the kernel takes it. A read-only overlay has two layers at least. A writable overlay is mounted
// as volatile: otherwise the kernel would write all of the disk out when the run ends. If the machine fails, it loses
// what a program that does not sync would lose.
func (l *layout) overlay(s *sheet) (err error) {
	options := "lowerdir="
	_, unmasked := os.Lstat(s.mask)
	masked := !errors.Is(unmasked, os.ErrNotExist)
	if masked {
		err = copyMode(s.top, s.mask)
		options += escape(s.mask) + ":"
	}
	options += escape(s.top)
	switch {
	case s.upper != "":
		work := filepath.Join(l.run, "work-"+filepath.Base(s.upper))
		err = errors.Join(err, os.MkdirAll(work, 0o700))
		options += ",upperdir=" + escape(s.upper) + ",workdir=" + escape(work) + ",volatile"
	case !masked:
		options += ":" + escape(l.plan.Empty())
	}
	l.plan.Overlays = append(l.plan.Overlays, options)
	return err
}

// workspace lays a new layer over the workspace, and a mask below it.
func (l *layout) workspace() error {
	if at := l.mountedBelow(l.o.Root); at != "" {
		return fmt.Errorf("%s is mounted inside the workspace, which no overlay shows", at)
	}
	l.upper = filepath.Join(l.run, workspaceLayer)
	s := &sheet{top: l.o.Root, upper: l.upper, mask: filepath.Join(l.run, "mask")}
	i := l.add(s)
	m := masker{root: l.o.Root, mask: s.mask, hidden: l.o.Hidden}
	if err := m.walk(l.stores); err != nil {
		return err
	}
	l.hidden = m.names
	l.put(l.o.Root, toWrite, l.plan.At(i), l.o.Root)
	return errors.Join(copyMode(l.o.Root, l.upper), l.overlay(s))
}

// hides reports whether the run did not see a path of the workspace.
func (l *layout) hides(path string) bool {
	return l.secret(path) || within(l.o.Root, path) && slices.Contains(l.hidden, below(l.o.Root, path))
}

// repository shows the repository of a linked working tree, to be read.
func (l *layout) repository() error {
	dir := l.o.Repository
	if dir == "" || within(l.o.Root, dir) || !strings.HasSuffix(dir, ".git") || within(dir, l.o.Home) {
		return nil
	}
	s := &sheet{top: dir, mask: filepath.Join(l.run, "repository")}
	i := l.add(s)
	l.put(dir, toRead, l.plan.At(i), dir)
	return errors.Join((&masker{root: dir, mask: s.mask}).git("."), l.overlay(s))
}

// mountedBelow is what is mounted below a directory, "" where nothing is. The
// kernel gives nobody an overlay over such a directory: what lies below the mount
// would be seen. Where the kernel does not say what is mounted, something may be.
func (l *layout) mountedBelow(dir string) string {
	i := slices.IndexFunc(l.mounts, func(m string) bool { return m == anywhere || m != dir && within(dir, m) })
	if i < 0 {
		return ""
	}
	return l.mounts[i]
}

// anywhere stands for mounts whose places are not known.
const anywhere = "something unknown (/proc/self/mountinfo cannot be read)"

// mounts is where file systems are mounted. The kernel writes blanks in names as octal numbers.
func mounts() (all []string) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return []string{anywhere}
	}
	plain := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			all = append(all, plain.Replace(fields[4]))
		}
	}
	return all
}

// whiteout makes a name below dir not be there. It is not there already where a directory above it is not. What else
// lies at the name in a mask that stayed makes way.
func whiteout(dir, mask, name string) error {
	err, at := directories(mask, filepath.Dir(name), dir, false), filepath.Join(mask, name)
	if err == nil {
		err = unix.Mknod(at, syscall.S_IFCHR, 0)
	}
	if info, there := os.Lstat(at); errors.Is(err, os.ErrExist) && there == nil && !gone(info) {
		err = errors.Join(os.RemoveAll(at), unix.Mknod(at, syscall.S_IFCHR, 0))
	}
	if errors.Is(err, os.ErrExist) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	return os.NewSyscallError("whiteout", err)
}

// directories makes the directories of a name in a layer, as they are below the directory that the layer is for:
// those above what is written may be another user's, and the kernel cannot copy that. Anything else in such a place,
// as a link that an earlier run put there, is an error, or makes way for a directory.
func directories(layer, name, as string, makesWay bool) error {
	if err := os.MkdirAll(layer, 0o700); err != nil {
		return err
	}
	for i := range len(name) + 1 {
		if name == "." || i == 0 || i < len(name) && name[i] != '/' {
			continue
		}
		at := filepath.Join(layer, name[:i])
		info, err := os.Lstat(at)
		switch {
		case err == nil && info.IsDir():
			err = os.Chmod(at, info.Mode().Perm()|0o700)
		case err == nil && !makesWay:
			err = unix.ENOTDIR
		default:
			if err = errors.Join(os.RemoveAll(at), os.Mkdir(at, 0o700)); err == nil && as != "" {
				err = copyMode(filepath.Join(as, name[:i]), at)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyMode(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return errors.Join(os.Chmod(to, info.Mode().Perm()|0o700), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// escape is a path as an option of a mount.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `:`, `\:`, `,`, `\,`).Replace(path)
}

// below is a path without the directory that it lies in, "." where it is it.
func below(dir, path string) string {
	if dir == path {
		return "."
	}
	return path[len(strings.TrimSuffix(dir, "/"))+1:]
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
