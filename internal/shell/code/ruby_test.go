package code

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rubyPure are programs and their effects.
var rubyPure = []string{
	"puts 1", "nothing",
	"puts 'ok'", "nothing",
	"puts \"a#{1 + 2}b\"", "nothing",
	"puts [1, 2, 3].map { |x| x * 2 }.sum", "nothing",
	"puts [1, 2, 3].map do |x|\n  x * 2\nend", "nothing",
	"p (1..10).select(&:even?).to_a", "nothing",
	"puts (1..5).inject(:+), [1, 2].inject { |a, b| a * b }, [1].reduce(0) { |a, b| a + b }", "nothing",
	"x = 5; y = x * 2; puts x + y", "nothing",
	"a, b = 1, 2; puts a - b", "not proven",
	"x = {a: 1, 'b' => [1, 2]}; puts x[:a], x['b'][0], x.keys.sort.join(', ')", "nothing",
	"h = Hash.new(0); $stdin.each_line { |l| h[l.strip] += 1 }; h.sort_by { |k, v| -v }.each { |k, v| puts \"#{v} #{k}\" }", "not proven",
	"h = Hash.new(0); $stdin.each_line { |l| h[l.strip] += 1 }; h.each { |k, v| puts \"#{v} #{k}\" }", "nothing",
	"require 'json'; puts JSON.parse(File.read('a.json'))['name']", "read a.json",
	"require 'json'; d = JSON.parse(File.read(\"a.json\"), symbolize_names: true); puts d[:a].length", "read a.json",
	"require 'json'; puts JSON.pretty_generate(JSON.parse($stdin.read))", "nothing",
	"require 'yaml'; YAML.safe_load(File.read('a.yml')); puts 'YAML is valid'", "read a.yml",
	"require 'yaml'; d = YAML.safe_load(File.read('a.yml'), aliases: true); d.each do |k, v|\n  puts \"#{k}: #{v}\"\nend", "read a.yml",
	"require 'yaml'; p YAML.safe_load_file('a.yml')", "read a.yml",
	"require 'date'; puts Date.today - 1", "nothing",
	"require 'time'; puts Time.parse('2020-01-01').to_i, Time.now.strftime('%Y'), Time.now.to_f - 5", "nothing",
	"require 'digest'; puts Digest::SHA256.hexdigest('x')", "nothing",
	"require 'set'; puts Set.new([1, 2]).include?(1)", "nothing",
	"puts File.read('a').lines.count", "read a",
	"File.foreach('a') { |l| puts l if l =~ /x\\d+/ }", "read a",
	"puts File.exist?('a') ? 'yes' : 'no'", "nothing",
	"puts ENV['HOME'], ENV.fetch('PATH', 'x')", "secret HOME; secret PATH",
	"puts ENV['GITHUB_TOKEN']", "secret GITHUB_TOKEN",
	"if ARGV.empty?\n  puts 'none'\nelsif 1 > 2\n  puts 'b'\nelse\n  puts ARGV[0]\nend", "nothing",
	"puts 'a,b'.split(',').map(&:upcase).join('-') unless false", "nothing",
	"puts 'abc'.gsub(/b/, 'x').sub('a', 'y').length", "nothing",
	"s = 'x'\nputs s\n  .upcase\n  .strip # a comment\nputs 2", "nothing",
	"puts RUBY_VERSION, Math.sqrt(2), Math::PI, 3.14.round(1)", "nothing",
	"puts (1..3).each_slice(2).to_a.inspect", "nothing",
	"STDERR.puts 'x'; $stdout.print 'y'; raise 'z' if 1 == 2; exit 1", "nothing",
	"printf('%d %s', 1, 'a'); puts format('%05d', 3)", "nothing",
	"system('rm -rf x')", "shell rm -rf x",
	"system 'ls', '-l'", "command ls -l",
	"require 'fileutils'; FileUtils.rm_rf('/home/user')", "deltree /home/user",
	"File.write('a', 'x')", "write a",
	"File.delete('a', 'b')", "delete a; delete b",
	"puts \"caf\u00e9\"", "nothing",
}

// rubyAttacks are programs that must not be proven.
var rubyAttacks = []string{
	"eval 'x'", "eval('x')", "instance_eval('x')", "'x'.instance_eval('y')", "[1].instance_eval { 1 }", "Kernel.eval('x')", "binding.eval('x')", "send(:system, 'id')", "'x'.send(:system, 'id')", "'x'.public_send(:instance_eval, 'y')", "'x'.__send__(:system, 'id')", "method(:system).call('id')", "'x'.method(:instance_eval)", "Object.const_get('File')", "Kernel.system('id')", "Kernel.open('|id')", "open('|id')", "open('x', 'w')", "IO.popen('id')", "IO.read('|id')", "IO.write('x', 'y')", "File.open('x', 'w')", "File.new('x')", "File.read('|id')", "File.read(' |id')", "File.read(x)", "File.read(ARGV[0])", "File.read(\"#{1}\")", "File.read('a', 1)", "File.write(ARGV[0], 'x')", "File.rename('a', 'b')", "File.chmod(0, 'a')", "File.symlink('a', 'b')", "Dir.glob('*')", "Dir['*']", "Dir.chdir('/')", "Dir.delete('x')", "FileUtils.rm_rf(ARGV)", "FileUtils.rm_rf(Dir['*'])", "FileUtils.mv('a', 'b')", "FileUtils.cp_r('a', 'b')", "require 'open3'", "require 'socket'", "require 'net/http'", "require 'open-uri'", "require './x'", "require x", "require_relative 'x'", "load 'x.rb'", "autoload :X, 'x'", "`id`", "%x(id)", "%x{id}", "puts `id`", "puts %x(id)", "puts %w[a b]", "puts %(#{system('id')})", "\"#{`id`}\"", "\"#{eval('x')}\"", "\"#{system(ARGV[0])}\"", "\"#$x\"", "\"#@x\"", "fork", "fork { 1 }", "puts fork", "p fork()", "exec ARGV[0]", "spawn(x)", "system(*ARGV)", "system({'A' => 'b'}, 'id')", "system(\"#{1}\")", "Process.kill(9, 1)", "Process.spawn('id')", "trap('INT') { 1 }", "at_exit { fork }", "Thread.new { fork }", "Signal.trap('INT')", "ObjectSpace.each_object", "define_method(:x) { 1 }", "def x; end", "class X; end", "module X; end", "X = 1", "$x = 1", "@x = 1", "@@x = 1", "$0 = 'x'", "$; = 'x'", "$LOAD_PATH << '.'", "$: << '.'", "$stdout = 1", "$stdin.reopen('x')", "$stdout.reopen('x')", "$stdout.write('x', y)", "puts $stdin", "x = $stdout; x.reopen('y')", "STDIN.each_line(&:system)", "alias x y", "undef x", "BEGIN { fork }", "END { fork }", "begin; fork; end", "while fork; end", "case 1; when fork; end", "-> { fork }", "lambda { 1 }.call", "proc { 1 }", "Proc.new { 1 }", "yield", "super", "self.system('id')", "self",
	"['x'].inject(:instance_eval)", "['a', 'x'].inject('instance_eval')", "x = 'instance_eval'; ['a', 'b'].inject(x)", "x = :eval; ['a', 'b'].reduce(x)", "['a', 'b'].inject(:send)", "['a'].inject('b', :instance_eval)", "['a'].inject(*['b', :instance_eval])", "['a'].each(&:instance_eval)", "['id'].map(&:system)", "['id'].map(&method(:system))", "x = :eval; ['a'].map(&x)", "['a'].map(&:to_proc)", "['a'].each_entry(&:eval)", "'x'.to_enum(:instance_eval)", "'x'.then(&:instance_eval)", "['x'].pack('p')", "'x'.unpack1('P')", "['x'].pack(ARGV[0])", "'x'.unpack('p')", "'x'.encode('y')", "'x'.freeze.instance_variable_set(:@a, 1)", "'x'.singleton_class", "'x'.class", "'x'.extend(X)", "'x'.tap(&:eval)", "{a: 1}.to_proc", "{a: 1}.method(:x)", "1.instance_exec { fork }", "'x'.define_singleton_method(:y) { 1 }", "JSON.parse('x')", "YAML.safe_load('x')", "require 'yaml'; YAML.load('x')", "require 'yaml'; YAML.unsafe_load('x')", "require 'yaml'; YAML.load_file('x')", "require 'yaml'; YAML.safe_load('x', permitted_classes: [X])", "require 'yaml'; YAML.safe_load('x', [X])", "require 'yaml'; YAML.safe_load('x', ARGV)", "require 'json'; JSON.parse('x', create_additions: true)", "require 'json'; JSON.parse('x', {create_additions: true})", "require 'json'; JSON.parse('x', 'create_additions' => true)", "require 'json'; JSON.parse('x', opts)", "require 'json'; JSON.parse('x', **{})", "require 'json'; JSON.load('x')", "require 'json'; JSON.load_file('x')", "require 'json'; JSON.dump(1, $stdout)", "Marshal.load('x')", "require 'erb'; ERB.new('x').result", "ObjectSpace", "GC.start", "Gem.path", "require 'un'", "require 'bundler/setup'", "require 'json' if fork", "require 'json', fork",
	"[1].each { |fork| 1 }; fork", "[1].each { fork = 1 }; fork", "[1].each do |fork|\n1\nend\nfork", "puts(fork, b = 1)", "p fork, b = 1", "[fork, b = 1]", "{a: fork}", "[1].each { |system| 1 }; system ARGV[0]", "[1].map { |x; fork| 1 }", "[1].each { |x = fork| x }", "[1].each { |&fork| x }", "[1].each { |*fork| x }", "x = 1; x {fork}", "x = 1; x do fork end", "x = 1; x 1", "x = 1; x(1)", "x = 1; x::y", "x.y = 1", "x = 1; x.y = 2", "x = 1; x&.fork", "x = 1; x.fork", "x = 1\n  .fork", "fork = fork()", "puts = 1", "p = system; p", "exit! ", "exit!(1)", "puts? 1", "x = 1; x ?fork : 1", "1 ?fork : 2", "x = 1; x ? fork : 2", "x = 1; x && fork", "1 if fork", "1 unless fork", "if fork then 1 end", "1 and fork", "not fork", "!fork", "-fork", "(fork)", "[fork][0]", "x = [1]; x[fork]", "x = [1]; x[0] = fork", "x += fork", "puts *fork", "puts &fork", "puts -fork", "puts /fork/", "puts :fork.to_proc", "puts [1] [fork]", "puts 1.size /fork/", "puts 'a'.size -fork", "puts 'a'.size [fork]", "puts 'a'.size *fork", "puts 'a'.size %fork", "puts 'a'.size <<E\nE", "puts 'a'.size ?x", "puts 'a'.size :x", "puts 'a'.size ::X", "puts 'a'.join 'x'", "puts 'a'.map { |x| fork }", "puts 'a'.size; fork", "puts 'a'.size\nfork", "puts 1\n.fork", "puts 1 fork", "1fork", "1if fork", "[1and fork]", "1or fork", "0x1.fork", "puts <<E\n#{fork}\nE\n", "puts <<~E\nx\nE", "x = <<E\nE", "puts '\\'' + fork + ''", "puts 'a\\\\' + fork", "puts \"\\c\", \"fork\", \"\"", "puts \"\\C-\", fork, \"\"", "puts \"\\M-\\C-\", fork", "puts /\\c/, fork, /x/", "puts \"a\" \"#{fork}\"", "puts 'a' \"#{fork}\"", "puts \"a\" 'b'", "puts ?a", "puts /#{fork}/", "puts(/#{fork}/)", "puts(/a/e)", "puts(/a\nb/)", "=begin\n=end\nfork", "puts 1\n=begin\n=end\nfork", "#!ruby -x\nputs 1", "# coding: utf-7\nputs 1", "puts 1\n__END__\nfork", "__END__\nfork", "puts \"\u00e9\\\" + fork + \"\"", "puts 1\x04fork", "\x00", "puts 1\rfork", "(", ")", "[", "{", "}", "\"", "'", "/", "|", "puts(", "puts [", "puts {", "puts { fork }", "x = 1 +", "if 1", "[1].each { |x", "[1].each { |x|", "a ? b", ":\"fork\"", ":a?", "a: 1", "ENV", "puts ENV", "ENV.each { |k, v| puts v }", "p ENV.to_h", "ENV['PATH'] = '.'", "ENV['PATH'] ||= '.'", "ENV.delete('x')", "ENV.update('a' => 'b')", "ENV[x]", "Time.now.instance_eval { 1 }", "Math.send(:x)", "Math::X.y", "File::X", "Digest.x", "require 'digest'; Digest::X.new", "Struct.new(:a)", "Class.new", "String.new", "Array(fork)", "Integer fork", "sleep 1", "gets", "puts gets", "readlines", "ARGF.read", "caller", "__FILE__", "__dir__", "test(1, 'x')", "syscall(1)", "srand", "loop { fork }", "catch(:x) { }", "throw :x", "warn 'x'", "pp fork", "print fork",
}

func TestRuby(t *testing.T) {
	for i := 0; i+1 < len(rubyPure); i += 2 {
		f := Prove("ruby", rubyPure[i], Env{RubyTold: true})
		if got := show(f); got != rubyPure[i+1] {
			t.Errorf("%s\ngot  %s (%s)\nwant %s", rubyPure[i], got, f.Why, rubyPure[i+1])
		}
	}
	for _, source := range rubyAttacks {
		if f := Prove("ruby", source, Env{RubyTold: true}); f.Proven {
			t.Errorf("proven: %s %s", source, show(f))
		}
	}
	for _, name := range [...]string{"un", "open3", "./x", "debug"} {
		if Prove("ruby", "puts 1", Env{RubyTold: true, RubyUse: []string{name}}).Proven {
			t.Errorf("proven with %s", name)
		}
	}
	if n, m := len(rubyPure)/2, len(rubyAttacks); n < 40 || m < 200 {
		t.Errorf("%d programs and %d attacks", n, m)
	}
}

// What is accepted must be Ruby, read by Ruby itself.
func TestRubyParses(t *testing.T) {
	ruby, err := exec.LookPath("ruby")
	if err != nil {
		t.Skip("no ruby to compare with")
	}
	for i := 0; i+1 < len(rubyPure); i += 2 {
		cmd := exec.Command(ruby, "-c")
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(rubyPure[i])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s\n%s", rubyPure[i], out)
		}
	}
}

// rbForbidden are constructs with which nothing is proven, wherever they stand.
var rbForbidden = []string{"fork", "eval(x)", "send(:x)", "`id`", "%x(id)", "require x", "open('|id')", "system(*ARGV)", "[1].map(&:instance_eval)", "\"#{fork}\"", "$x", "@x", "Kernel.fork", "x.y", "def x; end", "exec ARGV[0]", "<<E"}

func FuzzRuby(f *testing.F) {
	for _, source := range slices.Concat(rubyPure, rubyAttacks) {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		facts := Prove("ruby", source, Env{RubyTold: true})
		if facts.Proven == (facts.Why != "") {
			t.Fatalf("%v, %q", facts.Proven, facts.Why)
		}
		if !facts.Proven || len(source) > MaxSource/2 {
			return
		}
		for _, forbidden := range rbForbidden {
			for _, with := range [...]string{forbidden + "\n" + source, "zz = " + forbidden + "\n" + source, "puts [1].map { " + forbidden + " }\n" + source, source + "\n" + forbidden} {
				if Prove("ruby", with, Env{RubyTold: true}).Proven {
					t.Fatalf("proven: %s", with)
				}
			}
		}
		if Prove("ruby", source, Env{}).Proven {
			t.Fatalf("proven without the options: %s", source)
		}
	})
}
