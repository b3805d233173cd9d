package frame

import (
	"context"
	"errors"

	"github.com/cairn-go/cairn/frame/internal/format"
)

// maxAdoptBytes is the most bytes of chunks that a commit reads to add checksums to the chunks of
// another writer.
const maxAdoptBytes = 64 << 20

// maxRows is the most checksums of chunks without footers that a commit record holds. A frame with
// more such chunks should be compacted.
const maxRows = 1 << 20

// adopt returns v with a checksum for every chunk. It returns v unchanged if that fails or would
// read more than most bytes.
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
		entry, err := v.entryAt(i)
		if err != nil {
			return v, nil // the index is damaged; Verify reports how
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
			return v, nil // chunks share bytes, so the number of reads is unbounded
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
