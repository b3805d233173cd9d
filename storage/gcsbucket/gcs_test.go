package gcsbucket

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// connect returns a client of the server at address.
func connect(t *testing.T, address string) *gcs.Client {
	t.Helper()
	client, err := gcs.NewClient(t.Context(), option.WithEndpoint("http://"+address+"/storage/v1/"),
		option.WithoutAuthentication(), gcs.WithJSONReads())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// startServer starts a server with a bucket called arrays, and a proxy in front of it: the server
// checks the condition of a put before it takes a lock.
func startServer(t *testing.T) *storagetest.Proxy {
	address := storagetest.StartServer(t, "fake-gcs-server/fake-gcs-server", func(port string) []string {
		return []string{"-scheme", "http", "-host", "127.0.0.1", "-port", port,
			"-backend", "memory", "-log-level", "error"}
	})
	if err := connect(t, address).Bucket("arrays").Create(t.Context(), "project", nil); err != nil {
		t.Fatal(err)
	}
	return storagetest.NewProxy(t, address)
}

func TestBucket(t *testing.T) {
	t.Parallel()
	client, n := connect(t, startServer(t).Address()), 0
	storagetest.RunBucket(t, func(*testing.T) storage.Bucket {
		n++
		return New(client, "arrays", fmt.Sprintf("test/%d/", n))
	})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	proxy := startServer(t)
	client := connect(t, proxy.Address())
	faulty := objectstore.NewHasty(newRequests(client, "arrays", largestPage), "")
	storagetest.RunBucketFaults(t, 20, faulty, New(client, "arrays", ""), proxy.Disturb, proxy.Calm)
	if made := slices.Sorted(maps.Keys(proxy.Faults())); len(made) != len(storagetest.FaultKinds) {
		t.Errorf("only these faults were made: %q", made)
	}
}

// TestPages answers lists in pages, which fake-gcs-server cuts off instead.
func TestPages(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, q.Get("prefix")+" "+q.Get("pageToken")+" "+q.Get("maxResults"))
		answer := map[string]any{"items": []any{map[string]any{"name": "f/c", "size": "3", "generation": "9"}}}
		if q.Get("pageToken") == "" {
			answer = map[string]any{"nextPageToken": "more", "items": []any{
				map[string]any{"name": "f/a", "size": "1", "generation": "7"},
				map[string]any{"name": "f/b", "size": "2", "generation": "8"}}}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer server.Close()
	client := connect(t, server.Listener.Addr().String())
	b := objectstore.New(newRequests(client, "arrays", 2), "f")
	var got []storage.Object
	for o, err := range b.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o)
	}
	want := []storage.Object{{Name: "a", Size: 1, Version: "7"}, {Name: "b", Size: 2, Version: "8"},
		{Name: "c", Size: 3, Version: "9"}}
	if !slices.Equal(got, want) || !slices.Equal(asked, []string{"f/  2", "f/ more 2"}) {
		t.Errorf("%+v, asked %q", got, asked)
	}
}

// TestErrors checks what errors match, and that they do not tell the address.
func TestErrors(t *testing.T) {
	t.Parallel()
	client := connect(t, startServer(t).Address())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	nobody := objectstore.NewHasty(newRequests(connect(t, closed), "arrays", largestPage), "")
	for what, b := range map[string]storage.Bucket{
		"no server": nobody, "no bucket": New(client, "others", ""), "no object": New(client, "arrays", "")} {
		_, statErr := b.Stat(t.Context(), "a")
		readErr := b.ReadRanges(t.Context(), storage.Object{Name: "a"}, []storage.Range{{Data: make([]byte, 1)}})
		_, putErr := b.Put(t.Context(), "a/b", nil, storage.When{Version: "1"})
		for _, err := range []error{statErr, readErr, putErr} {
			if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), "http://") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if errors.Is(statErr, fs.ErrNotExist) != (what != "no server") {
			t.Errorf("%s: stat: %v", what, statErr)
		}
	}
}
