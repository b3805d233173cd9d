package frame

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

func TestMisuseIsRefused(t *testing.T) {
	f, err := New(&Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, f, ramp(100, 0))
	buf := make([]byte, 400)
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"read before the first":  {second(f.ReadChunk(noContext, buf, -1)), cairn.ErrBounds},
		"read behind the last":   {second(f.ReadChunk(noContext, buf, 1)), cairn.ErrBounds},
		"read into too little":   {second(f.ReadChunk(noContext, buf[:399], 0)), cairn.ErrBounds},
		"items beyond the chunk": {second(f.ReadItems(noContext, buf, 0, 0, 101)), cairn.ErrBounds},
		"update behind the last": {f.Update(noContext, 1, buf), cairn.ErrBounds},
		"insert too far":         {f.Insert(noContext, 2, buf), cairn.ErrBounds},
		"delete behind the last": {f.Delete(noContext, 1), cairn.ErrBounds},
		"no permutation":         {f.Reorder(noContext, []int{1}), cairn.ErrBounds},
		"order of another size":  {f.Reorder(noContext, nil), cairn.ErrBounds},
		"empty chunk":            {second(f.Append(noContext, nil)), cairn.ErrBounds},
		"no chunk":               {second(f.AppendEncoded(noContext, []byte("xyz"))), cairn.ErrCorrupt},
		"unknown metalayer":      {second(f.Layer("none")), cairn.ErrNotFound},
		"unknown vl metalayer":   {second(f.VL("none")), cairn.ErrNotFound},
		"delete no vl metalayer": {f.DeleteVL("none"), cairn.ErrNotFound},
		"special of no kind":     {f.AppendSpecial(noContext, chunk.SpecialValue, 400), cairn.ErrUnsupported},
		"special of no size":     {f.AppendSpecial(noContext, chunk.SpecialZeros, 0), cairn.ErrBounds},
		"special of half items":  {f.AppendSpecial(noContext, chunk.SpecialNaN, 401), cairn.ErrBounds},
		"too many special":       {f.AppendSpecial(noContext, chunk.SpecialZeros, 400<<30), cairn.ErrLimit},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.err, c.want)
		}
	}
	if f.NumChunks() != 1 || f.NBytes() != 400 {
		t.Fatalf("%+v", f.Info())
	}
	canceled, cancel := context.WithCancel(noContext)
	cancel()
	if _, err := f.Append(canceled, buf); !errors.Is(err, context.Canceled) {
		t.Fatalf("append: %v", err)
	}
	if _, err := f.ReadChunk(canceled, buf, 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("read: %v", err)
	}
	v := f.Snapshot()
	mustClose(t, f)
	for name, err := range map[string]error{
		"append": second(f.Append(noContext, buf)), "commit": f.Commit(noContext),
		"rollback": f.Rollback(), "close": f.Close(),
		"read": second(f.ReadChunk(noContext, buf, 0)), "view": second(v.ReadChunk(noContext, buf, 0)),
		"bytes": second(f.Bytes()),
	} {
		if !errors.Is(err, cairn.ErrClosed) {
			t.Errorf("%s after close: %v", name, err)
		}
	}
	if err := f.Abort(); err != nil {
		t.Errorf("abort after close: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestOptionsAreValidated(t *testing.T) {
	long := strings.Repeat("x", 32)
	for name, o := range map[string]*Options{
		"TypeSize":  {TypeSize: -1},
		"Level":     {Level: 10},
		"ChunkSize": {ChunkSize: -1},
		"Meta":      {Meta: []meta.Layer{{Name: long}}},
		"MaxChunk":  {Engine: chunk.Engine{Limits: cairn.Limits{MaxChunk: -1}}},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, o := range map[string]*OpenOptions{"Mode": {Mode: 7}, "Offset": {Offset: -1},
		"Workers": {Workers: -1}} {
		if _, err := FromBytes(sample(t), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTooManyMetalayersAreRefused(t *testing.T) {
	f, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		if err := f.SetVL(fmt.Sprint("v", i), nil); err != nil {
			t.Fatal(err)
		}
		if err := f.SetMeta(fmt.Sprint("m", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SetVL("one more", nil); !errors.Is(err, cairn.ErrLimit) {
		t.Fatalf("17th of variable length: %v", err)
	}
	if err := f.SetMeta("one more", nil); !errors.Is(err, cairn.ErrLimit) {
		t.Fatalf("17th fixed: %v", err)
	}
	if err := f.SetVL("v3", []byte("still possible")); err != nil {
		t.Fatal(err)
	}
	if got, err := f.VL("v0"); err != nil || len(got) != 0 {
		t.Fatalf("an empty value: %q, %v", got, err)
	}
	mustClose(t, f)
}

func TestCreationRefusesImpossibleChunks(t *testing.T) {
	for _, o := range []Options{
		{TypeSize: 2, Filters: []shuffle.Spec{shuffle.TruncPrec(10)}},
		{TypeSize: 4, Filters: []shuffle.Spec{shuffle.TruncPrec(30)}},
		{TypeSize: 3, Filters: []shuffle.Spec{shuffle.IntTrunc(10)}},
		{TypeSize: 4, Filters: []shuffle.Spec{shuffle.NDCell(4)}}, // blocks without a shape
		{TypeSize: 4, ChunkSize: 400, Engine: chunk.Engine{Limits: cairn.Limits{MaxChunk: 399}}},
	} {
		if f, err := New(&o); err == nil {
			f.Abort()
			t.Errorf("%+v is accepted", o)
		}
	}
}
