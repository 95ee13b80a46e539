//go:build !linux && !darwin

package agent

import "errors"

func onTerminal(int) bool { return false }

// started does not look here: no host counts as attended.
func started(int) (args []string, parent int, err error) { return nil, 0, errors.ErrUnsupported }
