package clients

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/s3bucket"
)

// firstRegion is where a bucket is looked for if no region is configured.
const firstRegion = "us-east-1"

const s3Advice = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"

// openS3 opens a bucket of Amazon S3, or of the compatible store at AWS_ENDPOINT_URL, as the
// variables and files of the AWS command line say. Without credentials it is read anonymously.
func openS3(ctx context.Context, bucket string) (storage.Bucket, error) {
	// The SDK warns of each step of its search for credentials.
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, fmt.Errorf("configuring S3: %w", err)
	}

	anonymous, err := chooseS3(ctx, &cfg)
	if err != nil {
		return nil, err
	}

	if cfg.Region == "" {
		cfg.Region = firstRegion
		cfg.Region = regionOf(ctx, cfg, bucket)
	}
	b := s3bucket.New(newS3(cfg), bucket, "")
	if anonymous {
		return &anonymousBucket{Bucket: b, advice: "read without credentials: " + s3Advice}, nil
	}
	return b, nil
}

func newS3(cfg aws.Config) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = o.BaseEndpoint != nil // other hosts seldom have a name for each bucket
	})
}

// chooseS3 makes requests anonymous if that is asked for, or nothing but the machine could have
// credentials and it has none. Otherwise credentials that cannot be had are an error.
func chooseS3(ctx context.Context, cfg *aws.Config) (anonymous bool, err error) {
	if unsigned("AWS_NO_SIGN_REQUEST") {
		cfg.Credentials = aws.AnonymousCredentials{}
		return true, nil
	}

	machine := aws.IsCredentialsProvider(cfg.Credentials, (*ec2rolecreds.Provider)(nil))
	if machine {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	_, err = cfg.Credentials.Retrieve(ctx)
	switch {
	case err == nil:
		return false, nil
	case machine:
		cfg.Credentials = aws.AnonymousCredentials{}
		return true, nil
	}
	return false, fmt.Errorf("no credentials for S3: %s; AWS_NO_SIGN_REQUEST=YES reads public buckets: %w: %v", s3Advice,
		fs.ErrPermission, err)
}

// regionOf asks where a bucket is, which S3 tells everybody, also by an error.
func regionOf(ctx context.Context, cfg aws.Config, bucket string) string {
	cfg.Credentials = aws.AnonymousCredentials{}
	cfg.RetryMaxAttempts = 1
	out, err := newS3(cfg).HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &bucket})
	if err == nil && aws.ToString(out.BucketRegion) != "" {
		return *out.BucketRegion
	}
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) && answer.Response != nil {
		if region := http.Header(answer.Response.Header).Get("X-Amz-Bucket-Region"); region != "" {
			return region
		}
	}
	return firstRegion
}
