package disguise

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// site is the plain name of a program in a text.
type site struct {
	from, to int
	name     string
}

// sites finds the names of programs that may be written otherwise: not in
// backticks, here-documents and expansions, where quoting has other rules, and
// not names that were made up for functions and aliases.
func sites(command string) []site {
	file, err := parse(command)
	if err != nil || strings.Contains(command, "\r") {
		return nil
	}
	var found []site
	own := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return !n.Backquotes
		case *syntax.ParamExp, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.Redirect:
			return false
		case *syntax.FuncDecl:
			if n.Name != nil {
				own[n.Name.Value] = true
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name := n.Args[0].Lit()
				from, to := int(n.Args[0].Pos().Offset()), int(n.Args[0].End().Offset())
				if plain(name) && to <= len(command) && command[from:to] == name {
					found = append(found, site{from, to, name})
				}
			}
		}
		return true
	})
	kept := found[:0]
	for _, s := range found {
		if !own[s.name] && !strings.HasPrefix(s.name, "zz") {
			kept = append(kept, s)
		}
	}
	return kept
}

// rename makes a kind that writes the name of one program otherwise. write
// returns "" where it cannot.
func rename(name string, f Family, doc string, write func(r *rand.Rand, program string) string) Kind {
	return Kind{Name: name, Family: f, Doc: doc, apply: func(r *rand.Rand, command string) (string, bool) {
		list := sites(command)
		if len(list) == 0 {
			return "", false
		}
		s := list[r.IntN(len(list))]
		other := write(r, s.name)
		if other == "" {
			return "", false
		}
		disguised := command[:s.from] + other + command[s.to:]
		return disguised, parses(disguised)
	}}
}

// cut returns a place inside a name, between its first and its last byte.
func cut(r *rand.Rand, s string) int { return 1 + r.IntN(max(len(s)-1, 1)) }

func quotings() []Kind {
	return []Kind{
		rename("single-quotes", Quoting, "the program's name in single quotes",
			func(_ *rand.Rand, p string) string { return quote(p) }),
		rename("double-quotes", Quoting, "the program's name in double quotes",
			func(_ *rand.Rand, p string) string { return `"` + p + `"` }),
		rename("backslash", Quoting, "a backslash before the name",
			func(_ *rand.Rand, p string) string { return `\` + p }),
		rename("backslash-inside", Quoting, "a backslash inside the name", func(r *rand.Rand, p string) string {
			i := cut(r, p)
			if i >= len(p) {
				return ""
			}
			return p[:i] + `\` + p[i:]
		}),
		rename("partial-quotes", Quoting, "a part of the name in quotes", func(r *rand.Rand, p string) string {
			i := cut(r, p)
			return quote(p[:i]) + `"` + p[i:] + `"`
		}),
		rename("empty-quotes", Quoting, "empty quotes inside the name", func(r *rand.Rand, p string) string {
			i := cut(r, p)
			return p[:i] + `''""` + p[i:]
		}),
		rename("line-continuation", Quoting, "a continued line inside the name", func(r *rand.Rand, p string) string {
			i := cut(r, p)
			return p[:i] + "\\\n" + p[i:]
		}),
		rename("ansi-hex", Quoting, "$'\\x..'",
			func(_ *rand.Rand, p string) string { return "$'" + escapes(`\x%02x`, p) + "'" }),
		rename("ansi-octal", Quoting, "$'\\ooo'",
			func(_ *rand.Rand, p string) string { return "$'" + escapes(`\%03o`, p) + "'" }),
		rename("ansi-unicode", Quoting, "$'\\u....' for one letter", func(r *rand.Rand, p string) string {
			i := r.IntN(len(p))
			return p[:i] + fmt.Sprintf(`$'\u%04x'`, p[i]) + p[i+1:]
		}),
		rename("ansi-one", Quoting, "$'\\x..' for one letter", func(r *rand.Rand, p string) string {
			i := r.IntN(len(p))
			return p[:i] + fmt.Sprintf(`$'\x%02x'`, p[i]) + p[i+1:]
		}),
		rename("locale-quotes", Quoting, "$\"...\"", func(_ *rand.Rand, p string) string { return `$"` + p + `"` }),
		form("every-word-quoted", Quoting, "%w", "every word in single quotes"),
		{Name: "every-word-ansi", Family: Quoting, Doc: "every word as $'\\x..'",
			apply: func(_ *rand.Rand, command string) (string, bool) {
				var list []string
				for _, w := range words(command) {
					list = append(list, "$'"+escapes(`\x%02x`, w)+"'")
				}
				return strings.Join(list, " "), true
			}},
		{Name: "every-letter-escaped", Family: Quoting, Doc: "a backslash before every letter of every word",
			apply: func(_ *rand.Rand, command string) (string, bool) {
				var list []string
				for _, w := range words(command) {
					if w == "" || strings.Contains(w, "\n") || !ascii(w) {
						return "", false
					}
					list = append(list, escapes(`\%c`, w))
				}
				return strings.Join(list, " "), true
			}},
	}
}

// byPath makes a kind that names the program by where it lies, which is the
// same program only while nothing changes PATH.
func byPath(name, doc string, write func(r *rand.Rand, program string) string) Kind {
	k := renamed(name, doc, write)
	apply := k.apply
	k.apply = func(r *rand.Rand, command string) (string, bool) {
		if strings.Contains(command, "PATH") {
			return "", false
		}
		return apply(r, command)
	}
	return k
}

func renamed(name, doc string, write func(r *rand.Rand, program string) string) Kind {
	return rename(name, Expansion, doc, func(r *rand.Rand, p string) string {
		if shellOnly(p) || strings.Contains(p, "/") {
			return ""
		}
		return write(r, p)
	})
}

func paths() []Kind {
	return []Kind{
		byPath("absolute-path", "the program by its absolute path", func(r *rand.Rand, p string) string {
			return [...]string{"/bin/", "/usr/bin/", "/bin/../usr/bin/", "/usr//bin/./", "//usr/bin/"}[r.IntN(5)] + p
		}),
		byPath("glob-bracket", "the program by a glob with a bracket", func(r *rand.Rand, p string) string {
			i := r.IntN(len(p))
			if p[i] == '-' || p[i] == '.' {
				return ""
			}
			return "/bin/" + p[:i] + "[" + p[i:i+1] + "]" + p[i+1:]
		}),
		byPath("glob-directory", "the program by a glob in its directory",
			func(_ *rand.Rand, p string) string { return "/us[r]/b?n/" + p }),
		byPath("path-expansion", "the program by a path from an expansion",
			func(_ *rand.Rand, p string) string { return "${zzpath:-/usr}/bin/" + p }),
	}
}
