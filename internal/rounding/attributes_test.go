package rounding

import (
	"testing"

	"github.com/cairn-go/cairn/meta"
)

// TestMarked marks attributes, which tell the bound again.
func TestMarked(t *testing.T) {
	old := meta.Map{{Key: "units", Value: "K"}, {Key: "quantization_nsd", Value: int64(3)}, {Key: "_FillValue", Value: 1.5}}
	for _, b := range []Bound{{Absolute, 0.25}, {Relative, 1e-4}, {Digits, 5}, {Bits, 9}} {
		marked := Marked(old, b)
		if got := BoundOf(marked); got != b {
			t.Errorf("%v: attributes %v say %v", b, marked, got)
		}
		if v, _ := marked.Get("units"); v != "K" || len(old) != 3 {
			t.Errorf("%v: attributes %v", b, marked)
		}
	}
	if got := BoundOf(meta.Map{{Key: "quantization_nsb", Value: "many"}}); got.Rule != None {
		t.Errorf("a text says %v", got)
	}
}
