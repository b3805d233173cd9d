package azurebucket

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

const account = "devstoreaccount1"

// accountKey is any key of 64 bytes: the server is told it.
var accountKey = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("0123456789abcdef", 4)))

// connect returns a client of a container on the server at address.
func connect(t *testing.T, address, name string) *container.Client {
	t.Helper()
	credential, err := container.NewSharedKeyCredential(account, accountKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := container.NewClientWithSharedKeyCredential("http://"+address+"/"+account+"/"+name, credential, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// startAzurite starts a server with a container called arrays, and a proxy in front of it.
func startAzurite(t *testing.T) *storagetest.Proxy {
	t.Setenv("AZURITE_ACCOUNTS", account+":"+accountKey)
	address := storagetest.StartServer(t, "azurite/node_modules/.bin/azurite-blob", func(port string) []string {
		return []string{"--blobHost", "127.0.0.1", "--blobPort", port, "--inMemoryPersistence", "--skipApiVersionCheck",
			"--silent", "--disableTelemetry"}
	})
	if _, err := connect(t, address, "arrays").Create(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return storagetest.NewProxy(t, address)
}

// TestBucket uses pages of four blobs.
func TestBucket(t *testing.T) {
	client, n := connect(t, startAzurite(t).Address(), "arrays"), 0
	storagetest.RunBucket(t, func(*testing.T) storage.Bucket {
		n++
		return objectstore.New(&requests{client, 4}, fmt.Sprintf("test/%d/", n))
	})
}

func TestFaults(t *testing.T) {
	proxy := startAzurite(t)
	client := connect(t, proxy.Address(), "arrays")
	faulty := objectstore.NewHasty(&requests{client, 4}, "")
	storagetest.RunBucketFaults(t, 20, faulty, New(client, ""), proxy.Disturb, proxy.Calm)
	if made := slices.Sorted(maps.Keys(proxy.Faults())); len(made) != len(storagetest.FaultKinds) {
		t.Errorf("only these faults were made: %q", made)
	}
}

// TestErrors checks what errors match, and that they do not tell credentials: a signature in the
// URL, or the key.
func TestErrors(t *testing.T) {
	proxy := startAzurite(t)
	signed := func(address string) *container.Client {
		const signature = "?sv=2024-11-04&ss=b&srt=co&sp=r&se=2020-01-01&sig=c2VjcmV0c2VjcmV0"
		client, err := container.NewClientWithNoCredential("http://"+address+"/"+account+"/arrays"+signature, nil)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	for what, b := range map[string]storage.Bucket{
		"no server":    objectstore.NewHasty(&requests{signed(closed), 4}, ""),
		"no container": New(connect(t, proxy.Address(), "others"), ""),
		"no object":    New(connect(t, proxy.Address(), "arrays"), ""),
		"not allowed":  New(signed(proxy.Address()), ""),
	} {
		_, statErr := b.Stat(t.Context(), "a")
		readErr := b.ReadRanges(t.Context(), storage.Object{Name: "a"}, []storage.Range{{Data: make([]byte, 1)}})
		deleteErr := b.Delete(t.Context(), "a")
		for _, err := range []error{statErr, readErr, deleteErr} {
			text := fmt.Sprintf("%v %+v", err, err)
			for _, secret := range []string{"c2VjcmV0", accountKey, "http://"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
		if statErr == nil || readErr == nil || (deleteErr == nil) != (what == "no object") {
			t.Errorf("%s: stat: %v, read: %v, delete: %v", what, statErr, readErr, deleteErr)
		}
		if errors.Is(statErr, fs.ErrNotExist) != (what == "no object") ||
			errors.Is(statErr, fs.ErrPermission) != (what == "not allowed") {
			t.Errorf("%s: stat: %v", what, statErr)
		}
	}
}
