package s3bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

const (
	keyID  = "AKIAEXAMPLEKEYID"
	secret = "example/secret+key"
)

// connect returns a client of the server at address.
func connect(address string) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://" + address), UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: keyID, SecretAccessKey: secret}, nil
		}),
	})
}

// startMoto starts an S3 server with a bucket called arrays.
func startMoto(t *testing.T) (address string) {
	address = storagetest.StartServer(t, "venv-moto/bin/moto_server", func(port string) []string {
		return []string{"-H", "127.0.0.1", "-p", port}
	})
	_, err := connect(address).CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("arrays")})
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// TestBucket uses a server of its own, and pages of four objects. Moto checks the condition of a
// put before it takes a lock, hence the proxy.
func TestBucket(t *testing.T) {
	t.Parallel()
	client, n := connect(storagetest.NewProxy(t, startMoto(t)).Address()), 0
	storagetest.RunBucket(t, func(*testing.T) storage.Bucket {
		n++
		return objectstore.New(&requests{client, "arrays", 4}, fmt.Sprintf("test/%d/", n))
	}, storagetest.LargeVersions) // Moto does not look at If-Match when uploads complete
}

func TestFaults(t *testing.T) {
	t.Parallel()
	address := startMoto(t)
	proxy := storagetest.NewProxy(t, address)
	faulty := objectstore.NewHasty(&requests{connect(proxy.Address()), "arrays", 4}, "")
	storagetest.RunBucketFaults(t, 20, faulty, New(connect(address), "arrays", ""), proxy.Disturb, proxy.Calm)
	if made := slices.Sorted(maps.Keys(proxy.Faults())); len(made) != len(storagetest.FaultKinds) {
		t.Errorf("only these faults were made: %q", made)
	}
}

// TestErrors checks what errors match, and that they do not tell credentials.
func TestErrors(t *testing.T) {
	t.Parallel()
	client := connect(startMoto(t))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	nobody := objectstore.NewHasty(&requests{connect(closed), "arrays", 4}, "")
	for what, b := range map[string]storage.Bucket{
		"no server": nobody, "no bucket": New(client, "others", ""), "no object": New(client, "arrays", "")} {
		_, err := b.Stat(t.Context(), "a")
		if err == nil || errors.Is(err, fs.ErrNotExist) != (what != "no server") {
			t.Errorf("%s: stat: %v", what, err)
		}
		readErr := b.ReadRanges(t.Context(), storage.Object{Name: "a"}, []storage.Range{{Data: make([]byte, 1)}})
		deleteErr := b.Delete(t.Context(), "a")
		if readErr == nil || (deleteErr == nil) != (what == "no object") {
			t.Errorf("%s: read: %v, delete: %v", what, readErr, deleteErr)
		}
		for _, err := range []error{err, readErr, deleteErr} {
			text := fmt.Sprintf("%v %+v", err, err)
			if strings.Contains(text, keyID) || strings.Contains(text, secret) || strings.Contains(text, "http://") {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestArray puts the file of an array, and reads a part of it from the bucket.
func TestArray(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "temp.b2nd")
	a, err := ndarray.Arange[int32](ctx, path, 0, 200_000, 1, ndarray.Shape{200, 1000}, nil)
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := New(connect(startMoto(t)), "arrays", "2026")
	at, err := b.Put(ctx, "temp.b2nd", data, storage.When{Absent: true})
	if err != nil {
		t.Fatal(err)
	}
	file, err := storage.OpenRanges(ctx, storage.ObjectRanges(b, "temp.b2nd"), nil)
	if err != nil {
		t.Fatal(err)
	}
	remote, err := ndarray.OpenReader(file, at.Size, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer remote.Close()
	typed, err := ndarray.As[int32](remote)
	if err != nil {
		t.Fatal(err)
	}
	got, err := typed.Read(ctx, ndarray.Index(7), ndarray.Range(5, 8))
	if err != nil || !slices.Equal(got, []int32{7005, 7006, 7007}) {
		t.Errorf("%d, %v", got, err)
	}
}
