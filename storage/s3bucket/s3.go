// Package s3bucket stores objects in Amazon S3 and compatible stores, as a [storage.Bucket].
//
// The version of an object is its ETag. It is a hash of the content, so that two puts of the same
// bytes may have the same version: a conditional put does not notice a change that was changed
// back.
//
// The store must carry out conditional writes (If-Match and If-None-Match of PutObject and
// CompleteMultipartUpload) atomically, and sort its lists: directory buckets of S3 Express do not.
// docs/buckets.md of the repository lists the permissions, the number of requests, and when they
// are retried.
package s3bucket

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/storage"
)

// New returns the objects of a bucket below the folder prefix, or all of them if prefix is empty.
// Credentials, region and endpoint are those of client. Its retries are not used: the package
// repeats requests itself, since it has to know what each attempt of a put has changed. The Bucket
// needs no closing.
func New(client *s3.Client, bucket, prefix string) storage.Bucket {
	return objectstore.New(&requests{client, bucket, largestPage}, prefix)
}

const largestPage = 1000 // objects

// requests are the requests of one bucket.
type requests struct {
	client *s3.Client
	bucket string
	page   int32 // objects of a list
}

// once has a request made a single time.
func once(o *s3.Options) {
	o.Retryer = aws.NopRetryer{}
	o.DisableLogOutputChecksumValidationSkipped = true
}

// optional returns nil for the empty string.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func quoted(version string) *string {
	if version == "" {
		return nil
	}
	return aws.String(`"` + version + `"`)
}

func unquoted(etag *string) string { return strings.Trim(aws.ToString(etag), `"`) }

func absent(when storage.When) *string {
	if when.Absent {
		return aws.String("*")
	}
	return nil
}

func (r *requests) Get(
	ctx context.Context, key, version string, off, length int64,
) (io.ReadCloser, storage.Object, error) {
	out, err := r.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &r.bucket, Key: &key, IfMatch: quoted(version),
		Range: aws.String(fmt.Sprintf("bytes=%d-%d", off, off+length-1)),
	}, once)
	if err != nil {
		return nil, storage.Object{}, failure(err)
	}

	size, err := objectstore.SizeOf(aws.ToString(out.ContentRange), off, length, out.Body)
	return out.Body, storage.Object{Name: key, Size: size, Version: unquoted(out.ETag)}, err
}

func (r *requests) Head(ctx context.Context, key string) (storage.Object, string, error) {
	out, err := r.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &r.bucket, Key: &key}, once)
	if err != nil {
		return storage.Object{}, "", failure(err)
	}
	at := storage.Object{Name: key, Size: aws.ToInt64(out.ContentLength), Version: unquoted(out.ETag)}
	return at, out.Metadata[objectstore.MarkName], nil
}

func (r *requests) Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	out, err := r.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &r.bucket, Key: &key, Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
		IfMatch: quoted(when.Version), IfNoneMatch: absent(when),
		Metadata: map[string]string{objectstore.MarkName: mark},
	}, once)
	if err != nil {
		return "", failure(err)
	}
	return unquoted(out.ETag), nil
}

func (r *requests) Delete(ctx context.Context, key string) error {
	_, err := r.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &r.bucket, Key: &key}, once)
	if f := failure(err); f != nil && f.Code != noSuchKey {
		return f
	}
	return nil
}

func (r *requests) List(ctx context.Context, prefix, token string) ([]storage.Object, string, error) {
	out, err := r.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &r.bucket, Prefix: &prefix, ContinuationToken: optional(token), MaxKeys: &r.page,
	}, once)
	if err != nil {
		return nil, "", failure(err)
	}

	var page []storage.Object
	for _, o := range out.Contents {
		at := storage.Object{Name: aws.ToString(o.Key), Size: aws.ToInt64(o.Size), Version: unquoted(o.ETag),
			Modified: aws.ToTime(o.LastModified)}
		page = append(page, at)
	}

	if !aws.ToBool(out.IsTruncated) {
		return page, "", nil
	}
	return page, aws.ToString(out.NextContinuationToken), nil
}

func (r *requests) Upload(ctx context.Context, key, mark string) (objectstore.Upload, error) {
	out, err := r.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &r.bucket, Key: &key, Metadata: map[string]string{objectstore.MarkName: mark},
	}, once)
	if err != nil {
		return nil, failure(err)
	}
	return &upload{requests: r, key: key, id: aws.ToString(out.UploadId)}, nil
}
