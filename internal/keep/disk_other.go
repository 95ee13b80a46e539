//go:build !unix

package keep

import "os"

const noWait = 0

func private(dir string) error { return os.MkdirAll(dir, 0o700) }

func syncDir(string) error { return nil }

func lock(string) (unlock func(), err error) { return func() {}, nil }
