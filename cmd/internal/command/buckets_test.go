package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// inBucket copies an array to a directory as a frame in the layout of buckets.
func inBucket(t *testing.T, src, dir, name string) {
	t.Helper()
	u, err := ndarray.Open(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	fsys := storage.BucketFS(t.Context(), storage.FSBucket(storage.OS(), dir))
	if err := ndarray.Save(t.Context(), name, u, &ndarray.CopyOptions{FS: fsys}); err != nil {
		t.Fatal(err)
	}
}

// TestVerbsReadBuckets checks that verbs say the same about what is in a bucket as about files.
func TestVerbsReadBuckets(t *testing.T) {
	dir := t.TempDir()
	src := arangeFile(t, ndarray.Shape{20, 30, 40})
	at := func(name string) string { return filepath.Join(dir, name) }
	link := "file://" + filepath.ToSlash(dir) + "/"
	cairnOK(t, "copy", "-chunks", "5,30,40", "-blocks", "1,10,10", src, at("a.b2nd"))
	cairnOK(t, "copy", src, at("s.b2z")+"::/group/x")
	cairnOK(t, "copy", src, at("s.b2d")+"::/group/x")
	for _, name := range []string{"a.npy", "a.npz", "a.zarr", "a.zarr.zip"} {
		cairnOK(t, "export", src, at(name))
	}
	inBucket(t, at("a.b2nd"), dir, "f.b2nd")
	for _, name := range []string{"a.b2nd", "f.b2nd", "s.b2z::/group/x", "s.b2d::/group/x", "a.npy", "a.npz", "a.zarr",
		"a.zarr.zip"} {
		file := at(name)
		if name == "f.b2nd" {
			file = at("a.b2nd")
		}
		for _, args := range [][]string{
			{"head", "-n", "2", "-s", "7"}, {"stats", "-s", "3:5"}, {"reduce"}, {"cat", "-s", "1,2"},
		} {
			want, got := cairnOK(t, append(slices.Clone(args), file)...), cairnOK(t, append(args, link+name)...)
			if got = strings.ReplaceAll(strings.ReplaceAll(got, link, dir+"/"), "f.b2nd", "a.b2nd"); got != want {
				t.Errorf("%s %s: says\n%s\nwant\n%s", args, link+name, got, want)
			}
		}
		cairnOK(t, "export", "-force", "-s", "7", file, at("here.npy"))
		cairnOK(t, "export", "-force", "-s", "7", link+name, at("there.npy"))
		want, err := os.ReadFile(at("here.npy"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(at("there.npy")); err != nil || string(got) != string(want) {
			t.Errorf("%s: the export differs: %v", name, err)
		}
		if info := cairnOK(t, "info", link+name); !strings.Contains(info, "20 × 30 × 40") {
			t.Errorf("info %s says\n%s", name, info)
		}
		cairnOK(t, "verify", link+name)
		cairnOK(t, "diff", link+name, "file://"+file)
	}
	cairnOK(t, "info", link+"s.b2d")
	if info := cairnOK(t, "info", link+"f.b2nd"); !strings.Contains(info, "bucket frame") ||
		strings.Contains(info, "unused") {
		t.Errorf("info says\n%s", info)
	}
	cairnOK(t, "copy", link+"s.b2d", at("copied.b2z"))
	cairnOK(t, "copy", link+"f.b2nd", at("copied.b2nd"))
	cairnOK(t, "diff", at("copied.b2z")+"::/group/x", at("copied.b2nd"))
}

// TestBucketsThatFail checks what the command says about URLs that name nothing it can read.
func TestBucketsThatFail(t *testing.T) {
	link := "file://" + filepath.ToSlash(t.TempDir())
	for args, want := range map[string]string{
		"info ftp://host/a.b2nd":            `stat ftp://host/a.b2nd: unknown scheme "ftp"; there are http`,
		"head s3://bucket/a.b2nd":           "stat s3://bucket/a.b2nd: this build has no client of Amazon S3; cairn-cloud is",
		"head gs://bucket/a.b2z::/x":        "gs://bucket/a.b2z: this build has no client of Google Cloud Storage",
		"cat az://bucket":                   "az://bucket: this build has no client of Azure Blob Storage",
		"stats file://a.b2nd":               "a host in a URL of a file",
		"head " + link + "/none.b2nd":       "open " + link + "/none.b2nd: no such file",
		"head " + link + "/none.b2z::/x":    "open " + link + "/none.b2z: no such file",
		"verify " + link + "/none.b2nd":     link + "/none.b2nd: no such file",
		"concat s3://bucket/x*.b2nd o.b2nd": "stat s3://bucket/x*.b2nd: this build has no client",
		"watch " + link + "/none.b2nd":      "no such file",
	} {
		r := cairnWith(t.Context(), strings.NewReader(""), strings.Fields(args)...)
		if r.code == exitOK || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, ".lock") {
			t.Errorf("%s: exit %d, %q; want %q", args, r.code, r.stderr, want)
		}
	}
}

// TestVerbsWriteToBuckets writes each kind of output to a bucket, and compares it with the same on
// this machine.
func TestVerbsWriteToBuckets(t *testing.T) {
	dir, here, temp := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	src := arangeFile(t, ndarray.Shape{20, 30, 40})
	link := "file://" + filepath.ToSlash(dir) + "/"
	at := func(name string) string { return filepath.Join(here, name) }
	cairnOK(t, "copy", src, at("s.b2z")+"::/g/x")
	cairnOK(t, "export", src, at("in.npy"))
	cairnOK(t, "export", at("s.b2z"), at("in.npz"))
	for _, args := range [][]string{
		{"copy", "-chunks", "5,30,40", src, "a.b2nd"},
		{"copy", "-sparse", "-chunks", "5,30,40", src, "deep/b.b2nd"},
		{"copy", "-contiguous", link + "deep/b.b2nd", "c.b2nd"},
		{"copy", "-verify", src, "d.b2nd"},
		{"import", at("in.npy"), "e.b2nd"},
		{"import", "-sparse", "-chunks", "5,30,40", at("in.npy"), "f.b2nd"},
		{"import", at("in.npz"), "g.b2z"},
		{"copy", at("s.b2z"), "h.b2d"},
		{"copy", at("s.b2z"), "i.b2z"},
		{"copy", at("s.b2z") + "::/g", "j.b2z"},
		{"concat", "-sparse", src, src, "k.b2nd"},
		{"calc", "-sparse", "a * 2", "a=" + src, "-o", "l.b2nd"},
		{"calc", "a + 1", "a=" + src, "-o", "m.npy"},
		{"reduce", "-axis", "0", src, "n.b2nd"},
		{"export", src, "o.npy"},
		{"export", src, "p.zarr"},
		{"export", src, "q.zarr.zip"},
	} {
		there, local := slices.Clone(args), slices.Clone(args)
		last := len(args) - 1
		there[last], local[last] = link+args[last], at(filepath.Base(args[last]))
		cairnOK(t, local...)
		cairnOK(t, there...)
		cairnOK(t, "diff", local[last], there[last])
		r := cairnWith(t.Context(), strings.NewReader(""), there...)
		if r.code != exitFailed || !strings.Contains(r.stderr, "exist") {
			t.Errorf("%v again: exit %d, %s", there, r.code, r.stderr)
		}
	}
	cairnOK(t, "copy", "-force", "-s", ":5", src, link+"a.b2nd")
	cairnOK(t, "copy", "-force", "-sparse", "-s", ":5", src, link+"f.b2nd")
	cairnOK(t, "diff", link+"a.b2nd", link+"f.b2nd")
	wantFiles(t, temp)
}

// TestVerbsChangeArraysInBuckets changes an array in the layout of buckets, and nothing else.
func TestVerbsChangeArraysInBuckets(t *testing.T) {
	dir := t.TempDir()
	link := "file://" + filepath.ToSlash(dir) + "/"
	src := arangeFile(t, ndarray.Shape{20, 30})
	local := filepath.Join(t.TempDir(), "a.b2nd")
	cairnOK(t, "copy", "-chunks", "5,30", src, local)
	cairnOK(t, "copy", "-sparse", local, link+"a.b2nd")
	cairnOK(t, "copy", src, link+"file.b2nd")
	cairnOK(t, "copy", src, local+".b2z::/x")
	cairnOK(t, "copy", local+".b2z", link+"s.b2z")
	for _, args := range [][]string{
		{"append", "FILE", src, src}, {"resize", "FILE", "70,31"}, {"meta", "set", "FILE", "units", `"K"`},
	} {
		for _, name := range []string{local, link + "a.b2nd"} {
			cairnOK(t, slices.Replace(slices.Clone(args), slices.Index(args, "FILE"), slices.Index(args, "FILE")+1, name)...)
		}
		cairnOK(t, "diff", local, link+"a.b2nd")
		for name, want := range map[string]string{
			link + "file.b2nd": "only replaced as a whole", link + "s.b2z::/x": "not on this machine",
			"http://127.0.0.1:1/a.b2nd": "on a web server"} {
			there := slices.Replace(slices.Clone(args), slices.Index(args, "FILE"), slices.Index(args, "FILE")+1, name)
			r := cairnWith(t.Context(), strings.NewReader(""), there...)
			if r.code != exitFailed || !strings.Contains(r.stderr, want) {
				t.Errorf("%v: exit %d, %s", there, r.code, r.stderr)
			}
		}
	}
	if got := cairnOK(t, "meta", "get", link+"a.b2nd", "units"); !strings.Contains(got, "K") {
		t.Errorf("units are %s", got)
	}
}

// TestAppendsToBucketsTakeTurns appends to one array from several commands at the same time.
func TestAppendsToBucketsTakeTurns(t *testing.T) {
	link := "file://" + filepath.ToSlash(t.TempDir()) + "/a.b2nd"
	src := arangeFile(t, ndarray.Shape{2, 30})
	cairnOK(t, "copy", "-sparse", "-chunks", "2,30", src, link)
	const writers, appends = 3, 4
	codes := make(chan result, writers*appends)
	for range writers {
		go func() {
			for range appends {
				codes <- cairnWith(t.Context(), strings.NewReader(""), "append", link, src)
			}
		}()
	}
	for range writers * appends {
		if r := <-codes; r.code != exitOK {
			t.Errorf("exit %d, %s", r.code, r.stderr)
		}
	}
	if info := cairnOK(t, "info", link); !strings.Contains(info, "26 × 30") {
		t.Errorf("info says\n%s", info)
	}
}

// TestVersionsInBuckets lists, reads and removes versions of an array.
func TestVersionsInBuckets(t *testing.T) {
	dir := t.TempDir()
	link := "file://" + filepath.ToSlash(dir) + "/"
	src := arangeFile(t, ndarray.Shape{20, 30})
	cairnOK(t, "copy", "-sparse", "-chunks", "5,30", src, link+"a.b2nd")
	cairnOK(t, "append", link+"a.b2nd", src)
	cairnOK(t, "append", link+"a.b2nd", src)
	cairnOK(t, "copy", src, link+"file.b2nd")
	if err := os.WriteFile(filepath.Join(dir, "odd@1"), readFile(t, src), 0o666); err != nil {
		t.Fatal(err)
	}
	var commits []commit
	if err := json.Unmarshal([]byte(cairnOK(t, "log", "-json", link+"a.b2nd")), &commits); err != nil {
		t.Fatal(err)
	}
	if len(commits) != 3 || commits[0].Version != 3 || commits[0].NumChunks != 12 || commits[2].Padded != 20*30*4 {
		t.Errorf("log says %+v", commits)
	}
	if text := cairnOK(t, "log", "-n", "2", link+"a.b2nd"); strings.Count(text, "\n") != 3 ||
		!strings.Contains(text, "7.0 KiB") {
		t.Errorf("log says\n%s", text)
	}
	cairnOK(t, "diff", src, link+"a.b2nd@1")
	cairnOK(t, "diff", src, link+"odd@1")
	cairnOK(t, "verify", link+"a.b2nd@2")
	cairnOK(t, "copy", link+"a.b2nd@2", filepath.Join(dir, "o.b2nd"))
	if got := cairnOK(t, "info", link+"a.b2nd@2"); !strings.Contains(got, "40 × 30") {
		t.Errorf("version 2 is\n%s", got)
	}
	for args, want := range map[string]string{
		"1 head LINKa.b2nd@9":                     "version 9: not found: the newest is 3",
		"1 head LINKfile.b2nd@1":                  "only arrays in the layout of buckets have",
		"1 head LINKnone.b2nd@1":                  "no such file",
		"1 append LINKa.b2nd@1 " + src:            "which stays as it is",
		"2 copy -sparse " + src + " LINKa.b2nd@1": "the name of a version of",
		"1 log LINKfile.b2nd":                     "keeps no versions",
		"1 log " + src:                            "keeps no versions",
		"1 log LINKnone.b2nd":                     "no such file",
		"2 log -n -1 LINKa.b2nd":                  "-n is -1",
		"2 prune LINKa.b2nd":                      "-keep says how many versions stay",
		"2 prune -keep 1 -age -1h LINKa.b2nd":     "-age is -1h",
		"2 prune -keep 1 LINKa.b2nd@2":            "prune takes the array",
		"1 prune -keep 1 LINKfile.b2nd":           "keeps no versions",
	} {
		words := strings.Fields(strings.ReplaceAll(args, "LINK", link))
		r := cairnWith(t.Context(), strings.NewReader(""), words[1:]...)
		if fmt.Sprint(r.code) != words[0] || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %q; want %q", args, r.code, r.stderr, want)
		}
	}
}

// TestWatchingBuckets follows an array to which another command appends.
func TestWatchingBuckets(t *testing.T) {
	link := "file://" + filepath.ToSlash(t.TempDir()) + "/a.b2nd"
	src := arangeFile(t, ndarray.Shape{3, 2})
	cairnOK(t, "copy", "-sparse", "-chunks", "3,2", src, link)
	w := startWatch(t.Context(), "-n", "1", link)
	if got := w.tick(t); got != "# 3 × 2 <i4\n[2]  4  5\n" {
		t.Errorf("watch says\n%s", got)
	}
	cairnOK(t, "append", link, src)
	if got := w.tick(t); got != "[3]  0  1\n[4]  2  3\n[5]  4  5\n" {
		t.Errorf("watch says\n%s", got)
	}
	close(w.ticks)
	if code := <-w.ended; code != exitOK {
		t.Errorf("watch ended with %d: %s", code, w.err.take())
	}
	r := cairnWith(t.Context(), strings.NewReader(""), "watch", link+"@1")
	if r.code != exitUsage || !strings.Contains(r.stderr, "watch follows the array "+link) {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
}

// TestPruningVersionsInBuckets removes versions of an array.
func TestPruningVersionsInBuckets(t *testing.T) {
	dir := t.TempDir()
	link := "file://" + filepath.ToSlash(dir) + "/"
	src := arangeFile(t, ndarray.Shape{20, 30})
	cairnOK(t, "copy", "-sparse", "-chunks", "5,30", src, link+"a.b2nd")
	cairnOK(t, "append", link+"a.b2nd", src)
	cairnOK(t, "append", link+"a.b2nd", src)
	count := func() int {
		t.Helper()
		entries, err := os.ReadDir(filepath.Join(dir, "a.b2nd"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := count()
	if got := cairnOK(t, "prune", "-keep", "1", link+"a.b2nd"); !strings.HasPrefix(got, "removed 0 objects") ||
		!strings.Contains(got, "younger than 24h0m0s kept") {
		t.Errorf("prune of what is new says %s", got)
	}
	if got := cairnOK(t, "prune", "-keep", "1", "-age", "1ns", "-plan", link+"a.b2nd"); count() != before ||
		!strings.HasPrefix(got, "would remove 2 objects") { // two roots; all chunks are in use
		t.Errorf("prune -plan leaves %d of %d objects, and says %s", count(), before, got)
	}
	got := cairnOK(t, "prune", "-keep", "1", "-age", "1ns", "-json", link+"a.b2nd")
	if count() != before-2 || !strings.Contains(got, `"objects": 2`) {
		t.Errorf("prune leaves %d of %d objects, and says %s", count(), before, got)
	}
	if r := cairnWith(t.Context(), strings.NewReader(""), "head", link+"a.b2nd@1"); r.code != exitFailed ||
		!strings.Contains(r.stderr, "version 1: not found: it was removed as an old one") {
		t.Errorf("a version that is removed: exit %d, %s", r.code, r.stderr)
	}
	if text := cairnOK(t, "log", link+"a.b2nd"); strings.Count(text, "\n") != 2 {
		t.Errorf("log says\n%s", text)
	}
	cairnOK(t, "verify", link+"a.b2nd")
}
