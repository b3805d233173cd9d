package clients

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"cloud.google.com/go/compute/metadata"
	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/gcsbucket"
)

const googleAdvice = "set GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login"

// openGoogle opens a bucket of Google Cloud Storage with the application's default credentials, or
// anonymously if there are none; or one of the emulator at STORAGE_EMULATOR_HOST. The client stays
// open until the process ends.
func openGoogle(ctx context.Context, bucket string) (storage.Bucket, error) {
	options := []option.ClientOption{gcs.WithJSONReads()}
	emulated := os.Getenv("STORAGE_EMULATOR_HOST") != ""
	anonymous := unsigned("GS_NO_SIGN_REQUEST") || !emulated && !hasGoogle(ctx)
	if anonymous {
		options = append(options, option.WithoutAuthentication())
	}

	client, err := gcs.NewClient(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("no credentials for Google Cloud Storage: %s; GS_NO_SIGN_REQUEST=YES reads public "+
			"buckets: %w: %v", googleAdvice, fs.ErrPermission, err)
	}
	b := gcsbucket.New(client, bucket, "")
	if anonymous {
		return &anonymousBucket{Bucket: b, advice: "read without credentials: " + googleAdvice}, nil
	}
	return b, nil
}

// hasGoogle reports whether there are default credentials: where a variable says, where gcloud
// leaves them, or at a machine of Google's.
func hasGoogle(ctx context.Context) bool {
	if os.Getenv("GOOGLE_APPLICATION_CREDENTIALS") != "" {
		return true
	}

	dir := os.Getenv("APPDATA")
	if runtime.GOOS != "windows" {
		home, _ := os.UserHomeDir()
		dir = filepath.Join(home, ".config")
	}
	if _, err := os.Stat(filepath.Join(dir, "gcloud", "application_default_credentials.json")); err == nil {
		return true
	}

	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return metadata.OnGCEWithContext(ctx)
}
