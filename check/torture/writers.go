package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/frame"
)

// Several processes append numbered chunks to one frame at the same time, under its lock: processes
// of this program, and of the C library if there is a Python with it. Others read meanwhile. At the
// end, every chunk must be in the frame, those of each writer in order.

// appendVerb and followVerb as the first argument make this program a process that appends or
// reads.
const (
	appendVerb = "append-locked"
	followVerb = "follow-locked"
)

// markedChunk is the size of a chunk that contains, eight times, the number of its writer and its
// own number.
const markedChunk = 64

func marked(writer, n int) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint64(nil, uint64(writer)<<32|uint64(n)), markedChunk/8)
}

// countMarked returns the number of chunks of each writer.
func countMarked(f *frame.Frame) (map[int]int, error) {
	counts := map[int]int{}
	b := make([]byte, markedChunk)
	v := f.Snapshot()
	for i := range v.NumChunks() {
		n, err := v.ReadChunk(context.Background(), b, i)
		if err != nil {
			return nil, err
		}
		mark := binary.LittleEndian.Uint64(b)
		writer, number := int(mark>>32), int(uint32(mark))
		if n != markedChunk || !bytes.Equal(b, marked(writer, number)) || number != counts[writer] {
			return nil, fmt.Errorf("chunk %d is %x after %v: %w", i, b[:8], counts, errDiffers)
		}
		counts[writer]++
	}
	return counts, nil
}

// appendLocked is a writing process, with the arguments of testdata/append.py. It prints how many
// chunks it appended.
func appendLocked(name string, writer, count int, span time.Duration) error {
	f, err := frame.Open(name, &frame.OpenOptions{Mode: frame.ReadWrite, Locking: true})
	if err != nil {
		return err
	}
	ctx := context.Background()
	done := 0
	for end := time.Now().Add(span); done < count && time.Now().Before(end); done++ {
		_, err := f.Append(ctx, marked(writer, done))
		if err == nil {
			err = f.Commit(ctx)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("after %d chunks: %w", done, err), f.Abort())
		}
	}
	fmt.Println(done)
	return f.Close()
}

// followLocked is a reading process. It reads the frame repeatedly, and checks that it never has
// fewer chunks than before. It prints how often it read.
func followLocked(name string, span time.Duration) error {
	f, err := frame.Open(name, &frame.OpenOptions{Locking: true})
	if err != nil {
		return err
	}
	looks, last := 0, 0
	for end := time.Now().Add(span); time.Now().Before(end); looks++ {
		done, err := f.Share(context.Background())
		if err != nil {
			return err
		}
		_, err = countMarked(f)
		if n := f.NumChunks(); n < last {
			err = errors.Join(err, fmt.Errorf("%d chunks after %d", n, last))
		} else {
			last = n
		}
		if err := errors.Join(err, done()); err != nil {
			return err
		}
		// leave a gap: system locks are not fair, so continuous readers would keep writers out
		time.Sleep(time.Millisecond)
	}
	fmt.Println(looks)
	return f.Close()
}

// lockedChild runs one of these processes.
func lockedChild(verb string, args []string) error {
	if len(args) != 4 {
		return errors.New("arguments: name writer count seconds")
	}
	writer, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(args[3], 64)
	if err != nil {
		return err
	}
	span := time.Duration(seconds * float64(time.Second))
	switch verb {
	case followVerb:
		return followLocked(args[0], span)
	case rowsVerb:
		return appendRowsFor(args[0], writer, count, span)
	case holdVerb:
		return holdRows(args[0], writer)
	case watchVerb:
		return followRows(args[0], span)
	}
	return appendLocked(args[0], writer, count, span)
}

// writing says how many processes append.
type writing struct {
	ours, theirs, readers int
	library               *library // for the writers of the C library
	count                 int
	seconds               float64
}

// writers counts what several processes appended and read.
type writers struct {
	// appended chunks or rows, or committed states
	Points  int     `json:"points"`
	Looks   int     `json:"looks"`           // of readers
	Again   int     `json:"again,omitempty"` // failed reads of C-Blosc2 that succeeded again
	Lost    int     `json:"lost"`
	Seconds float64 `json:"seconds,omitempty"`
}

func (c *crasher) writersRounds(w writing) error {
	for _, kind := range []string{"contiguous", "sparse"} {
		out, err := w.run(c.path("writers-"+kind), kind == "sparse")
		if err != nil {
			out.Lost++
			c.report.fail(failure{Section: "writers", Text: kind + ": " + err.Error()}, nil)
		}
		c.report.Lost += out.Lost
		c.report.Writers[kind] = out
	}
	return nil
}

// run starts all processes, waits for them, and checks the frame.
func (w writing) run(name string, sparse bool) (out writers, err error) {
	f, err := frame.Create(name, &frame.Options{TypeSize: 8, ChunkSize: markedChunk, Sparse: sparse, Locking: true})
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return out, err
	}
	var commands []*exec.Cmd
	for i := range w.ours + w.theirs + w.readers {
		args := []string{name, fmt.Sprint(i), fmt.Sprint(w.count), fmt.Sprint(w.seconds)}
		switch {
		case i < w.ours:
			commands = append(commands, harness.Self(append([]string{appendVerb}, args...)...))
		case i < w.ours+w.theirs:
			commands = append(commands, w.library.run("append.py", args...))
		default:
			commands = append(commands, harness.Self(append([]string{followVerb}, args...)...))
		}
	}
	said, err := runAll(commands)
	if err != nil {
		return out, err
	}
	f, err = frame.Open(name, &frame.OpenOptions{Locking: true})
	if err != nil {
		return out, err
	}
	counts, err := countMarked(f)
	out.count(said, counts, w.ours+w.theirs)
	if err == nil {
		_, err = f.Verify(context.Background())
	}
	return out, errors.Join(err, f.Close())
}

// count adds the numbers that processes printed, writers first, and compares those of each writer
// with its chunks in the frame.
func (out *writers) count(said []told, there map[int]int, writing int) {
	for i, t := range said {
		if i >= writing {
			out.Looks += t.n
			out.Again += t.again
			continue
		}
		out.Points += t.n
		out.Lost += max(t.n-there[i], there[i]-t.n)
	}
}

// told is what a process prints: how many chunks it wrote or how often it read, and how many reads
// failed.
type told struct{ n, again int }

// runAll runs commands concurrently. Each prints one or two numbers.
func runAll(commands []*exec.Cmd) ([]told, error) {
	outs, errs := make([]bytes.Buffer, len(commands)), make([]bytes.Buffer, len(commands))
	for i, cmd := range commands {
		cmd.Stdout, cmd.Stderr = &outs[i], &errs[i]
		if err := cmd.Start(); err != nil {
			return nil, err
		}
	}
	var failed error
	said := make([]told, len(commands))
	for i, cmd := range commands {
		err := cmd.Wait()
		if err == nil {
			_, err = fmt.Sscan(outs[i].String()+" 0", &said[i].n, &said[i].again)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("process %d: %w: %s", i, err, errs[i].String()))
		}
	}
	return said, failed
}
