package harm

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
)

// Wipes reports whether an effect takes a disk, the home directory or the system along. What only adds to
// those, or takes what tests pick out, is for a model to judge; removing the name of a device is no loss.
func (l *Loss) Wipes(e shell.Effect) bool {
	switch e.Kind {
	case shell.Exhaust:
		return true
	case shell.Delete, shell.Write:
		if e.Kind == shell.Delete && e.Recursive && e.Picked == "" && strings.TrimSuffix(e.Target, "/") == "/dev" {
			return true
		}
		if e.Place == shell.Device {
			return isDisk(e.Target) && (e.Kind == shell.Write || e.Recursive)
		}
		whole := e.Recursive && e.Picked == "" && (!e.Moved || discards(l.Report, e)) &&
			(e.Kind == shell.Delete || l.Report.By(e, shell.ChangesStatus) || l.Report.By(e, shell.Empties))
		return whole && (e.Place == shell.HomeDir || e.Place == shell.System && topLevel(e.Target))
	case shell.Remote:
		return e.Forced && e.Recursive // the history of every branch
	}
	return false
}

// discards reports whether a command moves what it moves to nowhere.
func discards(r *shell.Report, e shell.Effect) bool {
	return slices.ContainsFunc(r.Effects, func(o shell.Effect) bool {
		return o.Command == e.Command && o.Kind == shell.Write && o.Place == shell.Null
	})
}

// isDisk reports whether a device file is a whole disk or a partition.
func isDisk(target string) bool {
	name, ok := strings.CutPrefix(target, "/dev/")
	return ok && slices.ContainsFunc([]string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-",
		"mapper/", "loop", "nbd"}, func(kind string) bool { return strings.HasPrefix(name, kind) && name != kind })
}

// topLevel reports whether target is / or one of the system's own top-level directories.
func topLevel(target string) bool {
	parts := paths.Fold(target)
	if len(parts) > 1 {
		return parts[0] == "private" && len(parts) == 2 || parts[0] == "usr" && len(parts) == 2 && parts[1] != "local"
	}
	if len(parts) == 0 {
		return true
	}
	return listed("top", parts[0])
}
