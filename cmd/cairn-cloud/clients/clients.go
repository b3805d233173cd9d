// Package clients opens buckets of Amazon S3, Google Cloud Storage and Azure Blob Storage for
// programs that are configured by the environment, as docs/buckets.md says.
package clients

import (
	"context"

	"github.com/cairn-go/cairn/storage"
)

// Openers returns what opens a bucket by its name, by the scheme of URLs: s3, gs and az.
func Openers() map[string]func(ctx context.Context, bucket string) (storage.Bucket, error) {
	return map[string]func(ctx context.Context, bucket string) (storage.Bucket, error){
		"s3": openS3, "gs": openGoogle, "az": openAzure}
}
