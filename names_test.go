package nod_test

import (
	"os"
	"strings"
	"testing"
)

// A private key may lie in a file that is called like a certificate, or like no other key.
func TestKeysUnderPublicNames(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"cert.pem", "fullchain.pem", "ca.crt", "id_deploy", "src/id_ci"} {
		p.write(name, "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
		p.check(kept, "cat "+name, "head -1 "+name)
		p.write(name, "-----BEGIN RSA PRIVATE KEY-----\nx\n")
		p.check(lost, "cat "+name, "head -1 "+name, "base64 "+name)
	}
	p.must(os.MkdirAll(p.dir+"/id_service/ca.pem", 0o755))
	p.write("cacert.pem", strings.Repeat("-----BEGIN CERTIFICATE-----\n", 11_000))
	p.check(kept, "ls id_service", "ls id_service/ca.pem", "head -1 cacert.pem", "grep -rn foo .")
	for _, name := range []string{"id_rsa_old", "id_ed25519_work", ".token", "x/.bash_history", "server.key.old",
		"tls.key.txt", ".bash_history.1"} {
		p.write(name, "x\n")
		p.check(lost, "cat "+name)
	}
	p.write("id_rsa_old.pub", "x\n")
	p.check(kept, "cat id_rsa_old.pub")
}

// A diff prints a secret that was changed or staged; what is committed is the
// repository's to show.
func TestDiffsOfSecrets(t *testing.T) {
	p := newProject(t)
	p.write(".npmrc", "//registry.npmjs.org/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789\n")
	p.write("conf/.env", "KEY=1\n")
	p.git("add", "-f", ".npmrc", "conf")
	p.check(lost, "git diff --cached", "git diff HEAD", "git diff --staged -- .")
	p.git("commit", "-q", "-m", "token")
	p.check(kept, "git show", "git log -p", "git diff", "git diff HEAD", "git diff --cached", "git show --stat")
	p.write("conf/.env", "KEY=2\n")
	p.check(lost, "git diff", "git diff HEAD", "git diff -U0 .", "git diff --stat -p", "git diff --name-only --patch",
		"git diff --shortstat -U3", "git diff-files -p", "git diff-index -p HEAD", "git status -vv")
	p.check(kept, "git diff --stat", "git diff --name-only", "git diff --cached", "git status -v", "git diff --stat -w")
}
