package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// powerShell reads what speaks against a line of PowerShell, by writing a line of bash that does about the same, with
// each cmdlet by its name and each parameter in full. It clears nothing: no real PowerShell was at hand to show that
// the two lines do the same. What could be commands in a line that is not plain is looked at as well.
func powerShell(source string, m *machine) Report {
	line, ok := inBash(source, m)
	report := unreadable(source, "this is PowerShell, of which nod reads only what speaks against it")
	if ok {
		known := read(line, m, syntax.LangBash)
		known.Unknowns = append(known.Unknowns, report.Unknowns...)
		report = known
	}
	s := suspects{report: Report{}}
	pieces := strings.FieldsFunc(source, func(r rune) bool { return strings.ContainsRune(";|&{}()\n", r) })
	for _, piece := range pieces[:min(len(pieces), 512)] {
		if line, ok := inBash(strings.TrimSpace(piece), m); ok {
			s.add(read(line, m, syntax.LangBash))
		}
	}
	report.Possible = both(both(report.Possible, &s.report), possible([]string{source}, m))
	return report
}

// psWord is a word of PowerShell. A bare word may be a parameter, and stand for several values.
type psWord struct {
	text string
	bare bool
}

// inBash is the line of bash that a text of PowerShell stands for; ok is false where there is none.
func inBash(source string, m *machine) (line string, ok bool) {
	var out strings.Builder
	var words []psWord
	end := func(sign string) bool {
		text, ok := psCommand(words, m)
		if !ok {
			return false
		}
		out.WriteString(text + sign + " ")
		words = nil
		return true
	}
	for rest := strings.TrimLeft(source, " \t"); ; rest = strings.TrimLeft(rest, " \t") {
		sign := psSign(rest)
		switch after, ok := dropped(rest); {
		case ok:
			rest = after
		case rest != "" && sign == "":
			var w psWord
			if w, rest, ok = psNext(rest); !ok {
				return "", false
			}
			words = append(words, w)
		case len(words) == 0 && (rest == "" || strings.Trim(sign, ";\r\n") == ""): // an empty line
			rest = rest[len(sign):]
		case !end(strings.TrimPrefix(sign, "\r")):
			return "", false
		default:
			rest = rest[len(sign):]
		}
		if rest == "" && len(words) == 0 {
			return out.String(), true
		}
	}
}

// psSign is what ends a command.
func psSign(text string) string {
	for _, sign := range [...]string{";", "\r\n", "\n", "||", "&&", "|"} {
		if strings.HasPrefix(text, sign) {
			return sign
		}
	}
	return ""
}

// dropped takes a redirection to $null, and of errors to where the rest goes.
func dropped(text string) (rest string, ok bool) {
	n := strings.IndexAny(text+" ", " \t;|\r\n")
	known := []string{"2>&1", ">$null", "1>$null", "2>$null", "*>$null"}
	return text[n:], slices.Contains(known, strings.ToLower(text[:n]))
}

// psNext takes a word: a quoted text, or signs that mean nothing; ok is false for any other.
func psNext(text string) (w psWord, rest string, ok bool) {
	if quote := text[0]; quote == '\'' || quote == '"' {
		inner, after, closed := strings.Cut(text[1:], text[:1])
		switch {
		case !closed || after != "" && !strings.ContainsRune(" \t;|\r\n", rune(after[0])):
			return w, "", false
		case quote == '"':
			inner = psHome(inner)
		}
		if strings.ContainsAny(inner, "‘’‚‛“”„") || quote == '"' && strings.ContainsAny(inner, "$`") {
			return w, "", false
		}
		return psWord{text: inner}, after, true
	}
	n := strings.IndexAny(text+" ", " \t;|\r\n")
	w = psWord{psHome(text[:n]), true}
	plain := w.text
	if w.text[0] == '-' { // a switch, on or off
		plain = strings.TrimSuffix(strings.TrimSuffix(w.text, ":$false"), ":$true")
	}
	if odd := strings.IndexFunc(plain, func(r rune) bool {
		return r < 0x20 || r >= 0x7f || strings.ContainsRune("$`(){}&<>@#'\"", r)
	}); odd >= 0 || strings.HasPrefix(text, "--%") {
		return w, "", false
	}
	return w, text[n:], true
}

// psHome writes ~ for a variable that names the home directory.
func psHome(text string) string {
	for _, name := range [...]string{"$HOME", "$env:USERPROFILE"} {
		if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) &&
			(len(text) == len(name) || strings.ContainsRune(`\/`, rune(text[len(name)]))) {
			return "~" + text[len(name):]
		}
	}
	return text
}

// isCmdlet reports whether PowerShell itself has a command of that name, so that PATH is not asked.
func (m *machine) isCmdlet(name string) bool {
	if m.env.Dialect != PowerShell {
		return false
	}
	_, file, _ := commands.Find(name)
	return file == "cmdlets" && name != file
}

// psCommand writes one command.
func psCommand(words []psWord, m *machine) (line string, ok bool) {
	if len(words) == 0 || !words[0].bare || strings.ContainsAny(words[0].text[1:], "*?[]%,=~!^") {
		return "", false
	}
	text, _, _ := commands.Find("cmdlets")
	windows := view.Windows(m.env.Files)
	name, native := words[0].text, !windows && lists(text, "native", strings.ToLower(words[0].text))
	if windows && len(words) == 2 && strings.EqualFold(name, "curl") { // 5.1 and 7 call another, and it is one page
		name = "Invoke-WebRequest"
	}
	for _, alias := range listed(text, "alias") {
		if short, long, _ := strings.Cut(alias, "="); strings.EqualFold(short, name) && !native {
			name = long
		}
	}
	for _, heading := range strings.Split(text, "[@")[1:] {
		if cmdlet, _, _ := strings.Cut(heading, "]"); strings.EqualFold(cmdlet, name) {
			s, _ := m.sheet(cmdlet)
			words[0].text = cmdlet
			return psCmdlet(s, words)
		}
	}
	if shellOwns(name) || lists(text, "keyword", strings.ToLower(name)) || strings.Contains(name, "-") &&
		!strings.ContainsAny(name, `.\/`) && name[0] >= 'A' && name[0] <= 'Z' {
		return "", false
	}
	line = strings.ReplaceAll(name, `\`, "/")
	for _, w := range words[1:] {
		line += " " + psQuoted(w.text)
	}
	return line + " ", true
}

// psDashed reports whether a bare word begins with one dash.
func psDashed(text string) bool {
	return len(text) > 1 && text[0] == '-' && text[1] != '-' && (text[1] < '0' || text[1] > '9')
}

// psCmdlet writes a cmdlet: parameters in full, then what stands in its places, in their order.
func psCmdlet(s *sheet, words []psWord) (line string, ok bool) {
	places := listed("\n"+s.own, "places")
	filled := make([][]string, len(places))
	line = s.name + " "
	if s.name == "Set-Location" {
		line = "cd "
	}
	literal := false
	for i := 1; i < len(words); i++ {
		w, place := words[i], ""
		if w.bare && psDashed(w.text) {
			given, value, has := strings.Cut(w.text[1:], ":")
			o, name := s.parameter(given, places)
			takes := name != "" && (name[0] != '-' || o.arg == '=')
			switch {
			case name == "", takes && !has && i+1 == len(words), !takes && has && value != "$true" && value != "$false":
				return "", false
			case !takes && value == "$false":
				continue
			case !takes:
				line += name + " "
				continue
			case !has:
				i++
				w = words[i]
			default:
				w = psWord{value, true}
			}
			literal = literal || strings.HasPrefix(strings.ToLower("LiteralPath"), strings.ToLower(given))
			if _, own := lookupIn(s.own, name); name[0] == '-' && !own {
				continue // what becomes of its errors
			}
			place = name
		}
		values := []string{w.text}
		if w.bare {
			values = strings.Split(w.text, ",")
		}
		at := slices.Index(places, place)
		if place == "" {
			at = slices.IndexFunc(filled, func(v []string) bool { return v == nil })
		}
		for _, v := range values {
			switch {
			case at >= 0 && !literal && places[at] == "Path" && strings.ContainsAny(v, "*?["):
				filled[at] = append(filled[at], psGlob(v))
			case at >= 0:
				filled[at] = append(filled[at], psQuoted(v))
			case place == "":
				return "", false
			default:
				line += place + " " + psQuoted(v) + " "
			}
		}
	}
	for i, values := range filled {
		_, optional := s.lookup("-" + places[i])
		for _, v := range values {
			if optional {
				line += "-" + places[i] + " "
			}
			line += v + " "
		}
	}
	return line, true
}

// parameter finds a parameter by its name, or by how alone it begins: an option of the sheet, or a place.
func (s *sheet) parameter(given string, places []string) (o option, name string) {
	names, found := slices.Clone(places), []string{}
	if slices.Contains(places, "Path") {
		names = append(names, "LiteralPath")
	}
	for word := range strings.FieldsSeq(s.own + "\n" + strings.Join(s.more, "\n")) {
		if word[0] == '-' {
			names = append(names, word)
		}
	}
	for _, n := range names {
		bare := strings.TrimPrefix(n, "-")
		if strings.EqualFold(bare, given) {
			found = []string{n}
			break
		}
		if len(bare) > len(given) && strings.EqualFold(bare[:len(given)], given) {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		return o, ""
	}
	o, _ = s.lookup(found[0])
	return o, strings.TrimPrefix(found[0], "Literal")
}

// psQuoted is a word of bash that stands for itself, but for a home.
func psQuoted(text string) string {
	home := ""
	if text == "~" || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, `~\`) {
		home, text = "~", strings.ReplaceAll(text[1:], `\`, "/")
	}
	if text == "" {
		return cmp.Or(home, "''")
	}
	return home + strings.TrimSpace(QuoteWords([]string{text}))
}

// psGlob is a pattern of bash that stands for a pattern of PowerShell.
func psGlob(text string) (glob string) {
	if strings.ContainsRune("*?[", rune(text[0])) {
		glob = "./" // no option begins so
	}
	for _, r := range strings.ReplaceAll(text, `\`, "/") {
		if !strings.ContainsRune("*?[]-/.:_~", r) && !(r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			glob += `\`
		}
		glob += string(r)
	}
	return glob
}
