package strided

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
)

// TestReadBoxBy checks that several goroutines read the same as one: boxes in one piece, with rows
// apart, and of records with others between them.
func TestReadBoxBy(t *testing.T) {
	shape := []int64{40, 300, 301}
	packed := Packed(shape, 2)
	records := Layout{2, []int64{packed.Strides[0] + 4096, packed.Strides[1], 2}}
	content := make([]byte, 40*records.Strides[0])
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range content {
		content[i] = byte(rnd.Uint32())
	}

	for _, l := range []Layout{packed, records} {
		for _, box := range [][2][]int64{
			{{0, 0, 7}, {40, 300, 8}}, {{0, 0, 0}, shape}, {{3, 0, 0}, {39, 300, 301}}, {{0, 1, 2}, {40, 299, 300}}, {{5, 0, 7}, {6, 300, 9}},
		} {
			bytesOf := l.Item
			for d := range shape {
				bytesOf *= box[1][d] - box[0][d]
			}
			want := make([]byte, bytesOf)
			f := File{File: bytes.NewReader(content), Name: "test"}
			if err := f.ReadBox(t.Context(), want, l, box[0], box[1]); err != nil {
				t.Fatal(err)
			}

			for _, workers := range []int{1, 2, 5} {
				got := make([]byte, bytesOf)
				if err := f.ReadBoxBy(t.Context(), workers, got, l, box[0], box[1]); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%d goroutines read other items of %v", workers, box)
				}
			}
		}
	}

	short := File{File: bytes.NewReader(content[:len(content)-1]), Name: "test"}
	dst := make([]byte, 40*300*301*2)
	if err := short.ReadBoxBy(t.Context(), 2, dst, packed, make([]int64, 3), shape); err != nil {
		t.Errorf("the items end before the file: %v", err)
	}
	short.File = bytes.NewReader(content[:len(dst)-1])
	if err := short.ReadBoxBy(t.Context(), 2, dst, packed, make([]int64, 3), shape); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a truncated file: %v", err)
	}
}
