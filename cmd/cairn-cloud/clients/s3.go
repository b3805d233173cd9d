package clients

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/s3bucket"
)

// firstRegion is that of requests if none is configured. Buckets elsewhere refuse them.
const firstRegion = "us-east-1"

// openS3 opens a bucket of Amazon S3, or of the compatible store at AWS_ENDPOINT_URL, as the
// variables and files of the AWS command line say.
func openS3(ctx context.Context, bucket string) (storage.Bucket, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("configuring S3: %w", err)
	}
	if cfg.Region == "" {
		cfg.Region = firstRegion
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return nil, fmt.Errorf("no credentials for S3: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "+
			"AWS_SECRET_ACCESS_KEY: %w: %w", fs.ErrPermission, err)
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = o.BaseEndpoint != nil // other hosts seldom have a name for each bucket
	})
	return s3bucket.New(client, bucket, ""), nil
}
