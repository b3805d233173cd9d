package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// publicStores starts a server that answers as the three stores do, at their own addresses, and
// returns the variables that lead there. Their buckets arrays have the file a.b2nd for everybody,
// and all others are private. Whoever sends credentials is refused.
func publicStores(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	names := []string{"*.s3.us-east-1.amazonaws.com", "*.s3.eu-west-3.amazonaws.com", "storage.googleapis.com",
		"account.blob.core.windows.net"}
	certificate, trusted := certify(t, names)
	stores := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, data)
	}))
	stores.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	stores.StartTLS()
	t.Cleanup(stores.Close)

	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tunnel(w, stores.Listener.Addr().String())
	}))
	t.Cleanup(proxy.Close)
	return []string{"HTTPS_PROXY=" + proxy.Listener.Addr().String(), "SSL_CERT_FILE=" + trusted}
}

// answer answers one request, of the store that its host names.
func answer(w http.ResponseWriter, r *http.Request, data []byte) {
	bucket, _, _ := strings.Cut(r.Host, ".s3.")
	switch {
	case r.Header.Get("Authorization") != "":
		w.WriteHeader(http.StatusForbidden)
		return
	case bucket == "arrays" && !strings.Contains(r.Host, "eu-west-3"):
		w.Header().Set("X-Amz-Bucket-Region", "eu-west-3")
		w.WriteHeader(http.StatusMovedPermanently)
		return
	case bucket == "arrays", strings.HasPrefix(r.URL.Path, "/arrays/"), strings.HasPrefix(r.URL.Path, "/storage/v1/b/arrays/o/"):
	case strings.HasSuffix(r.Host, ".windows.net"):
		w.WriteHeader(http.StatusNotFound) // Azure hides what is private
		return
	default:
		w.WriteHeader(http.StatusForbidden)
		return
	}

	switch {
	case !strings.HasSuffix(r.URL.Path, "/a.b2nd"):
		w.WriteHeader(http.StatusNotFound)
	case strings.HasPrefix(r.URL.Path, "/storage/") && r.URL.Query().Get("alt") != "media":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"name": "a.b2nd", "size": "%d", "generation": "1"}`, len(data))
	default:
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("X-Goog-Generation", "1")
		if span := r.Header.Get("X-Ms-Range"); span != "" {
			r.Header.Set("Range", span)
		}
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(data))
	}
}

// tunnel connects the client of a proxy with a server.
func tunnel(w http.ResponseWriter, address string) {
	server, err := net.Dial("tcp", address)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()
	client, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()

	fmt.Fprint(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(server, client) }()
	_, _ = io.Copy(client, server)
}

// certify returns a certificate for hosts, and the name of a file that trusts it.
func certify(t *testing.T, hosts []string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: hosts, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(trusted, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, trusted
}

// TestPublicBucketsAreReadWithoutCredentials reads an array of each store at its own address, with
// nothing configured, and beside credentials that are not to be used.
func TestPublicBucketsAreReadWithoutCredentials(t *testing.T) {
	file := arrayFile(t)
	want := output(t, nil, "head", "-n", "2", file)
	public := publicStores(t, file)
	silent := silence(t)
	for _, c := range []struct{ link, env string }{
		{"s3://arrays/a.b2nd", "AWS_EC2_METADATA_DISABLED=false AWS_EC2_METADATA_SERVICE_ENDPOINT=http://" + silent},
		{"s3://arrays/a.b2nd", "AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=" + secret + " AWS_NO_SIGN_REQUEST=YES"},
		{"s3://arrays/a.b2nd", "AWS_NO_SIGN_REQUEST=1 AWS_REGION=eu-west-3"},
		{"gs://arrays/a.b2nd", ""},
		{"gs://arrays/a.b2nd", "GS_NO_SIGN_REQUEST=YES GOOGLE_APPLICATION_CREDENTIALS=none"},
		{"az://arrays/a.b2nd", "AZURE_STORAGE_ACCOUNT=account"},
		{"az://arrays/a.b2nd", "AZURE_STORAGE_CONNECTION_STRING=AccountName=account"},
		{"az://arrays/a.b2nd", "AZURE_STORAGE_ACCOUNT=account AZURE_STORAGE_KEY=" + secret + " AZURE_NO_SIGN_REQUEST=yes"},
	} {
		begun := time.Now()
		code, got, said := run(t, append(strings.Fields(c.env), public...), "head", "-n", "2", c.link)
		if code != 0 || got != want || said != "" {
			t.Errorf("%s with %q: exit %d, says\n%s%s", c.link, c.env, code, got, said)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%s with %q took %v", c.link, c.env, took)
		}
	}
}

// TestPrivateBucketsNeedCredentials checks that what cannot be read without credentials says so.
func TestPrivateBucketsNeedCredentials(t *testing.T) {
	public := publicStores(t, arrayFile(t))
	for _, c := range []struct{ link, env, want string }{
		{"s3://private/a.b2nd", "", "read without credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID"},
		{"gs://private/a.b2nd", "", "read without credentials: set GOOGLE_APPLICATION_CREDENTIALS"},
		{"az://private/a.b2nd", "AZURE_STORAGE_ACCOUNT=account", "read without credentials: set AZURE_STORAGE_KEY"},
	} {
		code, _, said := run(t, append(strings.Fields(c.env), public...), "info", c.link)
		if code != 1 || !strings.Contains(said, c.want) || strings.Count(said, "\n") > 2 {
			t.Errorf("%s: exit %d, %s", c.link, code, said)
		}
	}
}

// silence returns the address of a server that takes connections and never answers.
func silence(t *testing.T) string {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { at.Close() })
	return at.Addr().String()
}
