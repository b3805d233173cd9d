// Command plans compares plans of rechunking jobs with those of rechunker and Cubed: how many bytes
// they read and write, as multiples of the array, with the same memory of a worker. It runs their
// code by an interpreter that has both packages, and moves no items.
//
//	go run ./plans -python PYTHON -memory 1GiB
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// A question is a change of chunks. Its JSON form is what plans.py reads.
type question struct {
	Name     string        `json:"-"`
	Shape    ndarray.Shape `json:"shape"`
	From     ndarray.Shape `json:"from"`
	To       ndarray.Shape `json:"to"`
	ItemSize int64         `json:"itemsize"`
	Memory   int64         `json:"memory"`
	Via      ndarray.Shape `json:"-"` // chunks of an array between two jobs
}

var questions = []question{
	{Name: "hourly year, maps to series", Shape: ndarray.Shape{8760, 721, 1440}, From: ndarray.Shape{1, 721, 1440}, To: ndarray.Shape{8760, 8, 8}, ItemSize: 4, Via: ndarray.Shape{120, 40, 80}},
	{Name: "hourly year, days to tiles", Shape: ndarray.Shape{8760, 721, 1440}, From: ndarray.Shape{24, 721, 1440}, To: ndarray.Shape{720, 64, 64}, ItemSize: 4},
	{Name: "40 years, maps to series", Shape: ndarray.Shape{350640, 721, 1440}, From: ndarray.Shape{31, 721, 1440}, To: ndarray.Shape{350640, 10, 10}, ItemSize: 4, Via: ndarray.Shape{1240, 20, 20}},
	{Name: "matrix, rows to columns", Shape: ndarray.Shape{100000, 100000}, From: ndarray.Shape{100, 100000}, To: ndarray.Shape{100000, 100}, ItemSize: 8, Via: ndarray.Shape{1000, 200}},
	{Name: "matrix, tiles to tiles", Shape: ndarray.Shape{100000, 100000}, From: ndarray.Shape{1000, 1000}, To: ndarray.Shape{700, 1500}, ItemSize: 8},
	{Name: "images to blocks", Shape: ndarray.Shape{2000, 2048, 2048}, From: ndarray.Shape{1, 2048, 2048}, To: ndarray.Shape{64, 256, 256}, ItemSize: 2},
	{Name: "volume, cubes to slices", Shape: ndarray.Shape{2048, 2048, 2048}, From: ndarray.Shape{64, 64, 64}, To: ndarray.Shape{2048, 2048, 1}, ItemSize: 1, Via: ndarray.Shape{512, 512, 16}},
	{Name: "satellite, scenes to series", Shape: ndarray.Shape{500, 10980, 10980}, From: ndarray.Shape{1, 1024, 1024}, To: ndarray.Shape{500, 64, 64}, ItemSize: 2},
	{Name: "ocean, levels to columns", Shape: ndarray.Shape{1000, 50, 1000, 2000}, From: ndarray.Shape{1, 1, 1000, 2000}, To: ndarray.Shape{1000, 50, 20, 20}, ItemSize: 4, Via: ndarray.Shape{10, 10, 40, 80}},
	{Name: "microscope, planes to cubes", Shape: ndarray.Shape{10, 3, 100, 2048, 2048}, From: ndarray.Shape{1, 1, 1, 2048, 2048}, To: ndarray.Shape{1, 1, 50, 256, 256}, ItemSize: 2},
}

var dtypes = map[int64]string{1: "|u1", 2: "<u2", 4: "<f4", 8: "<f8"}

//go:embed plans.py
var script string

func main() {
	python := flag.String("python", "python3", "interpreter with rechunker and cubed")
	mib := flag.Int64("memory", 1024, "MiB that a worker may need")
	flag.Parse()
	if err := run(context.Background(), *python, *mib<<20); err != nil {
		fmt.Fprintln(os.Stderr, "plans:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, python string, memory int64) error {
	cmd := exec.CommandContext(ctx, python, "-c", script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	answers := bufio.NewScanner(out)
	fmt.Println("| array | chunks | reads | memory, MiB | memory for 1.5 reads | two jobs by way of | reads | whole chunks: reads | " +
		"rechunker: reads | writes | box, MiB | Cubed: reads | writes | box, MiB |")
	fmt.Println("|---|---|---:|---:|---:|---|" + strings.Repeat("---:|", 8))
	for _, q := range questions {
		q.Memory = memory
		text, err := json.Marshal(q)
		if err == nil {
			_, err = in.Write(append(text, '\n'))
		}
		if err != nil {
			return err
		}
		if !answers.Scan() {
			return errors.Join(errors.New("no answer of plans.py"), answers.Err())
		}
		if err := q.row(ctx, answers.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	return errors.Join(in.Close(), cmd.Wait())
}

// row prints the plans of one array.
func (q *question) row(ctx context.Context, answer []byte) error {
	fmt.Printf("| %s, %s of %d | %s to %s ", q.Name, dims(q.Shape), q.ItemSize, dims(q.From), dims(q.To))
	p, more, err := q.plan(ctx, nil, 1e9)
	if err != nil {
		return err
	}
	if p == nil {
		fmt.Printf("| needs %d MiB | ", more>>20)
	} else {
		fmt.Printf("| %.2f | %d ", p.Reads, p.Memory>>20)
	}
	if _, more, err = q.plan(ctx, nil, 1.5); err != nil {
		return err
	}
	fmt.Printf("| %s ", orNone(more>>20))
	if err := q.twice(ctx); err != nil {
		return err
	}
	if p, more, err = q.plan(ctx, q.From, 1e9); err != nil {
		return err
	}
	if p == nil {
		fmt.Printf("| needs %d MiB ", more>>20)
	} else {
		fmt.Printf("| %.2f ", p.Reads)
	}
	var others map[string]plan
	if err := json.Unmarshal(answer, &others); err != nil {
		return err
	}
	for _, name := range []string{"rechunker", "cubed"} {
		fmt.Print(others[name].cells(q))
	}
	fmt.Println("|")
	return nil
}

func orNone(n int64) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// twice prints the reads of two jobs, by way of other chunks.
func (q *question) twice(ctx context.Context) error {
	if q.Via == nil {
		fmt.Print("| | ")
		return nil
	}
	first, second := *q, *q
	first.To, second.From = q.Via, q.Via
	p, _, err := first.plan(ctx, nil, 1e9)
	if err != nil {
		return err
	}
	p2, more, err := second.plan(ctx, nil, 1e9)
	switch {
	case err != nil:
		return err
	case p == nil || p2 == nil:
		fmt.Printf("| %s | needs %d MiB ", dims(q.Via), more>>20)
	default:
		fmt.Printf("| %s | %.2f + %.2f ", dims(q.Via), p.Reads, p2.Reads)
	}
	return nil
}

func dims(s ndarray.Shape) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s), " ", "×"), "[]")
}

// plan plans a job, for an array with the given blocks, or those that cairn chooses. If it needs
// more memory, plan returns how much, or 0 if none would do.
func (q *question) plan(ctx context.Context, blocks ndarray.Shape, reads float64) (*job.Plan, int64, error) {
	fsys := storage.NewMemory()
	u, err := ndarray.CreateUntyped("in", dtypes[q.ItemSize], q.Shape, &ndarray.Options{ChunkShape: q.From, BlockShape: blocks, FS: fsys})
	if err == nil {
		err = u.Close()
	}
	if err != nil {
		return nil, 0, err
	}
	p, err := job.New(ctx, job.Arrays(fsys), &job.Options{Inputs: []job.Input{{Path: "in"}}, Output: "out",
		ChunkShape: q.To, Workers: 1, Memory: q.Memory, MaxReads: reads})
	if !errors.Is(err, cairn.ErrLimit) {
		return p, q.Memory, err
	}
	var more int64
	text := err.Error()
	// No memory would do if boxes of 2 GiB, the largest ones, are too small.
	_, _ = fmt.Sscanf(text[strings.LastIndex(text, ";")+1:], "%d would do", &more)
	return nil, more, nil
}

// A plan is a list of copies that read boxes and write them to a store with chunks.
type plan struct {
	Copies [][2]ndarray.Shape `json:"copies"` // shapes of boxes and of chunks
	Error  string             `json:"error"`
}

// cells returns the columns of a plan: the bytes that it reads and writes, as multiples of the
// array, and its largest box.
func (p plan) cells(q *question) string {
	if p.Error != "" {
		return "| refused | | "
	}
	reads, box, from := 0.0, int64(0), q.From
	for _, c := range p.Copies {
		times, bytes := 1.0, q.ItemSize
		for i, n := range q.Shape {
			times *= touched(n, c[0][i], from[i]) / float64(n)
			bytes *= c[0][i]
		}
		reads, box, from = reads+times, max(box, bytes), c[1]
	}
	return fmt.Sprintf("| %.2f | %d | %d ", reads, len(p.Copies), box>>20)
}

// touched returns the extent of all chunks that boxes touch along an axis; a chunk counts for each
// box.
func touched(n, box, chunk int64) (sum float64) {
	for start := int64(0); start < n; start += box {
		stop := min(n, start+box)
		sum += float64(min(n, (stop+chunk-1)/chunk*chunk) - start/chunk*chunk)
	}
	return sum
}
