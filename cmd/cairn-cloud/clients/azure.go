package clients

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/azurebucket"
)

// openAzure opens a container of Azure Blob Storage, as the variables of the Azure command line
// say. Without credentials it is read anonymously.
func openAzure(ctx context.Context, name string) (storage.Bucket, error) {
	client, anonymous, err := azureContainer(ctx, name)
	if err != nil {
		return nil, err
	}
	b := azurebucket.New(client, "")
	if anonymous {
		return &anonymousBucket{Bucket: b, hides: true, advice: "read without credentials: set " +
			"AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run az login"}, nil
	}
	return b, nil
}

// azureContainer returns a client, and whether it has no credentials.
func azureContainer(ctx context.Context, name string) (_ *container.Client, anonymous bool, err error) {
	anonymous = unsigned("AZURE_NO_SIGN_REQUEST")
	if given := os.Getenv("AZURE_STORAGE_CONNECTION_STRING"); given != "" {
		return azureConnection(given, name, anonymous)
	}
	account := os.Getenv("AZURE_STORAGE_ACCOUNT")
	if account == "" {
		return nil, false, fmt.Errorf("no account of Azure: set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT, "+
			"which alone reads public containers: %w", fs.ErrPermission)
	}

	at := &url.URL{Scheme: "https", Host: account + ".blob.core.windows.net", Path: "/" + name}
	key := os.Getenv("AZURE_STORAGE_KEY")
	signature := os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	switch {
	case anonymous: // asked for
	case key != "":
		credential, err := container.NewSharedKeyCredential(account, key)
		if err != nil { // its text may have the key
			return nil, false, errors.New("AZURE_STORAGE_KEY is not the base64 of a key")
		}
		client, err := container.NewClientWithSharedKeyCredential(at.String(), credential, nil)
		return client, false, err
	case signature != "":
		at.RawQuery = strings.TrimPrefix(signature, "?")
		client, err := container.NewClientWithNoCredential(at.String(), nil)
		return client, false, err
	default:
		credential, err := azureLogin(ctx)
		if err != nil {
			return nil, false, err
		}
		if credential != nil {
			client, err := container.NewClient(at.String(), credential, nil)
			return client, false, err
		}
	}
	client, err := container.NewClientWithNoCredential(at.String(), nil)
	return client, true, err
}

// azureConnection returns the client of a connection string, which may lack credentials.
func azureConnection(given, name string, anonymous bool) (*container.Client, bool, error) {
	if !strings.Contains(given, "AccountKey=") && !strings.Contains(given, "SharedAccessSignature=") {
		// The SDK insists on credentials.
		anonymous = true
		given = strings.TrimRight(given, ";") + ";SharedAccessSignature=none"
	}
	client, err := container.NewClientFromConnectionString(given, name, nil)
	if err != nil { // its text may have the key
		return nil, false, errors.New("AZURE_STORAGE_CONNECTION_STRING is not one that the portal shows")
	}
	if !anonymous {
		return client, false, nil
	}

	at, _, _ := strings.Cut(client.URL(), "?")
	client, err = container.NewClientWithNoCredential(at, nil)
	return client, true, err
}

// azureLogin returns what has logged in, nil if nothing has: variables, the machine, or a program.
// The SDK gives the machine a second, and what the variables say is an error if it fails.
func azureLogin(ctx context.Context) (azcore.TokenCredential, error) {
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err == nil {
		_, err = credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{"https://storage.azure.com/.default"}})
	}

	switch {
	case err == nil:
		return credential, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case os.Getenv("AZURE_CLIENT_ID") == "" && os.Getenv("AZURE_TOKEN_CREDENTIALS") == "":
		return nil, nil
	}
	return nil, fmt.Errorf("no credentials for Azure; AZURE_NO_SIGN_REQUEST=YES reads public containers: %w: %v",
		fs.ErrPermission, err)
}
