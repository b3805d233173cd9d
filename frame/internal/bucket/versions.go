package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/cairn-go/cairn"
)

// commitOf returns the random number of commit seq, which is now or came before it; 0 if the commit
// is of a frame that was replaced.
func (r *Objects) commitOf(ctx context.Context, now *Root, seq int64) (int64, error) {
	for {
		back := now.Seq - seq
		switch {
		case back == 0:
			return now.ID, nil
		case back <= int64(len(now.Earlier)):
			return now.Earlier[back-1], nil
		case len(now.Earlier) == 0:
			return 0, nil
		}
		oldest, err := r.earlier(ctx, now, len(now.Earlier))
		if err != nil {
			return 0, err
		}
		now = oldest
	}
}

// Version returns the root of a commit that came before now.
func (r *Objects) Version(ctx context.Context, now *Root, seq int64) (*Root, error) {
	if seq > now.Seq {
		return nil, fmt.Errorf("version %d: %w: the newest is %d", seq, cairn.ErrNotFound, now.Seq)
	}
	id, err := r.commitOf(ctx, now, seq)
	if err != nil {
		return nil, err
	}
	if id == 0 {
		return nil, fmt.Errorf("version %d: %w: it belonged to a frame that was replaced", seq, cairn.ErrNotFound)
	}

	was, err := r.ReadCommit(ctx, id, seq)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("version %d: %w: it was removed as an old one", seq, cairn.ErrNotFound)
	}
	return was, err
}

// earlier returns the root of the commit back commits before now, which now must name.
func (r *Objects) earlier(ctx context.Context, now *Root, back int) (*Root, error) {
	return r.ReadCommit(ctx, now.Earlier[back-1], now.Seq-int64(back))
}

// Commits yields the newest root and the ones before it.
func (r *Objects) Commits(ctx context.Context) iter.Seq2[*Root, error] {
	return func(yield func(*Root, error) bool) {
		content, _, err := r.ReadRoot(ctx, r.Newest())
		for yield(content, err) && err == nil && len(content.Earlier) > 0 {
			if content, err = r.earlier(ctx, content, 1); errors.Is(err, fs.ErrNotExist) {
				return
			}
		}
	}
}
