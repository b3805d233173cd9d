package main

import (
	"bytes"
	"context"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
)

// hdf5Signatures are what structures of HDF5 begin with, apart from old object headers. Those up to
// oldSignatures have no checksum.
var hdf5Signatures = []string{
	"TREE", "SNOD", "HEAP", "GCOL",
	"\x89HDF", "OHDR", "OCHK", "BTHD", "BTIN", "BTLF", "FRHP", "FHDB", "FHIB", "FAHD", "FADB", "EAHD", "EAIB", "EASB",
	"EADB", "SMTB",
}

const oldSignatures = 4

// hdf5Fields is how many bytes behind its start have the numbers of a structure.
const hdf5Fields = 96

// examineHDF5 finds the structures of a file, and the object headers of its datasets.
func examineHDF5(_ string, b []byte) *anatomy {
	a := &anatomy{header: min(len(b), 96)}
	for i, signature := range hdf5Signatures {
		for at := 0; ; at++ {
			next := bytes.Index(b[at:], []byte(signature))
			if next < 0 {
				break
			}
			at += next
			a.addNumbers(at+len(signature), min(at+hdf5Fields, len(b)))
			if i < oldSignatures {
				continue
			}
			if s, ok := findSum(b, at); ok {
				a.sums = append(a.sums, s)
			}
		}
	}

	f, err := hdf5.OpenReader(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		return a
	}

	for n := range ndarray.Walk(context.Background(), f, "/") {
		if d, err := f.Dataset(context.Background(), n.Key); err == nil && n.Kind == ndarray.ArrayNode {
			at := int(d.Info().Address)
			a.addNumbers(at, min(at+4*hdf5Fields, len(b)))
		}
	}
	return a
}

// addNumbers adds every place of a range as a number of each width.
func (a *anatomy) addNumbers(from, to int) {
	for at := from; at < to; at++ {
		for width := 1; width <= 8 && at+width <= to; width *= 2 {
			a.small = append(a.small, field{at, width, true})
		}
	}
}

// hdf5Limits are stricter than the defaults.
var hdf5Limits = cairn.Limits{MaxHeader: 1 << 18, MaxMeta: 1 << 18, MaxIndex: 1 << 18, MaxChunk: 1 << 16, MaxAlloc: 1 << 16}

// eachHDF5 opens a file and calls do with some of its datasets; it returns the first error.
func (s *subject) eachHDF5(do func(a ndarray.Source, got *first)) error {
	b := s.files[""]
	f, err := hdf5.OpenReader(bytes.NewReader(b), int64(len(b)), &hdf5.OpenOptions{Workers: 1, Limits: hdf5Limits})
	if err != nil {
		return err
	}
	ctx := context.Background()
	return s.each(f, func(n ndarray.Node, got *first) {
		list, err := f.AllAttributes(ctx, n.Key)
		got.take(err)
		for _, a := range list {
			got.take(a.Err)
		}
		if n.Kind == ndarray.GroupNode {
			_, err := f.Links(ctx, n.Key)
			got.take(err)
		}
	}, do)
}

// hdf5Asked is what opening may allocate: metadata, and attributes as values.
const hdf5Asked = 16 * scratch

func hdf5Cost(*subject) uint64 { return hdf5Asked }

// hdf5Format are datasets of HDF5 files.
func hdf5Format() *format {
	return &format{
		each: (*subject).eachHDF5, cost: hdf5Cost, costRead: hdf5Cost, boxes: 4, mostBytes: math.MaxInt64, read: 2 * scratch,
		copying: 32 * scratch, copied: 64, large: manyItems,
		look: func(a ndarray.Source, got *first) {
			d := a.(*hdf5.Dataset)
			d.Info()
			_, err := d.Labels()
			got.take(err)
		},
	}
}

// isHDF5 reports whether the seed is an HDF5 file.
func (s *seedFile) isHDF5() bool {
	return s.class == hdf5s || s.class == netcdfs && !bytes.HasPrefix(s.files[""], []byte("CDF"))
}

// damageAddress replaces an address by that of another structure, so that structures are met twice,
// or where others belong.
func damageAddress(p *mutation, _ string, a *anatomy, b []byte) []byte {
	signature := hdf5Signatures[p.rng.IntN(len(hdf5Signatures))]
	n := bytes.Count(b, []byte(signature))
	if n == 0 || len(a.small) == 0 {
		return nil
	}
	to := 0
	for range 1 + p.rng.IntN(n) {
		to += bytes.Index(b[to:], []byte(signature)) + 1
	}
	for range 20 {
		f := a.small[p.rng.IntN(len(a.small))]
		if f.width == 8 && f.at+8 <= len(b) && f.get(b) > 0 && f.get(b) < uint64(len(b)) {
			f.put(b, uint64(to-1))
			return b
		}
	}
	return nil
}
