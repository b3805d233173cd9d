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

// Two handles without the lock change one frame, of which one is the C library's. If that one was
// first, ours must be refused and leave everything as it is; if ours was first, that one goes on
// from what ours committed.

// A rival is a process that changes frames with the C library.
type rival struct{ *harness.Peer }

func (r rival) tell(words ...string) error {
	if err := r.Call(words, &struct{}{}); err != nil {
		return fmt.Errorf("told %v: %w", words, err)
	}
	return nil
}

// rivalChanges are what the C library is told to do, and by how much the number of chunks changes.
var rivalChanges = []struct {
	what   string
	chunks int
}{{"append", 1}, {"insert", 1}, {"replace", 0}, {"delete", -1}, {"value", 0}, {"layer", 0}}

// conflictRounds lets both sides meet in every way.
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
					// it writes the header that it had cached, without looking, whoever wrote the
					// one that is there
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
	// bytes that C-Blosc2 fills with noise, so that its frames are longer than ours
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
	if err == nil {
		err = f.SetVL("v", value)
	}
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
	if err == nil {
		err = r.tell("do", name, what)
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return refused(l, f, name, chunks, func() error { return nil })
}

// refused wants a change, or else its commit, to be refused, and what the C library wrote to be
// there.
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

// agree wants both sides to read the same, and so many chunks.
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
