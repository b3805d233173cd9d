package golden_test

import (
	"testing"

	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/meta"
)

// TestGoldenDTypes checks that every dtype string of the goldens parses and prints to the same
// string, and has the stored item size, apart from known exceptions.
func TestGoldenDTypes(t *testing.T) {
	for _, c := range cases(t, golden.B2ND) {
		d, err := meta.ParseDType(c.DType)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if (d.Size() != c.TypeSize) != c.OddDType {
			t.Errorf("%s: dtype %s has %d bytes, stored items have %d", c.Name, c.DType, d.Size(), c.TypeSize)
		}
		if d.String() != c.DType {
			t.Errorf("%s: dtype %s is written as %s", c.Name, c.DType, d)
		}
	}
}
