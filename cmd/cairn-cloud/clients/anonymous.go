package clients

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn/storage"
)

// patience is how long a machine may take to say whether it has credentials of its own. It answers
// in milliseconds if it is one of the store's, and a machine elsewhere may never answer.
const patience = time.Second

// unsigned reports whether a variable asks for requests without credentials. Its values are those
// that GDAL takes.
func unsigned(variable string) bool {
	return slices.Contains([]string{"yes", "true", "on", "1"}, strings.ToLower(os.Getenv(variable)))
}

// An anonymousBucket is reached without credentials, so anybody could read what it reads. Its
// errors say what to do where that does not suffice.
type anonymousBucket struct {
	storage.Bucket
	advice string
	hides  bool // the store says of private buckets that they do not exist
}

func (b *anonymousBucket) explain(err error) error {
	if !errors.Is(err, fs.ErrPermission) && (!b.hides || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: at.Op, Path: at.Path, Err: fmt.Errorf("%w; %s", at.Err, b.advice)}
	}
	return fmt.Errorf("%w; %s", err, b.advice)
}

func (b *anonymousBucket) ReadRanges(ctx context.Context, at storage.Object, ranges []storage.Range) error {
	return b.explain(b.Bucket.ReadRanges(ctx, at, ranges))
}

func (b *anonymousBucket) Stat(ctx context.Context, name string) (storage.Object, error) {
	at, err := b.Bucket.Stat(ctx, name)
	return at, b.explain(err)
}

func (b *anonymousBucket) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	n, at, err := b.Bucket.ReadStart(ctx, name, p)
	return n, at, b.explain(err)
}

func (b *anonymousBucket) Put(
	ctx context.Context, name string, data []byte, when storage.When,
) (storage.Object, error) {
	at, err := b.Bucket.Put(ctx, name, data, when)
	return at, b.explain(err)
}

func (b *anonymousBucket) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		for at, err := range b.Bucket.List(ctx, prefix) {
			if !yield(at, b.explain(err)) {
				return
			}
		}
	}
}

func (b *anonymousBucket) Delete(ctx context.Context, name string) error {
	return b.explain(b.Bucket.Delete(ctx, name))
}
