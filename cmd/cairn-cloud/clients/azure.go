package clients

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/azurebucket"
)

// openAzure opens a container of Azure Blob Storage, as the variables of the Azure command line
// say.
func openAzure(_ context.Context, name string) (storage.Bucket, error) {
	client, err := azureContainer(name)
	if err != nil {
		return nil, err
	}
	return azurebucket.New(client, ""), nil
}

func azureContainer(name string) (*container.Client, error) {
	if given := os.Getenv("AZURE_STORAGE_CONNECTION_STRING"); given != "" {
		client, err := container.NewClientFromConnectionString(given, name, nil)
		if err != nil { // its text may have the key
			return nil, errors.New("AZURE_STORAGE_CONNECTION_STRING is not one that the portal shows")
		}
		return client, nil
	}
	account := os.Getenv("AZURE_STORAGE_ACCOUNT")
	if account == "" {
		return nil, fmt.Errorf("no account of Azure: set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT: %w",
			fs.ErrPermission)
	}
	at := &url.URL{Scheme: "https", Host: account + ".blob.core.windows.net", Path: "/" + name}
	if key := os.Getenv("AZURE_STORAGE_KEY"); key != "" {
		credential, err := container.NewSharedKeyCredential(account, key)
		if err != nil { // its text may have the key
			return nil, errors.New("AZURE_STORAGE_KEY is not the base64 of a key")
		}
		return container.NewClientWithSharedKeyCredential(at.String(), credential, nil)
	}
	if signature := os.Getenv("AZURE_STORAGE_SAS_TOKEN"); signature != "" {
		at.RawQuery = strings.TrimPrefix(signature, "?")
		return container.NewClientWithNoCredential(at.String(), nil)
	}
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, fmt.Errorf("no credentials for Azure: %w: %w", fs.ErrPermission, err)
	}
	return container.NewClient(at.String(), credential, nil)
}
