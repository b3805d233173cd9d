package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/test/golden"
)

// goldenCases returns the frames and arrays of the real library that this command can decode.
func goldenCases(t *testing.T) []golden.Case {
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	cases := slices.DeleteFunc(m.Cases, func(c golden.Case) bool {
		return c.Kind != golden.Frame && c.Kind != golden.B2ND || c.Offset > 0 || c.NeedsCodec > 0 ||
			c.NeedsFilter > 0 || c.NeedsFeature != ""
	})
	if len(cases) < 200 {
		t.Fatalf("only %d golden files", len(cases))
	}
	return cases
}

func TestGoldenFilesAreDecodedAndDescribed(t *testing.T) {
	for _, c := range goldenCases(t) {
		sum := sha256.Sum256([]byte(cairnOK(t, "cat", c.Path())))
		if got := hex.EncodeToString(sum[:]); got != c.DecodedSHA256 {
			t.Errorf("%s: decoded bytes differ", c.Name)
		}
		cairnOK(t, "verify", c.Path())
		var d described.Array
		if err := json.Unmarshal([]byte(cairnOK(t, "info", "-json", c.Path())), &d); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if d.ItemSize != c.TypeSize || d.Padded != c.NBytes || d.NumChunks != c.ChunkCount ||
			d.ChunkSize != max(0, c.ChunkSize) || *d.Level != c.Level || (d.Layout == "sparse") != c.Sparse ||
			d.FileBytes != c.Size {
			t.Errorf("%s: described as %+v", c.Name, d)
		}
		kinds := map[string]int{}
		for _, kind := range c.Kinds {
			kinds[kind]++
		}
		for kind, n := range kinds {
			if kind != "data" && d.ChunkKinds[kind] != n {
				t.Errorf("%s: %d chunks of %s, want %d", c.Name, d.ChunkKinds[kind], kind, n)
			}
		}
		if len(d.VLMetalayers) != len(c.VLMeta) {
			t.Errorf("%s: %d vlmetalayers, want %d", c.Name, len(d.VLMetalayers), len(c.VLMeta))
		}
		if c.Kind != golden.B2ND {
			if d.Kind != "frame" || d.Shape != nil {
				t.Errorf("%s: described as an array", c.Name)
			}
			continue
		}
		if d.Kind != "array" || !slices.Equal(d.Shape, c.Shape) || !slices.Equal(d.Chunks, wide(c.ChunkShape)) ||
			!slices.Equal(d.Blocks, wide(c.BlockShape)) || d.DType != c.DType {
			t.Errorf("%s: described as %+v", c.Name, d)
		}
	}
}

func wide(shape []int32) []int64 {
	out := []int64{}
	for _, n := range shape {
		out = append(out, int64(n))
	}
	return out
}

func TestGoldenArraysSurviveExportAndImport(t *testing.T) {
	dir := t.TempDir()
	for _, c := range goldenCases(t) {
		if c.Kind != golden.B2ND || c.OddDType {
			continue
		}
		file := []byte(cairnOK(t, "export", c.Path(), "-"))
		if shape := opened(t, file).Shape(); !slices.Equal(shape, c.Shape) {
			t.Errorf("%s: exported shape %v", c.Name, shape)
			continue
		}
		sum := sha256.Sum256(file[headerLength(t, file):])
		if got := hex.EncodeToString(sum[:]); got != c.DecodedSHA256 {
			t.Errorf("%s: exported items differ", c.Name)
		}
		array := filepath.Join(dir, c.Name)
		importBytes(t, file, array, "-codec", "lz4")
		if got := cairnOK(t, "export", array, "-"); got != string(file) {
			t.Errorf("%s: a second export differs", c.Name)
		}
	}
}
