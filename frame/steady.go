package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/storage"
)

// A frame is opened in several reads: the size of the file, the header, the trailer, the index. A
// writer that commits between two of them leaves parts that do not go together, although each state
// of the frame is sound. So before a frame is called corrupt, or its header torn, its file is
// looked at again: only one that has not changed meanwhile is what it seems to be.

const (
	steadyAttempts = 100 // after which a file that keeps changing is given up
	steadyAtOnce   = 10  // of these, without a pause in between
	steadyPause    = time.Millisecond
	// bytes that are looked at; what a commit changes lies in the first sector
	steadyHead = 1024
)

// steadily opens a frame, again if its file changed while it was being read.
func steadily(fsys storage.FS, name string, at int64, open func() (*Frame, error)) (*Frame, error) {
	var seen []byte
	waited := false
	for n := 0; ; n++ {
		f, err := open()
		switch {
		case err == nil && (f.writer != nil || !f.committed.healed()):
			return f, nil
		case err != nil && !errors.Is(err, cairn.ErrCorrupt), n == steadyAttempts:
			return f, err
		}
		now, failed := glance(fsys, name, at)
		switch {
		case failed != nil:
			return f, err
		case seen != nil && bytes.Equal(seen, now):
			// C-Blosc2 changes index and trailer where they are, and the header in between.
			if waited || err == nil || !leftByOthers(now[glanceSize:]) {
				return f, err
			}
			waited = true
			time.Sleep(steadyPause)
		case n >= steadyAtOnce:
			time.Sleep(steadyPause)
		}
		if f != nil {
			_ = f.shut() // it is for reading
		}
		seen = now
	}
}

const glanceSize = 8 // bytes before the header in what glance returns

// glance returns what tells one state of a file from the next: its size, and how the frame begins.
func glance(fsys storage.FS, name string, at int64) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := file.Size()
	b := binary.BigEndian.AppendUint64(nil, uint64(size))
	if err == nil {
		b = append(b, make([]byte, steadyHead)...)
		var n int
		n, err = file.ReadAt(b[glanceSize:], at)
		b = b[:glanceSize+n]
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b, errors.Join(err, file.Close())
}

// leftByOthers reports whether a header, as far as it is there, is one that another writer left
// last.
func leftByOthers(head []byte) bool {
	_, err := format.ParseHeader(head, 1<<62)
	return err == nil && len(head) > format.AtWitness && head[format.AtWitness] == 0
}
