package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// numpySeeds makes .npy files of several dtypes in both orders, and archives of them.
func numpySeeds(string) ([]*seedFile, error) {
	m := &maker{}
	ctx := context.Background()
	var all []ndarray.Source

	for i, text := range []string{
		"|u1", "<f4", ">c16", "|S5", "<U3", "<M8[25ns]", "[('a', '<i4'), ('b', '>f8', (2,))]",
		"{'names': ['a', 'b'], 'formats': ['u1', [('x', '<i2'), ('y', 'S3')]], 'offsets': [1, 4], 'itemsize': 12}",
	} {
		d, err := meta.ParseDType(text)
		if err != nil {
			return nil, err
		}

		h := npy.Header{DType: d, Shape: []ndarray.Shape{{}, {9}, {5, 4}, {2, 3, 4}}[i%4]}
		items := sample(d.Size()*24, uint64(i))
		n := int64(d.Size())
		for _, extent := range h.Shape {
			n *= extent
		}
		a, err := npy.OpenReader(bytes.NewReader(items), n, &npy.OpenOptions{Raw: &h})
		if err != nil {
			return nil, err
		}
		all = append(all, a)

		for _, fortran := range []bool{false, true} {
			var b bytes.Buffer
			err := npy.Write(ctx, &b, a, &npy.SaveOptions{Fortran: fortran})
			m.add(numpy, "made-%d-%v.npy", i, fortran)(b.Bytes(), err)
		}
	}

	for _, deflate := range []bool{false, true} {
		for first := range len(all) - 2 {
			var b bytes.Buffer
			err := npy.WriteArchive(ctx, &b, func(put npy.PutFunc) error {
				for k, a := range all[first : first+3] {
					if err := put(fmt.Sprintf("g/%d", k), a); err != nil {
						return err
					}
				}
				return nil
			}, &npy.SaveOptions{Deflate: deflate, Fortran: first%2 == 0})
			m.add(numpy, "made-%d-%v.npz", first, deflate)(b.Bytes(), err)
		}
	}
	return m.seeds, m.err
}

// examineNumPy finds the headers of a file and, in an archive, the records.
func examineNumPy(_ string, b []byte) *anatomy {
	a := &anatomy{}
	if bytes.HasPrefix(b, []byte("PK")) {
		a = examineArchive(b)
	}
	for at := 0; ; at += 10 {
		i := bytes.Index(b[at:], []byte("\x93NUMPY"))
		if i < 0 || at+i+10 > len(b) {
			return a
		}
		if at += i; at == 0 {
			a.header = min(128, len(b))
		}
		a.big = append(a.big, field{at + 6, 1, true}, field{at + 8, 2, true})
	}
}

// word matches the parts of the header of an .npy file.
var word = regexp.MustCompile(`'[^']*'|[0-9]+|[A-Z][a-z]+|[(){}\[\],:]`)

// words are what may stand in the place of others.
var words = []string{
	"0", "1", "-1", "3L", "64", "255", "65536", "2147483647", "4294967296", "9223372036854775807",
	"99999999999999999999",
	"True", "False", "None", "'<f4'", "'|O'", "'|V0'", "'|V2147483647'", "'<U536870911'",
	"'<M8[25xs]'", "'descr'", "'shape'", "'",
	"(", ")", "[", "]", "{", "}", ",", ":", "((((((((", "[('a', '<i4')]",
	"[('a', '|V3', (9, 9)), ('', '|V1')]", "(2, 3)", "()", "\\", "\x00", "",
	"1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1",
}

// damageWords replaces some words of a header by others, and adjusts the padding if that is enough,
// so that the items stay where they are.
func damageWords(p *mutation, _ string, _ *anatomy, b []byte) []byte {
	at := bytes.Index(b, []byte("{'descr'"))
	if at < 0 {
		return nil
	}
	end := at + bytes.IndexByte(b[at:], '\n')
	if end < at {
		return nil
	}
	text := p.damageText(b[at:end], word, words)
	text = bytes.TrimRight(text, " ")
	if n := end - at - len(text); n > 0 {
		text = append(text, bytes.Repeat([]byte(" "), n)...)
	}
	return slices.Concat(b[:at], text, b[end:])
}

// numpyOptions have the strict limits.
func numpyOptions() *npy.OpenOptions {
	return &npy.OpenOptions{Limits: cairn.Limits{MaxAlloc: maxAlloc}}
}

// eachNumPy opens the subject, and calls do for its arrays.
func (s *subject) eachNumPy(do func(a ndarray.Source, got *first)) error {
	b := s.files[""]
	o := numpyOptions()
	if !s.seed.isArchive() {
		var got first
		a, err := npy.OpenReader(bytes.NewReader(b), int64(len(b)), o)
		if err == nil {
			do(a, &got)
		}
		got.take(err)
		return got.err
	}
	o.Verify = s.rng.IntN(2) == 0
	z, err := npy.OpenArchiveReader(bytes.NewReader(b), int64(len(b)), o)
	if err != nil {
		return err
	}
	return s.each(z, nil, do)
}

// numpyFormat are files of NumPy, whose copies are written again.
func numpyFormat() *format {
	return &format{
		each: (*subject).eachNumPy, cost: scratchOnly, costRead: scratchOnly, boxes: 4, mostBytes: math.MaxInt64, read: scratch,
		copying: 8 * scratch, copied: 8,
		also: func(u *ndarray.Untyped, got *first) {
			got.take(npy.Write(context.Background(), io.Discard, u, &npy.SaveOptions{Fortran: true, Memory: 1000}))
		},
	}
}

func drawBox(rng *rand.Rand, shape []int64) (start, stop []int64) {
	start = make([]int64, len(shape))
	stop = slices.Clone(shape)
	for i, n := range shape {
		if n > 0 && rng.IntN(3) > 0 {
			start[i] = rng.Int64N(n)
			stop[i] = min(n, start[i]+1+rng.Int64N(16))
		}
	}
	return start, stop
}

// boxSize returns the size of a box unless it exceeds a limit.
func boxSize(start, stop []int64, size, most int64) (int64, bool) {
	for i := range start {
		n := stop[i] - start[i]
		if n == 0 {
			return 0, true
		}
	}
	for i := range start {
		if n := stop[i] - start[i]; n > most/size {
			return 0, false
		}
		size *= stop[i] - start[i]
	}
	return size, size <= most
}

// streamNumPy reads a file from front to back.
func streamNumPy(l *tester, s *subject) (uint64, error) {
	if s.seed.isArchive() {
		return 0, nil
	}
	a, err := npy.OpenStream(struct{ io.Reader }{bytes.NewReader(s.files[""])}, numpyOptions())
	if err != nil {
		return scratch, err
	}
	shape := a.Shape()
	if size, ok := boxSize(make([]int64, len(shape)), shape, int64(a.DType().Size()), int64(len(l.buf))); ok {
		err = a.ReadBytes(context.Background(), l.buf[:size], make([]int64, len(shape)), shape)
	}
	return scratch, err
}
