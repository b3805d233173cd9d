package ndarray_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// TestUserFilters checks that user filters, with the first and the last possible id, are told which
// block they get. Without the registry the error must name the missing filter.
func TestUserFilters(t *testing.T) {
	reg := new(shuffle.Registry)
	for _, id := range []shuffle.ID{160, 255} {
		mask := func(dst, src []byte, meta uint8, ctx *shuffle.Context) error {
			if !slices.Equal(ctx.BlockShape, []int32{16, 50}) || ctx.FrameTypeSize != 2 || meta != 9 || len(src) != 1600 {
				return errors.New("not the block that it is")
			}
			for i, b := range src {
				dst[i] = b ^ byte(i) ^ uint8(id)
			}
			return nil
		}
		if err := reg.Add(shuffle.Row{ID: id, Name: "mask", Forward: mask, Backward: mask}); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	u, err := ndarray.NewUntyped("<i2", ndarray.Shape{64, 100}, &ndarray.Options{
		ChunkShape: ndarray.Shape{32, 100}, BlockShape: ndarray.Shape{16, 50}, Engine: chunk.Engine{Filters: reg},
		Filters: []shuffle.Spec{{ID: 160, Meta: 9}, shuffle.Byte, {ID: 255, Meta: 9}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte{1, 0, 2, 0}, 3200)
	if err := u.Write(ctx, want); err != nil {
		t.Fatal(err)
	}
	if err := u.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	file, err := u.Frame().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ndarray.FromBytes(file, &ndarray.OpenOptions{Engine: chunk.Engine{Filters: reg}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Read(ctx); err != nil || !bytes.Equal(got, want) {
		t.Errorf("with the registry: %v", err)
	}
	without, err := ndarray.FromBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Read(ctx); !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "filter 160") && !strings.Contains(err.Error(), "filter 255") {
		t.Errorf("without it: %v", err)
	}
}
