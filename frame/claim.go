package frame

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Before a handle changes a frame, it claims the frame's file, with or without Locking, and checks
// that the file is still as the handle last saw it. A second handle, in this or another process,
// therefore gets ErrConflict before it can overwrite what the first one staged or committed.
// C-Blosc2 does not claim files, so a commit reads the header once more before it replaces it.

// A claim is a file that a handle has claimed. Files that cannot be claimed count as held.
type claim struct {
	file storage.Claimer // nil if there is no lock to release
	held bool
}

// take claims an open file and checks that name still refers to it.
func (c *claim) take(file storage.File, name string) error {
	claimer, ok := file.(storage.Claimer)
	if !ok {
		c.held = true
		return nil
	}

	switch got, err := claimer.TryClaim(); {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		return err
	case !got:
		return fmt.Errorf("another handle is changing the frame: %w", cairn.ErrConflict)
	default:
		c.file = claimer
	}

	same, err := claimer.Is(name)
	if err == nil && !same {
		err = fmt.Errorf("the path refers to another file now: %w", cairn.ErrConflict)
	}
	if err != nil {
		return errors.Join(err, c.release())
	}
	c.held = true
	return nil
}

// A reader that opens a frame during a commit claims the file briefly while it reads the header
// again. A writer therefore retries: claimAttempts times, claimPause apart.
const (
	claimAttempts = 10
	claimPause    = time.Millisecond
)

// takeWithRetry is take, repeated a few times, for writers.
func (c *claim) takeWithRetry(file storage.File, name string) error {
	err := c.take(file, name)
	for n := 0; errors.Is(err, cairn.ErrConflict) && n < claimAttempts; n++ {
		time.Sleep(claimPause)
		err = c.take(file, name)
	}
	return err
}

// release releases the claim, if there is one.
func (c *claim) release() error {
	file := c.file
	c.file = nil
	c.held = false
	if file == nil {
		return nil
	}
	return file.Unclaim()
}
