package main

import (
	"context"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// savePacked makes an array of integers that stand for halves of them plus 100, with a fill value
// at the left.
func savePacked(ctx context.Context, path string) error {
	a, err := ndarray.FromFunc(ctx, "", ndarray.Shape{60, 80}, func(at []int64) int16 {
		if at[1] < 20 {
			return -999
		}
		return 8
	}, nil)
	if err != nil {
		return err
	}

	err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "scale_factor", Value: 0.5},
		{Key: "add_offset", Value: 100.0}, {Key: "_FillValue", Value: int64(-999)}, {Key: "units", Value: "degC"}}})
	if err != nil {
		return err
	}
	return ndarray.Save(ctx, path, a, nil)
}

// packed points at items of an array that is packed as the CF conventions say.
func packed(t *tab, w *world) error {
	at, err := t.stageOf(w, "data/packed.b2nd")
	if err != nil {
		return err
	}
	x := float64(at.Min.X) + 0.6*float64(at.Dx())
	return all(
		t.mouse("mouseMoved", x, float64(at.Min.Y+at.Max.Y)/2, nil),
		t.wait(`document.getElementById('readout').textContent.endsWith(': 104 °C')`),
		t.wait(`/items × 0.5 \+ 100, missing where items are -999/.test(document.body.textContent)`),
		t.wait(`/min 104 · max 104/.test(document.body.textContent)`),
	)
}
