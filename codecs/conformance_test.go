package codecs_test

import (
	"testing"

	"github.com/cairn-go/cairn/internal/test/codectest"
)

// TestConformance runs the suite over every row of the table.
func TestConformance(t *testing.T) {
	for _, row := range plainCodecs() {
		t.Run(row.Name, func(t *testing.T) { codectest.Run(t, row) })
	}
}
