package ancestry

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Above asks ps upwards from the parent. What was read before an error is returned with it.
func Above() ([]Process, error) {
	var list []Process
	for pid := os.Getppid(); pid > 0 && len(list) < 1000; {
		out, err := exec.Command("/bin/ps", "-ww", "-o", "ppid=,args=", "-p", strconv.Itoa(pid)).Output()
		words := strings.Fields(string(out))
		if err != nil || len(words) < 2 {
			return list, fmt.Errorf("ps does not show process %d: %w", pid, err)
		}
		list = append(list, Process{PID: pid, Name: strings.Trim(words[1], "[]"), Exe: words[1], Args: words[1:]})
		if pid, err = strconv.Atoi(words[0]); err != nil {
			return list, err
		}
	}
	return list, nil
}
