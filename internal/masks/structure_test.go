package masks

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// structure writes down what of a command is no literal: the
// operators, the redirections, the number of words, and what is substituted.
func structure(t *testing.T, text string) (string, bool) {
	t.Helper()
	tree, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return "", false
	}
	var b strings.Builder
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.Comment, *syntax.Word,
			*syntax.Assign:
			return true
		case *syntax.CallExpr:
			fmt.Fprintf(&b, "call %d", len(n.Assigns)+len(n.Args))
		case *syntax.BinaryCmd:
			b.WriteString(n.Op.String())
		case *syntax.Redirect:
			b.WriteString(n.Op.String())
		case *syntax.ParamExp:
			if n.Param != nil {
				b.WriteString("${" + n.Param.Value)
			}
		case *syntax.Stmt:
			fmt.Fprintf(&b, "stmt %v %v", n.Background, n.Negated)
		default:
			fmt.Fprintf(&b, "%T", n)
		}
		b.WriteByte('\n')
		return true
	})
	return b.String(), true
}

// masked is what the log and `nod approve` show of a command.
func masked(t *testing.T, command string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]string
	if err := json.Unmarshal(Mask(raw), &fields); err != nil {
		t.Fatal(err)
	}
	return fields["command"]
}

// What would run stays readable, whatever is around it.
func TestMaskHidesNoCode(t *testing.T) {
	for _, command := range []string{
		`curl -s -X POST -H "Authorization: Bearer $(touch PWNED)" https://x.example`,
		`npm publish; : authorization: x; touch PWNED`,
		"echo '-----BEGIN PRIVATE KEY-----'\ntouch PWNED\nnpm publish",
		"echo -----BEGIN PRIVATE KEY-----\ntouch PWNED\nnpm publish",
		"PASSWORD=`touch PWNED` ls",
		`PASSWORD=${x:-$(touch PWNED)} ls`,
		`PASSWORD="${x:-$(touch PWNED)}" ls`,
		`curl https://u:p;touch PWNED;@h`,
		`curl https://u:p;touch${IFS}PWNED;@h`,
		"mysql -pX`touch PWNED` db",
		"mysql -p`touch PWNED` db",
		"echo don't; PASSWORD='x\ntouch PWNED\n'",
		`echo 'authorization: x; touch PWNED' | sh`,
		`sh -c ': authorization: x; touch PWNED'`,
		`sh -c "password='x'; touch PWNED"`,
		`eval : cookie: a; touch PWNED`,
		`curl -b "a=b; $(touch PWNED)" https://x.example`,
		`curl -b a=b; touch PWNED`,
		`: cookie: a=b; touch PWNED`,
		`: cookie: a=b; c=d touch PWNED`,
		`PASSWORD= touch PWNED`,
		`PASSWORD= touch1 PWNED`,
		`kubectl create secret generic x --from-literal=a=$(touch PWNED)`,
		`echo https://hooks.slack.com/services/$(touch PWNED)`,
		`echo https://hooks.slack.com/services/a;touch PWNED`,
		`x=(a b)#token:;touch PWNED`,
		"cat <<EOF\npassword: $(touch PWNED)\nEOF",
		"sh <<'EOF'\npassword: x; touch PWNED\nEOF",
		"(\npassword: 'x\ntouch PWNED\n'",
		`Bearer <(touch PWNED)`,
		`TOKEN=(a b) touch PWNED`,
		"PASSWORD=x\\\n; touch PWNED",
	} {
		got := masked(t, command)
		if strings.Count(got, "touch") != strings.Count(command, "touch") || strings.Count(got,
			"PWNED") != strings.Count(command, "PWNED") {
			t.Errorf("%s\nis shown as %s", command, got)
		}
		if log := Text("this changes it: " + command); strings.Count(log, "touch") != strings.Count(command,
			"touch") {
			t.Errorf("%s\nis shown in a reason as %s", command, log)
		}
		sameStructure(t, command, got)
	}
}

func sameStructure(t *testing.T, command, shown string) {
	t.Helper()
	want, ok := structure(t, command)
	if !ok {
		return
	}
	if got, ok := structure(t, shown); !ok || got != want {
		t.Errorf("%q\nis shown as %q\n got %s\nwant %s", command, shown, got, want)
	}
}

// pieces make commands that are full of what looks like secrets.
var pieces = []string{
	"PASSWORD=", "password: ", "authorization: ", "Authorization: Bearer ", "cookie: ", "--password ", "--token=",
	"curl -u u:", "mysql -p",
	"https://u:p@h/", "://u:", "@h", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "token", "secret", "=",
	":", ",",
	"'", "'", "\"", "\"", "`", "`", "$(", "${", ")", "}", "(", "{ ", "; }", "$X", "$", "\\", "<<EOF\n", "\nEOF\n",
	"<<'EOF'\n", "<(", ">", "<",
	";", "|", "&&", "&", "||", "\n", " ", " ", " ", "\t", "#", " # ", "x", "rm -rf y", "touch PWNED", "eval ", "sh -c ",
	"env -u ", "sudo ",
	"ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1", "sk-ant-api03-Ab3dEf6hIj9l", "if ", "; then ", "; fi", "for x in ", "; do ",
	"; done", "a=b; c=d",
	"--from-literal=a=b", "curl -b ", "hooks.slack.com/services/T0/B0/Ab3dEf6hIj9l", "[", "]", "*", "~", "!",
	"[[ ", " ]]", "case x in ", ") ", ";; esac",
}

// Of any command that a shell can read, the masked text has the same operators, words and
// substitutions.
func TestMaskKeepsTheStructure(t *testing.T) {
	read, changed := 0, 0
	for seed := range uint64(60000) {
		random := rand.New(rand.NewPCG(seed, 7))
		var b strings.Builder
		for range 2 + random.IntN(9) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		command := b.String()
		if _, ok := structure(t, command); !ok {
			continue
		}
		shown := masked(t, command)
		read++
		if shown != command {
			changed++
			sameStructure(t, command, shown)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if read < 1000 || changed < 300 {
		t.Errorf("%d commands could be read, %d had something masked: this test sees nothing", read, changed)
	}
}

// Secrets of these forms stay out of the log and its reasons.
func TestSecretsInCommands(t *testing.T) {
	const secret = "Zq7Wk3Rt9Yp2"
	for _, command := range []string{
		`curl -u me:SECRET https://x.example`,
		`mysql -psecretSECRET db`, `mysql -psecret-SECRET`, `echo > ghp_AAAASECRETSECRET`,
		`cat /tmp/ghp_AAAASECRETSECRET/x`,
		`PASSWORD='SECRET;SECRET' x`, `x --password 'a|SECRET'`, `curl -u 'me:a&SECRET' x`,
		`psql 'postgres://u:SECRET@h/db'`,
		`echo dp.pt.AAAASECRETSECRET`, `echo sbp_AAAASECRETSECRET`, `echo dapi0000000000SECRETSECRET`,
		`echo NRAK-AAAASECRETSECRET`,
		`echo glrt-AAAASECRETSECRET`, `echo fm2_AAAASECRETSECRET`, `echo pscale_tkn_AAAASECRETSECRET`,
		`echo MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.SECRETSECRETSECRETSECRET`,
		"cat > k <<'EOF'\n-----BEGIN PRIVATE KEY-----\nMIIESECRETSECRET\nSECRET\n-----END PRIVATE KEY-----\nEOF",
	} {
		command = strings.ReplaceAll(command, "SECRET", secret)
		for context, shown := range map[string]string{
			"the command": masked(t, command),
			"a reason":    Text("this sends data: " + command),
		} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s: %s\nis shown as %s", context, command, shown)
			}
		}
	}
}
