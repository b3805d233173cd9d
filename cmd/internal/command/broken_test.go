package command

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/test/golden"
)

// defectCases returns the goldens of the given kinds whose names begin with a word.
func defectCases(t *testing.T, prefix string, kinds ...golden.Kind) []golden.Case {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out []golden.Case
	for _, c := range m.Cases {
		for _, k := range kinds {
			if c.Kind == k && strings.HasPrefix(c.Name, prefix) {
				out = append(out, c)
			}
		}
	}
	if len(out) < 2 {
		t.Fatalf("%d goldens of %v", len(out), kinds)
	}
	return out
}

// TestGoldensOfDefectsAreCopied checks that copies of defective but readable files of C-Blosc2 are
// valid.
func TestGoldensOfDefectsAreCopied(t *testing.T) {
	for _, c := range append(defectCases(t, "defect-", golden.Frame, golden.B2ND), defectCases(t, "odd-", golden.Frame, golden.B2ND)...) {
		if c.Offset > 0 {
			continue
		}
		out := filepath.Join(t.TempDir(), "out.b2nd")
		cairnOK(t, "copy", c.Path(), out)
		cairnOK(t, "verify", out)
		sum := sha256.Sum256([]byte(cairnOK(t, "cat", out)))
		if hex.EncodeToString(sum[:]) != c.DecodedSHA256 {
			t.Errorf("%s: the copy has other items", c.Name)
		}
	}
}

// TestBrokenGoldens checks files that C-Blosc2 damaged: verify must find the damage, copy must fail
// without an output, and repair must write a valid file.
func TestBrokenGoldens(t *testing.T) {
	for _, c := range defectCases(t, "defect-", golden.Broken) {
		dir := t.TempDir()
		if r := cairnWith(t.Context(), nil, "verify", c.Path()); r.code != exitFailed || !strings.Contains(r.stderr, "corrupt") {
			t.Errorf("verify %s: exit %d, %s", c.Name, r.code, r.stderr)
		}
		if r := cairnWith(t.Context(), nil, "info", c.Path()); r.code != 0 && !strings.Contains(r.stderr, "corrupt") {
			t.Errorf("info %s: exit %d, %s", c.Name, r.code, r.stderr)
		}
		out, saved := filepath.Join(dir, "out"), filepath.Join(dir, "saved")
		if r := cairnWith(t.Context(), nil, "copy", c.Path(), out); r.code != exitFailed || !strings.Contains(r.stderr, "corrupt") {
			t.Errorf("copy %s: exit %d, %s", c.Name, r.code, r.stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("copy %s leaves something", c.Name)
		}
		r := cairnWith(t.Context(), nil, "repair", c.Path(), saved)
		if c.Name == "defect-09.b2frame" { // of which only the number of chunks is left
			wantFailure(t, r, "none of its 10 chunks can be saved")
			wantFiles(t, dir)
			continue
		}
		if !strings.Contains(r.stdout+r.stderr, " saved\n") {
			t.Errorf("repair %s: exit %d, %s", c.Name, r.code, r.stderr)
		}
		cairnOK(t, "verify", saved)
	}
}

// TestOddDTypesAreExportedAsBytes exports items whose dtype has another size as bytes, with a
// message.
func TestOddDTypesAreExportedAsBytes(t *testing.T) {
	for _, c := range defectCases(t, "odd-dtype", golden.B2ND) {
		r := cairnWith(t.Context(), nil, "export", c.Path(), "-")
		if r.code != 0 || opened(t, []byte(r.stdout)).DType().Size() != c.TypeSize ||
			!strings.Contains(r.stderr, "exporting raw bytes") {
			t.Fatalf("%s: exit %d, %s", c.Name, r.code, r.stderr)
		}
		sum := sha256.Sum256([]byte(r.stdout[headerLength(t, []byte(r.stdout)):]))
		if hex.EncodeToString(sum[:]) != c.DecodedSHA256 {
			t.Errorf("%s: other items", c.Name)
		}
	}
}
