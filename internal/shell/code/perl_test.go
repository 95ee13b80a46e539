package code

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// perlPure are programs and their effects. A program for -n, -p or -E begins
// with that option.
var perlPure = []string{
	"print 1", "nothing",
	"print \"hello\\n\";", "nothing",
	"-n print if /x/", "arguments ",
	"-n print unless m{^\\s*#}", "arguments ",
	"-p s/a/b/g", "arguments ",
	"-p s{foo/bar}{baz$1}g; tr/a-z/A-Z/; y/a/b/", "arguments ",
	"-p s|a|b|; s#x#y#; s!p!q!", "arguments ",
	"-n print $F[0], \"\\n\"", "arguments ",
	"-n $s += $F[1]; END { print $s }", "arguments ",
	"-n $s += $_ }{ print $s", "arguments ",
	"-n chomp; print \"$_ \"; END{print \"\\n\"}", "arguments ",
	"-n print \"$1\\n\" while /(\\d+)/g", "arguments ",
	"-n print if $. >= 3 && $. <= 7", "arguments ",
	"-n print if /start/ .. /end/", "arguments ",
	"-n $h{$F[0]}++; END { print \"$_ $h{$_}\\n\" for sort { $h{$b} <=> $h{$a} } keys %h }", "arguments ",
	"-n push @{$h{$F[0]}}, $F[1]; END { for my $k (sort keys %h) { print \"$k: @{$h{$k}}[0]\\n\" } }", "arguments ; not proven",
	"-n push @{$h{$F[0]}}, $F[1]; END { for my $k (sort keys %h) { print \"$k: \", join(',', @{$h{$k}}), \"\\n\" } }", "arguments ",
	"-n $h{$1}{$2}++ if /(\\w+) (\\w+)/; END { for my $a (keys %h) { for my $b (keys %{$h{$a}}) { print \"$a $b $h{$a}{$b}\\n\" } } }", "arguments ",
	"-n print join(',', map { $_ * 2 } split /,/), \"\\n\"", "arguments ",
	"-n print join \"\\t\", @F[0..2]", "arguments ",
	"-n printf \"%-10s %s\\n\", $F[0], scalar(@F)", "arguments ",
	"-n printf(\"%5d  %s\", $., $_)", "arguments ",
	"-n print length($_), \"\\n\"", "arguments ",
	"-n next if /^$/; last if $. > 10; print", "arguments ",
	"-n print \"$ARGV: $_\" if /TODO/", "arguments ",
	"-n print $_ if !$seen{$_}++", "arguments ",
	"-n /(\\d+)\\.(\\d+)/ and print $1*100+$2", "arguments ",
	"-n @a = split; print $a[-1], $#a, \"\\n\"", "arguments ",
	"-n print ucfirst lc $_", "arguments ",
	"-n print sprintf('%s:%d', $ARGV, $.) . \"\\n\" if eof", "arguments ",
	"-n BEGIN { $/ = undef } print scalar(() = /x/g)", "arguments ",
	"local $/; my $t = <STDIN>; $t =~ s/\\n+/\\n/g; print $t", "nothing",
	"while (my $l = <STDIN>) { chomp $l; my ($a, $b) = split /=/, $l, 2; print \"$b\\n\" if defined $b }", "nothing",
	"@x=<STDIN>;print@x[0..$#x-3]", "nothing",
	"my $t = do { local $/; <STDIN> }; print length $t", "nothing",
	"print join(' ', map { sprintf '%02x', ord } split //, 'abc')", "nothing",
	"printf '%.2f', 10/3", "nothing",
	"print 2**10 % 7, 5 / 2, 1 <=> 2", "nothing",
	"print time - 86400, ' ', time/60", "nothing",
	"my @t = localtime(time-86400); printf('%02d/%02d/%04d', $t[3], $t[4]+1, $t[5]+1900)", "nothing",
	"my ($d, $m) = (localtime)[3,4]; print $d", "nothing",
	"print 'a' x 3, '-'x20, \"\\n\"", "nothing",
	"my %h = (a => 1, b => 2); print \"$_=$h{$_}\\n\" for sort keys %h", "nothing",
	"my %h = (s => 1, y => 2, q => 3, print => 4); print $h{s}, $h{y}, $h{q}", "nothing",
	"my @a = (3,1,2); print join(',', sort { $a <=> $b } @a), scalar(@a)", "nothing",
	"my $x = 5; print $x > 3 ? 'big' : 'small'", "nothing",
	"if (1 == 1) { print 'a' } elsif (2) { print 'b' } else { print 'c' }", "nothing",
	"for (my $i = 0; $i < 3; $i++) { print $i }", "nothing",
	"for my $i (1..3) { print $i; next if $i == 2 }", "nothing",
	"my $s = 'abc'; print ucfirst(lc($s)), reverse(split(//, $s)), substr($s, 1, 1), index($s, 'b')", "nothing",
	"my $s = 'a,b'; (my $t = $s) =~ s/,/;/; print $t", "nothing",
	"my $s = 'x' =~ s/x/y/r; print $s", "nothing",
	"print -e 'x' ? 1 : 0, -s 'x', -d $ARGV[0]", "nothing",
	"print \"@ARGV\\n\"; print scalar @ARGV, length join q[ ], @ARGV", "nothing",
	"print $ENV{HOME}, \"$ENV{PATH}\"", "secret HOME; secret PATH",
	"print $ENV{GITHUB_TOKEN}", "secret GITHUB_TOKEN",
	"print \"$ENV{GITHUB_TOKEN}\"", "secret GITHUB_TOKEN",
	"print map { \"$_=$ENV{$_}\" } keys %ENV", "secret environment",
	"use strict; use warnings; my $d = {a => [1, 2]}; print $d->{a}[1], $d->{a}->[0], scalar @{$d->{a}}, join(',', map { $_ + 1 } @{$d->{a}})", "nothing",
	"use List::Util qw(sum max first); print sum(1,2), max(3, 4), first { $_ > 1 } @ARGV", "nothing",
	"use JSON::PP; local $/; my $d = decode_json(<STDIN>); print $d->{name}, $d->{a}[0]{b}", "secret a; secret b; secret name",
	"use strict; use JSON::PP qw(decode_json); local $/; my $d = decode_json(<STDIN>); print join ',', sort keys %{$d->{deps}}", "nothing",
	"use POSIX qw(floor strftime); print floor(3.7), POSIX::ceil(1.2), strftime('%Y', localtime)", "nothing",
	"use MIME::Base64; print encode_base64('x', '')", "nothing",
	"use Data::Dumper; $Data::Dumper::Sortkeys = 1; print Dumper([1, {a => 2}])", "nothing",
	"-E say for 1..3; say 'x'; say join ',', @ARGV", "nothing",
	"use feature 'say'; say 1", "nothing",
	"use v5.10; say 1", "nothing",
	"open(my $f, '<', 'a.txt') or die \"no: $!\"; while (<$f>) { print } close $f;", "read a.txt",
	"open my $f, '<', 'a.txt' or die; my @l = <$f>; close($f); print scalar @l", "read a.txt",
	"open(F, 'a.txt') || die; print while <F>;", "read a.txt",
	"open(F, '<', $ARGV[0]); print <F>", "read first",
	"open(my $o, '>', 'out') or die; print $o \"x\"; print {$o} 'y'; printf $o '%s', 1; close $o", "write out",
	"open(F, '>out'); print F 'x'", "write out",
	"open(F, '>>:encoding(UTF-8)', 'out'); print F 'x'", "write out",
	"open(F, 'rm -rf /|'); print <F>", "shell rm -rf /",
	"open(F, '|-', 'sh'); print F 'x'", "shell sh",
	"unlink 'a', 'b'", "delete a; delete b",
	"unlink glob", "delete ?; not proven",
	"unlink $ARGV[0]", "delete ?",
	"mkdir 'd'; rmdir 'd'", "delete d; mkdir d",
	"use File::Path; rmtree('d')", "deltree d",
	"use File::Path qw(remove_tree); remove_tree('/', 'b')", "deltree /; deltree b",
	"system('rm -rf /home/user')", "shell rm -rf /home/user",
	"system 'rm', '-rf', 'x'", "command rm -rf x",
	"exec \"ls\"", "shell ls",
	"print `id`", "shell id",
	"my $x = qx(ls -l); print $x", "shell ls -l",
	"sub f { my ($x) = @_; return $x + 1 } print f(2), \"\\n\"", "nothing",
	"my $n = shift; my $m = shift || 10; print $n + $m", "nothing",
	"print STDERR \"x\\n\"; warn 'y'; die 'z' if @ARGV > 3", "nothing",
	"binmode(STDOUT, ':utf8'); $| = 1; $, = ','; print 1", "nothing",
	"LINE: for (1..3) { next LINE if $_ == 2 }", "nothing",
	"my @a = grep { /x/ } @ARGV; my @b = grep /y/, @ARGV; my ($c) = grep(!/z/, @ARGV); print \"@a @b $c\"", "nothing",
	"eval { die 'x' }; print $@ if $@", "nothing",
	"print \"a\\tb\\x41\\$x \\@y $1 $& $$ ${x} @{x} $x[0] $x[-1] $x[$i] $h{a} $h{'a b'} $h{$k} $x[$#x]\\n\"", "nothing",
	"my ($x, $y) = (1, 2); ($x, $y) = ($y, $x); print \"$x$y\"", "nothing",
	"print \"caf\u00e9 \u2713\\n\"", "nothing",
	"print $+{year} if 'x2020' =~ /(?<year>\\d+)/", "nothing",
	"# a comment\nprint 1; # another / comment'\n", "nothing",
}

// plEnvOf takes the option off a program.
func plEnvOf(source string) (Env, string) {
	env := Env{Home: "/home/u", Args: []Arg{{"first", true}, {"", false}}, Perl: Perl{Told: true}}
	if len(source) > 3 && strings.IndexByte("npE", source[1]) >= 0 && source[0] == '-' && source[2] == ' ' {
		env.Perl.Loop = source[1] == 'n' || source[1] == 'p'
		env.Perl.Print, env.Perl.Say = source[1] == 'p', source[1] == 'E'
		source = source[3:]
	}
	return env, source
}

// perlAttacks are programs that must not be proven, or whose effect must be
// stated. Each does, or might do, something.
var perlAttacks = []string{
	"s/x/\\1[fork]/", "s/x/\\1{fork()}/", "s/x/\\2->[fork]/", "s(x)(a\\1[fork])", "\"$#x->[fork]\"", "\"$#x[fork]\"", "/$#x->{fork()}/", "\"@-[fork]\"", "\"@+[fork]\"", "\"@-{fork()}\"", "\"@1[fork]\"", "\"$$->[fork]\"", "\"@x->[fork]\"", "\"@$x->[fork]\"", "\"@{x}->[fork]\"", "\"@x[0]->[fork]\"", "\"@x[0][fork]\"", "/@1[fork]/", "/$$->[fork]/",
	"use utf8; print \"$x\u00e9[fork]\"", "use utf8; print \"@\u00e9[fork]\"", "use utf8; print \"@x\u00e9[fork]\"", "use utf8; print \"$\u00e9[fork]\"", "use utf8; print \"${x\u00e9}[fork]\"", "use utf8; /$x\u00e9[fork]/", "use utf8; print \"$x'\u00e9[fork]\"", "use utf8; print \"$x->{a\u00e9}[fork]\"", "use utf8; print $x\u00e9[fork]", "use utf8; print <<\u00e9", "\xff\xfef\x00o\x00", "\xef\xbb\xbf#!/bin/sh\nid",
	"eval 'x'", "eval $x", "eval \"x\"", "eval", "-n eval", "-p eval $_", "do 'x.pl'", "do $x", "require 'x.pl'", "require Foo", "use Foo", "use lib '.'", "use POSIX qw(system)", "use Foo::Bar; print 1", "no Foo", "use re 'eval'; /$x/", "use overload '+' => 1", "use constant X => system('id')", "use strict; no strict; print 1, system($x)", "BEGIN { system $x }", "END { unlink $x }", "use if 1, 'Foo'", "use List::Util (system $x)", "use List::Util do { 1 }", "use vars '@ARGV'", "use open IN => ':via(Foo)'", "use feature 'evalbytes'",
	"system $x", "system { 'sh' } 'x'", "system('ls', $x)", "system", "system @ARGV", "exec @ARGV", "exec { $x } 'a'", "exec $x", "fork", "fork()", "kill 9, 1", "kill(9, 1)", "wait", "pipe(A, B)", "`$x`", "`ls @ARGV`", "`ls \\$x`", "qx/$x/", "qx{ls $x}", "qx'ls $x'", "print `cat $ARGV[0]`", "readpipe('id')", "readpipe $x", "CORE::system('id')", "CORE::GLOBAL::system('id')", "&system('id')", "&{'system'}('id')", "&$x", "&$x(1)", "$x->()", "$x->system('id')", "$x->(1)", "$h{f}->('id')", "$h{f}('id')", "POSIX::system('id')", "use POSIX; POSIX::system('id')", "use POSIX; POSIX::_exit(1)", "JSON::PP->new", "use JSON::PP; JSON::PP->new->decode('x')", "new Foo", "new Foo($x)", "Foo->bar", "Foo::bar()", "main->can('x')->()", "'IO::File'->new('>x')", "STDOUT->fdopen('x', 'w')", "$fh->print('x')", "goto &system", "goto $x", "sub { system 'id' }->()", "my $f = sub { 1 }; $f->()", "my $f = \\&system; $f->('id')", "*f = \\&system; f('id')", "*x = sub { 1 }", "*{'x'} = 1", "local *STDOUT", "sub AUTOLOAD { 1 } f()", "sub DESTROY { 1 }", "sub f($x) { 1 }", "sub system { 1 } system($x)", "sub print { 1 }", "sub main::f { 1 }", "package Foo; sub f { 1 }", "f('id')", "f 'id'", "f; print 1", "dump()", "syscall(59, 'sh')", "ioctl(STDIN, 1, 2)", "format STDOUT =\nx\n.\nwrite", "write", "tie $x, 'Foo'", "bless {}, 'Foo'", "given (1) { }", "__PACKAGE__->f", "prototype 'x'",
	"open(F, $x)", "open F", "open(F, \"|$x\")", "open(F, $ARGV[0])", "open(F, '<', $x)", "open(F, '<&=3')", "open(F, '>&', STDOUT)", "open(F, '<:via(Foo)', 'x')", "open(STDOUT, '>', 'x')", "open(ARGV, '<', 'x')", "open(my $f, '+<&', 'x')", "open($h{x}, '>', $y)", "open(F, '-')", "open(F, '-|', $x)", "open(F, '-|', 'ls', $x)", "open(my $f, '<', \\my $buf)", "sysopen(F, 'x', 1)", "opendir(D, '.')", "binmode(STDOUT, ':via(Foo)')", "binmode STDOUT, $x", "truncate('x', 0)", "rename 'a', 'b'", "chmod 0, 'x'", "chmod(0, 'x')", "chown 0, 0, 'x'", "utime 0, 0, 'x'", "link 'a', 'b'", "symlink('a', 'b')", "chdir '/'", "chroot '/'", "umask 0", "unlink <*>", "unlink glob '*'", "unlink", "unlink @x", "unlink \"$x\"", "rmdir $x", "rmdir 'a' . $x", "rmdir('a') if 1; rmdir 'a' . 'b'", "mkdir $x", "glob('*')", "<*.c>", "<$x/*>", "< $x >", "<$h{x}>", "<$x $y>", "print <*>", "socket(S, 2, 1, 0)", "connect(S, 1)", "use Socket", "use IO::Socket", "use LWP::Simple", "select(undef, undef, undef, 1)", "select STDERR",
	"\"@{[system 'id']}\"", "\"${\\system 'id'}\"", "\"@{[ `id` ]}\"", "\"$h{`id`}\"", "\"$x[`id`]\"", "\"$x[system]\"", "\"$x[fork]\"", "\"$h{fork()}\"", "\"$h{fork . 1}\"", "\"$x->[fork]\"", "\"$x->{a}[fork]\"", "\"$x->{a}{fork()}\"", "\"@x[fork]\"", "\"@h{fork()}\"", "\"@{x}[fork]\"", "\"${x}[fork]\"", "\"${ x }\"", "\"${x[fork]}\"", "\"@{fork()}\"", "\"$#{[fork]}\"", "\"$#{fork()}\"", "\"$x->@[fork]\"", "\"$$x[fork]\"", "\"$${x}\"", "\"@$x[fork]\"", "\"@$$x\"", "\"$x::y[fork]\"", "\"$x'y[fork]\"", "\"$::x[fork]\"", "\"$ x[fork]\"", "\"$+{`id`}\"", "\"$-[fork]\"", "\"$&[fork]\"", "\"$1[fork]\"", "\"$_[fork]\"", "\"$^W[fork]\"", "\"${^X}[fork]\"", "\"$![fork]\"", "\"$x[$y[fork]]\"", "\"$x[$i++]\"", "\"$h{\\\"a\\\"}\"", "\"\\c\\@{[fork]}\"", "\"\\c\\${\\fork}\"", "\"\\N{foo}\"", "qq{@\\{[fork]\\}}", "qq{$\\{\\fork\\}}", "qq[$x\\[fork\\]]", "qq@\\@{[fork]}@", "qq$\\${\\fork}$", "qq(@{[fork\\(\\)]})", "s@x@\\@{[fork]}@", "s<x><$x-\\>[fork]>", "m@\\@{[fork]}@", "qr!@{[fork]}!", "tr/a/b/ee", "print \"a\" . \"@{[fork]}\"", "/$x[fork]/", "/@{[fork]}/", "s/x/@{[fork]}/", "s/@{[fork]}/x/", "s/x/$h{fork()}/",
	"s/x/fork/e", "s/x/fork/ee", "s/x/system(\"id\")/ge", "s{x}{fork}e", "s{x} {fork}e", "s{x}\n{fork}ge", "s{x} # c\n{fork}e", "s(x)/fork/e", "s'x'fork'e", "s,x,fork,e", "s;x;fork;e", "s/x/y/gie", "s/x/y/ regex e", "/(?{fork})/", "/(??{fork})/", "/( ?{fork})/x", "/(?p{fork})/", "/(*{fork})/", "/a(?{ `id` })b/", "m{(?{fork})}", "m'(?{fork})'", "qr/(?{fork})/", "split /(?{fork})/", "s/(?{fork})/x/", "$x =~ /(?{fork})/", "m?(?{fork})?", "m?(\\?{fork})?", "m<(?{fork})>", "m((?{fork}))", "$x =~ '(?{fork})' . fork",
	"y = fork = x", "s = fork = x =e", "q = fork = . system($x)", "q {x} . system($x)", "s x a b xe", "m xfork()x", "qw = a b =", "print q'a' . fork", "q\\a\\ . fork", "say /fork/", "say / fork() /", "say $x", "print $x /fork/", "print $x -fork", "print $x <fork", "print $x %fork", "print $x &fork", "print $x ?fork:1", "print $x (fork)", "print $x{fork()}", "print $x [fork]", "push $x /fork/", "print FOO -fork()", "print FOO /fork/", "print {fork} 1", "print { system('id'); $x } 1", "print {*STDOUT} 1", "print {$x->{f}} 1", "printf {fork()} 1", "shift /fork/", "shift ? fork : 1", "shift < fork", "shift x fork", "time /fork/ 1", "lc /fork/", "rand *fork", "length %fork()", "keys %$x", "values %{$x}", "each %$x", "map { 'a' => 1 } /fork/", "map { \"a\" => 1 } %fork", "map { $_ => 1 } -fork()", "map { \"a\", 1 } <fork>", "sort { $a } /fork/", "sort $x @y", "sort fork @x", "sort { fork } @x", "sort &f, 1", "{ 'a', 1 } /fork/", "{ a => 1 } / fork /", "{ } /fork/", "-e / fork /", "-fork", "-e fork()", "- fork", "$x -e fork", "$x - e fork", "wantarray /fork/", "return fork", "die fork", "warn fork()", "1 ? fork : 0", "1 if fork", "1 for fork", "while (fork) { }", "(fork)[0]", "[fork]", "{a => fork}", "$x[fork]", "$h{fork()}", "$h{fork . 'x'}", "$h{+fork}", "@x[fork]", "@h{fork()}", "@{fork()}", "@{[fork]}", "%{fork()}", "${fork()}", "$#{fork()}", "my $x = fork", "$x .= fork", "!fork", "\\fork", "1, fork", "1 and fork", "not fork", "1 x fork", "1 .. fork", "fork => fork", "fork\n=> 1",
	"#!/bin/sh\nid", "#!perl -i\nprint 1", " #!perl -n\nprint 1", "=pod\n\nprint 1\n=cut\nfork", "print 1;\n=x\nfork", "print 1\x04fork", "print 1\x1afork", "print 1\rfork", "\x00", "print <<X;\nx\nX\nfork", "print <<\"X\";\n@{[fork]}\nX\n", "print <<~X;\nX\nfork", "<<`X`\nid\nX\n", "print << 'X'\nX\nfork", "use utf8; ｆork", "$ｘ", "-n }{ fork", "-n } fork; {", "-p }; fork; {", "-n } BEGIN { fork", "-n use strict; }{ print $$x{a}{b}{$c}", "print 1; fork", "print 1 fork", "print(1) fork", "(1", "1)", "{", "}", "\"", "'", "/x", "s/x", "s/x/y", "qw(", "<x", "((((", "$", "@", "%", "&", "*", "\\", "print v1.2.3.fork", "1.2.3", "0x1g", "print 1fork", "print 1.fork", "print .5.fork", "x => fork", "do { fork }", "eval { fork }", "sub f { fork } f()", "f(1); sub f { system $_[0] }", "if (fork) { }", "unless (1) { fork }", "until (fork) { }", "foreach (fork) { }", "for (;fork;) { }", "for my ($a, $b) (1) { }", "LABEL: fork", "CHECK { fork }", "UNITCHECK { fork }", "INIT { fork }", "ADJUST { fork }",
	"-n @ARGV = ('id|')", "@ARGV = ('id|'); print <>", "push @ARGV, 'id|'; print <>", "unshift @ARGV, 'id|'; print <STDIN>", "-n BEGIN { push @ARGV, 'id|' }", "-n $ARGV[0] = 'id|'", "s/$/|/ for @ARGV; print <>", "for (@ARGV) { $_ .= '|' } print <>", "map { s/$/|/ } @ARGV; while (<>) { }", "chomp @ARGV; print <>", "my @ARGV = 1", "local @ARGV = ('id|'); print <>", "local ($x, @ARGV) = (1, 'id|'); print <>", "splice(@ARGV, 0, 0, 'id|'); print <>", "our @ARGV = ('id|'); print <>", "(@ARGV) = ('id|'); print <>", "($x, @ARGV) = (1, 'id|')", "$r = \\@ARGV; push @$r, 'id|'; print <>", "@main::ARGV = ('id|'); print <>", "@::ARGV = ('id|'); print <>", "@$x = ('id|'); print <>", "@{'ARGV'} = ('id|'); print <>", "$x = 'ARGV'; push @$x, 'id|'; print <>", "$x = 'ARGV'; push @{$x}, 'id|'; print <$x>", "$$x[0] = 'id|'", "$x->[0] = 'id|'; print <>", "${$x}[0] = 'id|'", "$h{a} = 'ARGV'; push @{$h{a}}, 'id|'; print <>", "%h = (a => 'ARGV'); push @{$h{a}}, 'id|'; print <>", "$h{a} = $_ for 'ARGV'; push @{$h{a}}, 'id|'", "@a = ('ARGV'); push @{$a[0]}, 'id|'", "push @a, 'ARGV'; $a[0][0] = 'id|'; print <>", "$h{a}{b} = 'ARGV'; $h{a}{b}[0] = 'id|'", "$h{a} .= 'ARGV'; $h{a}[0] = 'id|'", "($h{a}) = 'ARGV'; $h{a}[0] = 'id|'", "@h{qw(a)} = 'ARGV'; $h{a}[0] = 'id|'", "$h{a} = ['ARGV']; push @{$h{a}[0]}, 'id|'", "$h{a}[0]++; $_ = 'ARGV' for values %h; push @{$h{a}}, 'id|'", "$h{a} = \\'ENV'; print %{$h{a}{b}}", "$h{a} =~ s/^/ARGV/; $h{a}[0] = 'id|'", "chomp($h{a} = <STDIN>); $h{a}[0] = 'id|'", "$x = \\$h{a}; $$x = 'ARGV'; $h{a}[0] = 'id|'", "$^I = ''; print <>", "${^I} = ''", "$x = chr(9); $$x = ''; print <>", "$0 = 'x'", "$^W = 1", "$SIG{ALRM} = 'x'", "$SIG{__DIE__} = 1", "local $SIG{ALRM} = 1", "%SIG = ()", "@INC = '.'", "push @INC, '.'", "unshift @INC, '.'; use JSON::PP", "$INC{x} = 1", "delete $INC{x}", "$ENV{PATH} = '.'", "%ENV = ()", "local $ENV{PATH} = '.'", "delete $ENV{PATH}", "$x = \\%ENV; print %$x", "@ISA = 'Foo'", "$ENV{PATH} = '.'; system('ls')",
	"print %$x", "$x = 'ENV'; print $$x{$k}", "$x = 'ENV'; print $x->{$k}", "print keys %{'ENV'}", "print %{'ENV'}", "print %main::ENV", "print %::ENV", "print $::ENV{X}", "print $main::ENV{X}", "print ${'ENV'}{X}", "print $h{a}{$b}; $h{a} = 'ENV'", "print map { $h{$_}{$k} } 1; %h = (1 => 'ENV')", "$h = 'ENV'; print \"$h->{$k}\"", "print @{$x}{qw(a)}", "print @$x{a}", "print $x->%*", "print values $x->%*", "print %!", "print $!{X}", "print %+", "print @{^CAPTURE}", "print ${^TAINT}", "unpack 'P', $x", "pack 'p', $x", "unpack $x, $y", "$fh = 'ARGV'; print <$fh>; @$z = 1", "open(my $f, '<', 'x'); $f = 'ARGV'; print <$f>; push @$z, 'id|'", "print $Data::Dumper::Freezer = 'system'", "use Data::Dumper; $Data::Dumper::Freezer = 'system'", "use Data::Dumper; local $Data::Dumper::Pair = 1", "$JSON::PP::x = 1", "keys(%h) = fork", "local $_[0] = 1; $_[0] = 'x'", "sub f { $_[0] = 'x' } f(@ARGV)", "1 ? $x : $y = fork", "1 ? $SIG{x} : $SIG{y} = 'z'", "1 ? $x : @ARGV = 'id|'", "readline(ARGV)", "readline *STDIN", "getc", "read(STDIN, $x, 1)", "sysread(STDIN, $x, 1)", "syswrite(STDOUT, 'x')", "print $x->y", "isa Foo", "$x isa Foo", "try { 1 } catch ($e) { fork }", "defer { fork }", "state $x = fork", "my Foo $x", "my $x : Foo = 1", "sub f : lvalue { 1 }", "print __FILE__->x", "CORE::say 'x'", "CORE::dump()", "no strict 'refs'; &{'f'}()", "print F::G 'x'", "x'y", "print 'a'b", "lock $x", "alarm 1", "exit fork", "sleep fork",
}

func TestPerl(t *testing.T) {
	for i := 0; i+1 < len(perlPure); i += 2 {
		env, source := plEnvOf(perlPure[i])
		f := Prove("perl", source, env)
		if got := show(f); got != perlPure[i+1] {
			t.Errorf("%s\ngot  %s (%s)\nwant %s", perlPure[i], got, f.Why, perlPure[i+1])
		}
	}
	for _, source := range perlAttacks {
		env, source := plEnvOf(source)
		f := Prove("perl", source, env)
		if f.Proven && !slices.ContainsFunc(f.Effects, func(e Effect) bool { return !e.Known }) {
			t.Errorf("proven: %s", source)
		}
	}
	if n, m := len(perlPure)/2, len(perlAttacks); n < 80 || m < 150 {
		t.Errorf("%d programs and %d attacks", n, m)
	}
}

// plMask are operations that a program which is proven and has no effect can
// do without. With them masked perl refuses to compile what holds one, also in
// BEGIN, before any of it runs.
const plMask = "-M-ops=system,exec,fork,wait,waitpid,backtick,glob,open,sysopen,unlink,rename,chmod,chown,utime,link,symlink,mkdir,rmdir,chdir,chroot,truncate,open_dir,ftlink," +
	"bless,tie,untie,dbmopen,entereval,dofile,syscall,ioctl,fcntl,socket,connect,bind,listen,accept,pipe_op,kill,sselect,select,alarm,umask,dump,sysread,syswrite,read,getc,send,recv"

// What is proven must compile to nothing else, for perl itself: it may read a
// program in another way than the prover does.
func TestPerlCompiles(t *testing.T) {
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip("no perl to compare with")
	}
	seen := 0
	for i, source := range append(slices.Clone(perlPure), perlAttacks...) {
		if i < len(perlPure) && i%2 == 1 {
			continue
		}
		env, text := plEnvOf(source)
		if f := Prove("perl", text, env); !f.Proven || slices.ContainsFunc(f.Effects, changing) {
			continue
		}
		seen++
		if out := plCompiles(t, perl, env, text); out != "" {
			t.Errorf("%s\n%s", source, out)
		}
	}
	if seen < 60 {
		t.Errorf("only %d programs compared", seen)
	}
	if plCompiles(t, perl, Env{}, "print 1; unlink 'x'") == "" || plCompiles(t, perl, Env{}, "BEGIN { system 'true' }") == "" {
		t.Error("perl masks nothing")
	}
}

func changing(e Effect) bool { return e.Kind != Arguments && e.Kind != Secret }

// plCompiles compiles a program, which does not run, and returns what perl has
// to say against it.
func plCompiles(t *testing.T, perl string, env Env, text string) string {
	args := []string{plMask + ",require,method,method_named"}
	if strings.Contains(text, "use ") || env.Perl.Say { // modules are loaded before operations are masked
		args = []string{"-MList::Util", "-MPOSIX", "-MJSON::PP", "-MData::Dumper", "-MMIME::Base64", "-mfeature", plMask}
	}
	args = append(args, "-c")
	switch {
	case env.Perl.Print:
		args = append(args, "-p")
	case env.Perl.Loop:
		args = append(args, "-n")
	}
	last := "-e"
	if env.Perl.Say {
		last = "-E"
	}
	cmd := exec.Command(perl, append(args, last, text)...)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/nowhere"}
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return string(out)
}

// plForbidden are constructs with which nothing is proven, wherever they stand.
var plForbidden = []string{
	"fork", "eval $x", "do $x", "require Foo", "system($x)", "`$x`", "&$x", "$x->()", "$x->y", "*x = 1", "\"@{[fork]}\"", "\"${\\fork}\"", "\"$x[fork]\"",
	"s/x/fork/e", "/(?{fork})/", "<*.c>", "glob('*')", "@ARGV = 1", "$^I = ''", "$SIG{x} = 1", "rename 'a', 'b'", "kill 9, 1", "open(F, '<', $x) or fork", "print <<X", "goto x",
}

// A program that is proven is not with a forbidden construct in it, and what
// is proven says nothing against itself.
func FuzzPerl(f *testing.F) {
	for i := 0; i < len(perlPure); i += 2 {
		f.Add(perlPure[i])
	}
	for _, source := range perlAttacks {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		env, text := plEnvOf(source)
		facts := Prove("perl", text, env)
		if facts.Proven == (facts.Why != "") {
			t.Fatalf("%v, %q", facts.Proven, facts.Why)
		}
		if !facts.Proven || len(text) > MaxSource/2 {
			return
		}
		for _, forbidden := range plForbidden {
			for _, with := range [...]string{forbidden + ";" + text, "if (1) {" + forbidden + "}" + text, "my $zz = " + forbidden + ";" + text} {
				if Prove("perl", with, env).Proven {
					t.Fatalf("proven: %s", with)
				}
			}
		}
		env.Perl.Told = false
		if Prove("perl", text, env).Proven {
			t.Fatalf("proven without the options: %s", text)
		}
	})
}
