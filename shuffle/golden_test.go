package shuffle_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

// goldenCase is a record that testdata/gen_filters.py made with C-Blosc2: the hash of the first
// Compared bytes of a filtered (or decoded) block.
type goldenCase struct {
	Filter   string
	TypeSize int
	Size     int
	Compared int
	SHA256   string
	Meta     uint8
	Version  uint8
	Decode   bool
	Block    int     // for delta: which block of deltaBlock's chunk
	Shape    []int32 // of the block, for filters that need it
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/filters.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, c := range golden.Cases {
		seen[c.Filter]++
	}
	asmtest.EachTier(t, func(t *testing.T) {
		for _, c := range golden.Cases {
			c.run(t)
		}
	})
	for _, row := range shuffle.Rows()[1:] {
		if seen[row.Name] == 0 {
			t.Errorf("no golden case for %s", row.Name)
		}
	}
}

func (c goldenCase) run(t *testing.T) {
	t.Helper()
	spec := shuffle.Spec{Meta: c.Meta}
	for _, row := range shuffle.Rows() {
		if row.Name == c.Filter {
			spec.ID = row.ID
		}
	}
	var chain filterchain.Chain
	var scratch filterchain.Scratch
	if err := chain.Set(shuffle.Pipeline{spec}, nil); err != nil {
		t.Fatal(err)
	}
	src := filtertest.Bytes(c.Size, 1)
	ctx := &shuffle.Context{TypeSize: c.TypeSize, Version: c.Version, BlockShape: c.Shape}
	switch c.Filter {
	case "delta":
		src, ctx.Ref = c.deltaBlock()
	case "trunc_prec", "ndmean":
		finite(src, c.TypeSize)
	}
	out := make([]byte, c.Size)
	var err error
	if c.Decode {
		err = chain.Backward(out, &scratch, src, c.Size, 1, ctx)
	} else {
		out, err = c.encode(&chain, &scratch, src, ctx)
	}
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	if sum := sha256.Sum256(out[:c.Compared]); hex.EncodeToString(sum[:]) != c.SHA256 {
		t.Errorf("%+v: ours begins with % x", c, out[:min(len(out), 16)])
	}
}

// encode returns the bytes to compare with the record: the output of a filter or, for a lossy
// filter, the decoded output.
func (c goldenCase) encode(chain *filterchain.Chain, s *filterchain.Scratch, src []byte,
	ctx *shuffle.Context) ([]byte, error) {
	out, pitch, err := chain.Forward(s, src, 1, ctx)
	if err != nil || c.Filter != "ndmean" {
		return out, err
	}
	decoded := make([]byte, len(src))
	return decoded, chain.Backward(decoded, s, out, pitch, 1, ctx)
}

// finite clears a bit of the exponent of floats, so that none is NaN or infinite: these are kept,
// where the real library does not.
func finite(src []byte, typeSize int) {
	for i := typeSize - 1; i < len(src); i += typeSize {
		src[i] &^= 0x40
	}
}

// deltaBlock returns the block of the case and its reference. The chunk has blocks of 64 items: two
// of pseudo-random bytes, then copies of the first, and a shorter last one, which is the beginning
// of the first reversed.
func (c goldenCase) deltaBlock() (src, ref []byte) {
	block := 64 * c.TypeSize
	data := filtertest.Bytes(2*block, 1)
	switch c.Block {
	case 0:
		return data[:block], nil
	case 1:
		return data[block:], data[:block]
	}
	last := slices.Clone(data[:c.Size])
	slices.Reverse(last)
	return last, data[:block]
}
