package filter

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// Blosc2 (filter 32026) makes a contiguous frame of a chunk. For one dimension, it has one chunk.
// For more, it is an array (B2ND) with the shape of the chunk, whose blocks have a shape too.
// A chunk without a frame is decoded as well. (Source: the registered filter, hdf5-blosc2.)

// arrayLayer is the name of the metalayer of arrays.
const arrayLayer = "b2nd"

// frameMagic is at byte 2 of a frame.
const (
	frameMagic   = "b2frame\x00"
	frameMagicAt = 2
)

func isFrame(src []byte) bool {
	return len(src) > frameMagicAt && bytes.HasPrefix(src[frameMagicAt:], []byte(frameMagic))
}

// openFrame opens the frame in src.
func openFrame(f Filter, src []byte) (*frame.Frame, error) {
	fr, err := frame.FromBytes(src, nil)
	if err != nil {
		return nil, broken(f.ID, err)
	}
	return fr, nil
}

func blosc2Size(f Filter, src []byte, most int) (int, error) {
	if !isFrame(src) {
		return bloscSize(f, src, most)
	}
	fr, err := openFrame(f, src)
	if err != nil {
		return 0, err
	}
	defer fr.Close()
	return int(min(fr.NBytes(), int64(most)+1)), nil
}

func blosc2Decode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	if !isFrame(src) {
		return bloscDecode(w, f, dst, src)
	}
	if h, inner, ok := w.lone.find(src, len(dst)); ok {
		if err := w.lone.decode(dst, h, inner); err != nil {
			return nil, broken(f.ID, err)
		}
		return dst, nil
	}

	fr, a, err := openInside(f, len(dst), src)
	if err != nil {
		return nil, err
	}
	defer fr.Close()

	if a != nil {
		err = a.ReadBytes(context.Background(), dst, make([]int64, len(a.Shape())), a.Shape())
	} else {
		_, err = fr.ReadChunk(context.Background(), dst, 0)
	}
	if err != nil {
		return nil, broken(f.ID, err)
	}
	w.lone.learn(src, fr, a)
	return dst, nil
}

// blosc2DecodePart decodes the blocks of a frame that have a part.
func blosc2DecodePart(w *workspace, f Filter, dst, src []byte, p Part) error {
	if !isFrame(src) {
		return bloscDecodePart(w, f, dst, src, p)
	}
	if h, inner, ok := w.lone.find(src, len(dst)); ok {
		if err := w.lonePart(dst, h, inner, p); err != nil {
			return broken(f.ID, err)
		}
		return nil
	}

	fr, a, err := openInside(f, len(dst), src)
	if err != nil {
		return err
	}
	defer fr.Close()

	size := fr.TypeSize()
	switch from, to, ok := p.span(size, len(dst)); {
	case a != nil && int64(size) == p.ItemSize && slices.Equal(a.Shape(), p.Shape):
		items := w.free(int(p.size()))
		if err = a.ReadBytes(context.Background(), items, p.Start, p.Stop); err == nil {
			p.put(dst, items)
		}
	case a == nil && ok:
		_, err = fr.ReadItems(context.Background(), dst[from*size:], 0, from, to)
	default:
		_, err = blosc2Decode(w, f, dst, src)
		return err
	}

	if err != nil {
		return broken(f.ID, err)
	}
	w.lone.learn(src, fr, a)
	return nil
}

// openInside opens the frame in src, which has size bytes of items: an array, or one chunk. Close
// the frame, which closes the array.
func openInside(f Filter, size int, src []byte) (*frame.Frame, *ndarray.Untyped, error) {
	fr, err := openFrame(f, src)
	if err != nil {
		return nil, nil, err
	}
	if _, err = fr.Layer(arrayLayer); errors.Is(err, cairn.ErrNotFound) {
		if fr.NumChunks() == 1 && fr.NBytes() == int64(size) {
			return fr, nil, nil
		}
		err = corrupt(f.ID, "%d chunks of %d bytes, want one of %d", fr.NumChunks(), fr.NBytes(), size)
		fr.Close()
		return nil, nil, err
	}

	fr.Close()
	// A decoder has one goroutine: who decodes many chunks has many decoders.
	a, err := ndarray.FromBytes(src, &ndarray.OpenOptions{Workers: 1})
	if err != nil {
		return nil, nil, broken(f.ID, err)
	}

	if n := a.Len() * int64(a.TypeSize()); n != int64(size) {
		a.Close()
		return nil, nil, corrupt(f.ID, "an array of %d bytes, want %d", n, size)
	}
	return a.Frame(), a, nil
}
