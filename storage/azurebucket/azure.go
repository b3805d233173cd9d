// Package azurebucket stores objects as block blobs of Azure Blob Storage, as a [storage.Bucket].
//
// The version of an object is its ETag, which each put changes. docs/buckets.md of the repository
// lists the permissions, the number of requests, and when they are retried.
package azurebucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/storage"
)

// New returns the blobs of a container below the folder prefix, or all of them if prefix is empty.
// Credentials and endpoint are those of client. Its retries are not used: the package repeats
// requests itself, since it has to know what each attempt of a put has changed. The Bucket needs no
// closing.
func New(client *container.Client, prefix string) storage.Bucket {
	return objectstore.New(&requests{client, largestPage}, prefix)
}

const largestPage = 1000 // blobs

// requests are the requests of one container.
type requests struct {
	client *container.Client
	page   int32 // blobs of a list
}

// once has a request made a single time.
func once(ctx context.Context) context.Context {
	return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1})
}

func conditions(when storage.When) *blob.AccessConditions {
	c := &blob.ModifiedAccessConditions{}
	if when.Absent {
		c.IfNoneMatch = to.Ptr(azcore.ETagAny)
	}
	if when.Version != "" {
		c.IfMatch = to.Ptr(azcore.ETag(`"` + when.Version + `"`))
	}
	return &blob.AccessConditions{ModifiedAccessConditions: c}
}

// versionOf returns an ETag without its quotation marks, which lists leave out.
func versionOf(etag *azcore.ETag) string {
	if etag == nil {
		return ""
	}
	return strings.Trim(string(*etag), `"`)
}

func (r *requests) Get(
	ctx context.Context, key, version string, off, length int64,
) (io.ReadCloser, storage.Object, error) {
	out, err := r.client.NewBlobClient(key).DownloadStream(once(ctx), &blob.DownloadStreamOptions{
		Range:            blob.HTTPRange{Offset: off, Count: length},
		AccessConditions: conditions(storage.When{Version: version}),
	})
	if err != nil {
		return nil, storage.Object{}, failure(err)
	}

	answered := ""
	if out.ContentRange != nil {
		answered = *out.ContentRange
	}
	size, err := objectstore.SizeOf(answered, off, length, out.Body)
	return out.Body, storage.Object{Name: key, Size: size, Version: versionOf(out.ETag)}, err
}

func (r *requests) Head(ctx context.Context, key string) (storage.Object, string, error) {
	out, err := r.client.NewBlobClient(key).GetProperties(once(ctx), nil)
	if err != nil {
		return storage.Object{}, "", failure(err)
	}
	if out.ContentLength == nil {
		return storage.Object{}, "", objectstore.Unanswered(errors.New("the answer has no length"))
	}

	mark := ""
	for name, value := range out.Metadata { // a header, whose case may change
		if strings.EqualFold(name, objectstore.MarkName) && value != nil {
			mark = *value
		}
	}
	return storage.Object{Name: key, Size: *out.ContentLength, Version: versionOf(out.ETag)}, mark, nil
}

func metadata(mark string) map[string]*string { return map[string]*string{objectstore.MarkName: &mark} }

func body(data []byte) io.ReadSeekCloser { return streaming.NopCloser(bytes.NewReader(data)) }

func (r *requests) Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	out, err := r.client.NewBlockBlobClient(key).Upload(once(ctx), body(data), &blockblob.UploadOptions{
		Metadata: metadata(mark), AccessConditions: conditions(when),
	})
	if err != nil {
		return "", failure(err)
	}
	return versionOf(out.ETag), nil
}

func (r *requests) Delete(ctx context.Context, key string) error {
	_, err := r.client.NewBlobClient(key).Delete(once(ctx), nil)
	if err == nil {
		return nil
	}
	if f := failure(err); f.Kind != objectstore.Missing {
		return f
	}
	return nil
}

func (r *requests) List(ctx context.Context, prefix, token string) ([]storage.Object, string, error) {
	o := &container.ListBlobsFlatOptions{Prefix: &prefix, MaxResults: &r.page}
	if token != "" {
		o.Marker = &token
	}

	out, err := r.client.NewListBlobsFlatPager(o).NextPage(once(ctx))
	if err != nil {
		return nil, "", failure(err)
	}

	var page []storage.Object
	if out.Segment != nil {
		for _, item := range out.Segment.BlobItems {
			if item.Name == nil || item.Properties == nil || item.Properties.ContentLength == nil {
				return nil, "", objectstore.Unanswered(errors.New("an entry of the list lacks its name or length"))
			}
			at := storage.Object{Name: *item.Name, Size: *item.Properties.ContentLength,
				Version: versionOf(item.Properties.ETag)}
			if when := item.Properties.LastModified; when != nil {
				at.Modified = *when
			}
			page = append(page, at)
		}
	}

	if out.NextMarker == nil {
		return page, "", nil
	}
	return page, *out.NextMarker, nil
}
