package shuffle_test

import (
	"testing"

	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

// TestConformance runs under every tier, or in short mode only under the machine's own: the kernels
// have their own tests.
func TestConformance(t *testing.T) {
	if testing.Short() {
		testConformance(t)
		return
	}
	asmtest.EachTier(t, testConformance)
}

func testConformance(t *testing.T) {
	for _, row := range shuffle.Rows()[1:] {
		if filtertest.ReferenceOf(row.ID) == nil {
			t.Errorf("%s has no reference", row.Name)
		}
		filtertest.Run(t, row)
	}
}
