package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// Two handles without the lock change one frame; one belongs to the C library. If the C library was
// first, cairn's change must fail and leave everything as it is. If cairn was first, the C library
// continues from cairn's commit.

// A rival is a process that changes frames with the C library.
type rival struct{ *harness.Peer }

func (r rival) tell(words ...string) error {
	if err := r.Call(words, &struct{}{}); err != nil {
		return fmt.Errorf("told %v: %w", words, err)
	}
	return nil
}

// rivalChanges are the commands for the C library, and the change of the number of chunks by each.
var rivalChanges = []struct {
	what   string
	chunks int
}{{"append", 1}, {"insert", 1}, {"replace", 0}, {"delete", -1}, {"value", 0}, {"layer", 0}}

// conflictRounds runs all combinations of changes by both sides.
func (c *crasher) conflictRounds(l *library) error {
	if l == nil {
		return nil
	}

	peer, err := harness.Start(l.run("change.py"))
	if err != nil {
		return err
	}
	r := rival{peer}
	meetings := map[string]func(l *library, r rival, name, what string, chunks int) error{
		"C-Blosc2 first": theirsBeforeOurs, "C-Blosc2 between change and commit": theirsAmidOurs, "cairn first": oursBeforeTheirs,
	}

	for title, meet := range meetings {
		var t tally
		for _, change := range rivalChanges {
			for _, sparse := range []bool{false, true} {
				t.Points++
				name := c.path(fmt.Sprintf("%s-%s-%v", strings.ReplaceAll(title, " ", ""), change.what, sparse))
				err := createForRivals(name, sparse)
				if err == nil {
					err = meet(l, r, name, change.what, change.chunks)
				}
				if err != nil && title == "cairn first" && change.what == "layer" {
					// it writes its cached header without comparing it with the one in the file
					t.Torn++
					continue
				}
				if err != nil {
					t.Lost++
					c.report.fail(failure{Section: "conflicts", Text: fmt.Sprintf("%s, %s, sparse=%v: %v", title, change.what, sparse, err)}, nil)
				}
			}
		}
		c.report.sum(c.report.Conflicts, title, t)
	}
	return r.Close()
}

const (
	rivalChunks = 3
	// filled with noise by C-Blosc2, so that its frames are longer than ours
	rivalChunkSize = 4096
)

func rivalChunk(n int64) []byte {
	b := make([]byte, 0, rivalChunkSize)
	for i := range int64(rivalChunkSize / 8) {
		b = binary.LittleEndian.AppendUint64(b, uint64(n+i))
	}
	return b
}

func createForRivals(name string, sparse bool) error {
	packed, err := meta.Pack([]byte("12345"))
	if err != nil {
		return err
	}

	f, err := frame.Create(name, &frame.Options{TypeSize: 8, ChunkSize: rivalChunkSize, Sparse: sparse,
		Commits: frame.Commits{Durability: lax}, Meta: []meta.Layer{{Name: "m", Content: packed}}})
	if err != nil {
		return err
	}

	for i := range int64(rivalChunks) {
		if _, err := f.Append(context.Background(), rivalChunk(10*i)); err != nil {
			return errors.Join(err, f.Abort())
		}
	}

	value, err := meta.Pack("value")
	if err != nil {
		return errors.Join(err, f.Close())
	}

	err = f.SetVL("v", value)
	return errors.Join(err, f.Close())
}

func openForRivals(name string) (*frame.Frame, error) {
	return frame.Open(name, &frame.OpenOptions{Mode: frame.ReadWrite, Commits: frame.Commits{Durability: lax}})
}

func theirsBeforeOurs(l *library, r rival, name, what string, chunks int) error {
	f, err := openForRivals(name)
	if err != nil {
		return err
	}
	if err := r.tell("do", name, what); err != nil {
		return errors.Join(err, f.Abort())
	}
	return refused(l, f, name, chunks, func() error {
		_, err := f.Append(context.Background(), rivalChunk(1000))
		return err
	})
}

func theirsAmidOurs(l *library, r rival, name, what string, chunks int) error {
	f, err := openForRivals(name)
	if err != nil {
		return err
	}
	_, err = f.Append(context.Background(), rivalChunk(1000))
	if err != nil {
		return errors.Join(err, f.Abort())
	}

	if err = r.tell("do", name, what); err != nil {
		return errors.Join(err, f.Abort())
	}
	return refused(l, f, name, chunks, func() error { return nil })
}

// refused checks that a change or its commit fails, and that the data of the C library is
// unchanged.
func refused(l *library, f *frame.Frame, name string, chunks int, change func() error) error {
	err := change()
	if err == nil {
		err = f.Commit(context.Background())
	}
	if aborted := f.Abort(); !errors.Is(err, cairn.ErrConflict) {
		return fmt.Errorf("%w: no conflict: %v, %v", errDiffers, err, aborted)
	}
	return agree(l, name, rivalChunks+chunks)
}

func oursBeforeTheirs(l *library, r rival, name, what string, chunks int) error {
	if err := r.tell("keep", name); err != nil {
		return err
	}
	f, err := openForRivals(name)
	if err != nil {
		return err
	}
	_, err = f.Append(context.Background(), rivalChunk(1000))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := r.tell("do", name, what); err != nil {
		return err
	}
	return agree(l, name, rivalChunks+1+chunks)
}

// agree checks that both sides read the same data, and the given number of chunks.
func agree(l *library, name string, chunks int) error {
	f, err := frame.Open(name, nil)
	if err != nil {
		return err
	}
	got, err := contentOf(f.Snapshot())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	theirs, err := l.look([]string{name})
	if err != nil {
		return err
	}
	if theirs[0].err != nil || theirs[0].content != got || got.parts != chunks {
		return fmt.Errorf("%v, %v, want %d chunks; the C library reads %v, %v: %w", got, f.NumChunks(), chunks, theirs[0].content, theirs[0].err, errDiffers)
	}
	return nil
}
