package rounding

import (
	"testing"

	"github.com/cairn-go/cairn/meta"
)

// TestMarked marks attributes, which tell the bound again.
func TestMarked(t *testing.T) {
	old := meta.Map{{Key: "units", Value: "K"}, {Key: "quantization_nsd", Value: int64(3)}, {Key: "_FillValue", Value: 1.5}}
	for _, b := range []Bound{{Absolute, 0.25}, {Relative, 1e-4}, {Digits, 5}, {Bits, 9}} {
		marked := Marked(old, b, "")
		if got := BoundOf(marked); got != b {
			t.Errorf("%v: attributes %v say %v", b, marked, got)
		}
		if v, _ := marked.Get("units"); v != "K" || len(old) != 3 {
			t.Errorf("%v: attributes %v", b, marked)
		}
		named := Marked(Marked(old, b, "other"), b, "info")
		if v, _ := named.Get("quantization"); v != "info" || len(named) != len(marked)+1 {
			t.Errorf("%v: attributes %v", b, named)
		}
	}
	if got := BoundOf(meta.Map{{Key: "quantization_nsb", Value: "many"}}); got.Rule != None {
		t.Errorf("a text says %v", got)
	}
}

// TestAlgorithm asks for the names of algorithms that the CF conventions have.
func TestAlgorithm(t *testing.T) {
	for _, c := range []struct {
		dtype string
		bound Bound
		want  string
	}{
		{"<f4", Bound{Bits, 9}, "bitround"}, {">f8", Bound{Bits, 52}, "bitround"}, {"<f4", Bound{Digits, 7}, "granular_bitround"},
		{"<f4", Bound{Digits, 8}, ""}, {"<f8", Bound{Digits, 15}, "granular_bitround"}, {"<f8", Bound{Digits, 16}, ""},
		{"<f2", Bound{Digits, 3}, "granular_bitround"}, {"<i2", Bound{Digits, 2}, ""}, {"<f4", Bound{Absolute, 1}, ""},
		{"<f4", Bound{Relative, 0.1}, ""}, {"<f4", Bound{}, ""},
	} {
		d, err := meta.ParseDType(c.dtype)
		if got := Algorithm(d, c.bound); err != nil || got != c.want {
			t.Errorf("%v of %s: %q, want %q (%v)", c.bound, c.dtype, got, c.want, err)
		}
	}
}
