// Package netcdf reads NetCDF files: the classic formats (CDF-1, CDF-2 with 64-bit offsets and
// CDF-5), and NetCDF-4, which are HDF5 files. It writes all of them.
//
// [Open] and [OpenReader] open a file as a [File], whose tree of groups has the dimensions,
// variables, attributes and types. A [Variable] is an [ndarray.Source] with labels: it can be
// viewed, copied, computed with and saved like any other array, and any number of goroutines may
// read it. Reads ask the file for no more than they need, so that it may be behind ranges:
//
//	f, err := netcdf.Open("era5.nc", nil)
//	t2m, err := f.Variable(ctx, "t2m")
//	day, err := ndarray.ViewOf(t2m).Slice(ndarray.Range(0, 24)).Read(ctx)
//
// Items are those of the file. [Unpack] applies scale_factor, add_offset and the fill value.
// [File.Header] writes what ncdump -h does.
//
// [Create] begins a file that has what a [Group] describes, such as that of an open file, and
// [Writer.Put] writes the items of a variable:
//
//	time := &netcdf.Dimension{Name: "time", Unlimited: true, Len: 365}
//	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{time}, Variables: []*netcdf.Variable{
//		{Name: "flow", Type: netcdf.TypeNamed("float"), Dimensions: []*netcdf.Dimension{time},
//			Attributes: []netcdf.Attribute{{Name: "units", Value: "m3 s-1"}}}}}
//	w, err := netcdf.Create("river.nc", root, nil)
//	err = w.Put(ctx, "flow", ndarray.Items(values, ndarray.Shape{365}))
//	err = w.Close()
//
// Formats: The NetCDF Classic Format Specification, and the NetCDF-4 Format of the same page:
// https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
package netcdf
