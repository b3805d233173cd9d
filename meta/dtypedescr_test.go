package meta

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestParseDescr(t *testing.T) {
	for want, v := range map[string]any{
		"<i4": "<i4",
		"[('a', '<i4'), ('b', '<f8', (2, 3))]": []any{
			[]any{"a", "<i4"}, Tuple{"b", "<f8", []any{int64(2), int64(3)}}},
		"[(('T', 'a'), '<i4'), ('c', [('x', 'u1'), ('y', 'S3')])]": []any{
			[]any{[]any{"T", "a"}, "<i4"}, []any{"c", []any{[]any{"x", "|u1"}, []any{"y", "|S3"}}}},
		`[("it's", '<i4')]`: []any{[]any{"it's", "<i4"}},
		"{'names': ['a'], 'formats': ['u1'], 'offsets': [0], 'itemsize': 4}": []any{
			[]any{"a", "|u1"}, []any{"", "|V3"}},
	} {
		d, err := ParseDescr(v)
		if err != nil {
			t.Errorf("%v: %v", v, err)
			continue
		}
		if w, err := ParseDType(want); err != nil || !d.Equal(w) {
			t.Errorf("%v is %v, want %s (%v)", v, d, want, err)
		}
	}
	deep := any("<i4")
	for range 100 {
		deep = []any{[]any{"a", deep}}
	}
	for _, v := range []any{nil, int64(4), []any{"a", "<i4"}, []any{[]any{"a"}}, []any{[]any{int64(1), "<i4"}},
		[]any{[]any{"a", "<i4", []any{"x"}}}, []any{[]any{"a", "<i4", []any{int64(-1)}}}, "", deep} {
		if d, err := ParseDescr(v); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%.80v is %v: %v", v, d, err)
		}
	}
}
