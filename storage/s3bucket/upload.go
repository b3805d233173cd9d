package s3bucket

import (
	"bytes"
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cairn-go/cairn/storage"
)

// An upload is a multipart upload.
type upload struct {
	*requests
	key, id string

	mu    sync.Mutex
	parts map[int]types.CompletedPart
}

func (u *upload) Part(ctx context.Context, i int, data []byte) error {
	number := aws.Int32(int32(i + 1))
	out, err := u.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &u.bucket, Key: &u.key, UploadId: &u.id, PartNumber: number,
		Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
	}, once)
	if err != nil {
		return failure(err)
	}

	u.mu.Lock()
	defer u.mu.Unlock()
	if u.parts == nil {
		u.parts = map[int]types.CompletedPart{}
	}

	u.parts[i] = types.CompletedPart{
		PartNumber: number, ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32, ChecksumCRC32C: out.ChecksumCRC32C,
		ChecksumCRC64NVME: out.ChecksumCRC64NVME, ChecksumSHA1: out.ChecksumSHA1, ChecksumSHA256: out.ChecksumSHA256,
	}
	return nil
}

func (u *upload) Complete(ctx context.Context, parts int, when storage.When) (string, error) {
	list := &types.CompletedMultipartUpload{}
	for i := range parts {
		list.Parts = append(list.Parts, u.parts[i])
	}

	out, err := u.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &u.bucket, Key: &u.key, UploadId: &u.id, MultipartUpload: list,
		IfMatch: quoted(when.Version), IfNoneMatch: absent(when),
	}, once)
	if err != nil {
		return "", failure(err)
	}
	return unquoted(out.ETag), nil
}

func (u *upload) Abort(ctx context.Context) error {
	_, err := u.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
		Bucket: &u.bucket, Key: &u.key, UploadId: &u.id,
	}, once)
	if err != nil {
		return failure(err)
	}
	return nil
}
