package chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
)

// clearLow clears the low byte of items of 4 bytes.
func clearLow(items []byte) error {
	for i := 0; i < len(items); i += 4 {
		items[i] = 0
	}
	return nil
}

func numbered(n int) []byte {
	var items []byte
	for i := range n {
		items = binary.LittleEndian.AppendUint32(items, uint32(i*i))
	}
	return items
}

// TestRound encodes rounded items, whole chunks and single blocks, and checks them.
func TestRound(t *testing.T) {
	for _, workers := range []int{1, 3} {
		o := &Options{Engine: Engine{Checked: true}, TypeSize: 4, BlockSize: 4096, Workers: workers, Round: clearLow}
		e, err := NewEncoder(o)
		if err != nil {
			t.Fatal(err)
		}
		items := numbered(10000)
		kept := bytes.Clone(items)
		encoded, err := e.Append(nil, items)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(items, kept) {
			t.Error("the caller's items were changed")
		}

		want := bytes.Clone(items)
		if err := clearLow(want); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(items))
		if _, err := NewDecoder(nil).Decode(got, encoded); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d workers: other items than rounded ones (%v)", workers, err)
		}

		changed := make([]bool, e.Layout(len(items)).NumBlocks)
		changed[1] = true
		items[4096+5] = 77
		want[4096+5] = 77
		encoded, ok, err := rewriteOf(t, e, encoded, changed, &wholeSource{data: items, blockSize: 4096})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if _, err := NewDecoder(nil).Decode(got, encoded); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d workers: other items after a block was replaced (%v)", workers, err)
		}
	}
}

// TestRoundFails checks that an error of rounding is that of the encoder.
func TestRoundFails(t *testing.T) {
	failed := errors.New("failed")
	e, err := NewEncoder(&Options{TypeSize: 4, Round: func([]byte) error { return failed }})
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Append([]byte("x"), numbered(100))
	if !errors.Is(err, failed) || string(out) != "x" {
		t.Errorf("%q, %v", out, err)
	}
}

// changing is a source whose blocks are other ones each time, as if what had been encoded were
// wrong.
type changing struct{ times byte }

func (c *changing) Block(scratch []byte, _ int) []byte {
	c.times++
	copy(scratch, numbered(len(scratch)/4))
	scratch[5] = c.times
	return scratch
}

// TestChecked checks that a chunk that does not decode to its source is an error.
func TestChecked(t *testing.T) {
	for _, checked := range []bool{false, true} {
		e, err := NewEncoder(&Options{Engine: Engine{Checked: checked}, TypeSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.AppendBlocks(nil, 4000, &changing{})
		if checked != errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("checked %v: %v", checked, err)
		}
	}
}
