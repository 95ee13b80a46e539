package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func judge(t testing.TB, f File, o Options) []Judged {
	t.Helper()
	all, err := Judge(context.Background(), []File{f}, o)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// brief is the outcome and layer of each row.
func brief(all []Judged) []string {
	var list []string
	for _, j := range all {
		list = append(list, fmt.Sprintf("%s %s", j.Outcome, j.Layer))
	}
	return list
}

func bash(command string) string {
	return fmt.Sprintf(`"tool":"bash","tool_name":"Bash","input":{"command":%q}`, command)
}

// TestTheWorldRemembersASession shows what a row may find of an earlier one.
func TestTheWorldRemembersASession(t *testing.T) {
	const write = `"tool":"write","tool_name":"Write","input":{"file_path":"/home/dev/shop/a.txt","content":"x"}`
	for _, c := range []struct {
		name string
		rows []string
		want string // of the last row
	}{
		{"nothing is there", []string{bash("echo x > a.txt")}, "allow shell"},
		{"written by the edit tool", []string{write, bash("echo x > a.txt")}, "open none"},
		{"written by a command", []string{bash("touch a.txt"), bash("echo x > a.txt")}, "open none"},
		{"written by a command in another directory", []string{bash("cd src && touch a.txt"), bash("echo x > a.txt")},
			"allow shell"},
		{"the write failed", []string{write + `,"outcome":"error"`, bash("echo x > a.txt")}, "allow shell"},
		{"the write was refused", []string{write + `,"outcome":"user_rejected"`, bash("echo x > a.txt")},
			"allow shell"},
		{"the write ran", []string{write + `,"outcome":"ok"`, bash("echo x > a.txt")}, "open none"},
		{"written and deleted", []string{write, bash("rm a.txt"), bash("echo x > a.txt")}, "allow shell"},
		{"written and moved", []string{write, bash("mv a.txt b.txt"), bash("echo x > a.txt")}, "allow shell"},
		{"moved there", []string{write, bash("mv a.txt b.txt"), bash("echo x > b.txt")}, "open none"},
		{"a directory was made", []string{bash("mkdir -p out"), bash("cd out && cd .. && touch b")}, "allow shell"},
		{"a directory was not made", []string{bash("cd out; touch ../b")}, "open none"},
		{"another session", []string{write, bash("echo x > a.txt") + `,"session":"other"`}, "allow shell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := brief(judge(t, rowsOf(t, c.rows...), Options{}))
			if got[len(got)-1] != c.want {
				t.Errorf("%v, want %s at the end", got, c.want)
			}
		})
	}
}

func TestTheWorld(t *testing.T) {
	for _, c := range []struct{ dir, command, want string }{
		{"/home/x/p", "git status", "allow shell"},
		{"/home/x/p", "cat ~/.ssh/id_rsa", "open none"},
		{"/home/x/p", "cat /home/x/.ssh/id_rsa", "open none"},
		{"/Users/x/p", "cat /Users/x/.ssh/id_rsa", "open none"},
		{"/root/p", "cat /root/.ssh/id_rsa", "open none"},
		{"/srv/p", "cat /home/dev/.ssh/id_rsa", "open none"},
		{"", "ls", "allow shell"},
		{"/home/x/p", "rm -rf ~", "deny shell"},
		{"/home/x/p", "dd if=/dev/zero of=/dev/sda", "deny shell"},
		{"/home/x/p", "ls > /dev/null", "allow shell"},
		{"/home/x/p", "/bin/ls", "allow shell"},
		{"/home/x/p", "frobnicate --version", "open none"},
		{"/home/x/p", "touch ~/.config/nod/nod.toml", "deny guard"},
		{"/home/x/p", "nod trust", "deny guard"},
		{"/home/x/p", "nod version", "allow shell"}, // it only reads
		{"/home/x", "touch a", "open none"},         // home is no workspace
		{"/", "touch a", "open none"},
	} {
		line := strings.Replace(fmt.Sprintf(`{"id":"a","cwd":%q,"label":"ambiguous",%s}`, c.dir, bash(c.command)),
			`"cwd":"",`, "", 1)
		f, err := Read("x", strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(judge(t, f, Options{}))[0]; got != c.want {
			t.Errorf("%s in %q: %s, want %s", c.command, c.dir, got, c.want)
		}
	}
}

// TestOtherAgents shows rows that no adapter reads.
func TestOtherAgents(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{`"tool":"read","tool_name":"view","input":{"path":"/home/x/p/a"}`, "allow allowlist"},
		{`"tool":"read","tool_name":"view","input":{"path":"/home/x/.ssh/id_rsa"}`, "open none"},
		{`"tool":"edit","tool_name":"apply_patch","input":{"files":["/home/x/p/a","/etc/hosts"]}`, "open none"},
		{`"tool":"edit","tool_name":"apply_patch","input":{"files":["/home/x/p/a","b"]}`, "allow edit"},
		{`"tool":"edit","tool_name":"edit","input":{"file_path":"/home/x/p/a","oldText":"a","newText":"b"}`,
			"allow edit"},
		{`"tool":"write","input":{"file_path":"/home/x/p/.git/config","content":"b"}`, "open none"},
		{`"tool":"search","input":{"path":"/home/x/p","pattern":"a"}`, "allow allowlist"},
		{`"tool":"meta","tool_name":"update_plan","input":{}`, "allow allowlist"},
		{`"tool":"meta","tool_name":"other","input":{}`, "open none"},
		{`"tool":"mcp","tool_name":"mcp__a__read_file","input":{}`, "open none"},
		{`"tool":"fetch","input":{"url":"https://example.com"}`, "open none"},
	} {
		f, err := Read("x",
			strings.NewReader(`{"id":"a","cwd":"/home/x/p","agent":"codex","label":"ambiguous",`+c.row+`}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(judge(t, f, Options{}))[0]; got != c.want {
			t.Errorf("%s: %s, want %s", c.row, got, c.want)
		}
	}
}

// TestARefusedPayloadIsOpen: what the adapter would block is no settled call.
func TestARefusedPayloadIsOpen(t *testing.T) {
	all := judge(t, rowsOf(t, `"tool":"bash","tool_name":"Bash","input":{"command":7}`), Options{})
	if a := all[0]; a.Outcome != Open || !a.Failed || !strings.Contains(a.Reason, "refuses") {
		t.Errorf("%+v", a)
	}
}
