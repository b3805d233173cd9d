package rows

import (
	"strconv"
	"strings"
)

// csvText returns a text as a cell of CSV that nobody takes for something else. Spreadsheets
// calculate what begins like a formula, so an apostrophe goes before it, which they take for the
// mark of a text; numbers stay. Control characters become escapes.
func csvText(text string) string {
	text = shown(text)
	begin := strings.TrimLeft(text, " ")
	if begin == "" || strings.IndexByte("=+-@\t\r\n", begin[0]) < 0 {
		return text
	}

	if _, err := strconv.ParseFloat(begin, 64); err == nil {
		return text
	}
	return "'" + text
}
