package table

import (
	"strings"
	"unicode/utf8"
)

// A List is names with texts beside them. Texts that do not fit a line go on below, so that nothing
// of them is lost.
type List struct {
	Least int // width of the names; more if one is longer
	rows  []listRow
}

type listRow struct {
	style Style
	name  string
	text  string
}

// Add adds a name, "" for a further text of the one before, and a text in a style.
func (l *List) Add(s Style, name, text string) { l.rows = append(l.rows, listRow{s, name, text}) }

// Text returns the list in lines of at most width characters, as long as there is room for a word,
// or of any length if width is 0.
func (l *List) Text(width int, color Color) string {
	names := l.Least
	for _, r := range l.rows {
		names = max(names, Width(r.name))
	}

	indent := gap + names + gap
	var b strings.Builder
	for _, r := range l.rows {
		name := color.Paint(Faint, r.name) + strings.Repeat(" ", names-Width(r.name))
		for _, line := range Wrap(r.text, rest(width, indent)) {
			b.WriteString(strings.Repeat(" ", gap) + name + strings.Repeat(" ", gap) + color.Paint(r.style, line) + "\n")
			name = strings.Repeat(" ", names)
		}
	}
	return b.String()
}

// rest returns what is left of a width: at least enough for a word.
func rest(width, taken int) int {
	if width <= 0 {
		return 0
	}
	const word = 12
	return max(word, width-taken)
}

// Hang returns a line of text in lines of at most width characters, as [Wrap] does, and indents
// those after the first. Width 0 is any length.
func Hang(text string, width int) []string {
	const indent = "  "
	start := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if width <= 0 || Width(text) <= width {
		return []string{text}
	}

	lines := Wrap(strings.TrimLeft(text, " "), max(20, width-len(start)-len(indent)))
	for i := range lines {
		lines[i] = start + lines[i]
		if i > 0 {
			lines[i] = indent + lines[i]
		}
	}
	return lines
}

// Wrap splits a text between words into lines of at most width characters, or not at all if width
// is 0. Longer words are split too.
func Wrap(text string, width int) (lines []string) {
	if width <= 0 || Width(text) <= width {
		return []string{text}
	}
	line := ""
	for word := range strings.SplitSeq(text, " ") { // several spaces stay, within a line
		if line != "" && Width(line)+1+Width(word) <= width {
			line += " " + word
			continue
		}

		if line != "" {
			lines = append(lines, strings.TrimRight(line, " "))
		}

		for Width(word) > width {
			start := Head(word, width)
			if start == "" { // a wide character where there is one column
				_, n := utf8.DecodeRuneInString(word)
				start = word[:n]
			}
			lines = append(lines, start)
			word = word[len(start):]
		}

		line = word
	}
	return append(lines, line)
}
