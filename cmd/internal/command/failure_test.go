package command

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
)

func TestFailedImportsLeaveNothing(t *testing.T) {
	good := npyFile(t, "<f4", false, 200, 200)
	lying := bytes.Replace(good, []byte("(200, 200)"), []byte("(200, 999)"), 1)
	dir := t.TempDir()
	for _, c := range []struct {
		name  string
		file  []byte
		want  string
		flags string
	}{
		{"empty", nil, "ends within its header", ""},
		{"not npy", []byte("hello, this is no array at all"), "this is a text file: want one of NumPy .npy files", ""},
		{"truncated header", good[:50], "ends within its header", ""},
		{"truncated items", good[:len(good)-1], "truncated", ""},
		{"no items", good[:128], "truncated", ""},
		{"shape too large for the file", lying, "truncated", ""},
		{"huge shape", bytes.Replace(good, []byte("(200, 200)"), []byte("(999999999,)"), 1), "truncated", ""},
		{"objects", bytes.Replace(good, []byte("'<f4',"), []byte("'|O' ,"), 1), "holds Python objects", ""},
		{"version", append([]byte("\x93NUMPY\x07\x00"), good[8:]...), "version 7.0", ""},
		{"too many dimensions", npyFile(t, "|u1", false, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), "dimensions", ""},
		{"chunks of other dimensions", good, "dimensions differ", "-chunks 10"},
		{"blocks larger than can be", good, "", "-chunks 2147483647,2147483647"},
		{"filter that does not fit", npyFile(t, "<i2", false, 50), "trunc_prec", "-filters trunc_prec:10"},
	} {
		in, out := filepath.Join(dir, "in.npy"), filepath.Join(dir, "out")
		if err := os.Mkdir(out, 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, in, c.file)
		for _, from := range []string{in, "-"} {
			for _, layout := range []string{"", "-sparse"} {
				args := append([]string{"import"}, strings.Fields(c.flags+" "+layout)...)
				r := cairnWith(t.Context(), bytes.NewReader(c.file), append(args, from, filepath.Join(out, "a.b2nd"))...)
				if c.flags != "-chunks 10" {
					wantFailure(t, r, c.want)
				} else if r.code != exitUsage || !strings.Contains(r.stderr, c.want) {
					t.Errorf("%s: exit %d, %q", c.flags, r.code, r.stderr)
				}
				wantFiles(t, out)
			}
		}
		if err := os.Remove(out); err != nil {
			t.Fatal(err)
		}
	}
}

// cancelReader cancels a context after some bytes, then continues or blocks.
type cancelReader struct {
	r      io.Reader
	left   int
	cancel func()
	block  chan struct{} // nil to go on
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.cancel()
		if c.block != nil {
			<-c.block
		}
	}
	n, err := c.r.Read(p[:min(len(p), 1000)])
	c.left -= n
	return n, err
}

func TestInterruptedImportsLeaveNothing(t *testing.T) {
	file := npyFile(t, "<f4", false, 300, 300)
	for _, layout := range []string{"-sparse=false", "-sparse"} {
		for _, after := range []int{0, 60, 5000, 200_000} {
			for _, blocks := range []bool{false, true} {
				dir := t.TempDir()
				ctx, cancel := context.WithCancel(t.Context())
				in := &cancelReader{r: bytes.NewReader(file), left: after, cancel: cancel}
				if blocks {
					in.block = make(chan struct{})
				}
				r := cairnWith(ctx, in, "import", layout, "-chunks", "50,50", "-", filepath.Join(dir, "a.b2nd"))
				wantFailure(t, r, "interrupted")
				wantFiles(t, dir)
				if blocks {
					close(in.block)
				}
			}
		}
	}
}

func TestInterruptedExportsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	array := filepath.Join(dir, "a.b2nd")
	importBytes(t, npyFile(t, "<f4", false, 300, 300), array)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"export", array, filepath.Join(dir, "b.npy")}, {"cat", array}, {"verify", array}, {"info", array}} {
		wantFailure(t, cairnWith(ctx, nil, args...), "interrupted")
		wantFiles(t, dir, "a.b2nd")
	}
}

func TestExistingFilesAreKeptUnlessForced(t *testing.T) {
	dir := t.TempDir()
	in, array, out := filepath.Join(dir, "in.npy"), filepath.Join(dir, "a.b2nd"), filepath.Join(dir, "out.npy")
	one, two := npyFile(t, "<f4", false, 30), npyFile(t, ">i2", false, 4, 5)
	writeFile(t, in, one)
	cairnOK(t, "import", in, array)
	cairnOK(t, "export", array, out)
	writeFile(t, in, two)
	wantFailure(t, cairnWith(t.Context(), nil, "import", in, array), "exists")
	if got := cairnOK(t, "export", array, "-"); got != string(one) {
		t.Error("the refused import changed the array")
	}
	cairnOK(t, "import", "-force", in, array)
	wantFailure(t, cairnWith(t.Context(), nil, "export", array, out), "exists")
	if !bytes.Equal(readFile(t, out), one) {
		t.Error("the refused export changed the file")
	}
	cairnOK(t, "export", "-force", array, out)
	if !bytes.Equal(readFile(t, out), two) {
		t.Error("the forced export did not replace the file")
	}
	// A forced import that fails keeps what was there.
	writeFile(t, in, one[:len(one)-1])
	wantFailure(t, cairnWith(t.Context(), nil, "import", "-force", in, array), "truncated")
	wantFailure(t, cairnWith(t.Context(), bytes.NewReader(one[:len(one)-1]), "import", "-force", "-", array), "truncated")
	if got := cairnOK(t, "export", array, "-"); got != string(two) {
		t.Error("the failed import changed the array")
	}
	wantFiles(t, dir, "a.b2nd", "in.npy", "out.npy")
	wantFailure(t, cairnWith(t.Context(), nil, "export", array, dir), "is a directory")
	wantFailure(t, cairnWith(t.Context(), nil, "export", array, filepath.Join(dir, "none", "x.npy")), "no such file")
	wantFailure(t, cairnWith(t.Context(), nil, "import", in+"x", array), "no such file")
}

// TestImportToAFullDisk makes each change of the file system fail in turn, alone or as if the disk
// were full from then on.
func TestImportToAFullDisk(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.npy")
	file := npyFile(t, "<f4", false, 100, 100)
	writeFile(t, in, file)
	at, err := operand.New(t.Context(), nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	std := &streams{Console: console.Console{Out: io.Discard, Err: io.Discard}, at: at}
	how := operand.How{All: true, Foreign: true, Workers: 1}
	for kind := range 4 {
		sparse, full := kind&1 == 1, kind&2 == 2
		for failAt := 1; ; failAt++ {
			memory := storage.NewMemory()
			faults := &storagetest.Faults{FS: memory, FailAt: failAt, Full: full}
			o := &ndarray.CopyOptions{ChunkShape: ndarray.Shape{40, 40}, BlockShape: ndarray.Shape{20, 20},
				Sparse: &sparse, FS: faults, Workers: 1}
			src, err := std.open(t.Context(), place.Of(in), how)
			if err != nil {
				t.Fatal(err)
			}
			err = importFile(t.Context(), std, src, "a.b2nd", targetOf("a.b2nd"), o)
			src.Close()
			if err == nil {
				if failAt < 5 {
					t.Errorf("sparse %v: only %d operations can fail", sparse, failAt-1)
				}
				break
			}
			if !errors.Is(err, storagetest.ErrInjected) {
				t.Errorf("sparse %v, operation %d: %v", sparse, failAt, err)
			}
			_, absent := memory.Stat("a.b2nd")
			if (absent == nil) != errors.Is(err, cairn.ErrCommitted) {
				t.Errorf("sparse %v, operation %d: %v, and the array: %v", sparse, failAt, err, absent)
			}
			if absent != nil {
				continue
			}
			// All that can fail once the array has its name is to make the name durable; then it is
			// complete.
			u, err := ndarray.Open("a.b2nd", &ndarray.OpenOptions{FS: memory})
			if err != nil {
				t.Fatalf("sparse %v, operation %d: a failed import left something: %v", sparse, failAt, err)
			}
			got, err := u.Read(t.Context())
			if err != nil || !bytes.HasSuffix(file, got) {
				t.Errorf("sparse %v, operation %d: a failed import left half an array: %v", sparse, failAt, err)
			}
			u.Close()
		}
	}
}

func TestWhatFailsAfterACommitHasItsOwnExitCode(t *testing.T) {
	var text bytes.Buffer
	std := &streams{Console: console.Console{Out: io.Discard, Err: &text}}
	v, err := findVerb("copy")
	if err != nil {
		t.Fatal(err)
	}
	err = fmt.Errorf("a.b2nd: commit: %w", placing.Committed(storagetest.ErrInjected))
	if code := std.conclude(t.Context(), v, nil, err); code != exitAfter ||
		!strings.HasPrefix(text.String(), "cairn: everything is written, but") {
		t.Errorf("exit code %d, %q", code, &text)
	}

	text.Reset()
	parts := []string{"a", "b"}
	if code := std.conclude(t.Context(), v, nil, unlessLast(err, "a", parts)); code != exitFailed {
		t.Errorf("the first of two files: exit code %d, %q", code, &text)
	}
	if err := unlessLast(err, "b", parts); !errors.Is(err, cairn.ErrCommitted) {
		t.Errorf("the last of two files: %v", err)
	}
}

func TestExportToAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Logf("no /dev/full here: %v", err)
		return
	}
	array := filepath.Join(t.TempDir(), "a.b2nd")
	importBytes(t, npyFile(t, "<f4", false, 30), array)
	wantFailure(t, cairnWith(t.Context(), nil, "export", array, "/dev/full"), "no space left")
}

func TestVerifyNamesTheFirstFault(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.b2nd"), filepath.Join(dir, "bad.b2nd")
	file := npyFile(t, "<i8", false, 64, 64)
	importBytes(t, file, good, "-chunks", "16,16", "-blocks", "8,8")
	if got := cairnOK(t, "verify", good); !strings.Contains(got, "16 chunks") {
		t.Errorf("verify says %q", got)
	}
	b := readFile(t, good)
	// The decoded size in the header of chunk 0, which follows the frame's header.
	at := int(binary.BigEndian.Uint32(b[11:]))
	b[at+4] ^= 0x40
	writeFile(t, bad, b)
	r := cairnWith(t.Context(), nil, "verify", good, bad, good)
	wantFailure(t, r, "corrupt chunk 0 at offset")
	if strings.Count(r.stdout, good) != 2 {
		t.Errorf("the files around the damaged one are not reported: %q", r.stdout)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "verify", filepath.Join(dir, "none.b2nd")), "no such file")
	for _, size := range []int{0, 1, 50, 111, 200, len(b) - 1} {
		writeFile(t, bad, readFile(t, good)[:size])
		wantFailure(t, cairnWith(t.Context(), nil, "verify", bad), bad)
	}
}

func TestSpoolingGivesTheSameArray(t *testing.T) {
	dir := t.TempDir()
	for _, fortran := range []bool{false, true} {
		file := npyFile(t, "<u4", fortran, 20, 30)
		stream := func(file []byte) *npy.Array {
			a, err := npy.OpenStream(bytes.NewReader(file), nil)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		spooled, done, err := spoolItems(t.Context(), stream(file), dir)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, described.Bytes(spooled))
		if err := spooled.ReadBytes(t.Context(), got, []int64{0, 0}, []int64{20, 30}); err != nil || spooled.InOrder() {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(asC(t, file), got) {
			t.Errorf("fortran %v: items differ", fortran)
		}
		done()
		wantFiles(t, dir)
		if _, _, err := spoolItems(t.Context(), stream(file[:len(file)-1]), dir); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("truncated stream: %v", err)
		}
		wantFiles(t, dir)
	}
}
