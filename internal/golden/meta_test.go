package golden_test

import (
	"testing"

	"github.com/cairn-go/cairn/internal/golden"
	"github.com/cairn-go/cairn/meta"
)

// TestGoldenDTypes checks that every dtype string of the goldens is understood, has the stored item
// size, but for those that are known not to, and is written the same way.
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
