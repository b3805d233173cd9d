package command

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/cairn-go/cairn/frame"
)

// A few kilobytes of metalayers can contain millions of empty lists, each of which takes 40 times
// as much memory.
func TestMetalayersOfManyEmptyListsAllocLittle(t *testing.T) {
	lists := func(n int) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(n)), bytes.Repeat([]byte{0x90}, n)...)
	}
	dir := t.TempDir()
	for _, c := range []struct {
		layers, size int
	}{{1, 60 << 20}, {15, 4 << 20}} {
		path := filepath.Join(dir, fmt.Sprint(c.layers, ".b2frame"))
		f, err := frame.Create(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.layers {
			if err := f.SetVL(fmt.Sprint("layer", i), lists(c.size)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"info", path}, {"info", "-json", path}, {"meta", "get", path}, {"meta", "get", path, "layer0"},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			r := cairnWith(t.Context(), nil, args...)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			made := (after.TotalAlloc - before.TotalAlloc) >> 20
			if r.code != exitOK || made > 1000 || took > time.Minute {
				t.Errorf("%d layers, %v: exit %d after %v, %d MiB of memory: %s",
					c.layers, args, r.code, took, made, r.stderr)
			}
		}
	}
}
