package main

import (
	"bytes"
	"fmt"
	"strings"
)

// The measures of the picture, in pixels.
const (
	columnWidth, lineHeight = 8.4, 20
	margin, bar             = 16, 28
)

// svg draws the lines of a terminal. Of escape sequences it knows the colours
// that nod prints; an unknown one shows as text.
func svg(screen []string) []byte {
	columns := 0
	for _, line := range screen {
		columns = max(columns, len([]rune(plain(line))))
	}
	width, height := 2*margin+int(float64(columns)*columnWidth), bar+len(screen)*lineHeight+margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	b.WriteString("<title>nod check, asked about a few commands</title>\n")
	b.WriteString("<!-- drawn by go run ./internal/picture -->\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#14171c"/>`+"\n", width, height)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="14" r="5" fill="%s"/>`+"\n", margin+4+i*18, colour)
	}
	b.WriteString(`<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#d7dae0">` + "\n")
	for i, line := range screen {
		if line != "" {
			fmt.Fprintf(&b, `<text x="%d" y="%d" xml:space="preserve">%s</text>`+"\n", margin, bar+(i+1)*lineHeight-4,
				spans(line))
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// colours are those of [terminal sequence, drawn as].
func colours() [][2]string {
	return [][2]string{{"\x1b[31m", "#ff6b68"}, {"\x1b[32m", "#5fd068"}, {"\x1b[33m", "#f0c050"}}
}

const reset = "\x1b[0m"

// spans writes a line with its colours; a command is brighter than its answer.
func spans(line string) string {
	if strings.HasPrefix(line, "$ ") {
		return `<tspan fill="#ffffff">` + escape(line) + `</tspan>`
	}
	line = escape(line)
	for _, c := range colours() {
		line = strings.ReplaceAll(line, c[0], `<tspan font-weight="bold" fill="`+c[1]+`">`)
	}
	return strings.ReplaceAll(line, reset, "</tspan>")
}

// plain is a line without its colours.
func plain(line string) string {
	line = strings.ReplaceAll(line, reset, "")
	for _, c := range colours() {
		line = strings.ReplaceAll(line, c[0], "")
	}
	return line
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
