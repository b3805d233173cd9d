package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// PutAll puts new objects at the same time.
func (r *Objects) PutAll(ctx context.Context, objects []NewObject) error {
	errs := make([]error, len(objects))
	slots := make(chan struct{}, maxUploads)
	var wg sync.WaitGroup
	for i, o := range objects {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			_, errs[i] = r.Put(ctx, o.Name, o.Content, storage.When{Absent: true})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// How often and how fast an answer is sought to a put of the root whose own answer was lost.
const (
	resolveTime  = 10 * time.Second
	resolvePause = 20 * time.Millisecond
)

// Replace makes content, encoded as raw, the root in place of one with the version old, which is
// empty if there must be none. It returns the version of the new one. It fails with ErrConflict if
// somebody else has replaced the root. fatal reports that the durable state is unknown.
func (r *Objects) Replace(
	ctx context.Context, content *Root, raw []byte, old string,
) (version string, fatal bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	when := storage.When{Absent: old == "", Version: old}
	at, err := r.Put(ctx, r.Newest(), raw, when)
	if err == nil {
		return at.Version, false, nil
	}

	// The put may have succeeded although its answer, or that of the bucket's own repetition, says
	// otherwise. A caller that no longer waits must still be told the truth.
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), resolveTime)
	defer cancel()
	for pause := resolvePause; ; pause *= 2 {
		version, known, failed := r.outcome(brief, content, old)
		switch {
		case known:
			return version, false, failed
		case failed == nil:
			// The put has not happened, but may be on its way; a store may even refuse its
			// repetition for that. Putting it again is safe: at most one of all succeeds.
			if at, failed = r.Put(brief, r.Newest(), raw, when); failed == nil {
				return at.Version, false, nil
			}
		}

		select {
		case <-time.After(pause):
		case <-brief.Done():
			return "", true, errors.Join(err, failed)
		}
	}
}

// outcome looks at the root after a put whose result is uncertain. known reports whether it is now
// certain: the commit has happened, if err is nil, or never will.
func (r *Objects) outcome(ctx context.Context, content *Root, old string) (version string, known bool, err error) {
	now, at, err := r.ReadRoot(ctx, r.Newest())
	switch {
	case errors.Is(err, fs.ErrNotExist) && old == "":
		return "", false, nil
	case err != nil:
		return "", false, err
	case now.ID == content.ID:
		return at.Version, true, nil
	case at.Version == old:
		return "", false, nil
	}

	mine, err := r.follows(ctx, now, content)
	switch {
	case err != nil:
		return "", false, err
	case mine:
		// Others have committed since. The next commit of this handle will conflict with theirs.
		return superseded, true, nil
	}
	return "", true, fmt.Errorf("commit %d is already there, of another writer: %w", now.Seq, cairn.ErrConflict)
}

// superseded is the version of a root that was replaced before its version was known.
const superseded = "superseded"

// follows reports whether a commit came before now, or is now.
func (r *Objects) follows(ctx context.Context, now, commit *Root) (bool, error) {
	if now.Seq < commit.Seq {
		return false, nil
	}
	id, err := r.commitOf(ctx, now, commit.Seq)
	return id == commit.ID, err
}
