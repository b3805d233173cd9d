package frame

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// end returns what follows the chunks: index, if there are any, and trailer. They are in p's memory.
func (v *View) end(p *indexPacker) ([]byte, error) {
	p.out = p.out[:0]
	if v.index.n > 0 {
		var err error
		if p.out, err = p.append(p.out, v.index); err != nil {
			return nil, err
		}
	}
	p.out = meta.AppendTrailer(p.out, v.vl)
	return p.out, nil
}

// rewrite writes v as a contiguous frame to an empty file, laid out as C-Blosc2 lays out a frame that is written in one go: header, chunks
// in order, index, trailer, nothing between them. It returns the same state in its new place.
func (v *View) rewrite(ctx context.Context, file storage.File) (*View, error) {
	done := *v
	done.head.headerLen = headerSize(v.layers)
	done.head.frameType = typeContiguous
	done.source = &contiguous{file: file, base: done.head.headerLen}
	at, buf := done.head.headerLen, []byte(nil)
	b := indexBuilder{index: index{fill: v.index.fill}}
	for i := range v.index.n {
		entry, err := v.index.at(i)
		if err != nil {
			return nil, err
		}
		if entry < 0 {
			if v.index.isRun() {
				b.index = runIndex(v.index.n, entry)
				break
			}
			b.add(entry)
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, lent, err := v.fetch(buf, i, entry)
		if err != nil {
			return nil, v.bare(i, entry, err)
		}
		if !lent {
			buf = c
		}
		if _, err := file.WriteAt(c, at); err != nil {
			return nil, err
		}
		b.add(at - done.head.headerLen)
		at += int64(len(c))
	}
	done.index = b.finish()
	done.head.cbytes = at - done.head.headerLen
	done.live = done.head.cbytes
	p := v.env.borrowPacker()
	defer v.env.packers.Put(p)
	end, err := done.end(p)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteAt(end, at); err != nil {
		return nil, err
	}
	done.head.frameLen = at + int64(len(end))
	if _, err := file.WriteAt(done.header(), 0); err != nil {
		return nil, err
	}
	return &done, nil
}

// Bytes returns the newest state, staged changes included, as a contiguous frame without dead bytes. The caller owns it. It
// works for every frame, sparse ones and those on disk too.
func (f *Frame) Bytes() ([]byte, error) {
	return reading(f, func(v *View) ([]byte, error) { return v.Bytes() })
}

// Bytes returns the state as a contiguous frame without dead bytes. The caller owns it.
func (v *View) Bytes() ([]byte, error) {
	if err := v.env.open(); err != nil {
		return nil, err
	}
	if v.head.generation != Current {
		return nil, v.env.place(fmt.Errorf("frame of generation %v: %w", v.head.generation, cairn.ErrUnsupported))
	}
	file, err := storage.NewMemory().Create(memoryName)
	if err != nil {
		return nil, err
	}
	done, err := v.rewrite(context.Background(), file)
	if err != nil {
		return nil, v.env.place(err)
	}
	whole := make([]byte, done.head.frameLen)
	if n, err := file.ReadAt(whole, 0); n < len(whole) {
		return nil, v.env.place(err)
	}
	return whole, nil
}
