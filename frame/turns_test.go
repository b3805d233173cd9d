package frame

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// turnFrame in the environment makes TestProcessesTakeTurns the child process that changes a frame.
const turnFrame = "CAIRN_TEST_TURN"

// TestProcessesTakeTurns starts a process that stages changes until it is killed. Readers see the
// state before without waiting. Writers wait until the process is killed, and continue from that
// state.
func TestProcessesTakeTurns(t *testing.T) {
	if name := os.Getenv(turnFrame); name != "" {
		f := must(Open(name, &OpenOptions{Mode: ReadWrite, Locking: true}))
		must(f.Append(noContext, lockStamp(2, 0)))
		fmt.Println("staged")
		time.Sleep(time.Minute)
		return
	}
	for _, sparse := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "f")
			f := must(Create(name, &Options{TypeSize: 8, ChunkSize: 64, Sparse: sparse, Locking: true}))
			must(f.Append(noContext, lockStamp(0, 0)))
			if err := f.Commit(noContext); err != nil {
				t.Fatal(err)
			}
			child := exec.Command(must(os.Executable()), "-test.run=^TestProcessesTakeTurns$")
			child.Env = append(os.Environ(), turnFrame+"="+name)
			out := must(child.StdoutPipe())
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "staged" {
				t.Fatalf("the other process says %q, %v", line, err)
			}
			reader := must(Open(name, &OpenOptions{Locking: true, LockTimeout: 10 * time.Second}))
			if n, err := sharedChunks(noContext, reader); n != 1 || err != nil {
				t.Errorf("beside a process with staged changes: %d chunks, %v", n, err)
			}
			if _, err := f.Append(within(t, 200*time.Millisecond), lockStamp(1, 0)); !errors.Is(err, cairn.ErrLocked) {
				t.Errorf("a second writer: %v", err)
			}
			_ = child.Process.Kill()
			_ = child.Wait() // it was killed
			if _, err := f.Append(within(t, 5*time.Second), lockStamp(1, 0)); err != nil {
				t.Fatal(err)
			}
			mustClose(t, f)
			mustClose(t, reader)
			wantChunks(t, storage.OS(), name, 0, 1)
		})
	}
}
