package confine

import (
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

// system are the directories that hold programs and their settings.
func system() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
		"/snap", "/home/linuxbrew/.linuxbrew"}
}

// toolchains are the directories below home that hold programs. Each is as
// narrow as it can be: logins often lie beside.
func toolchains() []string {
	return []string{
		".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx", ".local/share/mise", ".local/share/rtx",
		".local/share/fnm", ".local/share/virtualenvs", ".local/share/coursier", ".local/pipx", ".cargo/bin",
		".rustup", "go/bin", "sdk", ".pyenv", ".nvm", ".fnm", ".volta/bin", ".volta/tools", ".nodenv", ".n",
		".rbenv", ".rvm", ".asdf", ".sdkman/candidates", ".jenv", ".jdks", ".goenv", ".gvm/gos", ".bun/bin",
		".deno/bin", ".ghcup/bin", ".ghcup/ghc", ".cabal/bin", ".stack/programs", ".dotnet", ".nix-profile",
		".local/state/nix", "miniconda3", "anaconda3", "miniforge3", "mambaforge", ".conda/envs", ".juliaup/bin",
		".julia/juliaup", ".opam", ".elan", ".proto", ".swiftly", "Android/Sdk", ".npm-global", ".yarn/bin",
		".local/share/swiftly",
	}
}

// caches are those of package managers and compilers below home: what is there
// is read, and what a run adds goes to a layer of confine's own.
func caches() []string {
	return []string{
		".cache/go-build", "go/pkg", ".npm", ".cache/pip", ".cache/uv", ".cache/pnpm", ".cache/yarn", ".cache/node",
		".cache/node-gyp", ".cache/ms-playwright", ".cache/puppeteer", ".cache/Cypress", ".cache/electron",
		".cache/golangci-lint", ".cache/pre-commit", ".cache/bazel", ".cache/deno", ".cache/pypoetry",
		".cache/ccache", ".cache/zig", ".cache/coursier", ".local/share/pnpm", ".local/share/pypoetry",
		".cargo/registry", ".cargo/git", ".gradle/caches", ".gradle/wrapper", ".gradle/native", ".m2/repository",
		".m2/wrapper", ".ivy2/cache", ".ivy2/local", ".sbt/boot", ".nuget/packages", ".pub-cache/hosted", ".mix",
		".hex/packages", ".bun/install/cache", ".composer/cache", ".bundle/cache", ".julia/packages",
		".julia/compiled", ".yarn/berry/cache", ".konan", ".android/build-cache",
	}
}

// layout is what a run sees: overlays, and the words that tell bubblewrap about
// them.
type layout struct {
	o      Options
	run    string // this run's directory
	kept   string // the directory of the caches' layers
	plan   stage.Plan
	mounts []string // where file systems are mounted
	stores []shown  // that are there
	sheets []*sheet // over the caches
	places []place
	hidden []string // names of the workspace that are not there
	upper  string   // what the run writes into the workspace
}

// place is one thing that bubblewrap puts somewhere.
type place struct {
	at    string
	words []string
}

// lay makes the layers. kept is a directory that no other run uses meanwhile.
func lay(o Options, run, kept string) (*layout, error) {
	l := &layout{o: o, run: run, kept: kept, stores: present(o.Stores), plan: stage.Plan{Dir: layers(o.Cache)}}
	err := errors.Join(l.ground(), l.storesOfPackages(), l.programs(), l.sewn(), l.workspace(), l.repository(),
		l.footing())
	slices.SortStableFunc(l.places, func(a, b place) int { return strings.Count(a.at, "/") - strings.Count(b.at, "/") })
	return l, err
}

func (l *layout) put(at string, words ...string) {
	l.places = append(l.places, place{filepath.Clean(at), words})
}

// ground is what is there on every machine.
func (l *layout) ground() error {
	for _, dir := range system() {
		to, err := os.Readlink(dir)
		switch {
		case err == nil:
			l.put(dir, "--symlink", to, dir)
		case isDir(dir):
			err = l.read(dir)
		default:
			err = nil
		}
		if err != nil {
			return err
		}
	}
	// Without /sys/fs/cgroup: Java takes the one of another namespace for its own, and fails.
	l.put("/sys/devices/system", "--ro-bind-try", "/sys/devices/system", "/sys/devices/system")
	l.put("/run", "--dir", "/run")
	l.put("/var/tmp", "--symlink", "/tmp", "/var/tmp")
	l.put("/proc", "--proc", "/proc")
	if os.Getuid() == 0 { // may write there, of whatever namespace
		for _, name := range []string{"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/mtrr",
			"/proc/scsi", "/proc/driver"} {
			l.put(name, "--ro-bind-try", name, name)
		}
	}
	l.put("/dev", "--dev", "/dev")
	l.put(l.o.Home, "--size", strconv.FormatUint(l.o.Memory/4, 10), "--tmpfs", l.o.Home)
	return errors.Join(l.own("/tmp", filepath.Join(l.run, "tmp")),
		l.own(filepath.Join(l.o.Home, ".cache"), filepath.Join(l.kept, "cache")))
}

// footing makes the directories on which bubblewrap mounts below the cache that
// stays. An earlier run may have put a link there, which bubblewrap would follow,
// to the file system outside as well.
func (l *layout) footing() (err error) {
	cache := filepath.Join(l.o.Home, ".cache")
	for _, p := range l.places {
		if within(cache, p.at) {
			err = errors.Join(err, plain(filepath.Join(l.kept, "cache"), below(cache, p.at),
				func(string, string) error { return nil }))
		}
	}
	return err
}

// own puts a directory of confine's own somewhere, to be written.
func (l *layout) own(at, dir string) error {
	if at == "/" || at == "" {
		return errors.New("the home directory is not known")
	}
	l.put(at, "--bind", dir, at)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700) // an earlier run may have changed it
}

// programs are toolchains, and where PATH leads.
func (l *layout) programs() error {
	var dirs []string
	for _, below := range toolchains() {
		dirs = append(dirs, filepath.Join(l.o.Home, below))
	}
	dirs = append(dirs, l.namedBy(toolchainVariables())...)
	for _, dir := range filepath.SplitList(variable(l.o.Environ, "PATH")) {
		dirs = append(dirs, l.ofPrograms(filepath.Clean(dir))...)
	}
	for _, dir := range dirs {
		if l.takes(dir) && isDir(dir) {
			if err := l.read(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// takes reports whether a directory of programs is narrow enough to be shown,
// and not there yet. What holds home, or a whole project of another's, is not.
func (l *layout) takes(dir string) bool {
	dir = filepath.Clean(dir)
	if !filepath.IsAbs(dir) || l.secret(dir) ||
		within(dir, l.o.Home) || within(dir, l.o.Root) || within(l.o.Root, dir) ||
		strings.Count(dir, "/") < 2 && dir != "/opt" {
		return false
	}
	for _, hidden := range []string{"/tmp", "/proc", "/sys", "/dev", "/run", "/var/run",
		filepath.Join(l.o.Home, ".cache"), filepath.Join(l.o.Home, ".config"), l.o.Cache} {
		if dir == hidden || hidden != "/tmp" && within(hidden, dir) {
			return false
		}
	}
	for _, name := range []string{".local", ".local/share", ".ssh", ".aws", ".gnupg", ".config"} {
		if dir == filepath.Join(l.o.Home, name) {
			return false
		}
	}
	return !slices.ContainsFunc(l.places, func(p place) bool {
		return p.at == dir || len(p.words) == 3 && p.words[0] == "--ro-bind" && within(p.at, dir)
	})
}

// storesOfPackages are the caches, with a layer of confine's own over each.
func (l *layout) storesOfPackages() error {
	var dirs []string
	for _, below := range caches() {
		dirs = append(dirs, filepath.Join(l.o.Home, below))
	}
	dirs = append(dirs, l.namedBy(cacheVariables())...)
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) || !l.takesCache(dir) {
			continue
		}
		if err := l.write(dir); err != nil {
			return err
		}
	}
	return nil
}

// naming is a variable of the environment that names a directory: below says which part
// of it is meant, and one of holds lies in it where it is what the variable says. A
// variable alone opens nothing: GOCACHE=$HOME/.ssh is no cache.
type naming struct {
	name, below string
	holds       []string
}

func toolchainVariables() []naming {
	return []naming{
		{"GOROOT", "", []string{"bin/go"}}, {"JAVA_HOME", "", []string{"bin/java"}},
		{"RUSTUP_HOME", "", []string{"toolchains"}}, {"PYENV_ROOT", "", []string{"versions"}},
		{"NVM_DIR", "", []string{"versions"}}, {"VIRTUAL_ENV", "", []string{"pyvenv.cfg"}},
		{"CONDA_PREFIX", "", []string{"conda-meta"}}, {"DOTNET_ROOT", "", []string{"dotnet"}},
		{"ANDROID_HOME", "", []string{"platforms", "platform-tools", "build-tools"}},
	}
}

func cacheVariables() []naming {
	return []naming{
		{"GOCACHE", "", []string{"00", "trim.txt"}}, {"GOMODCACHE", "", []string{"cache/download", "cache/lock"}},
		{"npm_config_cache", "", []string{"_cacache"}}, {"GOPATH", "pkg", []string{"mod", "sumdb"}},
		{"CARGO_HOME", "registry", []string{"index", "cache", "src"}},
		{"CARGO_HOME", "git", []string{"db", "checkouts"}},
	}
}

// namedBy are the directories that variables name and that are what the variables say,
// but for those in which a secret lies.
func (l *layout) namedBy(variables []naming) (dirs []string) {
	for _, v := range variables {
		dir := filepath.Join(variable(l.o.Environ, v.name), v.below)
		sign := slices.ContainsFunc(v.holds, func(name string) bool { return exists(filepath.Join(dir, name)) })
		if _, plain := l.plain(dir); sign && plain && filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// maxPrograms bounds how many names of a directory of PATH are looked at.
const maxPrograms = 4096

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
			if info, err := os.Lstat(at); err == nil && info.IsDir() {
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

func (l *layout) takesCache(dir string) bool {
	return filepath.IsAbs(dir) && strings.Count(dir, "/") > 1 && isDir(dir) &&
		!l.secret(dir) && !within(dir, l.o.Home) &&
		!within(dir, l.o.Root) && !within(l.o.Root, dir) && !within(l.o.Cache, dir) && !within(dir, l.o.Cache)
}

// workspace lays a new layer over the workspace, and a mask below it.
func (l *layout) workspace() error {
	if at := l.mountedBelow(l.o.Root); at != "" {
		return fmt.Errorf("%s is mounted inside the workspace, which no overlay shows", at)
	}
	mask, err := l.newMask(l.o.Root, len(l.plan.Overlays))
	if err != nil {
		return err
	}
	m := masker{root: l.o.Root, mask: mask, hidden: l.o.Hidden}
	if err := m.walk(); err != nil {
		return err
	}
	if err := m.otherNames(l.stores); err != nil {
		return err
	}
	l.hidden, l.upper = m.names, filepath.Join(l.run, workspaceLayer)
	return l.over(l.o.Root, l.upper, mask)
}

// hides reports whether the run did not see a path of the workspace.
func (l *layout) hides(path string) bool {
	return l.o.Hidden != nil && l.o.Hidden(path) ||
		within(l.o.Root, path) && slices.Contains(l.hidden, below(l.o.Root, path))
}

// repository shows the repository of a linked working tree, to be read.
func (l *layout) repository() error {
	dir, ok := gitDirectory(l.o.Root)
	if !ok || within(l.o.Root, dir) || filepath.Base(dir) != ".git" && !strings.HasSuffix(dir, ".git") ||
		within(dir, l.o.Home) {
		return nil
	}
	mask, err := l.newMask(dir, len(l.plan.Overlays))
	if err == nil {
		err = (&masker{root: dir, mask: mask}).git(dir, ".")
	}
	if err != nil {
		return err
	}
	l.mount("--ro-bind", dir, "lowerdir="+escape(mask)+":"+escape(dir))
	return nil
}

// gitDirectory is where the repository of a linked working tree lies.
func gitDirectory(root string) (dir string, ok bool) {
	text, err := os.ReadFile(filepath.Join(root, ".git"))
	if err != nil {
		return "", false
	}
	dir, ok = strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	common, err := os.ReadFile(filepath.Join(dir, "commondir"))
	if err != nil {
		return "", false
	}
	dir, err = filepath.EvalSymlinks(filepath.Join(dir, strings.TrimSpace(string(common))))
	return dir, err == nil
}

// read shows a directory through an overlay that nobody can write. An overlay
// that nobody can write has two layers at least.
func (l *layout) read(dir string) error {
	mask, err := l.mask(len(l.plan.Overlays), dir, shown{dir, dir})
	switch {
	case err != nil:
		return err
	case mask == "":
		l.mount("--ro-bind", dir, "lowerdir="+escape(dir)+":"+escape(l.plan.Empty()))
	default:
		l.mount("--ro-bind", dir, "lowerdir="+escape(mask)+":"+escape(dir))
	}
	return nil
}

// over shows a directory with a layer to be written.
func (l *layout) over(dir, upper, mask string) error {
	err := os.Mkdir(upper, 0o700)
	if err == nil {
		err = copyMode(dir, upper)
	}
	written, writeErr := l.written(upper, len(l.plan.Overlays))
	l.mount("--bind", dir, "lowerdir="+escape(mask)+":"+escape(dir)+written)
	return errors.Join(err, writeErr)
}

// written are the options for a layer to be written. It is mounted as volatile:
// the kernel would else bring all of the disk up to date when the run ends. What
// is lost when the machine fails is what a program that does not sync would lose.
func (l *layout) written(upper string, number int) (options string, err error) {
	work := filepath.Join(l.run, "work"+strconv.Itoa(number))
	return ",upperdir=" + escape(upper) + ",workdir=" + escape(work) + ",volatile", os.Mkdir(work, 0o700)
}

// mount puts an overlay where a directory is.
func (l *layout) mount(how, dir, options string) {
	at := l.plan.At(len(l.plan.Overlays))
	l.plan.Overlays = append(l.plan.Overlays, options)
	l.put(dir, how, at, dir)
}

// newMask is an empty layer for a directory, over which the overlay of that
// number is.
func (l *layout) newMask(dir string, number int) (string, error) {
	mask := filepath.Join(l.run, "mask"+strconv.Itoa(number))
	return mask, errors.Join(os.Mkdir(mask, 0o700), copyMode(dir, mask))
}

// whiteout makes a name below dir not be there. It is not there already where a
// directory above it is not.
func whiteout(dir, mask, name string) error {
	err := parents(dir, mask, name)
	if err == nil {
		err = unix.Mknod(filepath.Join(mask, name), syscall.S_IFCHR, 0)
	}
	if errors.Is(err, os.ErrExist) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	return os.NewSyscallError("whiteout", err)
}

// plain makes each part of a name below a directory a directory, and no link to
// one. made is called with each that was made, below dir and with dir before it.
func plain(dir, name string, made func(below, at string) error) error {
	for i := 1; i <= len(name); i++ {
		if name == "." || i < len(name) && name[i] != '/' {
			continue
		}
		at := filepath.Join(dir, name[:i])
		info, err := os.Lstat(at)
		if err == nil && info.IsDir() {
			if err := os.Chmod(at, info.Mode().Perm()|0o700); err != nil {
				return err
			}
			continue
		}
		if err := errors.Join(os.RemoveAll(at), os.Mkdir(at, 0o700), made(name[:i], at)); err != nil {
			return err
		}
	}
	return nil
}

// parents makes the directories above a name in a layer, as they are below dir.
func parents(dir, layer, name string) error {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if err := os.Mkdir(filepath.Join(layer, name[:i]), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		if err := copyMode(filepath.Join(dir, name[:i]), filepath.Join(layer, name[:i])); err != nil {
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
	if err := os.Chmod(to, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// escape is a path as an option of a mount.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `:`, `\:`, `,`, `\,`).Replace(path)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
