package names

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/store"
)

func TestHeld(t *testing.T) {
	all := []string{"a", "a/b", "c/d", "c", "c//d", "..", "x:1", "zarr.json", "", "\xff", "n\nl", `w\x`, strings.Repeat("l", 300)}
	for _, c := range []struct {
		what  string
		check func(string) error
		tree  bool
		want  []string
	}{
		{"store", store.CheckKey, true, []string{"a", "c/d", "x:1", "zarr.json", `w\x`}},
		{"zarr", Zarr, true, []string{"a", "c/d", "x:1", "n\nl", `w\x`}},
		{"npz", NPZ, false, []string{"a", "a/b", "c/d", "c", "x:1", "zarr.json", "", "n\nl", strings.Repeat("l", 300)}},
	} {
		kept, left := Held(all, c.check, c.tree)
		if !slices.Equal(kept, c.want) || len(kept)+len(left) != len(all) {
			t.Errorf("%s holds %.200q and leaves %.300v, want %.200q", c.what, kept, left, c.want)
		}
	}
	if Group("/") != nil || Group("/..") == nil {
		t.Error("groups of a store")
	}
}
