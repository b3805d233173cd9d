package main

import (
	"bytes"
	"context"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
)

// damageValue changes the decoded value of a metalayer of variable length, in an embed store the
// list of its leaves. Values are compressed, so changed bytes hardly ever give one that can be
// read. The library writes the frame, so everything else is valid.
func damageValue(p *mutation, _ string, a *anatomy, b []byte) []byte {
	if a.header == 0 {
		return nil
	}
	f, err := frame.FromBytes(bytes.Clone(b), &frame.OpenOptions{Mode: frame.ReadWrite,
		Engine: chunk.Engine{Limits: limits()}})
	if err != nil {
		return nil
	}
	defer f.Abort()

	names := f.VLNames()
	if len(names) == 0 || f.NumChunks() > longIndex {
		return nil
	}
	name := names[p.rng.IntN(len(names))]
	value, err := f.VL(name)
	if err != nil || f.SetVL(name, p.changeValue(value)) != nil || f.Commit(context.Background()) != nil {
		return nil
	}

	out, err := f.Bytes()
	if err != nil {
		return nil
	}
	return out
}

// packTags are msgpack tags that are followed by lengths and numbers, and some that are values
// themselves.
var packTags = [...]byte{0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xc4, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcf, 0xd0, 0xd3, 0xd4, 0xd8, 0xd9, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xff}

// changeValue makes one to four changes in packed values.
func (p *mutation) changeValue(v []byte) []byte {
	for range 1 + p.rng.IntN(4) {
		if len(v) == 0 {
			v = []byte{packTags[p.rng.IntN(len(packTags))]}
		}

		at := p.rng.IntN(len(v))
		switch p.rng.IntN(7) {
		case 0:
			v[at] ^= 1 << p.rng.IntN(8)
		case 1:
			v[at] = packTags[p.rng.IntN(len(packTags))]
		case 2:
			f := field{at, min(len(v)-at, 1<<p.rng.IntN(4)), false}
			f.put(v, number(p.rng, f.get(v)))
		case 3:
			v = v[:at]
		case 4:
			n := 1 + p.rng.IntN(min(len(v)-at, 20))
			v = slices.Insert(v, p.rng.IntN(len(v)), slices.Clone(v[at:at+n])...)
		case 5: // lists in lists
			v = slices.Insert(v, at, bytes.Repeat([]byte{[]byte{0x91, 0x81, 0xdc}[p.rng.IntN(3)]}, p.rng.IntN(3000))...)
		case 6:
			names := evilNames()
			v = slices.Insert(v, at, []byte(names[p.rng.IntN(len(names))])...)
		}
	}
	return v
}
