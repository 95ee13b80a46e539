package masks

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/hang"
)

// filler stands for FILLER in testdata.
const filler = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1"

// Tokens of no one: shaped like the real ones, put together here so that no scanner of repositories takes them for
// real. A ~ stands between their parts.
func fakeTokens(t *testing.T) map[string]string {
	tokens, parts := map[string]string{}, strings.NewReplacer("~", "", "FILLER", filler, "UPPER",
		strings.ToUpper(filler[:16]))
	for _, line := range lines(t, "tokens") {
		name, token, _ := strings.Cut(line, "\t")
		tokens[name] = parts.Replace(token)
	}
	return tokens
}

func TestTokensByShape(t *testing.T) {
	for name, token := range fakeTokens(t) {
		for _, around := range []string{"%", "echo % | x", "f(%)", "\"%\"", "a/%/b", "x_%", `\n%\n`, "k%3D%", "<%>",
			"see %, then", "'%'", "x:%"} {
			text := strings.ReplaceAll(around, "%3D", "\x00")
			text = strings.ReplaceAll(strings.ReplaceAll(text, "%", token), "\x00", "%3D")
			if got := Text(text); strings.Contains(got, token[4:]) || !strings.Contains(got, "[masked-") {
				t.Errorf("%s in %q: %q", name, around, got)
			}
		}
	}
}

// Each row of testdata/rows.txt: a text, and what is left of it. What may run is shown.
func TestRows(t *testing.T) {
	data, err := os.ReadFile("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func(string) string{"-- text --": Text, "-- command --": Command,
		"-- json --": func(s string) string { return string(Mask(json.RawMessage(s))) }}
	plain := strings.NewReplacer(`\\n`, `\n`, `\n`, "\n", "FILLER", filler)
	var mask func(string) string
	in, rows := "", 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		want, masked := strings.CutPrefix(line, "= ")
		switch kind := kinds[line]; {
		case kind != nil:
			mask = kind
		case masked || line == "=":
			if rows++; line == "=" {
				want = in
			}
			if got := mask(plain.Replace(in)); got != plain.Replace(want) {
				t.Errorf("%s\n got %s\nwant %s", in, got, want)
			}
		default:
			in = line
		}
	}
	if rows < 100 {
		t.Errorf("%d rows", rows)
	}
}

// lines are those of a file of testdata. ⏎ and ␉ stand for the characters.
func lines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i := range list {
		list[i] = strings.NewReplacer("⏎", "\n", "␉", "\t").Replace(list[i])
	}
	return list
}

// Ordinary text stays readable.
func TestOrdinaryTextIsLeft(t *testing.T) {
	for _, text := range lines(t, "ordinary") {
		if got := Text(text); got != text {
			t.Errorf("%s\nbecame %s", text, got)
		}
	}
}

// planted are places where a secret must never survive, in any surroundings. SECRET stands for it.
func planted() []string {
	return []string{
		"PASSWORD=SECRET", "password: SECRET", `"api_key":"SECRET"`, "x --password SECRET", "https://u:SECRET@h",
		"Authorization: Bearer SECRET", "sk-ant-SECRET",
		"-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----",
		"curl -u u:SECRET", "glpat-SECRET",
	}
}

const plantedSecret = "Zq7Wk3Rt9Yp2Mn5Bv8Xc"

func FuzzMask(f *testing.F) {
	for i, s := range []string{`"`, "don't ", `{"a":["b",{"password":"c"}]}`, `\"`, "x='", "://://@", "$(a)",
		"-----BEGIN PRIVATE KEY-----", "eyJa.b", "token=${", `["-u","a:b"]`} {
		f.Add(s, " tail", i)
	}
	f.Fuzz(func(t *testing.T, before, after string, which int) {
		for _, s := range []string{before, after, before + after} {
			checkMask(t, s)
		}
		ps := planted()
		p := ps[uint(which)%uint(len(ps))]
		text := before + "\n" + strings.ReplaceAll(p, "SECRET", plantedSecret) + "\n" + after
		if !strings.Contains(before+after, plantedSecret) && strings.Contains(Text(text), plantedSecret) {
			t.Fatalf("a secret survives in %q: %q", text, Text(text))
		}
		inJSON, _ := json.Marshal(map[string]any{"a": text, "b": []string{text}, "password": plantedSecret})
		if masked := string(Mask(inJSON)); !strings.Contains(before+after, plantedSecret) && strings.Contains(masked,
			plantedSecret) {
			t.Fatalf("a secret survives in %s: %s", inJSON, masked)
		}
		checkMask(t, string(inJSON))
	})
}

func checkMask(t *testing.T, s string) {
	raw := json.RawMessage(s)
	once := Mask(raw)
	if json.Valid(raw) != json.Valid(once) && json.Valid(raw) {
		t.Fatalf("Mask(%q) = %q is no JSON any more", raw, once)
	}
	if twice := Mask(once); string(twice) != string(once) {
		t.Fatalf("Mask(%q) = %q, again %q", raw, once, twice)
	}
	if len(once) > 8*len(raw)+64 {
		t.Fatalf("Mask(%q) grew from %d to %d bytes", raw, len(raw), len(once))
	}
}

// Each shape was made to be slow in a scanner that looks ahead.
func TestMaskIsLinear(t *testing.T) {
	for _, unit := range []string{"://", "://a@", "token=\"", "token='x\\'", "eyJ.", "eyJeyJ", "sk-",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "Bearer ",
		"password ", "--token ", "token=a\"", "token=${", "token=\\", "=", ":", "a:", "\\\"", "curl -u ", "'", "[",
		"a=(", "token=)", "Authorization: ", "token=x\n", "\"token\",\n", "key "} {
		text := strings.Repeat(unit, 1<<20/len(unit)) + "@"
		t.Run(fmt.Sprintf("%q", unit), func(t *testing.T) {
			hang.Cheap(t, 3*time.Second, func() { Text(text) })
		})
	}
}
