package hdf5

import (
	"errors"
	"reflect"
	"testing"

	"github.com/cairn-go/cairn"
)

// TestValuesAreThoseThatH5pyReads reads items as Go values, also those without a dtype.
func TestValuesAreThoseThatH5pyReads(t *testing.T) {
	f := openGolden(t, "rare/sequences.h5")
	for key, want := range map[string]any{
		"rows": []any{[]any{[]any{int64(1), int64(-2), int64(3)}, []any{}},
			[]any{[]any{}, []any{int64(7)}}},
		"scalar": []any{0.5, 2.0},
	} {
		if got, err := f.Values(t.Context(), key); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, want %v", key, got, err, want)
		}
	}
	if _, err := f.Values(t.Context(), "/"); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("values of a group: %v", err)
	}

	odd := openGolden(t, "odd.h5")
	if got, err := odd.Values(t.Context(), "refused/region"); err != nil || !reflect.DeepEqual(got, []any{nil, nil}) {
		t.Errorf("references to regions: %v, %v", got, err)
	}
	if _, err := openGolden(t, "strings-latest.h5").Values(t.Context(), "mixed"); err != nil {
		t.Errorf("compounds with texts: %v", err)
	}
}
