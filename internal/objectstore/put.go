package objectstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Put marks each object with a random text. If the answer of an attempt is lost, the mark tells
// whether it has put the object: otherwise a second attempt would find its own object and report a
// conflict with itself.
func (b *bucket) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	key, err := b.key("put", name)
	if err != nil {
		return storage.Object{}, err
	}

	if err = ctx.Err(); err != nil {
		return storage.Object{}, err
	}

	p := &put{b: b, key: key, mark: rand.Text(), data: data, when: when}
	version, err := p.run(ctx)
	if err != nil {
		return storage.Object{}, &fs.PathError{Op: "put", Path: name, Err: err}
	}
	return storage.Object{Name: name, Size: int64(len(data)), Version: version}, nil
}

// A put is one call of Put.
type put struct {
	b         *bucket
	key, mark string
	data      []byte
	when      storage.When
	doubt     bool // an attempt without an answer may have put the object
}

// run returns the version of the object.
func (p *put) run(ctx context.Context) (string, error) {
	client, ok := p.b.c.(Uploader)
	if !ok || len(p.data) <= p.b.part {
		return p.settle(ctx, len(p.data), func(ctx context.Context) (string, error) {
			return p.b.c.Put(ctx, p.key, p.data, p.when, p.mark)
		})
	}

	for attempt := 1; ; attempt++ {
		version, err := p.upload(ctx, client)
		if err == nil || kindOf(err) != Lost || attempt >= p.b.attempts {
			return version, err
		}
	}
}

// upload puts the object in parts.
func (p *put) upload(ctx context.Context, client Uploader) (version string, err error) {
	var up Upload
	err = p.b.try(ctx, 0, func(ctx context.Context) error {
		up, err = client.Upload(ctx, p.key, p.mark)
		return err
	})
	if err != nil {
		return "", err
	}

	defer func() {
		if err == nil {
			return
		}
		abort := func() { // stores remove what is left by their own rules
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
			defer cancel()
			_ = p.b.try(ctx, 0, up.Abort)
		}
		if ctx.Err() != nil {
			go abort() // the caller does not wait any more
		} else {
			abort()
		}
	}()

	const mostParts = 10_000
	size := max(p.b.part, (len(p.data)+mostParts-1)/mostParts)
	parts := (len(p.data) + size - 1) / size

	err = together(ctx, p.b.requests, parts, func(ctx context.Context, i int) error {
		part := p.data[i*size : min((i+1)*size, len(p.data))]
		return p.b.try(ctx, len(part), func(ctx context.Context) error { return up.Part(ctx, i, part) })
	})
	if err != nil {
		return "", err
	}
	return p.settle(ctx, 0, func(ctx context.Context) (string, error) { return up.Complete(ctx, parts, p.when) })
}

const abortTime = 10 * time.Second

// settle makes the request that puts the object until its outcome is known.
func (p *put) settle(ctx context.Context, n int, request func(context.Context) (string, error)) (string, error) {
	for attempt := 1; ; attempt++ {
		var version string
		err := p.b.once(ctx, n, func(ctx context.Context) (err error) {
			version, err = request(ctx)
			return err
		})

		if err == nil {
			return version, nil
		}

		if kindOf(err) == Doubtful {
			p.doubt = true
		}
		if p.doubt && ctx.Err() == nil {
			if at, mark, err := p.b.head(ctx, p.key); err == nil && mark == p.mark {
				return at.Version, nil
			}
		}

		if !p.b.again(ctx, attempt, err) {
			return "", p.outcome(ended(ctx, err))
		}
	}
}

// outcome returns the error of a put that failed.
func (p *put) outcome(err error) error {
	missing := p.when.Version != "" && errors.Is(err, fs.ErrNotExist)
	switch {
	case p.doubt && (missing || errors.Is(err, cairn.ErrConflict)):
		// The object may have been put, and replaced by somebody who has read it.
		return errors.New("another writer has put the object after a request without an answer, " +
			"which may have put it before: read it again")
	case missing:
		return fmt.Errorf("no longer exists: %w", cairn.ErrConflict)
	}
	return err
}
