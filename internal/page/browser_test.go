//go:build unix

package page_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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
	slow := time.AfterFunc(15*time.Second, func() {
		text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("location + '\\n' + document.body.innerText.slice(0, 2000)"))
		b.Logf("it still does not see %s: %v in\n%s", expression, err, text)
	})
	defer slow.Stop()
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

// press clicks what is there by then: the page draws some of it anew by itself, so that a node may have gone.
func (b browser) press(selectors ...string) {
	b.Helper()
	for _, selector := range selectors {
		b.sees(fmt.Sprintf(`(e => e && setTimeout(() => e.click()) > 0)(document.querySelector(%q))`, selector))
	}
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

// What nod decides appears while it decides; filter, detail and back.
func TestDecisionsAppear(t *testing.T) {
	w := newWorld(t)
	w.logged(300, 24*time.Hour)
	w.serve()
	b := w.browser()
	b.do(chromedp.Navigate(b.link))
	b.sees(`document.querySelector('#rows.windowed a') && document.getElementById('live').textContent === 'live'`)
	if at := value[string](b, `location.pathname`); at != "/" {
		t.Error("the word stands in the address:", at)
	}
	answer := <-w.waits("Bash", map[string]any{"command": "git push --force origin live"})
	if !strings.Contains(answer, `"deny"`) {
		t.Error(answer)
	}
	b.sees(`document.querySelector('#rows .call').textContent === 'git push --force origin live'`)

	b.do(chromedp.SetValue(chromedp.CSS("select[name=verdict]"), "deny"))
	b.do(chromedp.Submit(chromedp.CSS("form[role=search]")))
	b.sees(`location.search.includes('verdict=deny') && document.querySelector('#rows.windowed a')`)
	b.sees(`[...document.querySelectorAll('#rows .said')].every((s) => s.textContent === 'deny')`)
	b.press("#rows a")
	b.sees(`document.querySelector('h1 .said')?.textContent === 'deny' && document.body.innerText.includes('git push --force origin live')`)
}

// A call that waits is answered in the browser, and the hook that waits goes on.
func TestQuestionsAreAnswered(t *testing.T) {
	w := newWorld(t)
	w.logged(40, time.Hour)
	w.serve()
	b := w.browser()
	b.do(chromedp.Navigate(b.link))
	b.sees(`document.getElementById('live').textContent === 'live'`)

	yes := w.waits("Bash", map[string]any{"command": "npm publish --access public"})
	b.sees(`document.getElementById('waiting').textContent === '1' && document.title.startsWith('(1)')`)
	b.do(b.at("/questions"))
	b.press("#queue a")
	b.sees(`document.querySelector('time.left').textContent.startsWith('4:')`)
	b.press("button[value=once]")
	if said := <-yes; !strings.Contains(said, `"allow"`) {
		t.Error("the waiting hook did not go on: ", said)
	}
	no := w.waits("Edit", map[string]any{"file_path": w.shop + "/AGENTS.md", "old_string": "Never push to main.",
		"new_string": "Push."})
	b.sees(`document.querySelector('#queue a')`)
	b.press("#queue a")
	b.sees(`document.querySelector('.diff .del')?.textContent.includes('-Never push to main.')`)
	b.press("button[value=no]")
	if said := <-no; !strings.Contains(said, "a person said no (the page)") {
		t.Error(said)
	}
}

// A yes that lasts shows what else its rule would have let through, and is then the person's rule.
func TestAYesBecomesARule(t *testing.T) {
	w := newWorld(t)
	w.write(w.settings, "allow = [\"go test *\"]\nunknown = \"ask\"\n")
	w.logged(100, time.Hour)
	w.serve()
	b := w.browser()
	b.do(chromedp.Navigate(b.link))
	b.sees(`document.getElementById('live').textContent === 'live'`)
	said := w.waits("Bash", map[string]any{"command": "npm run build -- --watch=false"})
	b.sees(`document.getElementById('waiting').textContent === '1'`)
	b.do(b.at("/questions"))
	b.press("#queue a", "button[value=always]")
	b.sees(`document.body.innerText.includes('it would have let through')`)
	b.press("button[value=always]")
	if answer := <-said; !strings.Contains(answer, `"allow"`) {
		t.Error(answer)
	}
	b.sees(`location.pathname === '/questions'`) // the rule is written after the answer counted
	b.do(b.at("/rules"))
	b.sees(`document.querySelector('.rules').innerText.includes('npm run build')`)
	b.press(".rules tr:last-child a")
	b.do(chromedp.SetValue(chromedp.CSS("#text"), "npm run lint"), chromedp.Click(chromedp.CSS("form.filter button")))
	b.sees(`document.body.innerText.includes('Without "npm run build')`)
	b.press("form.buttons button")
	b.sees(`document.querySelector('.rules')?.innerText.includes('npm run lint')`)
	text, err := os.ReadFile(w.settings)
	if err != nil || string(text) != "allow = [\"go test *\", \"npm run lint\"]\nunknown = \"ask\"\n" {
		t.Errorf("%s %v", text, err)
	}
}

// All of it by keyboard, without a mouse.
func TestKeyboardOnly(t *testing.T) {
	w := newWorld(t)
	w.logged(300, 24*time.Hour)
	w.serve()
	b := w.browser()
	b.do(chromedp.Navigate(b.link))
	b.sees(`document.querySelector('#rows.windowed a') && document.getElementById('live').textContent === 'live'`)
	b.keys("j")
	b.keys("j")
	b.keys("k")
	b.keys("j")
	b.sees(`document.activeElement.closest('li')?.dataset.at === '1'`)
	if ring := value[string](b, `getComputedStyle(document.activeElement).outlineStyle`); ring != "solid" {
		t.Error("the focus is not seen:", ring)
	}
	b.keys(kb.Enter)
	b.sees(`location.pathname.startsWith('/decision/') && document.getElementById('live').textContent === 'live'`)
	b.keys("?")
	b.sees(`document.getElementById('keys').open`)
	b.keys(kb.Escape)
	b.sees(`!document.getElementById('keys').open`)
	b.keys("d")
	b.sees(`document.querySelector('#rows.windowed a')`)
	b.keys("/")
	b.sees(`document.activeElement.id === 'text'`)
	b.keys(kb.Backspace + "push" + kb.Enter) // the driver types the / as well, which a keyboard does not
	b.sees(`location.search === '?text=push' && document.querySelector('#rows.windowed a') &&
		[...document.querySelectorAll('#rows .call')].every((c) => c.textContent.includes('--force'))`)

	said := w.waits("Bash", map[string]any{"command": "npm publish"})
	b.sees(`document.getElementById('waiting').textContent === '1'`)
	b.keys("q")
	b.sees(`document.querySelector('#queue a') && document.getElementById('live').textContent === 'live'`)
	b.keys("j")
	b.sees(`document.activeElement.dataset.id`)
	b.keys(kb.Enter)
	b.sees(`document.activeElement?.value === 'no' && document.getElementById('live').textContent === 'live'`)
	b.keys("y")
	b.sees(`document.getElementById('sure').open && document.activeElement.id === 'sure-yes'`)
	b.keys(kb.Escape)
	b.sees(`!document.getElementById('sure').open && document.getElementById('answer')`)
	b.keys("y")
	b.sees(`document.getElementById('sure').open`)
	b.keys(kb.Enter)
	if answer := <-said; !strings.Contains(answer, `"allow"`) {
		t.Error(answer)
	}
}

// On a phone nothing is wider than the page, dark is dark, and without scripts there is all but what moves.
func TestPhoneDarkAndNoScript(t *testing.T) {
	w := newWorld(t)
	w.logged(300, 21*24*time.Hour)
	w.serve()
	b := w.browser()
	b.do(chromedp.EmulateViewport(360, 740), dark(true), chromedp.Navigate(b.link))
	b.sees(`document.getElementById('live').textContent === 'live'`)
	said := w.waits("Bash", map[string]any{"command": "npm publish " + strings.Repeat("very-long-word", 40)})
	b.sees(`document.getElementById('waiting').textContent === '1'`)
	for _, path := range []string{"/", "/questions", "/charts", "/rules"} {
		b.do(b.at(path))
		if wide := value[float64](b, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("%s is %v wide", path, wide)
		}
		if light := value[string](b, `getComputedStyle(document.body).backgroundColor`); light != "rgb(21, 24, 27)" {
			t.Errorf("%s is not dark: %s", path, light)
		}
	}
	b.do(noScripts(), b.at("/"))
	b.sees(`document.querySelectorAll('#rows a').length === 100 && !document.querySelector('#rows.windowed')`)
	b.do(chromedp.Click(chromedp.CSS("#older a")))
	b.sees(`location.search.includes('before=') && document.querySelectorAll('#rows a').length === 100`)
	b.do(b.at("/questions"))
	b.do(chromedp.Click(chromedp.CSS("#queue a"))) // without a script nothing is drawn anew
	b.do(chromedp.Click(chromedp.CSS("button[value=once]")))
	if answer := <-said; !strings.Contains(answer, `"allow"`) {
		t.Error(answer)
	}
}

func noScripts() chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		off := emulation.SetScriptExecutionDisabledParams{Value: true}
		_, err = cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, off)
		return v, err
	}
}

// A link in a notification, a passkey, and a page without any script that says yes.
func TestALinkIsSigned(t *testing.T) {
	w := newWorld(t)
	w.write(w.settings, "ask = [\"npm publish\"]\n[questions]\npage = \"http://localhost\"\nnotify = [\"/bin/sh\", \"-c\", "+
		"'printf %s \"$NOD_LINK\" >"+w.home+"/part; mv "+w.home+"/part "+w.home+"/told']\n")
	w.serve()
	at, word, _ := strings.Cut(w.link, "/enter/")
	w.link = "http://localhost" + at[strings.LastIndexByte(at, ':'):] + "/enter/" + word
	b := w.browser()
	b.do(authenticator(), chromedp.Navigate(w.link), b.at("/passkeys"))
	b.do(chromedp.SetValue(chromedp.CSS("#make input[name=name]"), "phone"), chromedp.Click(chromedp.CSS("#make button")))
	b.sees(`document.querySelector('.rules td')?.textContent === 'phone'`)

	said := w.waits("Bash", map[string]any{"command": "npm publish"})
	var link []byte
	hang.Until(t, "the notification", func() bool {
		link, _ = os.ReadFile(w.home + "/told")
		return link != nil
	})
	b.do(b.at(strings.TrimPrefix(string(link), "http://localhost")))
	b.sees(`document.scripts.length === 0 && !document.querySelector('button[value=once]')`)
	b.do(chromedp.Click(chromedp.CSS("a.button")), chromedp.Click(chromedp.CSS("#sign button")))
	b.sees(`document.scripts.length === 0 && document.querySelector('button[value=once]')`)
	b.press("button[value=once]")
	if answer := <-said; !strings.Contains(answer, `"allow"`) {
		t.Error(answer)
	}
	if info, err := os.Stat(w.state + "/passkeys.json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

// authenticator puts a passkey's device into the browser.
func authenticator() chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		yes := true
		if _, err = cdp.Call(ctx, t, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return v, err
		}
		_, err = cdp.Call(ctx, t, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{Protocol: "ctap2", Transport: "internal",
				HasResidentKey: yes, HasUserVerification: yes, IsUserVerified: yes, AutomaticPresenceSimulation: yes}})
		return v, err
	}
}

// lines is how long the log of TestManyLines is: go test ./internal/page -run TestManyLines -v -args -lines 1000000
var lines = flag.Int("lines", 20_000, "how many lines TestManyLines has")

// A long log is there at once, and the browser holds what is in sight alone.
func TestManyLines(t *testing.T) {
	w := newWorld(t)
	w.logged(*lines, 90*24*time.Hour)
	began := time.Now()
	w.serve()
	opened := time.Since(began)
	b := w.browser()
	began = time.Now()
	b.do(chromedp.Navigate(b.link))
	b.sees(`document.querySelectorAll('#rows a').length > 20`)
	came := time.Since(began)
	b.sees(`document.querySelector('#rows.windowed a')`)
	b.sees(`performance.getEntriesByName('first-contentful-paint').length`)
	paint := value[float64](b, `performance.getEntriesByName('first-contentful-paint')[0].startTime`)
	most, held := 0.0, 0.0
	for range 60 {
		b.do(chromedp.Evaluate[chromedp.Void](`scrollBy(0, 20000)`))
		b.sees(`[...document.querySelectorAll('#rows li')].some((l) => l.firstChild && l.getBoundingClientRect().top > 0)`)
		most = max(most, value[float64](b, `document.querySelectorAll('#rows li').length`))
		held = value[float64](b, `parseInt(document.getElementById('rows').style.height) / 30`)
	}
	if most > 120 || held < 3000 {
		t.Errorf("%v rows in the page, of %v", most, held)
	}
	ordered := `[...document.querySelectorAll('#rows .when')].map((w) => w.title)`
	times := value[[]string](b, ordered)
	if !slices.IsSortedFunc(times, func(a, b string) int { return strings.Compare(b, a) }) || len(times) < 20 {
		t.Error(times)
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("%d lines: open in %d ms, rows there in %d ms, first paint after %.0f ms, heap %d MB, "+
		"at most %v rows in the page after scrolling over %v", *lines, opened.Milliseconds(), came.Milliseconds(),
		paint, memory.HeapAlloc>>20, most, held)
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
		shot("passkeys-"+look.name, look.width, look.dark, "/passkeys", `document.querySelector('h1')`)
		shot("rules-"+look.name, look.width, look.dark, "/rules", `document.querySelector('.rules')`)
	}
}
