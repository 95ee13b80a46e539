package install

import (
	"fmt"
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

// Lines around a change that are shown with it, and the size of the table
// beyond which a change is shown as one block.
const (
	contextLines = 2
	maxDiffCells = 4 << 20
)

// diff returns what changed between two texts, in lines.
func diff(before, after string) string {
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := same(nil, a[:head])
	edits = append(edits, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return show(same(edits, a[len(a)-tail:]))
}

// edit is one line and what becomes of it: '-', '+' or ' '.
type edit struct {
	op   byte
	line string
}

func same(edits []edit, lines []string) []edit {
	for _, l := range lines {
		edits = append(edits, edit{' ', l})
	}
	return edits
}

// middle aligns two runs of lines by their longest common subsequence.
func middle(a, b []string) []edit {
	common := make([][]int, len(a)+1)
	if len(a)*len(b) > maxDiffCells {
		common = nil
	}
	for i := len(common) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0 && i < len(a); j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var edits []edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && (common == nil || common[i+1][j] >= common[i][j+1]):
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	return edits
}

// show prints the edits with a few lines around each.
func show(edits []edit) string {
	near := make([]bool, len(edits))
	for i, e := range edits {
		if e.op == ' ' {
			continue
		}
		for j := max(0, i-contextLines); j <= min(len(edits)-1, i+contextLines); j++ {
			near[j] = true
		}
	}
	var out strings.Builder
	for i, e := range edits {
		switch {
		case near[i]:
			fmt.Fprintf(&out, "%c %s\n", e.op,
				printable.Text(strings.ReplaceAll(strings.TrimSuffix(e.line, "\r"), "\t", "    ")))
		case i > 0 && near[i-1]:
			out.WriteString("  ...\n")
		}
	}
	return out.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
