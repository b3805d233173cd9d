package clients

import (
	"context"
	"fmt"
	"io/fs"

	gcs "cloud.google.com/go/storage"

	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/gcsbucket"
)

// openGoogle opens a bucket of Google Cloud Storage with the application's default credentials, or
// of the emulator at STORAGE_EMULATOR_HOST without any. The client stays open until the process
// ends.
func openGoogle(ctx context.Context, bucket string) (storage.Bucket, error) {
	client, err := gcs.NewClient(ctx, gcs.WithJSONReads())
	if err != nil {
		return nil, fmt.Errorf("no credentials for Google Cloud Storage: set GOOGLE_APPLICATION_CREDENTIALS, or run "+
			"gcloud auth application-default login: %w: %w", fs.ErrPermission, err)
	}
	return gcsbucket.New(client, bucket, ""), nil
}
