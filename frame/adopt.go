package frame

import (
	"context"
	"errors"
	"math"

	"github.com/cairn-go/cairn/frame/internal/format"
)

// adoptMost is how many bytes of chunks a commit reads by itself to give those checksums that
// another writer left without.
const adoptMost = 64 << 20

// maxRows is how many chunks without footers a commit record may have checksums for: more belong
// into a frame that is compacted.
const maxRows = 1 << 20

// Adopt commits what is staged and gives every chunk a checksum that another writer left without,
// by reading the whole frame. [Frame.Commit] does that by itself up to 64 MiB. It believes what it
// reads: call Verify before to know whether it can be decoded.
func (f *Frame) Adopt(ctx context.Context) error {
	return f.settle(ctx, func() error {
		if err := f.take(ctx); err != nil {
			return f.env.place(err)
		}
		return f.adoptAndCommit(ctx, math.MaxInt64)
	})
}

// adopt returns v with a checksum for every chunk, or v as it is if that would mean to read more
// than most bytes, or cannot be done.
func (v *state) adopt(ctx context.Context, most int64) (*state, error) {
	if v.env.Deterministic || v.cover != nil && v.cover.full || v.head.CBytes > most {
		return v, nil
	}
	most = max(v.head.CBytes, min(most, 1<<20))
	var rows []format.Row
	var live, read int64
	var buf []byte
	apart := v.apart()
	for i := 0; i < v.index.Len(); i++ {
		entry, err := v.index.At(i)
		if err != nil {
			return v, nil // which is damaged: Verify tells more
		}
		if entry < 0 {
			i += v.index.Run(i) - 1
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var sp span
		c, err := v.fetchUnchecked(&sp, buf, nil, i, entry)
		if errors.Join(err, sp.Release()) != nil {
			return v, nil
		}
		if live += int64(len(c.bytes)); !apart {
			live += format.FooterSize
		}
		if read += int64(len(c.bytes)); read > most {
			return v, nil // chunks that share their bytes, which could cost any amount of time
		}
		sum := format.Checksum(c.bytes)
		if own, has := format.ParseFooter(c.behind); !has || own != sum {
			rows = append(rows, format.Row{Entry: entry, Sum: sum})
		}
		buf = c.memory(buf)
	}
	table := format.NewTable(rows)
	if table.Size() > maxRows {
		return v, nil
	}
	next := v.draft()
	next.cover = v.cover.complete()
	next.cover.table = table
	if !apart {
		next.live = live
	}
	return &next.state, nil
}
