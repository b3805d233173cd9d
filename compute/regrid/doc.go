// Package regrid brings arrays to other horizontal grids: it interpolates between the centres of
// cells, takes the nearest, or averages cells so that integrals are kept.
//
//	from, axes, err := regrid.Find(ctx, tas, find)
//	to, err := regrid.Named("r360x180")
//	w, err := regrid.New(ctx, from, to, regrid.Conservative, nil)
//	out, err := w.Of(tas, axes, nil)
//
// What [Weights.Of] returns computes its items when they are read, in parallel and in bounded
// memory. They are identical, to the bit, for any number of workers.
//
// # Cells
//
// The cells of rectilinear grids lie between meridians and circles of latitude, as those of
// models and products on such grids do: so cells of one row have one area, Δλ·(sin φ₂ − sin φ₁).
// Edges of all other cells are arcs of great circles, the only curves that two corners define.
// Where one grid is rectilinear and the other is not, cells are intersected as they are, arcs
// with circles. CDO does the same; ESMF takes arcs of great circles everywhere.
//
// The cells of a grid must not overlap, and neighbours must share edges, if integrals are to be
// kept: then those of a field before and after agree within 1e-12 of the integral of its absolute
// values.
//
// # Missing items
//
// Weights of items that are missing are left out, and the others divided by their sum, so that a
// result is the mean of what is there. This is what CDO's remapcon does and what xESMF does with
// skipna. A result is missing if nothing is there, or less than [ApplyOptions.Coverage].
package regrid
