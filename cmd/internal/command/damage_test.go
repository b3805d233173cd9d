package command

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/frame"
)

// chunkOffset returns the offset of a frame's chunk in its file.
func chunkOffset(t *testing.T, path string, chunk int) int64 {
	t.Helper()
	f, err := frame.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Chunk(chunk)
	if err != nil {
		t.Fatal(err)
	}
	return info.Offset
}

// damagedBytes returns an array of 16 stored chunks with one changed byte in the items of chunk 5.
func damagedBytes(t *testing.T, path string) {
	t.Helper()
	importBytes(t, npyFile(t, "<i8", false, 64, 64), path, "-chunks", "16,16", "-blocks", "8,8", "-level", "0")
	b := readFile(t, path)
	b[chunkOffset(t, path, 5)+100] ^= 1
	writeFile(t, path, b)
}

// healedFile writes an array with a damaged header, which is read from the commit record.
func healedFile(t *testing.T, path string) {
	t.Helper()
	importBytes(t, npyFile(t, "<i8", false, 64, 64), path)
	b := readFile(t, path)
	b[2] ^= 0xff // in the magic bytes
	writeFile(t, path, b)
}

// TestVerifyReportsGuarantees checks that verify reports nothing damaged as valid, names each
// damaged file, and counts them on the last line.
func TestVerifyReportsGuarantees(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	damagedBytes(t, "a") // a name that is in every error
	importBytes(t, npyFile(t, "<i8", false, 9), "good.b2nd")
	r := cairnWith(t.Context(), nil, "verify", "a", "good.b2nd", "none.b2nd")
	if r.code != exitFailed || strings.Count(r.stderr, "\n") != 2 || !strings.HasPrefix(r.stderr, "cairn: a: ") ||
		!strings.Contains(r.stderr, "none.b2nd") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	want := "damaged    a          array of 64 × 64 <i8 in 16 chunks  1 fault in 1 chunk\n" +
		"sound      good.b2nd  array of 9 <i8 in 1 chunk          all checksums match\n" +
		"not found  none.b2nd\n3 verified: 1 sound, 1 damaged, 1 not found\n"
	if r.stdout != want {
		t.Errorf("%s, want\n%s", r.stdout, want)
	}
	var v []verdict
	r = cairnWith(t.Context(), nil, "verify", "-json", "a")
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil || len(v) != 1 || v[0].Dead != 0 ||
		v[0].Checksums.Verified != 15 {
		t.Errorf("%v, %+v", err, v)
	}
}

// TestVerifyReportsHealedHeaders checks that a header read from the commit record has its own exit
// code: other programs may not be able to read such files.
func TestVerifyReportsHealedHeaders(t *testing.T) {
	dir := t.TempDir()
	healed, bad, whole := filepath.Join(dir, "healed.b2nd"), filepath.Join(dir, "bad.b2nd"), filepath.Join(dir,
		"whole.b2nd")
	healedFile(t, healed)
	damagedBytes(t, bad)
	r := cairnWith(t.Context(), nil, "verify", healed)
	if r.code != exitHealed || r.stderr != "" || !strings.Contains(r.stdout,
		"healed.b2nd: healed, array of 64 × 64") || !strings.Contains(r.stdout, "cairn copy") {
		t.Errorf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if r := cairnWith(t.Context(), nil, "verify", "-json", healed); r.code != exitHealed ||
		!strings.Contains(r.stdout, `"healed": true`) {
		t.Errorf("exit %d, %s", r.code, r.stdout)
	}
	r = cairnWith(t.Context(), nil, "verify", healed, bad, healed)
	if r.code != exitFailed || !strings.HasSuffix(r.stdout, "\n3 verified: 0 sound, 2 healed, 1 damaged\n") {
		t.Errorf("exit %d, %s", r.code, r.stdout)
	}
	cairnOK(t, "copy", healed, whole) // as it says
	cairnOK(t, "verify", whole)
}

// TestRepairOfNothing checks that repair of a file without any valid chunk fails, and neither
// creates nor replaces the output.
func TestRepairOfNothing(t *testing.T) {
	dir := t.TempDir()
	bad, out := filepath.Join(dir, "bad.b2nd"), filepath.Join(dir, "out.b2nd")
	importBytes(t, npyFile(t, "<i8", false, 30), bad)
	b := readFile(t, bad)
	binary.LittleEndian.PutUint32(b[chunkOffset(t, bad, 0)+4:], 1<<30)
	writeFile(t, bad, b)
	wantFailure(t, cairnWith(t.Context(), nil, "repair", bad, out), "can be saved")
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
	importBytes(t, npyFile(t, "<i8", false, 30), out)
	before := string(readFile(t, out))
	wantFailure(t, cairnWith(t.Context(), nil, "repair", "-force", bad, out), "can be saved")
	if string(readFile(t, out)) != before {
		t.Error("something was replaced")
	}
	wantFiles(t, dir, "bad.b2nd", "out.b2nd")
}

// TestRepairReportsLostMetalayers checks the report on metalayers whose names are lost.
func TestRepairReportsLostMetalayers(t *testing.T) {
	dir := t.TempDir()
	bad, out := filepath.Join(dir, "bad.b2nd"), filepath.Join(dir, "out.b2nd")
	importBytes(t, npyFile(t, "<i8", false, 64, 64), bad, "-chunks", "16,16", "-blocks", "8,8")
	cairnOK(t, "meta", "set", bad, "units", `"K"`)
	b := readFile(t, bad)
	writeFile(t, bad, b[:len(b)*3/4])
	r := cairnWith(t.Context(), nil, "repair", bad, out)
	if r.code != exitLost || strings.Contains(r.stdout, `""`) || !strings.Contains(r.stdout,
		"\n  lost every vlmetalayer: ") {
		t.Errorf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
}

// TestDamageLeadsToRepair checks that an error about a torn file suggests repair.
func TestDamageLeadsToRepair(t *testing.T) {
	dir := t.TempDir()
	bad, torn, page := filepath.Join(dir, "bad.b2nd"), filepath.Join(dir, "torn.b2nd"), filepath.Join(dir, "page.b2nd")
	damagedBytes(t, bad)
	writeFile(t, torn, readFile(t, bad)[:3000])
	for _, args := range [][]string{{"info", torn}, {"cat", bad}, {"export", torn, "-"}, {"append", torn, bad}} {
		wantFailure(t, cairnWith(t.Context(), nil, args...), "; cairn repair can save the intact parts\n")
	}
	writeFile(t, page, []byte("<!DOCTYPE html>\n<html>404</html>\n"))
	for _, args := range [][]string{{"info", page}, {"cat", page}, {"verify", page}, {"repair", page,
		filepath.Join(dir, "x.b2nd")}, {"append", page, bad}, {"import", page, filepath.Join(dir, "x.b2nd")}} {
		r := cairnWith(t.Context(), nil, args...)
		wantFailure(t, r, "is an HTML page")
		if strings.Contains(r.stderr, "cairn repair") {
			t.Errorf("%v: %s", args, r.stderr)
		}
	}
}
