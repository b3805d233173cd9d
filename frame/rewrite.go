package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/frame/internal/space"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// end returns index and trailer of v, to be written at offset at of the frame's file, and updates
// the header of v for them. There is no index without chunks, and no commit record in the trailer
// if the frame is Deterministic. The result is in p's memory. base is the length of the frame
// before.
func (v *draft) end(p *index.Packer, at, base int64) ([]byte, error) {
	v.mark = nil
	v.touched = false
	p.Out = p.Out[:0]
	if v.index.Len() > 0 {
		var err error
		if p.Out, err = p.Append(p.Out, v.index); err != nil {
			return nil, err
		}
	}

	indexLen := len(p.Out)
	p.Out = metalist.AppendTrailer(p.Out, v.vl)
	v.head.Witness = 0
	if v.env.Deterministic {
		v.cover = nil
		v.head.FrameLen = at + int64(len(p.Out))
		return p.Out, nil
	}
	v.sign(p, indexLen, at, base)
	return p.Out, nil
}

// lengthCycle is the number of consecutive commits of a sparse frame that give its index file
// different lengths. Readers of C-Blosc2 without locks notice a new index only by the length of the
// file; otherwise they would look for chunk files that were removed. A contiguous frame grows with
// every commit.
const lengthCycle = 256

// sign inserts a commit record into the trailer at the end of p.Out.
func (v *draft) sign(p *index.Packer, indexLen int, at, base int64) {
	c := cover{verdict: Verified, seq: 1}
	if v.cover != nil {
		c.seq = v.cover.seq + 1
		c.full = v.cover.full
		c.table = v.cover.table
	}
	c.full = c.full || v.index.Len() == 0
	r := &format.Record{Full: c.full, Seq: c.seq, Base: base, Live: v.live,
		Rows: uint32(c.table.Size()), TableSum: format.Checksum(c.table)}
	r.IndexLen = uint32(indexLen)
	r.IndexSum = format.Checksum(p.Out[:indexLen])
	out := p.Out[:len(p.Out)-metalist.TrailerTail]
	length := at + int64(len(out)) + format.RowSize*int64(r.Rows) + format.RecordLeast +
		format.HeaderSize(v.layers) + metalist.TrailerTail
	if v.head.Sparse() {
		padding := (int64(c.seq) - length) & (lengthCycle - 1)
		if length+padding == base {
			padding += lengthCycle // another program changed the length
		}
		out, length = append(out, make([]byte, padding)...), length+padding
	}
	r.LayersLen = uint32(len(out) - indexLen)
	r.LayersSum = format.Checksum(out[indexLen:])
	v.head.Witness = format.Witness
	v.head.FrameLen = length
	r.Header = v.header()

	out = append(out, c.table...)
	out = r.Append(out)
	out = wire.AppendUint32(out, uint32(len(out)+metalist.TrailerTail-indexLen))
	p.Out = r.AppendPointer(append(out, wire.TagFixExt16, 0))
	v.cover = &c
}

// rewrite writes v as a contiguous frame to an empty file: header, chunks in order, index and
// trailer without gaps, as C-Blosc2 writes a frame in one go. It returns the state in its new file,
// and notes in known where the chunks are.
func (v *state) rewrite(ctx context.Context, file storage.File, known *space.Space) (*state, error) {
	done := v.draft()
	done.head.HeaderLen = format.HeaderSize(v.layers)
	done.head.FrameType = format.TypeContiguous
	done.source = newContiguous(file, done.head.HeaderLen)
	at := done.head.HeaderLen
	var buf []byte
	var out gathering
	var held inside.Lease
	b := index.Builder{Index: index.Repeat(0, v.index.Fill())}

	// Chunks get new checksums. Compare them with the old ones, even if that was done before:
	// otherwise later damage would get a correct checksum.
	check := v.mayHaveFooter() && v.env.verify != VerifyOff
	for i := range v.index.Len() {
		entry, err := v.entryAt(i)
		if err != nil {
			return nil, err
		}
		if entry < 0 {
			if v.index.IsRun() {
				b.Index = index.Repeat(v.index.Len(), entry)
				break
			}
			b.Add(entry)
			continue
		}

		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := v.lease(context.Background(), &held, buf, i, entry, check)
		if err != nil {
			return nil, v.inChunkUnnamed(i, entry, err)
		}

		buf = f.memory(buf)
		pieces := [][]byte{f.bytes}
		if !v.env.Deterministic {
			if !check {
				f.sum = format.Checksum(f.bytes)
			}
			pieces = out.seal(pieces, f.sum)
		}

		begin := at
		at += sizeOf(pieces)
		err = out.write(file, pieces, begin)
		if err := errors.Join(err, held.Release()); err != nil {
			return nil, err
		}
		known.Store(begin, at-begin)
		b.Add(begin - done.head.HeaderLen)
	}

	done.cover = v.cover.complete()
	done.index = b.Finish()
	done.head.CBytes = at - done.head.HeaderLen
	done.live = done.head.CBytes

	p := v.env.borrowPacker()
	defer v.env.packers.Put(p)
	end, err := done.end(p, at, v.head.FrameLen)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteAt(end, at); err != nil {
		return nil, err
	}

	if _, err := file.WriteAt(done.header(), 0); err != nil {
		return nil, err
	}
	return &done.state, nil
}

func (v *state) bytes() ([]byte, error) {
	if err := v.env.open(); err != nil {
		return nil, err
	}
	if v.head.Generation != format.Current {
		return nil, v.env.place(fmt.Errorf("frame of generation %v: %w", v.head.Generation, cairn.ErrUnsupported))
	}

	file, err := storage.NewMemory().Create(memoryName)
	if err != nil {
		return nil, err
	}
	v, err = v.withStaleIndexes()
	if err != nil {
		return nil, v.env.place(err)
	}

	done, err := v.rewrite(context.Background(), file, nil)
	if err != nil {
		return nil, v.env.place(err)
	}
	whole := fresh.Make[byte](done.head.FrameLen)
	if n, err := file.ReadAt(whole, 0); n < len(whole) {
		return nil, v.env.place(err)
	}

	return whole, nil
}

// withStaleIndexes returns a state whose own indexes are marked as stale, or v itself if there are
// none to mark.
func (v *state) withStaleIndexes() (*state, error) {
	if !v.touched || !slices.ContainsFunc(v.vl, isPlaced) {
		return v, nil
	}
	next := v.draft()
	next.vl = next.vl[:0]
	for _, l := range v.vl {
		if isPlaced(l) {
			value, err := v.decodeVL(l.Content)
			if l.Name != derived.IndexesLayer || err != nil {
				continue // without this layer, python-blosc2 reads the data
			}
			marked := derived.MarkIndexes(value)
			if marked == nil {
				continue
			}
			if l, err = encodeLayer(l.Name, marked); err != nil {
				return v, err
			}
		}
		next.vl = append(next.vl, l)
	}

	return &next.state, nil
}

// withoutPlaced removes the vlmetalayers that are only valid at the path of the frame, so that a
// copy at another path does not get them.
func withoutPlaced(vl []meta.Layer) []meta.Layer { return slices.DeleteFunc(vl, isPlaced) }

func isPlaced(l meta.Layer) bool { return derived.IsPlaced(l.Name) }
