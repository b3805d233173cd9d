package shuffle_test

import (
	"testing"

	"github.com/cairn-go/cairn/internal/asm/asmtest"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/shuffle/filtertest"
)

func TestConformance(t *testing.T) { asmtest.EachTier(t, testConformance) }

func testConformance(t *testing.T) {
	for _, row := range shuffle.Rows()[1:] {
		if filtertest.ReferenceOf(row.ID) == nil {
			t.Errorf("%s has no reference", row.Name)
		}
		filtertest.Run(t, row)
	}
}
