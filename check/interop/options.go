package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// level returns the level for cairn's options, where 0 means the default.
func (p *params) level() int {
	if p.Level == 0 {
		return chunk.Stored
	}
	return p.Level
}

// filters returns the filters without empty slots.
func (p *params) filters() []shuffle.Spec {
	out := []shuffle.Spec{}
	for _, f := range p.Filters {
		if f.ID != 0 {
			out = append(out, shuffle.Spec{ID: shuffle.ID(f.ID), Meta: f.Meta})
		}
	}
	if len(out) == 0 {
		out = append(out, shuffle.None)
	}
	return out
}

// split returns the split mode; the numbers of the format start at 1.
func (p *params) split() chunk.SplitMode {
	return map[int]chunk.SplitMode{1: chunk.SplitAlways, 2: chunk.SplitNever, 3: chunk.SplitAuto, 4: chunk.SplitForwardCompat}[p.Split]
}

func (s *spec) frameOptions() *frame.Options {
	o := &frame.Options{Sparse: s.sparse, ChunkSize: s.chunkSize, Workers: 1 + s.rng.IntN(2)}
	o.TypeSize = s.typeSize
	o.Codec = codecs.ByID(s.params.Codec, s.params.CodecMeta)
	o.Level = s.params.level()
	o.Filters = s.params.filters()
	o.Split = s.params.split()
	o.BlockSize = s.params.BlockSize
	o.Dict = s.params.Dict
	return o
}

// setVL stores the values of a case with cairn.
func setVL(f *frame.Frame, values map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		raw, err := meta.Pack(msgpackValue(values[name]))
		if err != nil {
			return err
		}
		if err := f.SetVL(name, raw); err != nil {
			return err
		}
	}
	return nil
}

// msgpackValue converts the maps of a case to the ordered maps of package meta.
func msgpackValue(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := meta.Map{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, meta.Pair{Key: k, Value: m[k]})
	}
	return out
}

// sameVL compares raw values of metalayers with those of a case as the real library packs them.
func sameVL(p *peer, got map[string][]byte, values map[string]any) error {
	want := map[string][]byte{}
	if err := p.Call(map[string]any{"op": "pack_values", "values": values}, &want); err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d metalayers, want %d", len(got), len(want))
	}
	for name, w := range want {
		if !bytes.Equal(got[name], w) {
			return fmt.Errorf("metalayer %s is %x, want %x", name, got[name], w)
		}
	}
	return nil
}

// rawVL returns the raw values of a frame's metalayers of variable length.
func rawVL(f *frame.Frame) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, name := range f.VLNames() {
		raw, err := f.VL(name)
		if err != nil {
			return nil, err
		}
		out[name] = raw
	}
	return out, nil
}
