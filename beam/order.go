package cairnbeam

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/storage"
)

// An Order is for one array.
type Order struct {
	// Job is the path of a directory, or of a folder in a bucket, for the plan and for what tasks
	// have made. It stays when the array is made, until somebody removes it.
	Job string
	// Options say what to make. Without inputs there must be a plan at Job already.
	Options job.Options
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[Order](), encodeOrder, decodeOrder)
}

func encodeOrder(o Order) ([]byte, error) { return json.Marshal(o) }

func decodeOrder(text []byte) (o Order, err error) { return o, json.Unmarshal(text, &o) }

// orderName is the object of a job with the order that it was planned for.
const orderName = "order.json"

// plan opens the job of an order, which it plans unless an earlier attempt has done so.
func (o *Order) plan(ctx context.Context) (*job.Job, error) {
	b, dir, err := site.Job(ctx, o.Job)
	if err != nil {
		return nil, err
	}
	j, err := job.Open(ctx, b, dir, nil)
	switch {
	case len(o.Options.Inputs) == 0:
		return j, err
	case errors.Is(err, fs.ErrNotExist):
		return o.create(ctx, b, dir)
	case err == nil:
		err = o.check(ctx, b, dir)
	}
	return j, err
}

// create plans the job of an order. If attempts at the same time do so, all get the same plan.
func (o *Order) create(ctx context.Context, b storage.Bucket, dir string) (*job.Job, error) {
	p, err := job.New(ctx, openInput, &o.Options)
	if err != nil {
		return nil, err
	}
	text, err := encodeOrder(*o)
	if err != nil {
		return nil, err
	}
	if _, err = b.Put(ctx, path.Join(dir, orderName), text, storage.When{Absent: true}); err != nil {
		switch checkErr := o.check(ctx, b, dir); {
		case checkErr == nil: // of another attempt, or the answer was lost
		case errors.Is(err, cairn.ErrConflict):
			return nil, checkErr
		default:
			return nil, err
		}
	}
	j, err := job.Create(ctx, b, dir, p)
	if errors.Is(err, cairn.ErrConflict) {
		return job.Open(ctx, b, dir, nil)
	}
	return j, err
}

// check fails with ErrConflict if a folder has the job of another order.
func (o *Order) check(ctx context.Context, b storage.Bucket, dir string) error {
	text, err := encodeOrder(*o)
	if err != nil {
		return err
	}
	start := make([]byte, len(text)+1)
	n, _, err := b.ReadStart(ctx, path.Join(dir, orderName), start)
	if err == nil && bytes.Equal(start[:n], text) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("the folder has the job of another order; remove it, or choose another folder: %w", cairn.ErrConflict)
}
