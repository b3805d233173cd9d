package command

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestJob(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	whole := npyFile(t, "<f4", false, 300, 200)
	importBytes(t, whole, path("in.b2nd"), "-chunks", "10,200", "-blocks", "10,20")
	cairnOK(t, "copy", "-chunks", "300,20", path("in.b2nd"), path("copied.b2nd"))
	told := cairnOK(t, "job", "plan", "-chunks", "300,20", "-size", "40K", path("job"), path("in.b2nd"), path("out.b2nd"))
	if !strings.Contains(told, "tasks, boxes of ") {
		t.Errorf("plan prints %q", told)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "job", "seal", path("job")), "is not done")
	cairnOK(t, "job", "work", "-shard", "1/2", path("job"))
	if told := cairnOK(t, "job", "status", path("job")); !strings.Contains(told, "not done: 0, 2, ") {
		t.Errorf("status prints %q", told)
	}
	var status struct {
		State       string
		Tasks, Done int
		Missing     []int
	}
	if err := json.Unmarshal([]byte(cairnOK(t, "job", "status", "-json", path("job"))), &status); err != nil ||
		status.State != "working" || status.Done != status.Tasks/2 || status.Done == 0 || status.Missing[0] != 0 {
		t.Errorf("status %+v: %v", status, err)
	}
	cairnOK(t, "job", "work", "-tasks", "0-1,2", path("job"))
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() { cairnOK(t, "job", "work", path("job")) })
	}
	workers.Wait()
	cairnOK(t, "job", "seal", path("job"))
	cairnOK(t, "job", "seal", path("job"))
	cairnOK(t, "verify", path("out.b2nd"))
	if !bytes.Equal(readFile(t, path("out.b2nd")), readFile(t, path("copied.b2nd"))) {
		t.Error("the output differs from a copy")
	}
	if got := cairnOK(t, "job", "status", path("job")); !strings.HasPrefix(got, "sealed: ") {
		t.Errorf("status %q", got)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "job", "cancel", path("job")), "the job is sealed")
}

func TestJobOfSeveralInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	whole := npyFile(t, "<f4", false, 30, 20)
	if err := os.WriteFile("a.npy", whole, 0o600); err != nil {
		t.Fatal(err)
	}
	importBytes(t, whole, "b.b2nd")
	for _, c := range []struct{ plan, alone string }{
		{"-calc a*2+b JOB a=a.npy b=b.b2nd OUT", "calc a*2+b a=a.npy b=b.b2nd -o ALONE"},
		{"-concat -axis -1 JOB a.npy b.b2nd OUT", "concat -axis -1 a.npy b.b2nd ALONE"},
	} {
		args := strings.Fields(c.plan)
		name := args[0][1:]
		fill := strings.NewReplacer("JOB", "file:///"+dir+"/"+name, "OUT", name+".b2nd", "ALONE", name+"-alone.b2nd")
		cairnOK(t, strings.Fields(fill.Replace("job plan "+c.plan))...)
		cairnOK(t, strings.Fields(fill.Replace("job work JOB"))...)
		cairnOK(t, strings.Fields(fill.Replace("job seal JOB"))...)
		cairnOK(t, strings.Fields(fill.Replace(c.alone))...)
		if !bytes.Equal(readFile(t, name+".b2nd"), readFile(t, name+"-alone.b2nd")) {
			t.Errorf("%s: the output differs from that of one process", c.plan)
		}
	}
	for _, args := range []string{"job", "job dance j", "job work", "job plan j b.b2nd", "job plan j b.b2nd b.b2nd c.b2nd",
		"job plan -calc a+1 j b.b2nd c.b2nd", "job plan -axis 0 j b.b2nd c.b2nd", "job plan -force j b.b2nd c.b2nd", "job plan j b.b2nd c.b2z::/c",
		"job work -shard 2/2 calc", "job work -tasks 0-9 calc"} {
		if r := cairnWith(t.Context(), nil, strings.Fields(args)...); r.code != exitUsage {
			t.Errorf("cairn %s: exit %d, %s", args, r.code, r.stderr)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "job", "work", "nothing"), "plan.json")
}

// TestJobReduces compares reductions by jobs with those of one process.
func TestJobReduces(t *testing.T) {
	classic := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	importBytes(t, npyFile(t, "<f4", false, 300, 200), "in.b2nd", "-chunks", "10,50", "-blocks", "10,20")
	cairnOK(t, "import", "-q", classic+"::t2m", "packed.b2nd")
	for i, c := range []struct{ flags, op, in string }{
		{"-reduce mean,std,max -axis 0 -ddof 1 -codec lz4", "-op mean,std,max -axis 0 -ddof 1 -codec lz4", "in.b2nd"},
		{"-reduce sum -keepdims -nan propagate", "-op sum -keepdims -nan propagate", "in.b2nd"},
		{"-reduce mean,count -axis 0", "-op mean,count -axis 0", "packed.b2nd"},
		{"-reduce mean -axis 0 -raw", "-op mean -axis 0 -raw", "packed.b2nd"},
		{"-reduce argmin,quantile:0.5", "", "in.b2nd"},
		{"-reduce median", "", "in.b2nd"},
	} {
		out, alone := fmt.Sprintf("out%d.b2nd", i), fmt.Sprintf("alone%d.b2nd", i)
		if strings.Contains(c.flags, ",") {
			out, alone = fmt.Sprintf("out%d.b2z", i), fmt.Sprintf("alone%d.b2z", i)
		}
		job := fmt.Sprintf("job%d", i)
		plan := append(strings.Fields("job plan -size 40K "+c.flags), job, c.in, out)
		if c.op == "" {
			wantFailure(t, cairnWith(t.Context(), nil, plan...), "cannot be merged from pieces")
			continue
		}
		if told := cairnOK(t, plan...); !strings.Contains(told, " of ") {
			t.Errorf("plan prints %q", told)
		}
		var workers sync.WaitGroup
		for k := range 3 {
			workers.Go(func() { cairnOK(t, "job", "work", "-shard", fmt.Sprint(k, "/3"), job) })
		}
		workers.Wait()
		cairnOK(t, "job", "seal", job)
		cairnOK(t, "job", "seal", job)
		cairnOK(t, append(strings.Fields("reduce "+c.op), c.in, alone)...)
		if !bytes.Equal(readFile(t, out), readFile(t, alone)) {
			t.Errorf("%s: the output differs from that of one process", c.flags)
		}
		cairnOK(t, "verify", out)
	}
	for _, args := range []string{"job plan -reduce dance j in.b2nd o.b2nd", "job plan -reduce mean j in.b2nd in.b2nd o.b2nd",
		"job plan -reduce mean,std j in.b2nd o.b2nd", "job plan -reduce mean -concat j in.b2nd o.b2nd",
		"job plan -ddof 1 j in.b2nd o.b2nd", "job plan -axis 1 j in.b2nd o.b2nd", "job plan -reduce mean -ddof 1 j in.b2nd o.b2nd",
		"job plan -reduce mean -axis 5 j in.b2nd o.b2nd", "job plan -reduce mean -axis time j in.b2nd o.b2nd"} {
		if r := cairnWith(t.Context(), nil, strings.Fields(args)...); r.code != exitUsage {
			t.Errorf("cairn %s: exit %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestJobInShell runs what docs/jobs.md shows for shells.
func TestJobInShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no such shell
	}
	page := string(readFile(t, "../../../docs/jobs.md"))
	bin := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "cairn"))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	importBytes(t, npyFile(t, "<f4", false, 300, 200), "in.b2nd", "-chunks", "10,200", "-blocks", "10,20")
	cairnOK(t, "copy", "-chunks", "50,20", "in.b2nd", "copied.b2nd")
	_, section, _ := strings.Cut(page, "\n## With a shell\n")
	shown := strings.Split(section, "```")
	for i, script := range []string{shown[1], shown[3]} {
		if !strings.Contains(script, "cairn job seal rechunk.job") {
			t.Fatalf("no seal in %q", script)
		}
		for _, left := range []string{"rechunk.job", "series.b2nd"} {
			if err := os.RemoveAll(left); err != nil {
				t.Fatal(err)
			}
		}
		cairnOK(t, "job", "plan", "-chunks", "50,20", "-size", "20K", "rechunk.job", "in.b2nd", "series.b2nd")
		sh := exec.CommandContext(t.Context(), "sh", "-c", script)
		sh.Env = append(os.Environ(), asCommand+"=1", "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := sh.CombinedOutput(); err != nil {
			t.Fatalf("script %d: %v\n%s", i, err, out)
		}
		if !bytes.Equal(readFile(t, "series.b2nd"), readFile(t, "copied.b2nd")) {
			t.Errorf("script %d: the output differs from a copy", i)
		}
	}
}

// TestJobImports copies from arrays of every kind by jobs and by one process.
func TestJobImports(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := npyFile(t, "<f4", false, 300, 40)
	if err := os.WriteFile("c.npy", whole, 0o600); err != nil {
		t.Fatal(err)
	}
	importBytes(t, npyFile(t, "<f4", true, 300, 40), "a.b2nd", "-chunks", "30,40", "-blocks", "10,20")
	cairnOK(t, "export", "-fortran", "a.b2nd", "f.npy")
	cairnOK(t, "export", "a.b2nd", "3.zarr")
	cairnOK(t, "export", "-zarr", "2", "a.b2nd", "2.zarr")
	labelled := strings.Replace(string(readFile(t, "3.zarr/zarr.json")), `"node_type"`,
		`"dimension_names": ["time", "x"], "node_type"`, 1)
	if err := os.WriteFile("3.zarr/zarr.json", []byte(labelled), 0o600); err != nil {
		t.Fatal(err)
	}
	zipDirectory(t, "3.zarr", "3.zarr.zip")
	cairnOK(t, "copy", "a.b2nd", "s.b2z::/deep/a")
	cairnOK(t, "export", "-deflate", "s.b2z", "m.npz")
	served := httptest.NewServer(http.FileServer(http.Dir(".")))
	defer served.Close()
	inputs := []string{"c.npy", "f.npy", "3.zarr", "2.zarr", "3.zarr.zip", "s.b2z::/deep/a", "m.npz::deep/a", served.URL + "/3.zarr",
		served.URL + "/a.b2nd", served.URL + "/c.npy"}
	for i, in := range inputs {
		for k, flags := range []string{"", "-codec lz4 -level 3 -filters shuffle", "-chunks 100,20"} {
			out, alone, job := fmt.Sprintf("out%d-%d.b2nd", i, k), fmt.Sprintf("alone%d-%d.b2nd", i, k), fmt.Sprintf("job%d-%d", i, k)
			cairnOK(t, append(strings.Fields("job plan -size 8K "+flags), job, in, out)...)
			cairnOK(t, "job", "work", job)
			cairnOK(t, "job", "seal", job)
			cairnOK(t, append(strings.Fields("copy -contiguous "+flags), in, alone)...)
			if !bytes.Equal(readFile(t, out), readFile(t, alone)) {
				t.Errorf("%s %s: the output differs from that of copy", in, flags)
			}
		}
	}
	if told := cairnOK(t, "info", "-json", "out2-0.b2nd"); !strings.Contains(told, `"time"`) {
		t.Errorf("info prints %s", told)
	}
}

// zipDirectory stores the files of a directory in an archive.
func zipDirectory(t *testing.T, dir, to string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	err = errors.Join(w.AddFS(os.DirFS(dir)), w.Close(), f.Close())
	if err != nil {
		t.Fatal(err)
	}
}

// TestJobCopiesAsStored copies arrays that C-Blosc2 wrote, whose chunks stay as they are.
func TestJobCopiesAsStored(t *testing.T) {
	dir, err := filepath.Abs("../../../testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	all, err := filepath.Glob(dir + "/*.b2nd")
	if err != nil || len(all) < 50 {
		t.Fatal(len(all), err)
	}
	copied := 0
	for i, in := range all {
		if i%6 > 0 && !strings.Contains(in, "odd") && !strings.Contains(in, "dict") {
			continue // it takes a while
		}
		out, alone, job := fmt.Sprintf("out%d.b2nd", i), fmt.Sprintf("alone%d.b2nd", i), fmt.Sprintf("job%d", i)
		if r := cairnWith(t.Context(), nil, "copy", "-contiguous", in, alone); r.code != 0 {
			wantFailure(t, cairnWith(t.Context(), nil, "job", "plan", job, in, out), "")
			continue
		}
		copied++
		if strings.Contains(in, "odd-dtype") { // items of another size than their dtype's
			wantFailure(t, cairnWith(t.Context(), nil, "job", "plan", job, in, out), "bytes with dtype")
			continue
		}
		cairnOK(t, "job", "plan", "-size", "2K", job, in, out)
		cairnOK(t, "job", "work", job)
		cairnOK(t, "job", "seal", job)
		if !bytes.Equal(readFile(t, out), readFile(t, alone)) {
			t.Errorf("%s: the output differs from that of copy", filepath.Base(in))
		}
	}
	if copied < 25 {
		t.Errorf("%d arrays were copied", copied)
	}
}

// TestJobRemove removes jobs that have ended, so that their directory can have another.
func TestJobRemove(t *testing.T) {
	t.Chdir(t.TempDir())
	importBytes(t, npyFile(t, "<f4", false, 30, 20), "a.b2nd")
	cairnOK(t, "job", "plan", "one.job", "a.b2nd", "out.b2nd")
	wantFailure(t, cairnWith(t.Context(), nil, "job", "remove", "one.job"), "neither sealed nor cancelled")
	cairnOK(t, "job", "work", "one.job")
	cairnOK(t, "job", "cancel", "one.job")
	wantFailure(t, cairnWith(t.Context(), nil, "job", "plan", "one.job", "a.b2nd", "out.b2nd"), "there is another one")
	cairnOK(t, "job", "remove", "one.job")
	wantFiles(t, "one.job", ".lock") // which somebody may hold
	wantFailure(t, cairnWith(t.Context(), nil, "job", "remove", "one.job"), "there is no job")

	cairnOK(t, "job", "plan", "one.job", "a.b2nd", "out.b2nd")
	writeFile(t, "one.job/notes", nil)
	cairnOK(t, "job", "work", "one.job")
	cairnOK(t, "job", "seal", "one.job")
	if told := cairnOK(t, "job", "work", "one.job"); !strings.Contains(told, "cairn job remove one.job") {
		t.Errorf("work after the seal says %q", told)
	}
	cairnOK(t, "job", "remove", "-json", "one.job")
	wantFiles(t, ".", "a.b2nd", "one.job", "out.b2nd")
	wantFiles(t, "one.job", ".lock", "notes")

	// What seal would refuse after all the work is refused by plan.
	writeFile(t, "plain", nil)
	cairnOK(t, "copy", "a.b2nd", "t.b2d::/a")
	for _, out := range []string{"out.b2nd", "plain", "t.b2d"} {
		args := []string{"job", "plan", "two.job", "a.b2nd", out}
		if out == "t.b2d" {
			args = []string{"job", "plan", "-reduce", "max,min", "two.job", "a.b2nd", out}
		}
		wantFailure(t, cairnWith(t.Context(), nil, args...), "exist")
	}
	wantFiles(t, ".", "a.b2nd", "one.job", "out.b2nd", "plain", "t.b2d")
}
