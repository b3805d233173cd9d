package zarr

import (
	"bytes"
	"compress/zlib"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/ndarray"
)

// TestChunksThatOthersReplaceAreReadAnew rewrites the file of a chunk in place, with as many bytes,
// while the store is open: first with older times, then so fast that its time may stay as it is.
func TestChunksThatOthersReplaceAreReadAnew(t *testing.T) {
	dir := t.TempDir()
	write := func(value byte, age time.Duration) {
		t.Helper()
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(bytes.Repeat([]byte{value}, 64))
		_ = z.Close()
		name := filepath.Join(dir, "0")
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if at := time.Now().Add(-age); age > 0 {
			if err := os.Chtimes(name, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	doc := `{"zarr_format":2,"shape":[64],"chunks":[64],"dtype":"|u1","fill_value":0,"order":"C",
		"filters":null,"compressor":{"id":"zlib","level":5}}`
	if err := os.WriteFile(filepath.Join(dir, nameArrayV2), []byte(doc), 0o666); err != nil {
		t.Fatal(err)
	}
	write(1, time.Hour)
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Array(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	read := func(want byte) {
		t.Helper()
		var item [1]byte
		if err := a.ReadBytes(t.Context(), item[:], []int64{9}, []int64{10}); err != nil || item[0] != want {
			t.Fatalf("%d instead of %d: %v", item[0], want, err)
		}
	}

	before := decoded.Shared().Used()
	read(1)
	read(1)
	if kept := decoded.Shared().Used() - before; kept != 64+decoded.EntryBytes {
		t.Errorf("%d bytes are kept of a chunk of 64", kept)
	}
	write(2, time.Minute)
	read(2)
	for value := byte(3); value < 50; value++ {
		write(value, 0)
		read(value)
	}

	// A file system may keep whole seconds.
	second := time.Now().Add(-time.Second / 2).Truncate(time.Second)
	for value := byte(50); value < 60; value++ {
		write(value, 0)
		if err := os.Chtimes(filepath.Join(dir, "0"), second, second); err != nil {
			t.Fatal(err)
		}
		read(value)
	}
	if err := s.Close(); err != nil || decoded.Shared().Used() != before {
		t.Errorf("%d bytes are kept of a store that is closed: %v", decoded.Shared().Used()-before, err)
	}
}

// TestNothingIsKeptOnRequest reads parts of a chunk with NoCache, and without room for chunks.
func TestNothingIsKeptOnRequest(t *testing.T) {
	dir := t.TempDir()
	doc := `{"zarr_format":2,"shape":[64],"chunks":[64],"dtype":"|u1","fill_value":0,"order":"C",
		"filters":null,"compressor":null}`
	old := time.Now().Add(-time.Hour)
	for name, content := range map[string]string{nameArrayV2: doc, "0": strings.Repeat("x", 64)} {
		name = filepath.Join(dir, name)
		err := errors.Join(os.WriteFile(name, []byte(content), 0o666), os.Chtimes(name, old, old))
		if err != nil {
			t.Fatal(err)
		}
	}

	keeps := func(o *OpenOptions) int64 {
		t.Helper()
		before := decoded.Shared().Used()
		s, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		a, err := s.Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		var item [1]byte
		if err := a.ReadBytes(t.Context(), item[:], []int64{9}, []int64{10}); err != nil || item[0] != 'x' {
			t.Fatalf("%q: %v", item, err)
		}
		return decoded.Shared().Used() - before
	}

	if got := keeps(nil); got != 64+decoded.EntryBytes {
		t.Fatalf("%d bytes are kept by default, want 64", got)
	}
	if got := keeps(&OpenOptions{NoCache: true}); got != 0 {
		t.Errorf("%d bytes are kept with NoCache", got)
	}
	defer ndarray.SetCacheBytes(ndarray.SetCacheBytes(0))
	if got := keeps(nil); got != 0 {
		t.Errorf("%d bytes are kept without room", got)
	}
}
