//go:build unix

package page_test

import (
	"context"
	"flag"
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
	"github.com/nodgate/nod/internal/testbrowser"
)

// shots is where TestScreenshots puts its pictures: go test ./internal/page -run TestScreenshots -args -shots DIR
var shots = flag.String("shots", "", "a directory for screenshots")

// browser is a real Chromium at the page.
type browser struct {
	testbrowser.Browser
	*world
}

func (w *world) browser() browser { w.Helper(); return browser{testbrowser.New(w), w} }

func (b browser) at(path string) chromedp.Action[chromedp.Void] {
	origin, _, _ := strings.Cut(b.link, "/enter/")
	return chromedp.Navigate(origin + path)
}

func (b browser) keys(keys string) { b.Helper(); b.Do(chromedp.KeyEvent(keys)) }

// What nod decides appears while it decides; filter, detail and back.
func TestDecisionsAppear(t *testing.T) {
	w := newWorld(t)
	w.logged(300, 24*time.Hour)
	w.serve()
	b := w.browser()
	b.Do(chromedp.Navigate(b.link))
	b.Sees(`document.querySelector('#rows.windowed a') && document.getElementById('live').textContent === 'live'`)
	if at := testbrowser.Value[string](b.Browser, `location.pathname`); at != "/" {
		t.Error("the word stands in the address:", at)
	}
	answer := <-w.waits("Bash", map[string]any{"command": "git push --force origin live"})
	if !strings.Contains(answer, `"deny"`) {
		t.Error(answer)
	}
	b.Sees(`document.querySelector('#rows .call').textContent === 'git push --force origin live'`)

	b.Do(chromedp.SetValue(chromedp.CSS("select[name=verdict]"), "deny"))
	b.Do(chromedp.Submit(chromedp.CSS("form[role=search]")))
	b.Sees(`location.search.includes('verdict=deny') && document.querySelector('#rows.windowed a')`)
	b.Sees(`[...document.querySelectorAll('#rows .said')].every((s) => s.textContent === 'deny')`)
	b.Press("#rows a")
	b.Sees(`document.querySelector('h1 .said')?.textContent === 'deny' && document.body.innerText.includes('git push --force origin live')`)
}

// A call that waits is answered in the browser, and the hook that waits goes on.
func TestQuestionsAreAnswered(t *testing.T) {
	w := newWorld(t)
	w.logged(40, time.Hour)
	w.serve()
	b := w.browser()
	b.Do(chromedp.Navigate(b.link))
	b.Sees(`document.getElementById('live').textContent === 'live'`)

	yes := w.waits("Bash", map[string]any{"command": "npm publish --access public"})
	b.Sees(`document.getElementById('waiting').textContent === '1' && document.title.startsWith('(1)')`)
	b.Do(b.at("/questions"))
	b.Press("#queue a")
	b.Sees(`document.querySelector('time.left').textContent.startsWith('4:')`)
	b.Press("button[value=once]")
	if said := <-yes; !strings.Contains(said, `"allow"`) {
		t.Error("the waiting hook did not go on: ", said)
	}
	no := w.waits("Edit", map[string]any{"file_path": w.shop + "/AGENTS.md", "old_string": "Never push to main.",
		"new_string": "Push."})
	b.Sees(`document.querySelector('#queue a')`)
	b.Press("#queue a")
	b.Sees(`document.querySelector('.diff .del')?.textContent.includes('-Never push to main.')`)
	b.Press("button[value=no]")
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
	b.Do(chromedp.Navigate(b.link))
	b.Sees(`document.getElementById('live').textContent === 'live'`)
	said := w.waits("Bash", map[string]any{"command": "npm run build -- --watch=false"})
	b.Sees(`document.getElementById('waiting').textContent === '1'`)
	b.Do(b.at("/questions"))
	b.Press("#queue a", "button[value=always]")
	b.Sees(`document.body.innerText.includes('it would have let through')`)
	b.Press("button[value=always]")
	if answer := <-said; !strings.Contains(answer, `"allow"`) {
		t.Error(answer)
	}
	b.Sees(`location.pathname === '/questions'`) // the rule is written after the answer counted
	b.Do(b.at("/rules"))
	b.Sees(`document.querySelector('.rules').innerText.includes('npm run build')`)
	b.Press(".rules tr:last-child a")
	b.Do(chromedp.SetValue(chromedp.CSS("#text"), "npm run lint"), chromedp.Click(chromedp.CSS("form.filter button")))
	b.Sees(`document.body.innerText.includes('Without "npm run build')`)
	b.Press("form.buttons button")
	b.Sees(`document.querySelector('.rules')?.innerText.includes('npm run lint')`)
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
	b.Do(chromedp.Navigate(b.link))
	b.Sees(`document.querySelector('#rows.windowed a') && document.getElementById('live').textContent === 'live'`)
	b.keys("j")
	b.keys("j")
	b.keys("k")
	b.keys("j")
	b.Sees(`document.activeElement.closest('li')?.dataset.at === '1'`)
	if ring := testbrowser.Value[string](b.Browser, `getComputedStyle(document.activeElement).outlineStyle`); ring != "solid" {
		t.Error("the focus is not seen:", ring)
	}
	b.keys(kb.Enter)
	b.Sees(`location.pathname.startsWith('/decision/') && document.getElementById('live').textContent === 'live'`)
	b.keys("?")
	b.Sees(`document.getElementById('keys').open`)
	b.keys(kb.Escape)
	b.Sees(`!document.getElementById('keys').open`)
	b.keys("d")
	b.Sees(`document.querySelector('#rows.windowed a')`)
	b.keys("/")
	b.Sees(`document.activeElement.id === 'text'`)
	b.keys(kb.Backspace + "push" + kb.Enter) // the driver types the / as well, which a keyboard does not
	b.Sees(`location.search === '?text=push' && document.querySelector('#rows.windowed a') &&
		[...document.querySelectorAll('#rows .call')].every((c) => c.textContent.includes('--force'))`)

	said := w.waits("Bash", map[string]any{"command": "npm publish"})
	b.Sees(`document.getElementById('waiting').textContent === '1'`)
	b.keys("q")
	b.Sees(`document.querySelector('#queue a') && document.getElementById('live').textContent === 'live'`)
	b.keys("j")
	b.Sees(`document.activeElement.dataset.id`)
	b.keys(kb.Enter)
	b.Sees(`document.activeElement?.value === 'no' && document.getElementById('live').textContent === 'live'`)
	b.keys("y")
	b.Sees(`document.getElementById('sure').open && document.activeElement.id === 'sure-yes'`)
	b.keys(kb.Escape)
	b.Sees(`!document.getElementById('sure').open && document.getElementById('answer')`)
	b.keys("y")
	b.Sees(`document.getElementById('sure').open`)
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
	b.Do(chromedp.EmulateViewport(360, 740), testbrowser.Dark(true), chromedp.Navigate(b.link))
	b.Sees(`document.getElementById('live').textContent === 'live'`)
	said := w.waits("Bash", map[string]any{"command": "npm publish " + strings.Repeat("very-long-word", 40)})
	b.Sees(`document.getElementById('waiting').textContent === '1'`)
	for _, path := range []string{"/", "/questions", "/charts", "/rules"} {
		b.Do(b.at(path))
		if wide := testbrowser.Value[float64](b.Browser, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("%s is %v wide", path, wide)
		}
		if light := testbrowser.Value[string](b.Browser, `getComputedStyle(document.body).backgroundColor`); light != "rgb(21, 24, 27)" {
			t.Errorf("%s is not dark: %s", path, light)
		}
	}
	b.Do(noScripts(), b.at("/"))
	b.Sees(`document.querySelectorAll('#rows a').length === 100 && !document.querySelector('#rows.windowed')`)
	b.Do(chromedp.Click(chromedp.CSS("#older a")))
	b.Sees(`location.search.includes('before=') && document.querySelectorAll('#rows a').length === 100`)
	b.Do(b.at("/questions"))
	b.Do(chromedp.Click(chromedp.CSS("#queue a"))) // without a script nothing is drawn anew
	b.Do(chromedp.Click(chromedp.CSS("button[value=once]")))
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
	b.Do(authenticator(), chromedp.Navigate(w.link), b.at("/passkeys"))
	b.Do(chromedp.SetValue(chromedp.CSS("#make input[name=name]"), "phone"), chromedp.Click(chromedp.CSS("#make button")))
	b.Sees(`document.querySelector('.rules td')?.textContent === 'phone'`)

	said := w.waits("Bash", map[string]any{"command": "npm publish"})
	var link []byte
	hang.Until(t, "the notification", func() bool {
		link, _ = os.ReadFile(w.home + "/told")
		return link != nil
	})
	b.Do(b.at(strings.TrimPrefix(string(link), "http://localhost")))
	b.Sees(`document.scripts.length === 0 && !document.querySelector('button[value=once]')`)
	b.Do(chromedp.Click(chromedp.CSS("a.button")), chromedp.Click(chromedp.CSS("#sign button")))
	b.Sees(`document.scripts.length === 0 && document.querySelector('button[value=once]')`)
	b.Press("button[value=once]")
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
	b.Do(chromedp.Navigate(b.link))
	b.Sees(`document.querySelectorAll('#rows a').length > 20`)
	came := time.Since(began)
	b.Sees(`document.querySelector('#rows.windowed a')`)
	b.Sees(`performance.getEntriesByName('first-contentful-paint').length`)
	paint := testbrowser.Value[float64](b.Browser, `performance.getEntriesByName('first-contentful-paint')[0].startTime`)
	most, held := 0.0, 0.0
	for range 60 {
		b.Do(chromedp.Evaluate[chromedp.Void](`scrollBy(0, 20000)`))
		b.Sees(`[...document.querySelectorAll('#rows li')].some((l) => l.firstChild && l.getBoundingClientRect().top > 0)`)
		most = max(most, testbrowser.Value[float64](b.Browser, `document.querySelectorAll('#rows li').length`))
		held = testbrowser.Value[float64](b.Browser, `parseInt(document.getElementById('rows').style.height) / 30`)
	}
	if most > 120 || held < 3000 {
		t.Errorf("%v rows in the page, of %v", most, held)
	}
	ordered := `[...document.querySelectorAll('#rows .when')].map((w) => w.title)`
	times := testbrowser.Value[[]string](b.Browser, ordered)
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
	b.Do(chromedp.Navigate(b.link))
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
	origin, _, _ := strings.Cut(b.link, "/enter/")
	shot := func(name string, width int64, isDark bool, path, ready string) {
		b.Shot(filepath.Join(*shots, name+".png"), width, isDark, origin+path, ready)
	}
	b.Sees(`document.querySelector('#rows.windowed a')`)
	one := testbrowser.Value[string](b.Browser, `document.querySelector('.said.ask').closest('a').pathname`)
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
