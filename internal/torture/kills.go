package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
)

// A process of this program itself commits one numbered change after the other, and says each number when its commit has returned. It is
// killed at any moment; what it said must be there, and at most one change more.

// childVerb as the first argument makes this program such a process.
const childVerb = "commit-until-killed"

// stepLayer is the metalayer that holds the number of the last change.
const stepLayer = "step"

// killChunks is how many chunks the frame grows to.
const killChunks = 12

// stepState returns what every chunk holds after so many changes: the number of the change that wrote it.
func stepState(steps int) []int {
	var chunks []int
	for n := 1; n <= steps; n++ {
		if len(chunks) < killChunks {
			chunks = append(chunks, n)
		} else if n%5 == 0 {
			chunks = append(chunks[:n%killChunks:n%killChunks], chunks[n%killChunks+1:]...)
		} else {
			chunks[n%killChunks] = n
		}
	}
	return chunks
}

// stepChunk is what change n writes.
func stepChunk(n, size int) []byte {
	b := make([]byte, size)
	rng := rand.NewPCG(uint64(n), 6)
	for i := 0; i+8 <= size/2; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], rng.Uint64())
	}
	binary.LittleEndian.PutUint64(b, uint64(n))
	return b
}

// openOrCreate opens the frame of the process, and returns how many changes it holds.
func openOrCreate(name string, sparse bool) (*frame.Frame, int, error) {
	f, err := frame.Open(name, &frame.OpenOptions{Mode: frame.ReadWrite})
	if errors.Is(err, fs.ErrNotExist) {
		f, err = frame.Create(name, &frame.Options{Codec: codecs.LZ4, Sparse: sparse})
		return f, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	b, err := f.VL(stepLayer)
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	steps, err := strconv.Atoi(string(b))
	return f, steps, err
}

// commitUntilKilled is the process: its arguments are the frame's name, whether it is sparse, and the bytes of a chunk.
func commitUntilKilled(args []string, said io.Writer) error {
	if len(args) != 3 {
		return errors.New("arguments: name sparse size")
	}
	size, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	f, steps, err := openOrCreate(args[0], args[1] == "true")
	if err != nil {
		return err
	}
	ctx := context.Background()
	for n := steps + 1; ; n++ {
		was := len(stepState(n - 1))
		switch {
		case was < killChunks:
			_, err = f.Append(ctx, stepChunk(n, size))
		case n%5 == 0:
			err = f.Delete(ctx, n%killChunks)
		default:
			err = f.Update(ctx, n%killChunks, stepChunk(n, size))
		}
		if err == nil {
			err = f.SetVL(stepLayer, strconv.AppendInt(nil, int64(n), 10))
		}
		if err == nil {
			err = f.Commit(ctx)
		}
		if err == nil {
			_, err = fmt.Fprintln(said, n)
		}
		if err != nil {
			return err
		}
	}
}

// killRounds kills processes, by turns with contiguous and sparse frames and small and large chunks.
func (c *crasher) killRounds(seed uint64, rounds int) error {
	rng := rand.New(rand.NewPCG(seed, 0x516))
	dir, err := os.MkdirTemp("", "cairn-torture-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for k, way := range []struct {
		name   string
		sparse bool
		size   int
	}{{"contiguous, 1 KiB", false, 1 << 10}, {"contiguous, 256 KiB", false, 256 << 10}, {"sparse, 1 KiB", true, 1 << 10}, {"sparse, 256 KiB", true, 256 << 10}} {
		began, t := time.Now(), tally{}
		name := filepath.Join(dir, fmt.Sprint(k)+".b2frame")
		for range (rounds + 3) / 4 {
			t.Points++
			if err := killRound(name, way.sparse, way.size, rng); err != nil {
				t.Lost++
				c.report.fail(failure{Section: "kills", Text: fmt.Sprintf("%s: %v", way.name, err)}, nil)
				name += "x" // go on with another one
			}
		}
		t.Seconds = time.Since(began).Seconds()
		c.report.sum(c.report.Kills, way.name, t)
	}
	return nil
}

// killRound starts a process, kills it, and looks at its frame.
func killRound(name string, sparse bool, size int, rng *rand.Rand) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, childVerb, name, fmt.Sprint(sparse), fmt.Sprint(size))
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	said, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(said)
	last := -1 // what it said last; -1 if nothing
	if lines.Scan() {
		last, err = strconv.Atoi(lines.Text())
	}
	timer := time.AfterFunc(time.Duration(rng.Int64N(int64(25*time.Millisecond))), func() {
		_ = cmd.Process.Kill() // it may have ended by itself, which Wait tells
	})
	defer timer.Stop()
	for lines.Scan() {
		last, err = strconv.Atoi(lines.Text())
	}
	_ = cmd.Wait() // killed, as it should be; anything else is in its complaint
	if complaint.Len() > 0 || err != nil {
		return fmt.Errorf("the process failed: %s %w", complaint.String(), err)
	}
	return checkSteps(name, size, last)
}

// checkSteps wants the frame to hold what was said, or one change more.
func checkSteps(name string, size, said int) error {
	f, err := frame.Open(name, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := f.VL(stepLayer)
	if err != nil {
		return err
	}
	steps, err := strconv.Atoi(string(b))
	if err != nil || said >= 0 && steps != said && steps != said+1 {
		return fmt.Errorf("%d changes are there, %d were said to be: %w", steps, said, errors.Join(err, errDiffers))
	}
	want := stepState(steps)
	if f.NumChunks() != len(want) {
		return fmt.Errorf("%d chunks after %d changes, want %d", f.NumChunks(), steps, len(want))
	}
	got := make([]byte, size)
	for i, n := range want {
		if _, err := f.ReadChunk(context.Background(), got, i); err != nil {
			return err
		}
		if !bytes.Equal(got, stepChunk(n, size)) {
			return fmt.Errorf("chunk %d is not what change %d of %d wrote", i, n, steps)
		}
	}
	_, err = f.View().Verify(context.Background())
	return err
}
