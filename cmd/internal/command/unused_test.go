package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/described"
)

// TestUnusedBytesAreShown checks that info and verify report the dead bytes of replaced chunks, and
// the bytes behind the frame that a killed writer left.
func TestUnusedBytesAreShown(t *testing.T) {
	for _, deterministic := range []bool{false, true} { // with live bytes in the file, and without
		path := filepath.Join(t.TempDir(), "f.b2frame")
		f, err := frame.Create(path, &frame.Options{Level: chunk.Stored,
			Commits: frame.Commits{NoCompact: true, Deterministic: deterministic}})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 10<<10)
		for i := range data {
			data[i] = byte(i * i >> 3)
		}
		if _, err := f.Append(t.Context(), data); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := f.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := f.Update(t.Context(), 0, data); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		whole := readFile(t, path)
		if err := os.WriteFile(path, append(whole, make([]byte, 30<<10)...), 0o666); err != nil {
			t.Fatal(err)
		}
		text := cairnOK(t, "info", path)
		for _, want := range []string{
			"unused ", " between chunks, 30.0 KiB after the frame; without them 10.", "ratio 0.9",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("info does not say %q:\n%s", want, text)
			}
		}
		var d described.Array
		if err := json.Unmarshal([]byte(cairnOK(t, "info", "-json", path)), &d); err != nil {
			t.Fatal(err)
		}
		if d.Tail != 30<<10 || d.Live < 10<<10 || d.Live > 11<<10 || d.Live+d.Dead != d.CBytes || d.Dead < 200<<10 {
			t.Errorf("%d live, %d dead, %d behind, %d in all", d.Live, d.Dead, d.Tail, d.CBytes)
		}
		if text := cairnOK(t, "verify", path); !strings.Contains(text, "30.0 KiB unused after the frame") {
			t.Errorf("verify says %s", text)
		}
		var v []verdict
		if err := json.Unmarshal([]byte(cairnOK(t, "verify", "-json", path)), &v); err != nil || v[0].Tail != 30<<10 {
			t.Errorf("verify says %+v, %v", v, err)
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		copied := path + ".copy"
		cairnOK(t, "copy", path, copied)
		if text := cairnOK(t, "info", copied); strings.Contains(text, "unused") {
			t.Errorf("a copy has unused bytes:\n%s", text)
		}
	}
}
