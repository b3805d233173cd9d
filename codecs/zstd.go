package codecs

import (
	"fmt"

	zstddec "github.com/cairn-go/cairn/codecs/zstd"
	"github.com/klauspost/compress/zstd"
)

// A zstdEncoder makes one Zstandard frame per stream: single segment, so that the content size bounds the window, and
// without a checksum, as C-Blosc2 writes them.
type zstdEncoder struct {
	z       *zstd.Encoder
	scratch []byte
}

// zstdLevels maps a level to one of the library's four. C-Blosc2 maps level n to Zstandard's 2n-1, and 9 to the highest.
var zstdLevels = [10]zstd.EncoderLevel{
	zstd.SpeedDefault, zstd.SpeedDefault, zstd.SpeedDefault, // 1, 2: Zstandard's 1, 3
	zstd.SpeedBetterCompression, zstd.SpeedBetterCompression, zstd.SpeedBetterCompression, // 3 to 5: 5, 7, 9
	zstd.SpeedBestCompression, zstd.SpeedBestCompression, zstd.SpeedBestCompression, zstd.SpeedBestCompression, // 6 to 9: 11, 13, 15, 22
}

// zstdWindow is how far back a match may reach. Blocks are rarely longer, and longer histories cost memory per encoder.
const zstdWindow = 4 << 20

// newZstdEncoder accepts a complete Zstandard dictionary. With one, every level means Zstandard's 1, as in C-Blosc2.
func newZstdEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	level := zstdLevels[p.Level]
	if p.Dict != nil {
		level = zstdLevels[1]
	}
	opts := []zstd.EOption{
		zstd.WithEncoderLevel(level),
		zstd.WithWindowSize(zstdWindow),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true),
		zstd.WithLowerEncoderMem(true),
	}
	if p.Dict != nil {
		opts = append(opts, zstd.WithEncoderDict(p.Dict))
	}
	z, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		return nil, fmt.Errorf("zstd encoder: %w", err)
	}
	return &zstdEncoder{z: z}, nil
}

// Encode implements [Encoder]. The library appends what it makes and would allocate anew where dst ends, so it writes to scratch
// memory that is kept at the size that was needed so far.
func (e *zstdEncoder) Encode(dst, src []byte) (int, error) {
	e.scratch = e.z.EncodeAll(src, e.scratch[:0])
	return copyIfFits(dst, e.scratch), nil
}

// A zstdDecoder decodes Zstandard frames straight into the caller's memory.
type zstdDecoder struct {
	*zstddec.Decoder
}

// newZstdDecoder accepts a complete Zstandard dictionary, as chunks store it.
func newZstdDecoder(p Params) (Decoder, error) {
	d, err := zstddec.NewDecoder(p.Dict)
	if err != nil {
		return nil, err
	}
	return zstdDecoder{d}, nil
}
