package frame

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Whoever is about to change a frame claims its file first, with or without Locking, and compares
// what is in it with what the handle last saw. So a second handle, in this process or another, is
// refused with ErrConflict before it writes a byte where the first one has staged or committed
// some. C-Blosc2 claims nothing; a commit looks at the header once more for its sake.

// A claim is one file, of those that can be claimed.
type claim struct {
	file storage.Claimer // nil if there is nothing to give back
	held bool
}

// take claims a file for the handle that has it open under a name.
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
		err = fmt.Errorf("another file has the frame's name now: %w", cairn.ErrConflict)
	}
	if err != nil {
		return errors.Join(err, c.giveBack())
	}
	c.held = true
	return nil
}

// How often, and after how long, a file is claimed again that somebody else has claimed: whoever
// opens a frame while a commit writes its header claims it for the moment of a second look.
const (
	claimAttempts = 10
	claimPause    = time.Millisecond
)

// takePatiently is take for writers, which a second look must not refuse.
func (c *claim) takePatiently(file storage.File, name string) error {
	err := c.take(file, name)
	for n := 0; errors.Is(err, cairn.ErrConflict) && n < claimAttempts; n++ {
		time.Sleep(claimPause)
		err = c.take(file, name)
	}
	return err
}

// giveBack ends the claim, if there is one.
func (c *claim) giveBack() error {
	file := c.file
	c.file, c.held = nil, false
	if file == nil {
		return nil
	}
	return file.Unclaim()
}
