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

// nestedTo repeats open and close so that just the bound of nesting is kept.
func nestedTo(n int, open, middle, close string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(close, n)
}

// heavy is a table of texts of at most 64 KiB that are meant to cost much.
func heavy() map[string]string {
	list := map[string]string{}
	for _, unit := range []string{
		"(", "((", "$(", "$((", "${a:-", "`", "{ ", "[[ ", "[", "a[", "<(", "(a;", "a()", "!", "! ", "\\`", "\"$(",
		"\"${a:-", "$[", "?(", "+(a|", "@(", "case a in a) ", "if ", "while ", "then ", "for a in ",
		"a;", "a\n", "a|", "cat a>>b|",
		"a&", "a&&", "a||", "a ", "a=b ", "a=b;", "$a", "$a ", "${a}", "${a[1]}", "${a/b/c}",
		"${a:-b}", "\"$a\"", "'a'", "'a' ", "*", "* ", "? ", "[a]", "{a,b}", "{a,b} ", "{1..9}", "{1..9} ", "{1..999} ",
		"{", "{,", ",",
		"a(){ a;};", "a(){ :;};", "f(){ f|f&};f;", "a=(b) ", "a=(b c d);", "a+=(b);", "a=$a$a;", "a=\"$a$a\";",
		"x=$x:$x;", "((a));", "((a++));", "let a;", "a[1]=b;", "a[1]=b ", "declare a=b;", "export a=b;", "local a;",
		"unset a;",
		"case a in a);; esac;", "case a in a|b|c);; esac;", "a);;", "if a;then b;fi;", "for a in b;do c;done;",
		"for a in 1 2 3 4 5 6 7 8;do b $a;done;", "while a;do b;done;", "(a);", "{ a;};", "! a;", "time a;",
		"coproc a;", "select a in b;do c;done;",
		"a<b ", "a>b;", ">b ", "2>&1 ", "<<<a ", "<<A ", "<<A\nA\n", "cat <<A\n$(a)\nA\n", "a # b\n", "#\n", "\\\n",
		"\\a", "$'\\x41'", "$'\\x41' ", "$\"a\"", "~ ", "~a ", "=a ", "a=~:~ ",
		"$(a)", "$(a) ", "`a`", "`a` ", "$((1))", "$((a+1)) ", "<(a) ", "\"$(a)\" ", "((1+1));", "((1+", "1+", "$((1+",
		"[[ a ]];", "[[ a && ", "[[ a == b ]] && ", "[[ ! ", "[[ ( ", "-a ", "--a=b ", "rm a;", "rm a b;", "cat a;",
		"cat a|", "cat a b ", "git log;", "git -c a=b log;", "sed -n 1p a;", "sed -e p ", "awk '{print}' a;",
		"eval a;", "eval 'a;a;a;a;a;a;a;a';", "sh -c 'rm a';", "bash -c 'bash -c a';", "eval \"", "echo {1..100};",
		"echo {1..100}{1..9};", "ls *;", "cd a;", "cd a&&", "cd ..;", "cp a b;", "mv a b;", "export PATH=a:$PATH;",
		"PATH=a:b:c:d ls;", "find . -name a;", "find -a ", "xargs rm;", "set -- a b c;", "shift;", "echo $@;",
		"a=b;echo $a;", "trap a 0;", "alias a=b;", "source a;", "env ", "sudo ", "command ", "nice ", "time ", "exec ",
		"eval ", "xargs ", "set -- \"$@\" a;", "set -- $@ $@;", "a+=a;", "a=$a/x;", "a+=(${a[@]});", "read a;",
		"printf -v a b;", "mapfile a;",
	} {
		list["many "+unit] = fill("", unit, "")
		list["echo "+unit] = fill("echo ", unit, "")
	}
	for _, pair := range [][2]string{{"(", ")"}, {"$(", ")"}, {"{ ", ";}"}, {"((", "))"}, {"$((", "))"}, {"${a:-", "}"},
		{"[[ (", ") ]]"}, {"\"$(", ")\""}, {"`", "`"}, {"<(", ")"}, {"{a,", "}"}, {"{", ",a}"}, {"a=(", ")"},
		{"a[", "]=1"}, {"${a[", "]}"}, {"?(", ")"}, {"$((1+(", "))"}, {"if a;then ", "\nfi"},
		{"for a in b;do ", "\ndone"}, {"while a;do ", "\ndone"}, {"case a in a) ", "\nesac"}, {"f(){ ", "\n}"},
		{"for a in 1 2;do ", "\ndone"}, {"eval \"", "\""}, {"cd a && (", ")"}} {
		for _, n := range []int{20, 60, 95, 195} {
			one := nestedTo(n, pair[0], "a", pair[1])
			list[fmt.Sprintf("nested %d %s", n, pair[0])] = one
			list[fmt.Sprintf("often nested %d %s", n, pair[0])] = fill("", one+"\n", "")
			list[fmt.Sprintf("echo nested %d %s", n, pair[0])] = fill("", "echo "+one+"\n", "")
		}
	}
	long := strings.Repeat("a", 30<<10)
	list["long doubled"] = "a=" + long + ";" + strings.Repeat("a=$a$a;", 4000)
	list["long words"] = "a=" + long + ";" + strings.Repeat("echo $a;", 4000)
	list["long array"] = fill("a=(", "b ", ");"+strings.Repeat("a+=(\"${a[@]}\");", 100))
	list["long positional"] = "set -- " + strings.Repeat("b ", 900) + ";" + strings.Repeat("set -- \"$@\" \"$@\";", 900)
	for name, hide := range map[string]string{"here-document": "cat <<E\n%s\nE\n", "ansi": "a $'\\'%s';",
		"case": "case a in b) ;; %s esac;", "comment": "a # '%s\n"} {
		for _, pair := range [][2]string{{"(", ")"}, {"{ ", "}"}, {"$(", ")"}, {"((", "))"}} {
			list["hidden "+name+pair[0]] = fill("", strings.Repeat(pair[0], 190)+strings.Replace(hide, "%s",
				strings.Repeat(pair[1], 190), 1), "")
		}
	}
	list["functions"] = strings.Repeat("f(){ a;a;a;a;a;a;};", 1000) + strings.Repeat("f;", 5000)
	var deep strings.Builder
	for i := range 15 {
		fmt.Fprintf(&deep, "f%d(){ f%d;f%d;f%d;f%d;};", i, i+1, i+1, i+1, i+1)
	}
	list["function tree"] = deep.String() + "f15(){ echo " + long + ";};f0"
	list["variables"] = manyVariables()
	return list
}

func manyVariables() string {
	var b strings.Builder
	for i := 0; b.Len() < grammar.MaxBytes-40; i++ {
		fmt.Fprintf(&b, "if a;then v%d=x;fi;", i)
	}
	return b.String()
}

// memoryLimit is what the worst text may add to the process.
const memoryLimit = 64 << 20

// TestMemory reads every heavy text in a process of its own and counts all
// that is allocated for it, as if nothing were ever given back, and what the
// stacks grow by. That does not depend on when garbage is collected, and is an
// upper bound of what the process needs.
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

// TestHiddenNesting: brackets that only the grammar tells from text are
// bounded by where the parser stands.
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

// TestExpansionBounds: what grows by being run is bounded, what people write
// is not near.
func TestExpansionBounds(t *testing.T) {
	env := testEnv(world())
	for name, c := range map[string]struct {
		source string
		over   bool
	}{
		"a long value":  {repeating(5000), false},
		"loops":         {nestedLoops(40), false},
		"long script":   {strings.Repeat("x=$x/a; grep -rn foo src/a.go | head -20 > /dev/null\n", 400), false},
		"here-document": {"x=1; cat <<E\n" + strings.Repeat("some text here $x\n", 500) + "E", false},
		"redirections":  {"cat " + strings.Repeat("> f ", 5000), true},
		"object":        {`curl -d {"a":{"b":{"c":1}}} x`, false},
	} {
		if r := Analyze(c.source, env); (r.Exceeded != "") != c.over {
			t.Errorf("%s: exceeded %q", name, r.Exceeded)
		}
	}
}

// repeating is a word that holds a long value n times.
func repeating(n int) string {
	return "x=" + strings.Repeat("a", 20_000) + "\necho \"" + strings.Repeat("$x", n) + "\"\n"
}

// nestedLoops is a command in loops of two rounds each.
func nestedLoops(n int) string {
	text := "b"
	for i := range n {
		text = fmt.Sprintf("for a%d in 1 2;do %s\ndone", i, text)
	}
	return text
}
