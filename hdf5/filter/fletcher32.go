package filter

import (
	"encoding/binary"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/fletcher"
)

// Fletcher32 (filter 3) puts a checksum behind the bytes, least significant byte first.
// HDF5 1.6.2 and earlier wrote the bytes of each half in the other order on some machines.

const sumSize = 4

// CheckSum returns an error that matches [cairn.ErrChecksum] if the last filter is a checksum, and
// differs from that of the stored bytes of a chunk. Of other filters it checks nothing.
func CheckSum(stored []byte, filters []Filter, mask uint32) error {
	last := len(filters) - 1
	if last < 0 || filters[last].ID != Fletcher32 || masked(mask, last) {
		return nil
	}
	_, err := sumDecode(nil, filters[last], stored[:max(0, len(stored)-sumSize)], stored)
	return err
}

func sumDecode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	if len(src) != len(dst)+sumSize {
		return nil, corrupt(f.ID, "%d bytes, want %d", len(src), len(dst)+sumSize)
	}

	content := src[:len(dst)]
	sum := fletcher.Sum32(content)
	stored := binary.LittleEndian.Uint32(src[len(dst):])
	if stored != sum && stored != halvesSwapped(sum) {
		e := cairn.Corruptf("HDF5 chunk", -1, "%s", f.ID)
		e.Err = cairn.ErrChecksum
		return nil, e
	}
	return content, nil
}

// halvesSwapped exchanges the bytes of each half.
func halvesSwapped(v uint32) uint32 { return v&0x00ff00ff<<8 | v>>8&0x00ff00ff }

func sumEncode(_ *workspace, _ Filter, dst, src []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint32(append(dst[:0], src...), fletcher.Sum32(src)), nil
}
