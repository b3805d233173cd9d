package formats

import (
	"slices"
	"strings"
	"testing"
)

func TestHeld(t *testing.T) {
	all := []string{"a", "a/b", "c/d", "c", "c//d", "..", "x:1", "zarr.json", "", "\xff", "n\nl", `w\x`, strings.Repeat("l", 300)}
	for name, want := range map[string][]string{
		"store": {"a", "c/d", "x:1", "zarr.json", `w\x`},
		"zarr":  {"a", "c/d", "x:1", "n\nl", `w\x`},
		"npz":   {"a", "a/b", "c/d", "c", "x:1", "zarr.json", "", "n\nl", strings.Repeat("l", 300)},
		"npy":   all,
	} {
		row := rowOf(t, name)
		kept, left := row.Held(all)
		if !slices.Equal(kept, want) || len(kept)+len(left) != len(all) {
			t.Errorf("%s holds %.200q and leaves %.300v, want %.200q", name, kept, left, want)
		}
	}
	if s := rowOf(t, "store"); s.CheckGroup("/") != nil || s.CheckGroup("/..") == nil {
		t.Error("groups of a store")
	}
}

// rowOf returns the row of a name.
func rowOf(t *testing.T, name string) Format {
	t.Helper()
	all := All()
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no format %s", name)
	}
	return all[i]
}
