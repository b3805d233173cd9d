package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/osfile"
)

// TestVerbsDoNotWaitForPipes passes a named pipe without a writer in place of every file.
func TestVerbsDoNotWaitForPipes(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	err := os.WriteFile(in("x.npy"), npyFile(t, "<i4", false, 20), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "import", "-sparse", "-chunks", "5", in("x.npy"), in("chunk"))
	cairnOK(t, "import", "-sparse", in("x.npy"), in("index"))
	err = errors.Join(os.Remove(in("chunk/00000000.chunk")), osfile.MakePipe(in("chunk/00000000.chunk")),
		os.Remove(in("index/chunks.b2frame")), osfile.MakePipe(in("index/chunks.b2frame")),
		os.Mkdir(in("tree.b2d"), 0o777), osfile.MakePipe(in("tree.b2d/embed.b2e")),
		osfile.MakePipe(in("pipe.b2nd")), osfile.MakePipe(in("pipe.b2z")))
	if errors.Is(err, errors.ErrUnsupported) {
		t.Log("no named pipes here")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"chunk", "index", "tree.b2d", "pipe.b2nd", "pipe.b2z"} {
		for _, args := range [][]string{
			{"verify", in(name)}, {"cat", in(name)}, {"stats", in(name)}, {"head", in(name)}, {"copy", in(name), in("out")},
			{"export", in(name), in("out.npy")},
		} {
			var r result
			promptly(t, strings.Join(args, " "), func() { r = cairnWith(context.Background(), &bytes.Buffer{}, args...) })
			if r.code == 0 {
				t.Errorf("%q succeeds", args)
			}
		}
	}
	// A pipe that the caller names as input of items is read, but waits no longer than the caller.
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	promptly(t, "import", func() {
		if r := cairnWith(ctx, &bytes.Buffer{}, "import", in("pipe.b2nd"), in("out.b2nd")); r.code == 0 {
			t.Error("nothing is imported")
		}
	})
}

// promptly fails the test if a call blocks.
func promptly(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { call(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s waits", what)
	}
}
