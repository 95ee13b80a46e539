package shell

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// fill repeats a text up to the bound of bytes.
func fill(before, unit, after string) string {
	n := (grammar.MaxBytes - len(before) - len(after)) / len(unit)
	return before + strings.Repeat(unit, n) + after
}

// heavy is a table of texts of at most 64 KiB that are meant to cost much.
func heavy() map[string]string {
	list := map[string]string{}
	for _, unit := range []string{
		"(", "((", "$(", "${a:-", "`", "{ ", "[[ ", "a[", "<(", "a()", "! ", "\"$(", "if ", "then ", "for a in ",
		"a;", "a|", "cat a>>b|", "a&&", "a=b ", "a=b;", "$a ", "${a/b/c}", "\"$a\"", "* ", "{a,b} ", "{1..9}",
		"f(){ f|f&};f;", "a=(b) ", "a=\"$a$a\";", "((a++));", "a[1]=b;", "export a=b;", "case a in a);; esac;",
		"if a;then b;fi;", "for a in 1 2 3 4 5 6 7 8;do b $a;done;", "while a;do b;done;", "coproc a;", "2>&1 ", "<<A\nA\n",
		"cat <<A\n$(a)\nA\n", "a # b\n", "\\\n", "$'\\x41' ", "=a ", "$(a) ", "$((a+1)) ", "<(a) ", "[[ a && ",
		"rm a b;", "git -c a=b log;", "sed -e p ", "eval 'a;a;a;a;a;a;a;a';", "bash -c 'bash -c a';", "cd a;", "cp a b;",
		"find -a ", "xargs rm;", "echo $@;", "env ", "sudo ", "command ", "eval ", "a=$a/x;",
	} {
		list["many "+unit] = fill("", unit, "")
		list["echo "+unit] = fill("echo ", unit, "")
	}
	for _, pair := range [][2]string{{"(", ")"}, {"$(", ")"}, {"{ ", ";}"}, {"((", "))"}, {"${a:-", "}"},
		{"\"$(", ")\""}, {"`", "`"}, {"<(", ")"}, {"{a,", "}"}, {"a=(", ")"}, {"if a;then ", "\nfi"},
		{"for a in b;do ", "\ndone"}, {"case a in a) ", "\nesac"}, {"f(){ ", "\n}"}, {"eval \"", "\""}} {
		one := strings.Repeat(pair[0], 60) + "a" + strings.Repeat(pair[1], 60)
		list["nested "+pair[0]] = one
		list["often nested "+pair[0]] = fill("", one+"\n", "")
	}
	long := strings.Repeat("a", 30<<10)
	list["long words"] = "a=" + long + ";" + strings.Repeat("echo $a;", 4000)
	return list
}

// memoryLimit is what the worst text may add to the process.
const memoryLimit = 64 << 20

// TestMemory reads every heavy text in a process of its own and counts all that is allocated for it, as if nothing were
// ever given back, and what the stacks grow by. That does not depend on when garbage is collected, and is an upper
// bound of what the process needs.
func TestMemory(t *testing.T) {
	if os.Getenv("NOD_TEST_MEMORY") != "" {
		readHeavy()
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestMemory$")
	cmd.Env = append(os.Environ(), "NOD_TEST_MEMORY=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	_, rest, ok := strings.Cut(string(out), "worst ")
	worst, err := strconv.Atoi(strings.SplitN(rest, " ", 2)[0])
	if !ok || err != nil {
		t.Fatalf("no number in %s", out)
	}
	if worst > memoryLimit {
		t.Errorf("%d MiB, want at most %d", worst>>20, memoryLimit>>20)
	}
}

func readHeavy() {
	list := heavy()
	env := testEnv(world())
	Analyze("ls", env)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	stacks := before.StackSys
	worst, name := uint64(0), ""
	for n, source := range list {
		runtime.ReadMemStats(&before)
		Analyze(source, env)
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > worst {
			worst, name = spent, n
		}
	}
	fmt.Printf("%d texts, worst %d bytes with stacks (%q)\n", len(list), worst+after.StackSys-stacks, name)
}

// TestHiddenNesting: brackets that only the grammar tells from text are bounded by where the parser stands.
func TestHiddenNesting(t *testing.T) {
	hide := "cat <<E\n" + strings.Repeat(")", 190) + "\nE\n"
	source := strings.Repeat(strings.Repeat("(", 190)+hide, 150)
	if bound := grammar.Exceeded(source); bound != "" {
		t.Fatalf("the text hides nothing: %s", bound)
	}
	if r := Analyze(source, testEnv(world())); r.Exceeded == "" {
		t.Errorf("not exceeded: %.200s", brief(r))
	}
	inner := "bash <<'X'\n" + source + "\nX"
	if r := Analyze(inner, testEnv(world())); r.Exceeded == "" {
		t.Errorf("inside another text: not exceeded: %.200s", brief(r))
	}
}
