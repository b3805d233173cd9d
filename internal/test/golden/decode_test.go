package golden_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/shuffle"
)

// cases returns the goldens of the given kinds.
func cases(t testing.TB, kinds ...golden.Kind) []*golden.Case {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out []*golden.Case
	for i := range m.Cases {
		for _, k := range kinds {
			if m.Cases[i].Kind == k {
				out = append(out, &m.Cases[i])
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("no goldens of kinds %v", kinds)
	}
	return out
}

// lacking lists the parts of the format that cairn does not support. Goldens that need one must
// fail as unsupported, so that the entry has to be removed when the part is implemented.
var lacking = []string{"zstd-0.5"}

// missing reports whether a case needs an unsupported part, so that "unsupported" is the correct
// result.
func missing(c *golden.Case) bool {
	if slices.Contains(lacking, c.NeedsFeature) {
		return true
	}
	if c.NeedsCodec != 0 {
		for _, r := range codecs.Rows() {
			if int(r.ID) == c.NeedsCodec {
				return false
			}
		}
		return true
	}
	if c.NeedsFilter != 0 {
		for _, r := range shuffle.Rows() {
			if int(r.ID) == c.NeedsFilter {
				return false
			}
		}
		return true
	}
	return false
}

// checkDecoded compares decoded bytes, or the error of decoding, with the manifest.
func checkDecoded(t *testing.T, c *golden.Case, got []byte, err error) {
	t.Helper()
	if missing(c) {
		if !errors.Is(err, cairn.ErrUnsupported) {
			t.Fatalf("decoding gives %v, want an error that it is not supported", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(got); err != nil {
		t.Fatal(err)
	}
}

func TestGoldenChunks(t *testing.T) {
	for _, c := range cases(t, golden.Chunk) {
		t.Run(c.Name, func(t *testing.T) {
			src, err := c.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 2} {
				d := chunk.NewDecoder(&chunk.DecodeOptions{Workers: workers, OldBitshuffle: c.OldBitshuffle})
				dst := make([]byte, c.DecodedSize)
				n, err := d.Decode(dst, src)
				checkDecoded(t, c, dst[:max(n, 0)], err)
				if missing(c) {
					continue
				}
				checkBlocks(t, d, src, dst)
				if workers == 1 {
					checkItems(t, d, src, dst)
				}
			}
		})
	}
}

// wholeBlocks copies decoded blocks to their places in the whole.
type wholeBlocks struct {
	layout chunk.Layout
	dst    []byte
}

func (s *wholeBlocks) Dst(index, size int) []byte {
	from, to := s.layout.Block(index)
	if to-from != size {
		return nil
	}
	return s.dst[from:to]
}

func (s *wholeBlocks) Put(int, []byte) {}

// checkBlocks decodes each block alone, and some blocks of a chunk read through an io.ReaderAt, and
// compares them with the whole.
func checkBlocks(t *testing.T, d *chunk.Decoder, src, whole []byte) {
	t.Helper()
	h, err := chunk.ParseHeader(src)
	if err != nil {
		t.Fatal(err)
	}
	l, err := chunk.NewDecoder(nil).Layout(src)
	if err != nil {
		t.Fatal(err)
	}
	sink := wholeBlocks{l, make([]byte, len(whole))}
	want := make([]bool, l.NumBlocks)
	expected := make([]byte, len(whole))
	for k := range l.NumBlocks {
		from, to := l.Block(k)
		one := make([]byte, to-from)
		if n, err := d.DecodeBlock(one, src, k); err != nil || !bytes.Equal(one[:n], whole[from:to]) {
			t.Fatalf("block %d alone: %d bytes, %v, or others than in the whole", k, n, err)
		}
		if want[k] = k%3 != 1; want[k] {
			copy(expected[from:to], whole[from:to])
		}
	}
	if err := d.DecodeBlocksAt(h, bytes.NewReader(src), 0, want, &sink); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sink.dst, expected) {
		t.Fatal("blocks read one by one differ from the whole")
	}
}
