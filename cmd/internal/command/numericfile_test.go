package command

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve"
	"github.com/cairn-go/cairn/storage"
)

// A numericFile is the file a.b2nd with the codec numeric, and what must be in it.
type numericFile struct {
	*testing.T
	random *rand.Rand
	rows   int // planes of numericRow items
	model  []float32
}

const (
	numericY   = 30
	numericX   = 40
	numericRow = numericY * numericX
)

// value returns an item: decimals, noise, constants and NaN, in turns.
func (f *numericFile) value(i int) float32 {
	switch i / 3000 % 4 {
	case 0:
		return float32(math.Round(1000*math.Sin(float64(i)/500)) / 100)
	case 1:
		return f.random.Float32()
	case 2:
		return 7
	}
	if f.random.IntN(9) == 0 {
		return float32(math.NaN())
	}
	return float32(i % 3000)
}

func (f *numericFile) values(n int) []float32 {
	items := make([]float32, n)
	for i := range items {
		items[i] = f.value(i)
	}
	return items
}

// bytesOf returns items as files have them.
func bytesOf(items []float32) []byte {
	var b []byte
	for _, v := range items {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// box returns a random box, and its items in the model.
func (f *numericFile) box() (start, stop []int64, at []int) {
	for _, n := range []int{f.rows, numericY, numericX} {
		from := f.random.IntN(n)
		start = append(start, int64(from))
		stop = append(stop, int64(from+1+f.random.IntN(n-from)))
	}
	for i := start[0]; i < stop[0]; i++ {
		for j := start[1]; j < stop[1]; j++ {
			for k := start[2]; k < stop[2]; k++ {
				at = append(at, int((i*numericY+j)*numericX+k))
			}
		}
	}
	return start, stop, at
}

// same fails if an array of any format has other items than the model.
func (f *numericFile) same(name string) {
	f.Helper()
	const out = "out.raw"
	cairnOK(f, "export", "-q", "-force", name, out)
	if !bytes.Equal(readFile(f, out), bytesOf(f.model)) {
		f.Errorf("%s has other items", name)
	}
}

// TestNumericFile takes a file with the codec numeric through import, reads and writes of boxes,
// appends, crashes, verification, repair, the server and jobs.
func TestNumericFile(t *testing.T) {
	t.Chdir(t.TempDir())
	f := &numericFile{T: t, random: rand.New(rand.NewPCG(171, 1)), rows: 30}
	f.model = f.values(f.rows * numericRow)
	writeFile(t, "in.raw", bytesOf(f.model))
	cairnOK(t, "import", "-codec", "numeric", "-dtype", "<f4", "-shape", "30,30,40", "-chunks", "8,30,20", "-blocks", "4,15,20",
		"in.raw", "a.b2nd")
	if info := cairnOK(t, "info", "a.b2nd"); !strings.Contains(info, "numeric, level 5") {
		t.Errorf("it is\n%s", info)
	}
	f.same("a.b2nd")

	f.writeBoxes()
	more := f.values(5 * numericRow)
	writeFile(t, "more.raw", bytesOf(more))
	cairnOK(t, "import", "-dtype", "<f4", "-shape", "5,30,40", "more.raw", "more.b2nd")
	cairnOK(t, "append", "-q", "a.b2nd", "more.b2nd")
	f.rows += 5
	f.model = append(f.model, more...)
	f.same("a.b2nd")
	cairnOK(t, "verify", "a.b2nd")

	f.crash()
	f.repair()
	f.serve()
	f.work()
}

// writeBoxes writes and reads random boxes.
func (f *numericFile) writeBoxes() {
	ctx := f.Context()
	a, err := ndarray.OpenAs[float32]("a.b2nd", &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if err != nil {
		f.Fatal(err)
	}
	defer a.Close()
	for i := range 30 {
		start, stop, at := f.box()
		items := make([]float32, len(at))
		if i%3 == 0 {
			for n, k := range at {
				items[n] = f.value(k + i)
				f.model[k] = items[n]
			}
			if err := a.WriteBox(ctx, items, start, stop); err != nil {
				f.Fatal(err)
			}
		}
		if err := a.ReadBox(ctx, items, start, stop); err != nil {
			f.Fatal(err)
		}
		for n, k := range at {
			if math.Float32bits(items[n]) != math.Float32bits(f.model[k]) {
				f.Fatalf("box %v to %v: item %d is %v, want %v", start, stop, n, items[n], f.model[k])
			}
		}
	}
	if err := a.Commit(ctx); err != nil {
		f.Fatal(err)
	}
}

// crash changes the file on a storage that crashes at every operation, in every way.
func (f *numericFile) crash() {
	ctx := f.Context()
	memory := storage.NewMemory()
	file, err := memory.Create("a.b2nd")
	if err == nil {
		_, err = file.WriteAt(readFile(f, "a.b2nd"), 0)
	}
	if err != nil {
		f.Fatal(err)
	}
	r, durable, err := storagetest.Resume(memory)
	if err != nil {
		f.Fatal(err)
	}
	a, err := ndarray.OpenAs[float32]("a.b2nd", &ndarray.OpenOptions{Mode: ndarray.ReadWrite, FS: r})
	if err != nil {
		f.Fatal(err)
	}
	changed := bytesOf(f.model)
	items := f.values(3 * 20 * 30)
	for i := range 3 {
		for j := range 20 {
			copy(changed[4*((i+6)*numericRow+(j+5)*numericX+7):], bytesOf(items[(i*20+j)*30:][:30]))
		}
	}
	more := f.values(2 * numericRow)
	changed = append(changed, bytesOf(more)...)
	if err := a.WriteBox(ctx, items, []int64{6, 5, 7}, []int64{9, 25, 37}); err != nil {
		f.Fatal(err)
	}
	if err := a.Append(ctx, 0, more); err != nil {
		f.Fatal(err)
	}
	if err := a.Close(); err != nil {
		f.Fatal(err)
	}

	f.states(r, durable, changed)
}

// states opens what crashes leave of a change whose log a recorder has.
func (f *numericFile) states(r *storagetest.Recorder, durable int, changed []byte) {
	log := storagetest.NewLog(r.Ops())
	before, after := 0, 0
	sweep := storagetest.Sweep{Seed: 171, Subsets: 4, Samples: 3, Bytes: 64, Durable: durable}
	if testing.Short() {
		sweep.Subsets = 1
		sweep.Samples = 1
	}
	for c := range log.Crashes(sweep, durable, r.Len()) {
		image := log.Image(c)
		u, err := ndarray.Open("a.b2nd", &ndarray.OpenOptions{FS: image})
		if err != nil {
			f.Fatalf("%v: %v", c, err)
		}
		got, err := u.Read(f.Context())
		switch {
		case err != nil:
			f.Fatalf("%v: %v", c, err)
		case bytes.Equal(got, bytesOf(f.model)):
			before++
		case bytes.Equal(got, changed):
			after++
		default:
			f.Fatalf("%v: neither the items before nor those after", c)
		}
		if err := u.Close(); err != nil {
			f.Fatal(err)
		}
		if _, err := ndarray.Verify(f.Context(), "a.b2nd", &ndarray.OpenOptions{FS: image}); err != nil {
			f.Fatalf("%v: %v", c, err)
		}
	}
	f.Logf("%d states before, %d after the commit", before, after)
	if before < 20 || after < 1 {
		f.Error("they are too few")
	}
}

// repair damages a chunk, and saves the others.
func (f *numericFile) repair() {
	cairnOK(f, "copy", "-q", "a.b2nd", "bad.b2nd")
	raw := readFile(f, "bad.b2nd")
	raw[len(raw)/2] ^= 0x55
	writeFile(f, "bad.b2nd", raw)
	if r := cairnWith(f.Context(), nil, "verify", "bad.b2nd"); r.code == exitOK {
		f.Error("damage was not found")
	}
	if r := cairnWith(f.Context(), nil, "repair", "bad.b2nd", "good.b2nd"); r.code == exitOK {
		f.Errorf("nothing was lost: %s", r.stdout)
	}
	cairnOK(f, "verify", "good.b2nd")
	cairnOK(f, "export", "-q", "-force", "good.b2nd", "out.raw")
	got := readFile(f, "out.raw")
	lost := 0
	for i, v := range f.model {
		if binary.LittleEndian.Uint32(got[4*i:]) != math.Float32bits(v) {
			lost++
		}
	}
	if lost == 0 || lost > 8*30*20 {
		f.Errorf("%d items of a chunk are lost", lost)
	}
}

// serve reads the file from the server: slices, as Zarr, and as the file that it is.
func (f *numericFile) serve() {
	h, err := serve.New([]serve.Root{{Path: "a.b2nd"}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	defer h.Close()
	server := httptest.NewServer(h)
	defer server.Close()
	f.same(server.URL + "/files/a.b2nd")
	f.same(server.URL + "/zarr/a.b2nd/")

	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/v1/slice/a.b2nd?s=3:9,5,::2", nil))
	var want []float32
	for i := 3; i < 9; i++ {
		for k := 0; k < numericX; k += 2 {
			want = append(want, f.model[i*numericRow+5*numericX+k])
		}
	}
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), bytesOf(want)) {
		f.Errorf("a slice from the server: status %d, %d bytes", w.Code, w.Body.Len())
	}
}

// work has jobs read the file, and write another with the codec.
func (f *numericFile) work() {
	folder, err := os.Getwd()
	if err != nil {
		f.Fatal(err)
	}
	cairnOK(f, "job", "plan", "-q", "-codec", "numeric", "-chunks", "35,6,40", "-size", "20K", folder+"/job", "a.b2nd", "copied.b2nd")
	cairnOK(f, "job", "work", "-q", "-shard", "1/2", folder+"/job")
	cairnOK(f, "job", "work", "-q", folder+"/job")
	cairnOK(f, "job", "seal", "-q", folder+"/job")
	if info := cairnOK(f, "info", "copied.b2nd"); !strings.Contains(info, "numeric, level 5") ||
		!strings.Contains(info, "35 × 6 × 40") {
		f.Errorf("the job made\n%s", info)
	}
	f.same("copied.b2nd")
	cairnOK(f, "verify", "copied.b2nd")
}
