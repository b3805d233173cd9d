package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
)

// asCommand makes the test binary run as the command.
const asCommand = "CAIRN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// process returns the command in a directory.
func process(ctx context.Context, t *testing.T, dir, args string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, self, strings.Fields(args)...)
	c.Dir = dir
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

// invoke runs the command, and returns its exit code and what it has said.
func invoke(t *testing.T, dir, args string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := process(ctx, t, dir, args)
	var out, failed bytes.Buffer
	c.Stdout, c.Stderr = &out, &failed
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), failed.String()
}

func must(t *testing.T, dir, args string) string {
	t.Helper()
	code, out, said := invoke(t, dir, args)
	if code != 0 {
		t.Fatalf("cairn-beam %s: exit %d: %s", args, code, said)
	}
	return out
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newDir returns a directory with a.b2nd and the same items in a.npy.
func newDir(t *testing.T, shape, chunks ndarray.Shape) string {
	t.Helper()
	dir := t.TempDir()
	a, err := ndarray.Create[float32](filepath.Join(dir, "a.b2nd"), shape, &ndarray.Options{ChunkShape: chunks})
	ok(t, err)
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = float32(i % 977)
	}
	ok(t, a.Write(t.Context(), values))
	f, err := os.Create(filepath.Join(dir, "a.npy"))
	ok(t, err)
	ok(t, npy.Write(t.Context(), f, a, nil))
	ok(t, f.Close())
	ok(t, a.Close())
	return dir
}

// same fails unless an array is, byte for byte, a copy of a source.
func same(t *testing.T, dir, name string, src ndarray.Source, o ndarray.CopyOptions) {
	t.Helper()
	o.Overwrite = true
	alone := filepath.Join(dir, "alone")
	ok(t, ndarray.Save(t.Context(), alone, src, &o))
	want, err := os.ReadFile(alone)
	ok(t, err)
	got, err := os.ReadFile(filepath.Join(dir, name))
	ok(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what one process makes", name)
	}
}

func open(t *testing.T, dir, name string) *ndarray.Untyped {
	t.Helper()
	u, err := ndarray.Open(filepath.Join(dir, name), nil)
	ok(t, err)
	t.Cleanup(func() { _ = u.Close() })
	return u
}

func TestCommand(t *testing.T) {
	dir := newDir(t, ndarray.Shape{300, 200}, ndarray.Shape{10, 200})
	a := open(t, dir, "a.b2nd")
	out := must(t, dir, "-chunks 300,20 job a.b2nd out.b2nd")
	if !strings.Contains(out, "1 task, boxes of ") || !strings.HasSuffix(out, "made "+filepath.Join(dir, "out.b2nd")+"\n") {
		t.Errorf("says %q", out)
	}
	same(t, dir, "out.b2nd", a, ndarray.CopyOptions{ChunkShape: ndarray.Shape{300, 20}})
	must(t, dir, "job")

	must(t, dir, "-size 24K -calc a-mean(b,axis=0) file:///"+dir+"/calc.job a=a.b2nd b=a.npy calc.b2nd")
	e, err := compute.Calc(t.Context(), "a-mean(a,axis=0)", map[string]ndarray.Source{"a": a}, nil)
	ok(t, err)
	same(t, dir, "calc.b2nd", e, ndarray.CopyOptions{})

	must(t, dir, "-reduce mean,max -axis 0 reduce.job a.npy reduced.b2z")

	link := "file:///" + dir + "/buckets/"
	must(t, dir, "-size 24K -chunks 300,20 "+link+"b.job a.b2nd "+link+"b.b2nd")
	bucket := storage.BucketFS(t.Context(), storage.FSBucket(storage.OS(), filepath.Join(dir, "buckets")))
	u, err := ndarray.Open("b.b2nd", &ndarray.OpenOptions{FS: bucket})
	ok(t, err)
	defer u.Close()
	same(t, dir, "out.b2nd", u, ndarray.CopyOptions{})
}

func TestMistakes(t *testing.T) {
	dir := newDir(t, ndarray.Shape{30, 20}, ndarray.Shape{10, 20})
	must(t, dir, "job a.b2nd out.b2nd")
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"":                               {2, "usage: cairn-beam"},
		"job a.b2nd":                     {2, "usage: cairn-beam"},
		"-runners flink job":             {2, "not defined: -runners"},
		"none":                           {1, "cairn-beam: none: open job: "},
		"job a.b2nd other.b2nd":          {1, "there is another one"},
		"-chunks 5,5 j2 a.b2nd out.b2nd": {1, "create out.b2nd: file already exists"},
		"j3 none.b2nd x.b2nd":            {1, "none.b2nd"},
		"-calc a+ j4 a=a.b2nd x.b2nd":    {1, "cairn-beam: "},
		"-runner spoon job":              {1, "spoon"},
	} {
		code, _, said := invoke(t, dir, args)
		if code != want.code || !strings.Contains(said, want.says) || code == 1 && strings.Count(said, "\n") != 1 {
			t.Errorf("cairn-beam %s: exit %d, %s", args, code, said)
		}
	}
}

// TestKilled kills the command, which is runner and worker in one, when some tasks are done: as
// many as chance says, and again when it has gone on.
func TestKilled(t *testing.T) {
	seeds := uint64(8)
	if testing.Short() {
		seeds = 1
	}
	dir := newDir(t, ndarray.Shape{1600, 500}, ndarray.Shape{4, 500})
	for seed := range seeds {
		rand, name, started := rand.New(rand.NewPCG(seed, 1)), strconv.FormatUint(seed, 10), 0
		args := "-codec zstd -level 9 -size 8K " + name + " a.b2nd " + name + ".b2nd"
		for done := 0; done < 300; { // of 400 tasks
			status := killed(t, dir, args, name, int64(done+rand.IntN(50)))
			if !status.Sealed && status.Done > int64(done) {
				started++
			}
			args, done = name, max(done+1, int(status.Done))
		}
		if started == 0 {
			t.Errorf("seed %d: the command was not killed while it worked", seed)
		}
		must(t, dir, name)
		same(t, dir, name+".b2nd", open(t, dir, "a.b2nd"), ndarray.CopyOptions{Codec: codecs.Zstd, Level: 9})
	}
}

// killed starts the command, kills it by SIGKILL when more than enough tasks of the job are done,
// and returns what the job says then.
func killed(t *testing.T, dir, args, name string, enough int64) job.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := process(ctx, t, dir, args)
	ok(t, c.Start())
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	defer func() { <-ended }()
	defer cancel()
	for over := false; ; {
		select {
		case <-ended:
			over = true
		case <-time.After(time.Millisecond):
		}
		j, err := job.Open(t.Context(), storage.FSBucket(storage.OS(), filepath.Join(dir, name)), "", nil)
		if err != nil && !over {
			continue // there is no plan yet
		}
		ok(t, err)
		status, err := j.Status(t.Context())
		ok(t, err)
		if over && !status.Sealed {
			t.Fatalf("cairn-beam %s: ended before it was killed: %v", args, c.ProcessState)
		}
		if over || status.Done > enough {
			return status
		}
	}
}

// TestOtherRunner submits a pipeline to a job server.
func TestOtherRunner(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	ok(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	ok(t, l.Close())
	_, err = prism.CreateJobServer(t.Context(), prism.Options{Port: port})
	ok(t, err)
	dir := newDir(t, ndarray.Shape{300, 200}, ndarray.Shape{10, 200})
	must(t, dir, "-runner universal -environment_type LOOPBACK -endpoint localhost:"+strconv.Itoa(port)+
		" -chunks 300,20 job a.b2nd out.b2nd")
	same(t, dir, "out.b2nd", open(t, dir, "a.b2nd"), ndarray.CopyOptions{ChunkShape: ndarray.Shape{300, 20}})
}

// TestDocument builds the program in docs/beam.md and, unless tests are short, runs it.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/beam.md")
	ok(t, err)
	_, program, _ := strings.Cut(string(page), "```go\n")
	program, _, _ = strings.Cut(program, "```")
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	ok(t, os.WriteFile(source, []byte(program), 0o600))
	args := []string{"vet", source}
	if !testing.Short() {
		args = []string{"build", "-o", filepath.Join(dir, "program"), source}
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if testing.Short() {
		return
	}
	cold, err := ndarray.FromFunc(t.Context(), filepath.Join(dir, "t2m.b2nd"), ndarray.Shape{8760, 16, 16},
		func([]int64) float32 { return 272 }, nil)
	ok(t, err)
	ok(t, cold.Close())
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "program"))
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "celsius.b2nd: frost in 2242560 items") {
		t.Errorf("%v: %s", err, out)
	}
}
