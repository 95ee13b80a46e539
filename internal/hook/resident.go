package hook

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/resident"
)

// askDaemon asks the resident process. answered is false where it gave no
// answer to this very call, for whatever reason: then nod classify is asked.
// Where none listens, one is started for the next time.
func (c classifier) askDaemon(ctx context.Context, digest string,
	request []byte) (said nod.Classification, err error, answered bool) {
	stamp, err := resident.Stamp(c.program, c.places.User, c.places.Managed, c.places.State)
	if err != nil {
		return said, nil, false
	}
	line, err := resident.Ask(ctx, c.places.State, stamp, request)
	if errors.Is(err, resident.ErrNone) {
		c.startDaemon()
	}
	if err != nil {
		return said, nil, false
	}
	answer, err := classify.DecodeAnswer(line)
	if err != nil || answer.Digest != digest {
		return said, nil, false
	}
	said, err = answer.Open(digest)
	said.Notices = answer.Notices
	return said, err, err == nil || isModels(answer, err)
}

// isModels reports whether an answer's failure is one of the model or the
// settings, which nod classify would meet too.
func isModels(a classify.Answer, err error) bool {
	if a.Error == nil || a.Classification != nil || a.Version != classify.Version {
		return false
	}
	kind := fault.Of(err).Kind
	return kind != fault.NoKey && kind != fault.Internal
}

// startAgain is how long a start of a daemon counts as under way.
const startAgain = 10 * time.Second

// startDaemon starts a daemon and does not wait for it. Whatever goes wrong,
// nod classify is there. Of many hooks at once one starts it.
func (c classifier) startDaemon() {
	mark := filepath.Join(c.places.State, "daemon.start")
	if info, err := os.Lstat(mark); err == nil && time.Since(info.ModTime()).Abs() < startAgain {
		return
	}
	if resident.CheckPlace(c.places.State) != nil || os.WriteFile(mark, nil, 0o600) != nil ||
		os.Chtimes(mark, time.Time{}, time.Now()) != nil {
		return
	}
	closeOnExec()
	cmd := exec.Command(c.program, "daemon", "--settings", c.places.User, "--managed", c.places.Managed, "--state",
		c.places.State)
	cmd.Env = []string{"HOME=" + c.places.Home, "PATH=/usr/bin:/bin"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}

// closeOnExec keeps what this process inherited, beside its standard streams,
// from one that outlives it: a host may wait until a pipe is closed.
func closeOnExec() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
