package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// ways are the tests whose lines say what a way out met.
const ways = "TestNobodyGetsOut|TestWhatIsPlantedDoesNotStand|TestTheRepositoryStays|TestALinkedWorkingTree|TestAllHasEndedBeforeItIsApplied|TestNothingRunsWithoutTheBoundary|TestNothingOutlivesBubblewrap|TestWhatOfARunStays|TestAsAnOrdinaryUser"

// escapes has real programs try to get out of confinement, and prints what the
// tests say: one implementation of the ways, which the tests own.
func escapes(out, progress io.Writer) error {
	cmd := exec.Command("go", "test", "-count=1", "-v", "-run", "^("+ways+")$",
		"github.com/nodgate/nod/internal/confine")
	cmd.Env, cmd.Stderr = os.Environ(), progress
	said, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	passed, skipped := 0, 0
	for lines := bufio.NewScanner(said); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "=== ") {
			continue
		}
		fmt.Fprintln(out, line)
		passed += strings.Count(line, "--- PASS")
		skipped += strings.Count(line, "--- SKIP")
	}
	if err := cmd.Wait(); err != nil {
		return errFound
	}
	if passed == 0 {
		return fmt.Errorf("nothing was tried: %d tests were skipped", skipped)
	}
	return nil
}
