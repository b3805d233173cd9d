package ndarray_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// TestPlaceholdersHaveNoItems opens frames that only describe other arrays: their shape is known,
// and their zeros are not returned as items.
func TestPlaceholdersHaveNoItems(t *testing.T) {
	kind, err := meta.Pack(meta.Map{{Key: "kind", Value: "lazyexpr"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []meta.Layer{{Name: "b2o", Content: kind}, {Name: "LazyArray", Content: []byte{0xc0}}} {
		u, err := ndarray.NewUntyped("<f4", ndarray.Shape{6, 4}, &ndarray.Options{Meta: []meta.Layer{mark}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := u.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if u, err = ndarray.FromBytes(b, &ndarray.OpenOptions{Mode: ndarray.ReadWrite}); err != nil {
			t.Fatal(err)
		}
		if got := u.Shape(); u.Len() != 24 {
			t.Errorf("%s: shape %v", mark.Name, got)
		}
		_, read := u.Read(t.Context())
		write := u.Write(t.Context(), make([]byte, 96))
		_, plan := ndarray.PlanCopy(u, &ndarray.CopyOptions{})
		for what, err := range map[string]error{"read": read, "write": write, "copy": plan} {
			if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "no items of its own") {
				t.Errorf("%s: %s: %v", mark.Name, what, err)
			}
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}
