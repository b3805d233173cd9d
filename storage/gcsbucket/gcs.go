// Package gcsbucket stores objects in Google Cloud Storage, as a [storage.Bucket].
//
// The version of an object is its generation, which each put changes. docs/buckets.md of the
// repository lists the permissions, the number of requests, and when they are retried.
package gcsbucket

import (
	"context"
	"errors"
	"io"
	"strconv"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/storage"
)

// New returns the objects of a bucket below the folder prefix, or all of them if prefix is empty.
// client is one of NewClient, which has the credentials and the endpoint; those of NewGRPCClient
// are not supported. Its retries are not used: the package repeats requests itself, since it has to
// know what each attempt of a put has changed. The Bucket needs no closing; the client has to be
// open while it is used.
func New(client *gcs.Client, bucket, prefix string) storage.Bucket {
	return objectstore.New(newRequests(client, bucket, largestPage), prefix)
}

const largestPage = 1000 // objects

// requests are the requests of one bucket.
type requests struct {
	bucket *gcs.BucketHandle
	page   int // objects of a list
}

func newRequests(client *gcs.Client, bucket string, page int) *requests {
	return &requests{client.Bucket(bucket).Retryer(gcs.WithPolicy(gcs.RetryNever)), page}
}

// object returns an object on condition of a version, if that is not empty.
func (r *requests) object(key string, when storage.When) (*gcs.ObjectHandle, error) {
	o := r.bucket.Object(key)
	switch {
	case when.Absent:
		return o.If(gcs.Conditions{DoesNotExist: true}), nil
	case when.Version != "":
		generation, err := strconv.ParseInt(when.Version, 10, 64)
		if err != nil || generation <= 0 { // no object has had that version
			return nil, &objectstore.Failure{Kind: objectstore.Stale}
		}
		return o.If(gcs.Conditions{GenerationMatch: generation}), nil
	}
	return o, nil
}

func versionOf(generation int64) string { return strconv.FormatInt(generation, 10) }

func (r *requests) Get(
	ctx context.Context, key, version string, off, length int64,
) (io.ReadCloser, storage.Object, error) {
	o, err := r.object(key, storage.When{Version: version})
	if err != nil {
		return nil, storage.Object{}, err
	}

	body, err := o.NewRangeReader(ctx, off, length)
	if err != nil {
		return nil, storage.Object{}, failure(err)
	}

	at := storage.Object{Name: key, Size: body.Attrs.Size, Version: versionOf(body.Attrs.Generation)}
	switch {
	case version != "" && version != at.Version:
		err = &objectstore.Failure{Kind: objectstore.Stale}
	case body.Attrs.StartOffset != off || body.Remain() != min(length, at.Size-off):
		err = &objectstore.Failure{Kind: objectstore.Permanent, Detail: "the answer has another range"}
	default:
		return body, at, nil
	}
	return nil, storage.Object{}, errors.Join(err, body.Close())
}

func (r *requests) Head(ctx context.Context, key string) (storage.Object, string, error) {
	at, err := r.bucket.Object(key).Attrs(ctx)
	if err != nil {
		return storage.Object{}, "", failure(err)
	}
	o := storage.Object{Name: key, Size: at.Size, Version: versionOf(at.Generation)}
	return o, at.Metadata[objectstore.MarkName], nil
}

// Put makes one request, whatever the size: a resumable upload repeats parts of itself, and hides
// whether the object was put by an attempt without an answer.
func (r *requests) Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	o, err := r.object(key, when)
	if err != nil {
		return "", err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	w := o.NewWriter(ctx)
	w.ChunkSize = 0
	w.ContentType = "application/octet-stream"
	w.Metadata = map[string]string{objectstore.MarkName: mark}

	_, err = w.Write(data)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", failure(err)
	}
	return versionOf(w.Attrs().Generation), nil
}

func (r *requests) Delete(ctx context.Context, key string) error {
	err := r.bucket.Object(key).Delete(ctx)
	if err == nil || errors.Is(err, gcs.ErrObjectNotExist) {
		return nil
	}
	return failure(err)
}

func (r *requests) List(ctx context.Context, prefix, token string) ([]storage.Object, string, error) {
	query := &gcs.Query{Prefix: prefix, Projection: gcs.ProjectionNoACL}
	if err := query.SetAttrSelection([]string{"Name", "Size", "Generation", "Updated"}); err != nil {
		return nil, "", failure(err)
	}

	var attrs []*gcs.ObjectAttrs
	next, err := iterator.NewPager(r.bucket.Objects(ctx, query), r.page, token).NextPage(&attrs)
	if err != nil {
		return nil, "", failure(err)
	}

	var page []storage.Object
	for _, a := range attrs {
		page = append(page, storage.Object{Name: a.Name, Size: a.Size, Version: versionOf(a.Generation),
			Modified: a.Updated})
	}
	return page, next, nil
}

// failure returns what went wrong with a request.
func failure(err error) *objectstore.Failure {
	var answer *googleapi.Error
	switch {
	case errors.Is(err, gcs.ErrBucketNotExist):
		return &objectstore.Failure{Kind: objectstore.Permanent, Err: gcs.ErrBucketNotExist}
	case errors.As(err, &answer):
		reason := ""
		if len(answer.Errors) > 0 {
			reason = answer.Errors[0].Reason
		}
		return objectstore.Answered(answer.Code, reason, answer.Message, answer.Header.Get("Retry-After"))
	case errors.Is(err, gcs.ErrObjectNotExist):
		return &objectstore.Failure{Kind: objectstore.Missing}
	}
	return objectstore.Unanswered(err)
}
