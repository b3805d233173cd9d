package frame

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Whoever is about to change a frame claims its file first, with or without Locking, and compares what is in it with what the handle last saw. So a second
// handle, in this process or another, is refused with ErrConflict before it writes a byte where the first one has staged or committed some. C-Blosc2 claims
// nothing; a commit looks at the header once more for its sake.

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

// How often, and after how long, a file is claimed again that somebody else has claimed: whoever opens a
// frame while a commit writes its header claims it for the moment of a second look.
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

// claim makes sure that nobody else changes the frame, and that it is as it was committed last, until unclaim.
func (w *contiguousWriter) claim(committed *state) error {
	if w.fresh() || w.claimed.held {
		return nil
	}
	if err := w.claimed.takePatiently(w.file, w.path); err != nil {
		return err
	}
	if _, err := currentHeader(w.file, committed); err != nil {
		return errors.Join(err, w.claimed.giveBack())
	}
	return nil
}

func (w *contiguousWriter) unclaim() error { return w.claimed.giveBack() }

// claim makes sure that the frame is as it was committed last. It claims nothing: what is staged are files of their own, and a commit makes sure by itself.
func (w *sparseWriter) claim(committed *state) error {
	if w.compared || w.fresh() {
		return nil
	}
	err := w.checkCurrent(committed)
	w.compared = err == nil
	return err
}

func (w *sparseWriter) unclaim() error {
	w.compared = false
	return nil
}

// checkCurrent fails with ErrConflict if the index on disk is not the one of the committed state.
func (w *sparseWriter) checkCurrent(committed *state) error {
	file, err := w.fs.Open(w.src.dir + "/" + sparseIndex)
	if err != nil {
		return err
	}
	_, err = currentHeader(file, committed)
	return errors.Join(err, file.Close())
}

// mine reports whether files that no state refers to are this writer's to remove. C-Blosc2 gives a new chunk the number that its index has not, so if it
// changed the frame without the lock, what was staged may be a chunk of its own by now.
func (w *sparseWriter) mine(committed *state) bool {
	return w.fresh() || w.checkCurrent(committed) == nil
}

// alone runs a commit when nobody else commits, and the index on disk is the one of the committed state.
func (w *sparseWriter) alone(committed *state, commit func() (*state, bool, error)) (*state, bool, error) {
	if w.fresh() {
		return commit()
	}
	name := w.src.dir + "/" + sparseIndex
	file, err := w.fs.OpenRW(name)
	if err != nil {
		return nil, false, err
	}
	var c claim
	if err = c.takePatiently(file, name); err == nil {
		_, err = currentHeader(file, committed)
	}
	if err != nil {
		return nil, false, errors.Join(err, c.giveBack(), file.Close())
	}
	done, fatal, err := commit()
	_ = errors.Join(c.giveBack(), file.Close()) // of a file that another one has replaced, or that is as it was
	return done, fatal, err
}
