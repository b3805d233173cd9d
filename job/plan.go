package job

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// A Kind says what a job makes of its inputs.
type Kind string

// The kinds.
const (
	Copy   Kind = "copy"   // a copy of one array, possibly with other chunks or another encoding
	Calc   Kind = "calc"   // the result of an expression, as of compute.Calc
	Concat Kind = "concat" // arrays joined along an axis
	// Reduce is the result of expressions all of whose items come from reductions, such as
	// mean(x, axis=0). Tasks compute accumulators, which Seal merges; see compute.Divide.
	Reduce Kind = "reduce"
)

// An Input is an array that a job reads.
type Input struct {
	Name string `json:"name,omitempty"` // in the expression
	Path string `json:"path"`           // as the Opener understands it
	// Identity is a hash of what tells this array from others: shape, dtype, chunks, numbers of the
	// last commit, and some of the items. Workers refuse inputs with another one.
	Identity string `json:"identity"`
	Form     *Form  `json:"form,omitempty"` // of Reduce
}

// A Plan says what is to be done, cut into tasks that can be done anywhere, in any order, and more
// than once. Its JSON form is docs/format/job.md; [Parse] reads it. A Plan must not be changed.
type Plan struct {
	Format     string  `json:"format"`
	ID         string  `json:"id"` // hash of everything else
	Nonce      string  `json:"nonce"`
	Kind       Kind    `json:"kind"`
	Inputs     []Input `json:"inputs"`
	Expression string  `json:"expression,omitempty"` // of Calc and Reduce
	Raw        bool    `json:"raw,omitempty"`        // of Calc and Reduce: of items as stored
	Groups     []Named `json:"groups,omitempty"`     // of Calc and Reduce
	Axis       int     `json:"axis,omitempty"`       // of Concat
	Output     Output  `json:"output"`
	Leaves     []Leaf  `json:"leaves,omitempty"` // of Reduce, if Output is the path of a store

	// items per dimension of a box, which is read and written at once; nil for Reduce
	Box      ndarray.Shape `json:"box,omitempty"`
	Together int64         `json:"together"` // boxes of a task, or pieces for Reduce
	Tasks    int64         `json:"tasks"`
	// TakeOver says that chunks are copied as they are stored, without decoding them.
	TakeOver bool `json:"take_over,omitempty"`

	Workers int     `json:"workers"` // goroutines of a process
	Memory  int64   `json:"memory"`  // bytes that a process needs at most
	Reads   float64 `json:"reads"`   // how many times the average block of the input is decoded

	selected []string
	find     groupFinder // while the plan is made
}

// Selected returns the names of the dimensions that selections in the expression cut, as
// [compute.Expression] tells them. Only a plan from [New] knows them.
func (p *Plan) Selected() []string { return slices.Clone(p.selected) }

// An Output is the array that a job makes, or a store of arrays.
type Output struct {
	Path   string `json:"path"`
	Sparse bool   `json:"sparse,omitempty"` // a directory with a file per chunk
	Outline
}

// An Outline says what an array is like. That of a store is empty.
type Outline struct {
	Shape  ndarray.Shape `json:"shape"`
	DType  string        `json:"dtype"`
	Chunks ndarray.Shape `json:"chunks"`
	Blocks ndarray.Shape `json:"blocks"`
	// Template is a contiguous frame: the array with zeros for items. It has the encoding and the
	// metalayers of the output.
	Template []byte `json:"template"`
}

// Options say what a job makes and how. Inputs and Output are necessary.
type Options struct {
	Kind   Kind // by default Copy
	Inputs []Input
	// Expression is that of Calc or Reduce, over the names of the inputs. A Calc of reductions
	// alone becomes a Reduce.
	Expression string
	// Raw takes items as they are stored for Calc and Reduce, instead of the values that they stand
	// for; see netcdf.Unpack.
	Raw bool
	// Leaves are the results of a Reduce of several expressions. Each is a leaf of a new store.
	// Their outlines are ignored.
	Leaves []Leaf
	Axis   int    // of Concat
	Output string // path of the result
	Sparse bool   // a directory with a file per chunk

	// As in [ndarray.CopyOptions].
	ChunkShape, BlockShape ndarray.Shape
	AutoShapes             bool
	Codec                  codecs.Codec
	Level                  int
	Filters                []shuffle.Spec
	Split                  *chunk.SplitMode
	ZarrBlocks             *bool
	Recode                 bool

	Workers int // goroutines of each process; 0 means one per CPU of this machine
	// bytes that each process may need; 0 means 256 MiB, or half of the process's memory limit if
	// that is less
	Memory int64
	// bytes of items that a task writes, at least a box; 0 means an eighth of Memory. Smaller boxes
	// may mean more reading, up to MaxReads
	TaskBytes int64
	// how many times the average block of the input may be decoded; 0 means 1.5
	MaxReads float64

	by groupFinder
}

// FindGroups says how to find groups that the expression names, as [compute.CalcOptions.By] does.
// The plan keeps them. It is no field, as options can be sent to another process.
func (o *Options) FindGroups(by func(context.Context, string, []string, ndarray.Shape) ([]compute.Groups, error)) {
	o.by = by
}

const defaultReads = 1.5

// New plans a job: it opens the inputs, but reads only a few of their items. It fails with
// [cairn.ErrLimit] if the memory is too small for chunks, or for reading the input at most MaxReads
// times; the error says how much would do. Options that make no sense match [cairn.ErrInvalid].
func New(ctx context.Context, open Opener, o *Options) (*Plan, error) {
	o = cmp.Or(o, &Options{})
	if o.Workers < 0 || o.Memory < 0 || o.TaskBytes < 0 || !(o.MaxReads >= 0) {
		return nil, fmt.Errorf("plan a job: Workers is %d, Memory %d, TaskBytes %d and MaxReads %v, must not be negative: %w",
			o.Workers, o.Memory, o.TaskBytes, o.MaxReads, cairn.ErrInvalid)
	}

	p := &Plan{Format: formatName, Nonce: rand.Text(), Kind: cmp.Or(o.Kind, Copy), Inputs: slices.Clone(o.Inputs),
		Expression: o.Expression, Raw: o.Raw, Axis: o.Axis, Output: Output{Path: o.Output, Sparse: o.Sparse},
		Leaves:  slices.Clone(o.Leaves),
		Workers: parallel.Workers(o.Workers), find: o.by}
	if err := p.checkInputs(); err != nil {
		return nil, fmt.Errorf("plan a job: %w", errkind.Invalid(err))
	}

	err := p.with(ctx, open, parallel.Memory(o.Memory), func(in *inputs) error {
		for i, identity := range in.identities {
			p.Inputs[i].Identity = identity
		}
		p.selected = in.selected

		if in.division != nil {
			return p.reduce(ctx, in, o)
		}

		copied, err := p.divide(in.whole, o)
		if err != nil {
			return err
		}
		return outline(ctx, copied, &p.Output.Outline)
	})
	if err != nil {
		return nil, fmt.Errorf("plan a job: %w", err)
	}

	p.find = nil
	p.ID = p.hash()
	if _, err := Parse(p.JSON(), nil); err != nil {
		return nil, fmt.Errorf("plan a job: %w", err)
	}
	return p, nil
}

// divide chooses chunks, boxes and tasks.
func (p *Plan) divide(src ndarray.Source, o *Options) (*ndarray.CopyPlan, error) {
	if d, err := meta.ParseDType(src.DType().String()); err == nil && d.Size() != src.DType().Size() {
		return nil, fmt.Errorf("items of %d bytes with dtype %s: %w", src.DType().Size(), d, cairn.ErrUnsupported)
	}

	most := parallel.Memory(o.Memory)
	maxReads := cmp.Or(o.MaxReads, defaultReads)
	copied, err := p.divideWithin(src, o, most)
	if err != nil || p.Memory <= most && p.Reads <= maxReads {
		return copied, err
	}

	need := p.Memory
	reads := p.Reads
	// Find out how much memory would do, for the error: larger boxes read the input less often.
	for more := max(most, need); more < math.MaxInt64/4; {
		more *= 2
		last := p.Reads
		if _, err := p.divideWithin(src, o, more); err != nil {
			return nil, err
		}
		if p.Memory <= more && p.Reads <= maxReads {
			return nil, fmt.Errorf("a process would need %d bytes and read the input %.2f times: %w: Memory is %d; %d would do",
				need, reads, cairn.ErrLimit, most, more)
		}
		if p.Memory <= more/4 && p.Reads >= last {
			break
		}
	}

	return nil, fmt.Errorf("a process would need %d bytes and read the input %.2f times: %w: Memory is %d, MaxReads %.2f; "+
		"two jobs, by way of chunks in between, may read less",
		need, reads, cairn.ErrLimit, most, maxReads)
}

// divideWithin plans for processes with a memory. A box, the encoded chunks of a task in the array
// where they are made, those that were collected, and a copy of these while they are put, are in
// memory together.
func (p *Plan) divideWithin(src ndarray.Source, o *Options, most int64) (copied *ndarray.CopyPlan, err error) {
	for _, share := range []int64{2, 3, 4, 6} {
		var peak int64
		copied, peak, err = p.planCopy(src, o, most/share)
		if err != nil {
			return nil, err
		}

		_, whole := src.(*ndarray.Untyped)
		p.TakeOver = whole && copied.Method == ndarray.CopyTakeOver
		p.Reads = max(1, copied.Passes)

		taskBytes := cmp.Or(o.TaskBytes, most/8)
		reads := copied.Passes
		if o.TaskBytes > 0 {
			reads = cmp.Or(o.MaxReads, defaultReads)
		}

		if err := p.chooseBox(src, copied, min(taskBytes, most/8), reads); err != nil {
			return nil, err
		}

		boxBytes := p.group(src, copied, taskBytes)
		p.Memory = peak + 3*p.Together*boxBytes
		if copied.Method != ndarray.CopyRechunk {
			p.Memory += 2 * boxBytes
		}

		if p.Memory <= most {
			break
		}
	}
	return copied, nil
}

// planCopy plans the boxes for a memory, and returns how many bytes a process needs to make one. It
// reads only a part of the index of the input, and writes only some entries of that of the output,
// while one process that makes all boxes has both in memory.
func (p *Plan) planCopy(src ndarray.Source, o *Options, memory int64) (copied *ndarray.CopyPlan, peak int64, err error) {
	spared := int64(0)
	for range 2 {
		copied, err = ndarray.PlanCopy(src, o.copyOptions(p.Workers, memory+spared))
		if err != nil {
			return nil, 0, err
		}
		spared = copied.IndexMemory - inputIndex(src)
	}
	return copied, copied.PeakMemory - spared, nil
}

// inputIndex returns how many bytes the index of an input needs at most: each entry as it is
// stored, and decoded.
func inputIndex(src ndarray.Source) int64 {
	const entry = 8
	chunks, _ := src.Grid()
	n := int64(2 * entry)
	for i, extent := range src.Shape() {
		if i < len(chunks) {
			n *= (extent + max(1, chunks[i]) - 1) / max(1, chunks[i])
		}
	}
	return n
}

// chooseBox chooses boxes of about so many bytes, or those of the copy if with smaller ones the
// input would be read more than reads times.
func (p *Plan) chooseBox(src ndarray.Source, copied *ndarray.CopyPlan, bytes int64, reads float64) error {
	shape := src.Shape()
	size := int64(src.DType().Size())

	if copied.Method != ndarray.CopyRechunk {
		p.Box = slab.Chunked(shape, copied.ChunkShape, size, bytes)
		return nil
	}

	chunks, blocks := src.Grid()
	if chunks == nil || blocks == nil {
		chunks = copied.ChunkShape
		blocks = copied.BlockShape
	}

	from, err := grid.New(shape, chunks, blocks, size)
	if err != nil {
		return err
	}
	to, err := grid.New(shape, copied.ChunkShape, copied.BlockShape, size)
	if err != nil {
		return err
	}

	p.Box = copied.BoxShape
	if t := grid.PlanTraverse(from, to, bytes, 1); t.Passes <= reads {
		p.Box = slices.Clone(t.Edge[:len(shape)])
		p.Reads = t.Passes
	}
	return nil
}

// group decides how many boxes are a task, and returns the bytes of a box with its padding.
func (p *Plan) group(src ndarray.Source, copied *ndarray.CopyPlan, taskBytes int64) (boxBytes int64) {
	boxBytes = int64(src.DType().Size())
	boxes := int64(1)
	for i, n := range src.Shape() {
		p.Box[i] = max(1, p.Box[i])
		chunk := max(1, copied.ChunkShape[i])
		boxBytes *= (p.Box[i] + chunk - 1) / chunk * chunk
		boxes *= (n + p.Box[i] - 1) / p.Box[i]
	}

	p.Together = max(1, min(taskBytes/max(1, boxBytes), boxes))
	p.Tasks = (boxes + p.Together - 1) / p.Together
	return boxBytes
}

func (o *Options) copyOptions(workers int, memory int64) *ndarray.CopyOptions {
	return &ndarray.CopyOptions{
		ChunkShape: o.ChunkShape, BlockShape: o.BlockShape, AutoShapes: o.AutoShapes,
		Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split, ZarrBlocks: o.ZarrBlocks, Recode: o.Recode,
		Workers: workers, Memory: memory,
	}
}

// outline describes a copy.
func outline(ctx context.Context, copied *ndarray.CopyPlan, o *Outline) error {
	empty, err := copied.Empty(ctx)
	if err != nil {
		return err
	}
	defer empty.Close()

	o.Shape = empty.Shape()
	o.DType = empty.DType().String()
	o.Chunks, o.Blocks = empty.Grid()
	o.Template, err = empty.Bytes()
	return err
}

// partition returns the geometry of the output.
func (p *Plan) partition() (*grid.Partition, error) {
	d, err := p.dtype()
	if err != nil {
		return nil, err
	}
	return grid.New(p.Output.Shape, p.Output.Chunks, p.Output.Blocks, int64(d.Size()))
}
