// Command cairn-cloud is the command cairn with clients of Amazon S3, Google Cloud Storage and
// Azure Blob Storage: wherever cairn takes a URL, cairn-cloud also takes s3://bucket/key,
// gs://bucket/key and az://container/key. The clients are configured by the environment, as
// docs/buckets.md says.
package main

import (
	"os"

	"github.com/cairn-go/cairn/cmd/cairn-cloud/clients"
	"github.com/cairn-go/cairn/cmd/internal/command"
)

func main() {
	os.Exit(command.Main(clients.Openers()))
}
