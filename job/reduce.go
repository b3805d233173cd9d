package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Leaf is one of several results of a Reduce.
type Leaf struct {
	Key        string `json:"key"` // in the store
	Expression string `json:"expression"`
	Outline
}

// A Form has what merging needs to know about an input, so that Seal need not open it.
type Form struct {
	Shape   ndarray.Shape `json:"shape"`
	DType   string        `json:"dtype"`
	Chunks  ndarray.Shape `json:"chunks,omitempty"`
	Blocks  ndarray.Shape `json:"blocks,omitempty"`
	Dims    []string      `json:"dims,omitempty"`
	Foreign bool          `json:"foreign,omitempty"` // no array of Blosc2
}

// formOf returns the form of a source.
func formOf(src ndarray.Source) (*Form, error) {
	f := &Form{Shape: src.Shape(), DType: src.DType().String()}
	f.Chunks, f.Blocks = src.Grid()
	_, ours := src.(*ndarray.Untyped)
	f.Foreign = !ours

	if labelled, ok := src.(ndarray.Labelled); ok {
		labels, err := labelled.Labels()
		if err != nil {
			return nil, err
		}
		f.Dims = labels.Dims
	}
	return f, nil
}

// source returns a source of this form, without items.
func (f *Form) source() (ndarray.Source, error) {
	d, err := meta.ParseDType(f.DType)
	if err != nil {
		return nil, err
	}

	if f.Foreign {
		return itemless{f, d}, nil
	}

	u, err := ndarray.NewUntyped(f.DType, f.Shape, &ndarray.Options{ChunkShape: f.Chunks, BlockShape: f.Blocks})
	if err == nil && f.Dims != nil {
		err = u.SetLabels(ndarray.Labels{Dims: f.Dims})
	}
	return u, err
}

// An itemless source has no items.
type itemless struct {
	form  *Form
	dtype meta.DType
}

func (s itemless) Shape() ndarray.Shape                 { return slices.Clone(s.form.Shape) }
func (s itemless) DType() meta.DType                    { return s.dtype }
func (s itemless) Grid() (chunks, blocks ndarray.Shape) { return s.form.Chunks, s.form.Blocks }
func (s itemless) Labels() (ndarray.Labels, error)      { return ndarray.Labels{Dims: s.form.Dims}, nil }
func (s itemless) ReadBytes(context.Context, []byte, []int64, []int64) error {
	return fmt.Errorf("a job of reductions takes no items to plan by, such as weights from files of other formats; "+
		"copy them to Blosc2, or compute with calc: %w", cairn.ErrUnsupported)
}

// byName returns the inputs by the names that expressions use.
func (p *Plan) byName(each []ndarray.Source) map[string]ndarray.Source {
	named := map[string]ndarray.Source{}
	for i, src := range each {
		named[p.Inputs[i].Name] = src
	}
	return named
}

// division divides the reductions of inputs.
func (p *Plan) division(ctx context.Context, each []ndarray.Source, memory int64) (*compute.Division, error) {
	texts := []string{p.Expression}
	if len(p.Leaves) > 0 {
		texts = nil
		for _, l := range p.Leaves {
			texts = append(texts, l.Expression)
		}
	}
	return compute.Divide(ctx, texts, p.byName(each), &compute.CalcOptions{Workers: p.Workers, Memory: memory,
		By: p.by(), Coordinate: noCoordinates})
}

// formDivision divides the reductions of the forms of inputs.
func (p *Plan) formDivision(ctx context.Context) (*compute.Division, error) {
	var each []ndarray.Source
	for i, in := range p.Inputs {
		src, err := in.Form.source()
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		each = append(each, src)
	}
	return p.division(ctx, each, p.Memory)
}

// reduce plans a reduction.
func (p *Plan) reduce(ctx context.Context, in *inputs, o *Options) (err error) {
	p.Kind = Reduce
	p.Memory = parallel.Memory(o.Memory)
	p.Reads = 1

	for i, src := range in.each {
		if p.Inputs[i].Form, err = formOf(src); err != nil {
			return err
		}
	}

	d := in.division
	known, err := p.formDivision(ctx)
	if err != nil {
		return err
	}
	if !known.Same(d) {
		return fmt.Errorf("an input is divided in another way than its shape and grid say: %w", cairn.ErrUnsupported)
	}

	if err := p.groupPieces(d, o); err != nil {
		return err
	}

	for i, e := range d.Results() {
		to := &p.Output.Outline
		if len(p.Leaves) > 0 {
			to = &p.Leaves[i].Outline
		}

		copied, err := ndarray.PlanCopy(e, o.copyOptions(p.Workers, p.Memory))
		if err != nil {
			return err
		}

		if err = outline(ctx, copied, to); err != nil {
			return err
		}
	}
	return nil
}

// groupPieces decides how many pieces are a task. If the accumulators of some pieces had more bytes
// than their items, tasks make whole parts of the results.
func (p *Plan) groupPieces(d *compute.Division, o *Options) error {
	pieces := d.Pieces()
	each := max(1, d.Bytes()/max(1, pieces))
	p.Together = max(1, min(pieces, cmp.Or(o.TaskBytes, p.Memory/8)/each))

	if first := min(p.Together, pieces-1); d.Size(first, min(pieces, first+p.Together)) > p.Together*each {
		p.Together = (p.Together + d.Whole() - 1) / d.Whole() * d.Whole()
	}
	p.Tasks = (pieces + p.Together - 1) / p.Together

	for task := range min(p.Tasks, 2) {
		if need := 3 * d.Size(p.pieces(d, task)); need > p.Memory/2 || need > math.MaxInt32 {
			return fmt.Errorf("the accumulators of a task need %d bytes: %w: Memory is %d; %d would do", need, cairn.ErrLimit,
				p.Memory, 2*need)
		}
	}
	return nil
}

// pieces returns the range of the pieces of a task.
func (p *Plan) pieces(d *compute.Division, task int64) (from, to int64) {
	return task * p.Together, min((task+1)*p.Together, d.Pieces())
}

// checkPieces compares the number of pieces with the plan.
func (p *Plan) checkPieces(d *compute.Division) error {
	if n := d.Pieces(); p.Tasks != n/p.Together+min(1, n%p.Together) {
		return cairn.Corruptf(layer, -1, "the plan has %d tasks of %d pieces for %d pieces", p.Tasks, p.Together, n)
	}
	return nil
}

// checkReduction returns an error for a reduction that contradicts itself.
func (p *Plan) checkReduction(limits *cairn.Limits) error {
	if len(p.Box) > 0 || p.Together < 1 || p.Tasks < 0 || p.Tasks > maxTasks {
		return fmt.Errorf("boxes of %v, and %d tasks of %d pieces", p.Box, p.Tasks, p.Together)
	}

	for i, in := range p.Inputs {
		if in.Form == nil {
			return fmt.Errorf("input %d of a reduction has no form", i)
		}
	}

	if len(p.Leaves) == 0 {
		return p.checkTemplate(&p.Output.Outline, limits)
	}

	keys := map[string]bool{}
	for _, l := range p.Leaves {
		if l.Key == "" || l.Expression == "" || keys[l.Key] {
			return fmt.Errorf("a leaf has key %q and expression %q", l.Key, l.Expression)
		}
		keys[l.Key] = true
		if err := p.checkTemplate(&l.Outline, limits); err != nil {
			return fmt.Errorf("leaf %s: %w", l.Key, err)
		}
	}
	return nil
}

// merge returns the results of the accumulators in parts, in memory.
func (j *Job) merge(ctx context.Context, o *SealOptions, parts []partKey) ([]*ndarray.Untyped, error) {
	d, err := j.plan.formDivision(ctx)
	if err != nil {
		return nil, err
	}

	if err = j.plan.checkPieces(d); err != nil {
		return nil, err
	}

	most := func(task int64) int64 { return partHeader + entrySize + d.Size(j.plan.pieces(d, task)) }
	results, err := d.Merge(ctx, func(yield func([]byte, error) bool) {
		enough := errors.New("enough")
		err := j.each(ctx, o, parts, most, nil, func(chunks []numbered) error {
			for _, c := range chunks {
				if c.object == 0 && !yield(c.encoded, nil) {
					return enough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(nil, err)
		}
	})
	if err != nil {
		return nil, err
	}

	var made []*ndarray.Untyped
	for i, e := range results {
		outline := &j.plan.Output.Outline
		if len(j.plan.Leaves) > 0 {
			outline = &j.plan.Leaves[i].Outline
		}
		u, err := j.encode(ctx, outline, e)
		if err != nil {
			return nil, err
		}
		made = append(made, u)
	}
	return made, nil
}

// encodeBytes is about how many bytes of a result are encoded at a time.
const encodeBytes = 16 << 20

// encode writes a result to an array in memory that is like an outline.
func (j *Job) encode(ctx context.Context, like *Outline, e ndarray.Source) (*ndarray.Untyped, error) {
	u, err := j.plan.template(like, j.limits, ndarray.ReadWrite)
	if err != nil {
		return nil, err
	}

	if !slices.Equal(u.Shape(), e.Shape()) || u.DType().String() != e.DType().String() {
		return nil, cairn.Corruptf(layer, -1, "a result has shape %v and dtype %s, the plan says %v and %s", e.Shape(),
			e.DType(), u.Shape(), u.DType())
	}

	shape := e.Shape()
	size := int64(e.DType().Size())
	chunks := slices.Clone(like.Chunks)
	for i := range chunks {
		chunks[i] = max(1, chunks[i])
	}

	start := make([]int64, len(shape))
	for b := range slab.Walk(start, shape, slab.Chunked(shape, chunks, size, encodeBytes)) {
		raw := fresh.Make[byte](b.Items() * size)
		if err = e.ReadBytes(ctx, raw, b.Start, b.Stop); err != nil {
			return nil, err
		}

		if err = u.WriteBox(ctx, raw, b.Start, b.Stop); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// chunksOf calls do with the chunks of a frame that are not as in the template.
func chunksOf(f *frame.Frame, do func(chunks []numbered) error) error {
	for number := range int64(f.NumChunks()) {
		c, _, err := chunkOf(f, number)
		if err == nil && c.bytes > 0 {
			err = do([]numbered{c})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
