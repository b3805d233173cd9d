package hdf5

import "testing"

// TestWrittenBoxes compares the list of the chunks of each dataset with looking up all there can
// be.
func TestWrittenBoxes(t *testing.T) {
	listed := 0
	for _, name := range []string{"chunked-earliest.h5", "chunked-latest.h5", "v108.h5", "v110.h5"} {
		f := openGolden(t, name)
		keys, err := keysOf(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			d, err := f.Dataset(t.Context(), key)
			if err != nil || d.part == nil {
				continue
			}
			starts, shape, ok, err := d.WrittenBoxes(t.Context())
			if err != nil {
				t.Fatal(name, key, err)
			}
			if !ok {
				continue
			}
			listed++
			have := map[int64]bool{}
			for _, start := range starts {
				number := int64(0)
				for i, at := range start {
					number = number*d.part.ChunkGrid[i] + at/shape[i]
				}
				have[number] = true
			}
			stored := &storedChunks{d, d.file.format.In(t.Context())}
			for chunk := range d.part.ChunkCount {
				place, err := stored.Locate(t.Context(), chunk)
				if err != nil {
					t.Fatal(name, key, err)
				}
				if want := place.Source != nil; have[chunk] != want {
					t.Errorf("%s: %s: chunk %d is listed: %v, want %v", name, key, chunk, have[chunk], want)
				}
			}
		}
	}
	if listed < 4 {
		t.Errorf("%d datasets have lists", listed)
	}
}
