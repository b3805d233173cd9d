package frame_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "frame")
	check(err)
	defer os.RemoveAll(dir)
	path, ctx := filepath.Join(dir, "log.b2frame"), context.Background()

	f, err := frame.Create(path, &frame.Options{TypeSize: 1, Codec: codecs.LZ4})
	check(err)
	defer f.Abort() // does nothing after Close
	for _, line := range []string{"first", "second", "third"} {
		_, err := f.Append(ctx, []byte(line))
		check(err)
	}
	check(f.SetVL("unit", []byte("words")))
	check(f.Close()) // commits

	f, err = frame.Open(path, nil)
	check(err)
	defer f.Close()
	buf := make([]byte, 16)
	for i := range f.NumChunks() {
		n, err := f.ReadChunk(ctx, buf, i)
		check(err)
		fmt.Println(string(buf[:n]))
	}
	unit, err := f.VL("unit")
	fmt.Println(string(unit), err)
	// Output:
	// first
	// second
	// third
	// words <nil>
}

func ExampleFrame_Rollback() {
	ctx := context.Background()
	f, err := frame.New(nil)
	check(err)
	defer f.Close()
	_, err = f.Append(ctx, []byte("kept"))
	check(err)
	check(f.Commit(ctx))
	check(f.Update(ctx, 0, []byte("gone")))
	check(f.Rollback())
	buf := make([]byte, 4)
	_, err = f.ReadChunk(ctx, buf, 0)
	fmt.Println(string(buf), err)
	// Output: kept <nil>
}

func ExampleFrame_Snapshot() {
	ctx := context.Background()
	f, err := frame.New(nil)
	check(err)
	defer f.Close()
	_, err = f.Append(ctx, []byte("old"))
	check(err)
	v := f.Snapshot()
	check(f.Update(ctx, 0, []byte("new")))
	buf := make([]byte, 3)
	_, err = v.ReadChunk(ctx, buf, 0)
	fmt.Println(string(buf), err)
	_, err = f.ReadChunk(ctx, buf, 0)
	fmt.Println(string(buf), err)
	// Output:
	// old <nil>
	// new <nil>
}

func ExampleFromBytes() {
	ctx := context.Background()
	f, err := frame.New(&frame.Options{TypeSize: 8, ChunkSize: 8000})
	check(err)
	check(f.AppendSpecial(ctx, chunk.SpecialNaN, 8_000_000))
	b, err := f.Bytes()
	check(err)
	check(f.Close())

	f, err = frame.FromBytes(b, nil)
	check(err)
	defer f.Close()
	fmt.Println(len(b), "bytes hold", f.NumChunks(), "chunks,", f.NBytes(), "bytes")
	// Output: 341 bytes hold 1000 chunks, 8000000 bytes
}

func ExampleFrame_Verify() {
	f, err := frame.New(nil)
	check(err)
	_, err = f.Append(context.Background(), []byte("some bytes that are worth keeping"))
	check(err)
	b, err := f.Bytes()
	check(err)
	check(f.Close())
	b[100] = 0 // in the chunk's header: the type size

	f, err = frame.FromBytes(b, nil)
	check(err)
	defer f.Close()
	_, err = f.Verify(context.Background()) // frame.Verify does the same for a path
	fmt.Println(err)
	fmt.Println(errors.Is(err, cairn.ErrCorrupt))
	// Output:
	// corrupt chunk 0 at offset 100: typesize is 0
	// true
}
