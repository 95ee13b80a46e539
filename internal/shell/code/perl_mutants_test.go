package code

import (
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// plDriver compiles programs with operations masked and says which of them
// hold one. Nothing of them runs but BEGIN blocks, under the mask.
const plDriver = `use Opcode qw(opset opmask_add); use feature (); use Tie::Hash::NamedCapture; use POSIX ();
$/ = undef; my @p = split /\x01/, <STDIN>; my @out; my $n = 0; $SIG{ALRM} = sub { die "late\n" };
$SIG{__WARN__} = sub {}; open my $to, ">&", STDOUT; open STDOUT, ">", "/dev/null"; open STDERR, ">", "/dev/null"; open STDIN, "<", "/dev/null"; @ARGV = ();
opmask_add(opset(qw(MASK require dofile method method_named)));
sub main::tried { package Tried; no strict; $/ = "\n"; eval "return;\n$_[0]\n" }
for my $p (@p) { alarm 5; my $e = ""; eval { main::tried($p); $e = $@ }; alarm 0; push @out, "$n: $e" if $e =~ /trapped by operation mask/; $n++ }
my $text = ""; $text .= $_ for @out; syswrite $to, $text . "done $n\n"; POSIX::_exit(0);`

// plSplices are what a program is disguised with.
var plSplices = strings.Split("fork|fork()|system('id')|`id`|/|//|/ fork /|s|y|q|qq|tr|m|x|=|=>|,|;|{|}|(|)|[|]|<|>|<<|%|%x|&|&f|*|?|:|-|-e|-s |.|..|$|$x|$x |@x|$#|${|@{|@{[|]}|->|->[|->{|'|\"|#|\n|\\|\\\\|(?{|e|ee|g|map {|sort |grep |print |print $x |print STDERR |print {$x} |push @a, |shift |lc |time |return |do {|eval {|if |for |and |not |x 3|+|++|!|~|$_|$/|$,|$;|$\"|$'|$&|$`|$1|$h{|$h{x}|{x}|[0]|\"$x[|\"@{[fork]}\"|\"${\\fork}\"|qw(|=pod\n|__END__|<STDIN>|<>|sub f {|BEGIN {|f(|}{|say |unlink 'x'|exec |eval |do |require |glob|<*>|*x|\\&", "|")

// Whatever a program is spliced with: if it is proven, it holds no operation
// that does something, as perl reads it.
func TestPerlMutants(t *testing.T) {
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip("no perl to compare with")
	}
	var seeds []string
	for i := 0; i < len(perlPure); i += 2 {
		if !strings.Contains(perlPure[i], "use ") && !strings.HasPrefix(perlPure[i], "-E") { // the driver has neither modules nor say
			seeds = append(seeds, perlPure[i])
		}
	}
	mutants := append(plMutants(seeds, append(plSplices, "|"), 40000), plStrings(20000)...)
	if len(mutants) < 2000 {
		t.Fatalf("only %d mutants are proven", len(mutants))
	}
	mutants = append(mutants, "print 1; unlink 'x'")
	cmd := exec.Command(perl, "-e", strings.ReplaceAll(plDriver, "MASK", strings.ReplaceAll(strings.TrimPrefix(plMask, "-M-ops="), ",", " ")))
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/nowhere"}
	cmd.Stdin = strings.NewReader(strings.Join(mutants, "\x01"))
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || !strings.HasPrefix(lines[len(lines)-1], "done ") || len(lines) < 2 {
		t.Fatalf("%v: %d mutants, perl says %s", err, len(mutants), lines[len(lines)-1])
	}
	for _, line := range lines[:len(lines)-1] {
		n := 0
		for _, c := range strings.SplitN(line, ":", 2)[0] {
			n = n*10 + int(c-'0')
		}
		if n < len(mutants)-1 {
			t.Errorf("%s\n%q", line, mutants[n])
		}
	}
}

// plStrings are texts and patterns of pieces that may begin code in them, which
// are proven.
func plStrings(tries int) []string {
	pieces := strings.Fields(`$ @ $x @x $h{ ${ @{ ${x} @{x} @$x $$ $# [fork] {fork()} {fork} {x} [0] [ ] } { -> ->[fork] ->{fork()} ->@* ' :: : # + - & 1 _ ^ \ \c \\ \@ \$ ( ) . | e ~ ! ; = , é $1 $& $_ $+ $- @- @+ $^W $ARGV x fork() \{ \[ /`)
	r := rand.New(rand.NewPCG(3, 5))
	var out []string
	for range tries {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(12) == 0 {
				b.WriteByte(' ')
			}
		}
		for _, form := range [...]string{"print \"%\"", "/%/", "s/%/x/", "s/x/%/", "print qq{%}", "print qq[%]", "m{%}x", "s<%><>", "s(x)(%)", "BEGIN { $^H |= 0x00800000 } print \"%\""} {
			text := strings.ReplaceAll(form, "%", b.String())
			utf8, isBegin := strings.CutPrefix(text, "BEGIN { $^H |= 0x00800000 } ") // what use utf8 does
			if f := Prove("perl", utf8, Env{Perl: Perl{Told: true}}); f.Proven && (r.IntN(8) == 0 || isBegin && strings.Contains(text, "é")) {
				out = append(out, text)
			}
		}
	}
	return out
}

// plMutants are those of many changed programs that are proven and do nothing
// to files, as perl would run them.
func plMutants(seeds, splices []string, tries int) []string {
	r := rand.New(rand.NewPCG(7, 11))
	var out []string
	for range tries {
		env, text := plEnvOf(seeds[r.IntN(len(seeds))])
		for range 1 + r.IntN(3) {
			at := r.IntN(len(text) + 1)
			splice := splices[r.IntN(len(splices))]
			if r.IntN(4) == 0 { // a piece of another program
				_, other := plEnvOf(seeds[r.IntN(len(seeds))])
				from := r.IntN(len(other))
				splice = other[from:min(len(other), from+1+r.IntN(12))]
			}
			to := at
			if r.IntN(3) == 0 {
				to = min(len(text), at+1+r.IntN(3))
			}
			text = text[:at] + splice + text[to:]
		}
		f := Prove("perl", text, env)
		if f.Proven && !slices.ContainsFunc(f.Effects, changing) && !strings.Contains(text, "exit") && !strings.Contains(text, "use ") {
			out = append(out, env.Perl.wrap(text))
		}
	}
	return out
}
