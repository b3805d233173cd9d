package azurebucket

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/storage"
)

// Upload begins an upload of blocks, which needs no request.
func (r *requests) Upload(_ context.Context, key, mark string) (objectstore.Upload, error) {
	return &upload{r.client.NewBlockBlobClient(key), mark}, nil
}

// An upload stages blocks and commits their list.
type upload struct {
	client *blockblob.Client
	mark   string
}

// block returns the name of a block. Writers of one blob share the names: with the mark they do not
// replace each other's blocks. All names of a blob have one length.
func (u *upload) block(i int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s%05d", u.mark, i))
}

func (u *upload) Part(ctx context.Context, i int, data []byte) error {
	if _, err := u.client.StageBlock(once(ctx), u.block(i), body(data), nil); err != nil {
		return failure(err)
	}
	return nil
}

func (u *upload) Complete(ctx context.Context, parts int, when storage.When) (string, error) {
	var names []string
	for i := range parts {
		names = append(names, u.block(i))
	}

	out, err := u.client.CommitBlockList(once(ctx), names, &blockblob.CommitBlockListOptions{
		Metadata: metadata(u.mark), AccessConditions: conditions(when),
	})
	if err != nil {
		return "", failure(err)
	}
	return versionOf(out.ETag), nil
}

// Abort does nothing: Azure drops blocks a week later, or when the blob is put.
func (u *upload) Abort(context.Context) error { return nil }
