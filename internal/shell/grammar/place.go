package grammar

import "strings"

// place is where a reader stands in a text.
type place struct {
	src     string
	at, end int
	fault   string // the first form that is not known; nothing is read behind it
}

const (
	blanks      = " \t"
	terminators = " \t\n;&|()<>"
)

func (p *place) fail(what string) {
	if p.fault == "" {
		p.fault = what
	}
	p.at = p.end
}

// next returns the byte that is n behind the present one, 0 behind the end.
func (p *place) next(n int) byte {
	if p.at+n >= p.end {
		return 0
	}
	return p.src[p.at+n]
}

func (p *place) rest() string { return p.src[min(p.at, p.end):p.end] }

// terminated reports whether a word cannot go on here.
func (p *place) terminated() bool {
	return p.at >= p.end || strings.IndexByte(terminators, p.src[p.at]) >= 0
}

// bare is the word here if it has no blank in quotes.
func (p *place) bare() string {
	rest := p.rest()
	if n := strings.IndexAny(rest, terminators); n >= 0 {
		return rest[:n]
	}
	return rest
}

// assigns reports whether an assignment begins here.
func (p *place) assigns() bool {
	name, _, ok := strings.Cut(p.bare(), "=")
	return ok && Identifier(name)
}

// leave goes on at a byte, up to another end.
func (p *place) leave(at, end int) {
	if p.at, p.end = at, end; p.fault != "" {
		p.at = end
	}
}

// spaces skips blanks, and a backslash between words that joins two lines.
func (p *place) spaces() {
	for p.at < p.end {
		switch {
		case strings.IndexByte(blanks, p.src[p.at]) >= 0:
			p.at++
		case strings.HasPrefix(p.rest(), "\\\n") && (p.at == 0 || strings.IndexByte(" \t\n", p.src[p.at-1]) >= 0):
			p.at += 2
		default:
			return
		}
	}
}
