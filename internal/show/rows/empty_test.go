package rows

import (
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/ndarray"
)

// Items of an array without any are only the heading.
func TestCSVOfNothing(t *testing.T) {
	for _, shape := range []ndarray.Shape{{3, 0}, {0, 3}, {0}} {
		a, err := ndarray.New[float32](shape, nil)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		p := Printer{W: &text, Array: coords.New(a, nil)}
		for _, tail := range []bool{false, true} {
			if err := p.CSV(t.Context(), 0, tail); err != nil {
				t.Errorf("%v: %v", shape, err)
			}
		}
		if lines := strings.Count(text.String(), "\n"); lines != 2 {
			t.Errorf("%v: %q", shape, text.String())
		}
	}
}
