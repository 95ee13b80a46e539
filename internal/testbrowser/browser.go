// Package testbrowser gives tests a real Chromium.
//
//	b := testbrowser.New(t)
//	b.Do(chromedp.Navigate(address))
//	b.Sees(`document.querySelector('h1')`)
package testbrowser

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/testworld"
)

// Browser is a Chromium that ends with its test.
type Browser struct {
	t   testing.TB
	Ctx context.Context
}

// New starts one. Where there is no Chromium the test is skipped.
func New(t testing.TB) Browser {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), hang.Limit())
	t.Cleanup(stop)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testworld.Needs(t, "chromium")),
		chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Env("HOME="+t.TempDir()))
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := Browser{t, ctx}
	b.Do(chromedp.EmulateViewport(1280, 800))
	b.complaints()
	return b
}

// Do does steps that must succeed.
func (b Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.Ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Value evaluates an expression.
func Value[T any](b Browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Sees waits until an expression of the page is true. The page may change while it waits.
func (b Browser) Sees(expression string) {
	b.t.Helper()
	slow := time.AfterFunc(15*time.Second, func() {
		text, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](
			"location + '\\n' + document.body.innerText.slice(0, 2000)"))
		b.t.Logf("it still does not see %s: %v in\n%s", expression, err, text)
	})
	defer slow.Stop()
	hang.Until(b.t, expression, func() bool {
		is, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		return err == nil && is
	})
}

// complaints fails the test for what the browser complains about: a script that fails, or what the policy forbids.
func (b Browser) complaints() {
	messages := chromedp.Console(b.Ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == "error" || m.Type == "exception" {
				b.t.Errorf("the browser complains: %v", m)
			}
		}
	}()
}

// Press clicks what is there by then: the page draws some of it anew by itself, so that a node may have gone.
func (b Browser) Press(selectors ...string) {
	b.t.Helper()
	for _, selector := range selectors {
		b.Sees(fmt.Sprintf(`(e => e && setTimeout(() => e.click()) > 0)(document.querySelector(%q))`, selector))
	}
}

// Dark has pages prefer dark colours, or light ones.
func Dark(on bool) chromedp.Action[chromedp.Void] {
	scheme := map[bool]string{true: "dark", false: "light"}[on]
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	return func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return v, err
	}
}

// Shot goes to an address and, once an expression is true there, writes a picture of it into a file.
func (b Browser) Shot(file string, width int64, dark bool, address, ready string) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, 800), Dark(dark), chromedp.Navigate(address))
	b.Sees(ready)
	png, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(file, png, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
