package command

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFramesGoThroughPipes uses "-" for standard input and output with every verb that reads or
// writes a single frame.
func TestFramesGoThroughPipes(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	npy := npyFile(t, "<i2", false, 40, 30)
	r := cairnWith(t.Context(), bytes.NewReader(npy), "import", "-chunks", "20,30", "-", "-")
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("import: exit %d, %s", r.code, r.stderr)
	}
	array := r.stdout
	for _, c := range []struct{ args, want string }{
		{"cat -", string(npy[128:])}, {"export - -", string(npy)}, {"info -", "  shape          40 × 30\n"},
		{"info -json -", `"num_chunks": 2`},
		{"head -n 1 -", "# 40 × 30 <i2"}, {"stats -", "count  1200"},
		{"verify -", "-: sound, array of 40 × 30 <i2 in 2 chunks"}, {"meta get -", "b2nd"},
		{"copy - -", array},
	} {
		// What is behind a frame in a stream is not waited for, nor taken for a part of it.
		r := cairnWith(t.Context(), strings.NewReader(array+"more"), strings.Fields(c.args)...)
		if r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, c.want) {
			t.Errorf("%s: exit %d, %s%q", c.args, r.code, r.stderr, r.stdout)
		}
		wantFiles(t, dir)
	}
	file := filepath.Join(dir, "a.b2nd")
	writeFile(t, file, []byte(array))
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if r := cairnWith(t.Context(), f, "cat", "-"); r.stdout != string(npy[128:]) {
		t.Errorf("cat of a file as standard input: exit %d, %s", r.code, r.stderr)
	}
	joined := cairnWith(t.Context(), nil, "concat", file, file, "-").stdout
	if r := cairnWith(t.Context(), strings.NewReader(joined), "cat", "-"); r.stdout != string(npy[128:])+string(npy[128:]) {
		t.Errorf("concat to standard output: exit %d, %s", r.code, r.stderr)
	}
	if r := cairnWith(t.Context(), nil, "import", "-sparse", file, "-"); r.code != exitUsage {
		t.Errorf("a directory to standard output: exit %d, %s", r.code, r.stderr)
	}
	huge := []byte(array)
	binary.BigEndian.PutUint64(huge[16:], 1<<50)
	for in, want := range map[string]string{
		"\x89PNG\r\n\x1a\n": "standard input: this is a PNG image", "": "standard input: corrupt",
		array[:200]:  "standard input: corrupt",
		string(huge): "more than the 68719476736 allowed from a pipe",
	} {
		wantFailure(t, cairnWith(t.Context(), strings.NewReader(in), "info", "-"), want)
		wantFiles(t, dir, "a.b2nd")
	}
}
