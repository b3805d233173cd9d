package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

var update = flag.Bool("update", false, "make the seeds in testdata again")

// bucketMakers make the frames whose objects are in testdata.
var bucketMakers = map[string]func(ctx context.Context, fsys storage.FS) error{
	"bucket-frame": func(ctx context.Context, fsys storage.FS) error {
		f, err := frame.Create("in", &frame.Options{FS: fsys, TypeSize: 4, BlockSize: 128,
			Meta: []meta.Layer{{Name: "fixed", Content: []byte("\xa5value")}}})
		for k := uint64(0); err == nil && k < 3; k++ {
			if _, err = f.Append(ctx, sample(320, k)); err == nil {
				err = f.Commit(ctx)
			}
		}
		if err != nil {
			return err
		}
		return errors.Join(f.AppendSpecial(ctx, chunk.SpecialZeros, 320), f.SetVL("variable", sample(60, 8)), f.Close())
	},
	"bucket-array": func(ctx context.Context, fsys storage.FS) error {
		a, err := ndarray.Create[int16]("in", ndarray.Shape{7, 9},
			&ndarray.Options{FS: fsys, ChunkShape: ndarray.Shape{4, 4}, BlockShape: ndarray.Shape{2, 3}})
		if err != nil {
			return err
		}
		items := make([]int16, 63)
		for i := range items {
			items[i] = int16(i % 50)
		}
		return errors.Join(a.Write(ctx, items), a.Commit(ctx), a.Append(ctx, 0, items[:18]), a.Close())
	},
	"bucket-segments": func(ctx context.Context, fsys storage.FS) error {
		f, err := frame.Create("in", &frame.Options{FS: fsys, TypeSize: 8, ChunkSize: 64})
		if err != nil {
			return err
		}
		err = f.AppendSpecial(ctx, chunk.SpecialZeros, 64*65_550)
		nan, failed := chunk.AppendSpecial(nil, chunk.SpecialNaN, nil, 64, 8, 0)
		err = errors.Join(err, failed)
		for i := 0; err == nil && i < 4100; i++ {
			err = f.Inside().UpdateEncoded(ctx, 2*i, nan)
		}
		return errors.Join(err, f.Update(ctx, 1, sample(64, 1)), f.Update(ctx, 5000, sample(64, 2)), f.Commit(ctx),
			f.Update(ctx, 65_540, sample(64, 3)), f.Close())
	},
}

// TestBucketSeeds checks that the seeds are sound. With -update it makes them.
func TestBucketSeeds(t *testing.T) {
	for name, create := range bucketMakers {
		if *update {
			if err := os.WriteFile(filepath.Join("testdata", name+".zip"), packObjects(t, create), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	seeds, err := bucketSeeds("testdata")
	if err != nil || len(seeds) != len(bucketMakers) {
		t.Fatalf("%d seeds, %v", len(seeds), err)
	}
	for _, seed := range seeds {
		seed.study()
		s, err := newMutation(nil, seed, seed).subject(0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := frame.Verify(t.Context(), "in", &frame.OpenOptions{FS: s.fs})
		if err != nil || r.Stored[frame.Verified] == 0 {
			t.Errorf("%s: %+v, %v", seed.name, r, err)
		}
	}
}

// packObjects makes a frame in a bucket, and returns an archive of its objects.
func packObjects(t *testing.T, create func(ctx context.Context, fsys storage.FS) error) []byte {
	t.Helper()
	b := storage.FSBucket(storage.NewMemory(), ".")
	if err := create(t.Context(), storage.BucketFS(t.Context(), b)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for at, err := range b.List(t.Context(), "in/") {
		raw := make([]byte, at.Size)
		if err == nil {
			err = b.ReadRanges(t.Context(), at, []storage.Range{{Data: raw}})
		}
		w, failed := z.Create(at.Name[len("in/"):])
		if failed == nil {
			_, failed = w.Write(raw)
		}
		if err = errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSealedObjects damages a header in a root, which is found only if the checksum is not
// corrected.
func TestSealedObjects(t *testing.T) {
	seeds, err := bucketSeeds("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		seed.study()
		p := newMutation(nil, seed, seed)
		p.get("root")[rootSummed+8]++ // the number of the commit
		for _, sealed := range []bool{false, true} {
			if sealed {
				p.sealObjects()
			}
			s, err := p.subject(0)
			if err != nil {
				t.Fatal(err)
			}
			f, err := frame.Open("in", &frame.OpenOptions{FS: s.fs})
			if (err == nil) != sealed {
				t.Errorf("%s: sealed %v: %v", seed.name, sealed, err)
			}
			if err == nil {
				_ = f.Close()
			}
		}
	}
}
