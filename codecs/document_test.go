package codecs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// TestDocument compares the table in docs/format/codecs.md with the one in the code.
func TestDocument(t *testing.T) {
	b, err := os.ReadFile("../docs/format/codecs.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(b)) {
		if cells := strings.Split(line, "|"); len(cells) == 9 {
			found = append(found, fmt.Sprint(cells[1], cells[2], cells[3], cells[5] != " no ", cells[6]))
		}
	}
	for _, row := range codecs.Rows() {
		split := "never"
		switch {
		case row.Splits(9):
			split = "always"
		case row.Splits(5) && !row.Splits(6):
			split = "levels up to 5"
		}
		want := fmt.Sprint(fmt.Sprintf(" %d ", row.ID), fmt.Sprintf(" %d ", row.WireCode), fmt.Sprintf(" %s ", row.Name), row.Dict, fmt.Sprintf(" %s ", split))
		ok := false
		for _, f := range found {
			ok = ok || f == want
		}
		if !ok {
			t.Errorf("the document has no row %q among %q", want, found)
		}
	}
}
