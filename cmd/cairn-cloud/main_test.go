package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cairn-go/cairn/cmd/cairn-cloud/clients"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// asCommand makes the test binary run as the command.
const asCommand = "CAIRN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

const secret = "c2VjcmV0LW9mLXRoaXMtdGVzdA=="

// run runs the command with only these variables of clients, and returns its exit code and what it
// has said.
func run(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, self, args...)
	c.Dir = t.TempDir()
	c.Env = append([]string{asCommand + "=1", "HOME=" + c.Dir, "PATH=", "AWS_EC2_METADATA_DISABLED=true",
		"LANG=C.UTF-8"}, env...)
	var out, failed bytes.Buffer
	c.Stdout, c.Stderr = &out, &failed
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if strings.Contains(failed.String(), secret) || strings.Contains(failed.String(), "http://127") {
		t.Errorf("%q tells the secret or the address: %s", args, &failed)
	}
	return c.ProcessState.ExitCode(), out.String(), failed.String()
}

// output returns what the command prints when it succeeds.
func output(t *testing.T, env []string, args ...string) string {
	t.Helper()
	code, out, failed := run(t, env, args...)
	if code != 0 {
		t.Fatalf("%q: exit %d, %s", args, code, failed)
	}
	return out
}

// arrayFile returns the path of an array of 6 rows.
func arrayFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.Arange[int32](t.Context(), name, 0, 24, 1, ndarray.Shape{6, 4}, nil)
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// startS3 starts a server with a bucket, and returns the variables for it.
func startS3(t *testing.T) []string {
	t.Helper()
	address := storagetest.StartServer(t, "venv-moto/bin/moto_server", func(port string) []string {
		return []string{"-H", "127.0.0.1", "-p", port}
	})
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://" + address), UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: secret}, nil
		})})
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("arrays")}); err != nil {
		t.Fatal(err)
	}
	return []string{"AWS_ENDPOINT_URL=http://" + address, "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=" + secret}
}

// startGoogle is startS3 for Google Cloud Storage.
func startGoogle(t *testing.T) []string {
	t.Helper()
	address := storagetest.StartServer(t, "fake-gcs-server/fake-gcs-server", func(port string) []string {
		return []string{"-scheme", "http", "-host", "127.0.0.1", "-port", port, "-public-host", "127.0.0.1:" + port,
			"-backend", "memory", "-log-level", "error"}
	})
	t.Setenv("STORAGE_EMULATOR_HOST", address)
	client, err := gcs.NewClient(t.Context())
	if err == nil {
		err = client.Bucket("arrays").Create(t.Context(), "project", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return []string{"STORAGE_EMULATOR_HOST=" + address}
}

// startAzure is startS3 for Azure Blob Storage.
func startAzure(t *testing.T) []string {
	t.Helper()
	t.Setenv("AZURITE_ACCOUNTS", "account:"+secret)
	address := storagetest.StartServer(t, "azurite/node_modules/.bin/azurite-blob", func(port string) []string {
		return []string{"--blobHost", "127.0.0.1", "--blobPort", port, "--inMemoryPersistence", "--skipApiVersionCheck",
			"--silent", "--disableTelemetry"}
	})
	given := "DefaultEndpointsProtocol=http;AccountName=account;AccountKey=" + secret + ";BlobEndpoint=http://" +
		address + "/account;"
	client, err := container.NewClientFromConnectionString(given, "arrays", nil)
	if err == nil {
		_, err = client.Create(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return []string{"AZURE_STORAGE_CONNECTION_STRING=" + given}
}

// put uploads a file to a bucket that the variables of this process lead to.
func put(t *testing.T, env []string, open func(context.Context, string) (storage.Bucket, error), file, name string) {
	t.Helper()
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := open(t.Context(), "arrays")
	if err == nil {
		_, err = b.Put(t.Context(), name, data, storage.When{Absent: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestStores reads an array from each store, and asks for what is not there.
func TestStores(t *testing.T) {
	file := arrayFile(t)
	want := output(t, nil, "head", "-n", "2", file)
	for _, s := range []struct {
		scheme string
		start  func(*testing.T) []string
	}{{"s3", startS3}, {"gs", startGoogle}, {"az", startAzure}} {
		t.Run(s.scheme, func(t *testing.T) {
			env := s.start(t)
			put(t, env, clients.Openers()[s.scheme], file, "deep/a.b2nd")
			link := s.scheme + "://arrays/deep/"
			if got := output(t, env, "head", "-n", "2", link+"a.b2nd"); got != want {
				t.Errorf("says\n%s\nwant\n%s", got, want)
			}
			change(t, env, file, link)
			runJobs(t, env, file, link)
			if s.scheme == "s3" {
				openWithPython(t, env, link)
			}
			for _, missing := range []string{link + "none.b2nd", s.scheme + "://others/a.b2nd"} {
				code, _, said := run(t, env, "info", missing)
				if code != 1 || !strings.Contains(said, missing+": ") || !strings.Contains(said, "404") {
					t.Errorf("info %s: exit %d, %s", missing, code, said)
				}
			}
		})
	}
}

// runJobs has processes work on jobs in a bucket, whose input and output are there too or are
// files. The outputs must be, byte for byte, what one process makes.
func runJobs(t *testing.T, env []string, file, link string) {
	t.Helper()
	dir := t.TempDir()
	for i, c := range []struct {
		in, out     string
		plan, alone []string
	}{
		{link + "b.b2nd", link + "made.b2nd", []string{"-chunks", "2,3"}, []string{"copy", "-chunks", "2,3", file}},
		{link + "b.b2nd", filepath.Join(dir, "made.b2nd"), []string{"-codec", "lz4"}, []string{"copy", "-codec", "lz4", file}},
		{file, link + "mean.b2nd", []string{"-reduce", "mean", "-axis", "0"}, []string{"reduce", "-op", "mean", "-axis", "0", file}},
	} {
		job := link + fmt.Sprintf("%d.job", i)
		output(t, env, slices.Concat([]string{"job", "plan", "-size", "8"}, c.plan, []string{job, c.in, c.out})...)
		var workers sync.WaitGroup
		for shard := range 3 {
			workers.Go(func() {
				if code, _, said := run(t, env, "job", "work", "-shard", fmt.Sprintf("%d/3", shard), job); code != 0 {
					t.Errorf("work: exit %d, %s", code, said)
				}
			})
		}
		workers.Wait()
		output(t, env, "job", "seal", job)
		made, alone := c.out, filepath.Join(dir, fmt.Sprintf("alone%d.b2nd", i))
		if strings.HasPrefix(made, link) {
			made = filepath.Join(dir, fmt.Sprintf("made%d.b2nd", i))
			output(t, env, "copy", c.out, made)
		}
		output(t, env, append(c.alone, alone)...)
		got, err1 := os.ReadFile(made)
		want, err2 := os.ReadFile(alone)
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: the output differs from that of one process, %v", c.plan, err)
		}
	}
}

// change writes files, a store and an array to a bucket, and changes the array.
func change(t *testing.T, env []string, file, link string) {
	t.Helper()
	output(t, env, "copy", file, link+"b.b2nd")
	if code, _, said := run(t, env, "copy", file, link+"b.b2nd"); code != 1 || !strings.Contains(said, "-force replaces") {
		t.Errorf("a copy to what exists: exit %d, %s", code, said)
	}
	tree := filepath.Join(t.TempDir(), "tree.b2z")
	output(t, env, "copy", file, tree+"::/group/x")
	output(t, env, "copy", tree, link+"tree.b2z")
	output(t, env, "copy", tree, link+"tree.b2d")
	output(t, env, "copy", "-sparse", "-chunks", "2,4", file, link+"log.b2nd")
	output(t, env, "append", link+"log.b2nd", link+"b.b2nd", link+"tree.b2d::/group/x")
	output(t, env, "diff", file, link+"log.b2nd@1")
	if said := output(t, env, "info", link+"log.b2nd"); !strings.Contains(said, "18 × 4") {
		t.Errorf("info says\n%s", said)
	}
	if said := output(t, env, "log", link+"log.b2nd"); strings.Count(said, "\n") != 3 {
		t.Errorf("log says\n%s", said)
	}
	if said := output(t, env, "prune", "-keep", "1", "-plan", link+"log.b2nd"); !strings.HasPrefix(said, "would remove 0 objects, 0 B; 1 object younger") {
		t.Errorf("prune says %s", said)
	}
}

// downloads opens with python-blosc2 what the command has put into a bucket: as bytes, and after
// downloads.
const downloads = `
import os, sys, blosc2, numpy, s3fs
key, secret, endpoint, base = sys.argv[1:]
files = s3fs.S3FileSystem(key=key, secret=secret, endpoint_url=endpoint)
want = numpy.arange(24, dtype=numpy.int32).reshape(6, 4)
assert (blosc2.ndarray_from_cframe(files.cat(base + "b.b2nd"))[:] == want).all()
for name in "b.b2nd", "tree.b2z", "tree.b2d":
    files.get(base + name, name, recursive=name.endswith(".b2d"))
assert (blosc2.open("b.b2nd")[:] == want).all()
for name in "tree.b2z", "tree.b2d":
    assert (blosc2.TreeStore(name, mode="r")["/group/x"][:] == want).all()
`

func openWithPython(t *testing.T, env []string, link string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value
	}
	c := exec.CommandContext(t.Context(), filepath.Join(cache, "cairn-ci", "venv-s3fs", "bin", "python"), "-c", downloads,
		set["AWS_ACCESS_KEY_ID"], set["AWS_SECRET_ACCESS_KEY"], set["AWS_ENDPOINT_URL"], strings.TrimPrefix(link, "s3://"))
	c.Dir = t.TempDir()
	if said, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestRefusals checks what is said about stores that answer by errors.
func TestRefusals(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusForbidden: "permission denied (403", http.StatusMovedPermanently: "request failed (301",
		http.StatusBadRequest: "request failed (400"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}))
		env := []string{"AWS_ENDPOINT_URL=" + server.URL, "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=" + secret,
			"STORAGE_EMULATOR_HOST=" + server.Listener.Addr().String(),
			"AZURE_STORAGE_CONNECTION_STRING=AccountName=account;AccountKey=" + secret + ";BlobEndpoint=" + server.URL + ";"}
		for _, scheme := range []string{"s3", "gs", "az"} {
			link := scheme + "://arrays/a.b2nd"
			code, _, said := run(t, env, "info", link)
			if code != 1 || !strings.Contains(said, link) || !strings.Contains(said, want) {
				t.Errorf("info %s: exit %d, %s; want %s", link, code, said, want)
			}
		}
		server.Close()
	}
}

// TestWithoutCredentials checks what is said if nothing is configured, or something wrong.
func TestWithoutCredentials(t *testing.T) {
	key := "AZURE_STORAGE_KEY=" + strings.TrimRight(secret, "=") // not padded
	for _, c := range []struct{ env, link, want string }{
		{"AWS_PROFILE=none", "s3://arrays/a.b2nd", "configuring S3: "},
		{"GOOGLE_APPLICATION_CREDENTIALS=none", "gs://arrays/a.b2nd",
			"no credentials for Google Cloud Storage: set GOOGLE_APPLICATION_CREDENTIALS"},
		{"", "az://arrays/a.b2nd", "no account of Azure: set AZURE_STORAGE_CONNECTION_STRING"},
		{"AZURE_STORAGE_CONNECTION_STRING=AccountKey=" + secret, "az://arrays/a.b2nd", "is not one that the portal shows"},
		{"AZURE_STORAGE_ACCOUNT=account " + key, "az://arrays/a.b2nd", "AZURE_STORAGE_KEY is not the base64"},
	} {
		code, _, said := run(t, strings.Fields(c.env), "info", c.link)
		if code != 1 || !strings.Contains(said, c.want) {
			t.Errorf("%s %s: exit %d, %s", c.env, c.link, code, said)
		}
	}
}
