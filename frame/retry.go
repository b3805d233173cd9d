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

// Opening a frame takes several reads: the size of the file, the header, the trailer, the index. If
// a writer commits between two of them, the parts do not match, although each state of the frame is
// sound. Before a frame is reported as corrupt, or its header as torn, it is therefore read again
// until the file has not changed meanwhile.

const (
	steadyAttempts = 100 // for a file that keeps changing
	steadyAtOnce   = 10  // attempts without a pause in between
	steadyPause    = time.Millisecond
	// bytes of the file that are compared; a commit changes the first sector
	steadyHead = 1024
)

// openRetrying opens a frame, and tries again if its file changed during the read.
func openRetrying(fsys storage.FS, name string, at int64, open func() (*Frame, error)) (*Frame, error) {
	var seen []byte
	waited := false
	for n := 0; ; n++ {
		f, err := open()
		switch {
		case err == nil && (f.edit.writer != nil || !f.edit.committed.healed()):
			return f, nil
		case err != nil && !errors.Is(err, cairn.ErrCorrupt), n == steadyAttempts:
			return f, err
		}

		now, failed := peekHeader(fsys, name, at)
		switch {
		case failed != nil:
			return f, err
		case seen != nil && bytes.Equal(seen, now):
			// C-Blosc2 overwrites index and trailer, and writes the header in between, so wait
			// once.
			if waited || err == nil || !leftByOthers(now[peekSize:]) {
				return f, err
			}
			waited = true
			time.Sleep(steadyPause)
		case n >= steadyAtOnce:
			time.Sleep(steadyPause)
		}

		if f != nil {
			_ = f.edit.closeUnchanged() // opened only for reading
		}
		seen = now
	}
}

const peekSize = 8 // bytes before the header in the result of peekHeader

// peekHeader returns the size of a file and the beginning of its frame, by which a change is
// noticed.
func peekHeader(fsys storage.FS, name string, at int64) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := file.Size()
	b := binary.BigEndian.AppendUint64(nil, uint64(size))
	if err == nil {
		b = append(b, make([]byte, steadyHead)...)
		var n int
		n, err = file.ReadAt(b[peekSize:], at)
		b = b[:peekSize+n]
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b, errors.Join(err, file.Close())
}

// leftByOthers reports whether a header was written last by another writer. head may be cut off.
func leftByOthers(head []byte) bool {
	_, err := format.ParseHeader(head, 1<<62)
	return err == nil && len(head) > format.AtWitness && head[format.AtWitness] == 0
}
