//go:build unix

package page_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/testworld"
)

// shots is where TestScreenshots puts its pictures: go test ./internal/page -run TestScreenshots -args -shots DIR
var shots = flag.String("shots", "", "a directory for screenshots")

// browser is a real Chromium at the page.
type browser struct {
	*world
	ctx context.Context
}

func (w *world) browser() browser {
	w.Helper()
	ctx := limit(w)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testworld.Needs(w, "chromium")),
		chromedp.UserDataDir(w.TempDir()), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Env("HOME="+w.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	w.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	w.Cleanup(stop)
	b := browser{w, ctx}
	b.do(chromedp.EmulateViewport(1280, 800))
	b.complaints()
	return b
}

func (b browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// value evaluates an expression.
func value[T any](b browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// sees waits until an expression of the page is true. The page may change while it waits.
func (b browser) sees(expression string) {
	b.Helper()
	hang.Until(b, expression, func() bool {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		return err == nil && is
	})
}

// complaints fails the test for what the browser complains about: a script that fails, or what the policy forbids.
func (b browser) complaints() {
	messages := chromedp.Console(b.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == "error" || m.Type == "exception" {
				b.Errorf("the browser complains: %v", m)
			}
		}
	}()
}

func (b browser) at(path string) chromedp.Action[chromedp.Void] {
	origin, _, _ := strings.Cut(b.link, "/enter/")
	return chromedp.Navigate(origin + path)
}

func (b browser) keys(keys string) { b.Helper(); b.do(chromedp.KeyEvent(keys)) }

func dark(on bool) chromedp.Action[chromedp.Void] {
	scheme := map[bool]string{true: "dark", false: "light"}[on]
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	return func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return v, err
	}
}

func TestScreenshots(t *testing.T) {
	if *shots == "" {
		t.Skip("makes pictures where -args -shots DIR says so")
	}
	w := newWorld(t)
	w.logged(1500, 21*24*time.Hour)
	w.serve()
	b := w.browser()
	b.do(chromedp.Navigate(b.link))
	w.waits("Bash", map[string]any{"command": "npm publish --access public"})
	w.waits("Edit", map[string]any{"file_path": w.shop + "/AGENTS.md", "old_string": "Never push to main.",
		"new_string": "Push when the tests pass."})
	w.waits("Write", map[string]any{"file_path": w.shop + "/.claude/settings.json", "content": "{\n  \"hooks\": {}\n}\n"})
	var edit string
	for list := []question.Question(nil); len(list) < 3; {
		list, _ = question.Open(w.state, time.Now())
		for _, q := range list {
			if q.RawTool == "Edit" {
				edit = q.ID
			}
		}
	}
	shot := func(name string, width int64, isDark bool, path, ready string) {
		b.do(chromedp.EmulateViewport(width, 800), dark(isDark), b.at(path))
		b.sees(ready)
		png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.sees(`document.querySelector('#rows.windowed a')`)
	one := value[string](b, `document.querySelector('.said.ask').closest('a').pathname`)
	for _, look := range []struct {
		name  string
		width int64
		dark  bool
	}{{"light", 1280, false}, {"dark", 1280, true}, {"phone", 360, false}} {
		shot("list-"+look.name, look.width, look.dark, "/", `document.querySelector('#rows.windowed a')`)
		shot("detail-"+look.name, look.width, look.dark, one, `document.querySelector('.facts')`)
		shot("queue-"+look.name, look.width, look.dark, "/questions", `document.querySelector('#queue a')`)
		shot("question-"+look.name, look.width, look.dark, "/question/"+edit, `document.querySelector('#answer')`)
		shot("charts-"+look.name, look.width, look.dark, "/charts", `document.querySelectorAll('.uplot').length === 4`)
		shot("rules-"+look.name, look.width, look.dark, "/rules", `document.querySelector('.rules')`)
	}
}
