package store

import (
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// TestKinds determines the kinds of frames by their marks, and which kinds have items.
func TestKinds(t *testing.T) {
	carrier := func(kind string) []byte {
		b, err := meta.Pack(meta.Map{{Key: "kind", Value: kind}})
		check(t, err)
		return b
	}
	for _, c := range []struct {
		layer   string
		content []byte
		want    Kind
		items   bool
	}{
		{"anything", nil, Frame, false}, {"b2nd", nil, Array, true}, {"caterva", nil, Array, true}, {"proxy-source", nil, Proxy, true},
		{"LazyArray", nil, Lazy, false}, {"b2o", carrier("lazyexpr"), Lazy, false}, {"b2o", carrier("c2array"), Reference, false},
		{"vlarray", nil, Object, false}, {"batcharray", nil, Batch, false}, {"listarray", nil, List, false},
		{"b2embed", nil, EmbedStore, false}, {"b2tree", nil, TreeStore, false}, {"b2dict", nil, DictStore, false},
	} {
		layers := []meta.Layer{{Name: "b2nd", Content: []byte{0xc0}}}
		switch c.layer {
		case "anything", "b2nd", "caterva":
			layers = nil
		}
		if c.content == nil {
			c.content = []byte{0xc0}
		}
		f, err := frame.New(&frame.Options{TypeSize: 1, Meta: append(layers, meta.Layer{Name: c.layer, Content: c.content})})
		check(t, err)
		if got, err := KindOf(f); err != nil || got != c.want || got.hasItems() != c.items {
			t.Errorf("%s is a %s, %v", c.layer, got, err)
		}
		check(t, f.Close())
	}
}
