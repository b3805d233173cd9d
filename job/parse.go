package job

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// formatName is the value of Plan.Format.
const formatName = "cairn job 1"

// layer is the place that errors about plans and parts name.
const layer = "job"

// Limits of plans.
const (
	maxPlan   = 64 << 20 // bytes of a plan
	maxInputs = 1 << 20  // inputs of a plan
	maxTasks  = 1 << 31  // tasks of a plan
	maxBoxes  = 1 << 42  // boxes of a plan
)

// JSON returns the plan as text.
func (p *Plan) JSON() []byte {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // only floats that are no numbers fail, which Parse and New do not let in
	}
	return append(text, '\n')
}

// hash returns the ID that the plan must have.
func (p *Plan) hash() string {
	anonymous := *p
	anonymous.ID = ""
	sum := sha256.Sum256(anonymous.JSON())
	return hex.EncodeToString(sum[:16])
}

// Parse reads a plan that [Plan.JSON] wrote. It fails with [cairn.ErrCorrupt] for anything else,
// and with [cairn.ErrUnsupported] for plans of other versions. limits bound the template of the
// output; nil means the default ones.
func Parse(text []byte, limits *cairn.Limits) (*Plan, error) {
	if len(text) > maxPlan {
		return nil, fmt.Errorf("a plan of %d bytes: %w: at most %d", len(text), cairn.ErrLimit, maxPlan)
	}

	var version struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, cairn.Corruptf(layer, -1, "the plan is no JSON: %v", err)
	}
	if version.Format != formatName {
		return nil, fmt.Errorf("a plan of format %.40q, not %q: %w", version.Format, formatName, cairn.ErrUnsupported)
	}

	p := &Plan{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, cairn.Corruptf(layer, -1, "the plan: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, cairn.Corruptf(layer, d.InputOffset(), "there is more behind the plan")
	}

	if want := p.hash(); p.ID != want {
		return nil, cairn.Corruptf(layer, -1, "the plan has ID %.40q, its content has %s", p.ID, want)
	}
	if err := p.check(limits); err != nil {
		return nil, cairn.Corruptf(layer, -1, "the plan: %v", err)
	}
	return p, nil
}

// check returns an error for a plan that contradicts itself.
func (p *Plan) check(limits *cairn.Limits) error {
	if len(p.Inputs) > maxInputs {
		return fmt.Errorf("%d inputs, at most %d", len(p.Inputs), maxInputs)
	}
	if err := p.checkInputs(); err != nil {
		return err
	}
	if err := p.checkGroups(); err != nil {
		return err
	}
	if p.Workers < 1 || p.Memory < 0 || !(p.Reads >= 0) {
		return fmt.Errorf("%d workers, %d bytes of memory, %g reads", p.Workers, p.Memory, p.Reads)
	}

	if p.Kind == Reduce {
		return p.checkReduction(limits)
	}

	part, err := p.partition()
	if err != nil {
		return err
	}
	if len(p.Box) != part.Dims {
		return fmt.Errorf("boxes of %d dimensions, the output has %d", len(p.Box), part.Dims)
	}

	// Tasks write whole chunks, so boxes must not cut any.
	boxes := int64(1)
	for i, n := range p.Box {
		extent := part.Shape[i]
		if n < 1 || n < extent && n%max(1, part.Chunk[i]) != 0 {
			return fmt.Errorf("boxes of %v items, which are not whole chunks of %v", p.Box, p.Output.Chunks)
		}
		count := extent / n
		if extent%n > 0 {
			count++
		}
		if count > 0 && boxes > maxBoxes/count {
			return fmt.Errorf("more than %d boxes", int64(maxBoxes))
		}
		boxes *= count
	}

	if p.Together < 1 || p.Tasks < 0 || p.Tasks > maxTasks || p.Tasks != boxes/p.Together+min(1, boxes%p.Together) {
		return fmt.Errorf("%d tasks of %d boxes for %d boxes", p.Tasks, p.Together, boxes)
	}
	return p.checkTemplate(&p.Output.Outline, limits)
}

// checkInputs checks what the kind needs.
func (p *Plan) checkInputs() error {
	switch {
	case !slices.Contains([]Kind{Copy, Calc, Concat, Reduce}, p.Kind):
		return fmt.Errorf("there is no kind of job %q: %w", p.Kind, cairn.ErrUnsupported)
	case len(p.Inputs) == 0:
		return errors.New("a job without inputs")
	case p.Kind == Copy && len(p.Inputs) > 1:
		return fmt.Errorf("%d inputs of a copy, must be one", len(p.Inputs))
	case len(p.Leaves) > 0 && p.Kind != Reduce:
		return fmt.Errorf("leaves of a job of kind %s", p.Kind)
	case p.named() != (p.Expression != "" || len(p.Leaves) > 0) || p.Expression != "" && len(p.Leaves) > 0:
		return fmt.Errorf("expression %q and %d leaves of a job of kind %s", p.Expression, len(p.Leaves), p.Kind)
	case p.Kind != Copy && p.TakeOver:
		return fmt.Errorf("chunks are taken over by a job of kind %s", p.Kind)
	case p.Kind != Concat && p.Axis != 0:
		return fmt.Errorf("axis %d of a job of kind %s", p.Axis, p.Kind)
	case p.Output.Path == "":
		return errors.New("a job without the path of an output")
	}

	names := map[string]bool{}
	for i, in := range p.Inputs {
		if in.Path == "" || p.named() != (in.Name != "") || in.Name != "" && names[in.Name] {
			return fmt.Errorf("input %d has path %q and name %q", i, in.Path, in.Name)
		}
		names[in.Name] = true
	}
	return nil
}

// named reports whether inputs have names, which expressions use.
func (p *Plan) named() bool { return p.Kind == Calc || p.Kind == Reduce }

// checkTemplate compares a template with what the plan says about the output.
func (p *Plan) checkTemplate(o *Outline, limits *cairn.Limits) error {
	u, err := p.template(o, limits, ndarray.ReadOnly)
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	defer u.Close()

	chunks, blocks := u.Grid()
	if !o.fits(u) {
		return fmt.Errorf("the template is an array of shape %v, dtype %s, chunks of %v and blocks of %v",
			u.Shape(), u.DType(), chunks, blocks)
	}

	if u.Frame().CBytes() != 0 {
		return errors.New("the template has chunks of its own")
	}
	return nil
}

// template opens the array that has the encoding of the output and zeros.
func (p *Plan) template(o *Outline, limits *cairn.Limits, mode ndarray.Mode) (*ndarray.Untyped, error) {
	open := &ndarray.OpenOptions{Mode: mode, Workers: p.Workers, WriteBehind: 1}
	if limits != nil {
		open.Engine = chunk.Engine{Limits: *limits}
	}
	return ndarray.FromBytes(o.Template, open)
}

// fits reports whether an array is as the outline says.
func (o *Outline) fits(u *ndarray.Untyped) bool {
	return slices.Equal(u.Shape(), o.Shape) && u.DType().String() == o.DType && o.sameGrid(u)
}

func (o *Outline) sameGrid(u *ndarray.Untyped) bool {
	chunks, blocks := u.Grid()
	return slices.Equal(chunks, o.Chunks) && slices.Equal(blocks, o.Blocks)
}

// dtype returns the dtype of the output.
func (p *Plan) dtype() (meta.DType, error) { return meta.ParseDType(p.Output.DType) }
