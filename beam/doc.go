// Package cairnbeam makes and reads arrays in pipelines of Apache Beam.
//
// [Make] turns orders for arrays into arrays: copies with other chunks or encodings, expressions,
// reductions and joins, as package job makes them. It plans a job, runs its tasks on all workers of
// the pipeline, and commits the output when all are done. So the output is the same, byte for byte,
// for any runner and any number of workers, and the same as that of one process; and a bundle may
// be run again at any time, also at the same time or after the end of the pipeline. Orders may
// depend on arrays that were made earlier in the pipeline.
//
// [Read] yields boxes of arrays for other transforms. A [Box] says where items are and has none
// itself; a DoFn gets them by [Items] from [Sources], which stay open. [Register] adds inputs of
// other kinds: items that a function computes, or, with [Map], a function of the items of another
// input.
//
// All processes of a pipeline reach arrays and jobs under the same paths: a file system that they
// share, or, with [Use], object stores. The budget of this package is 15 exported names.
package cairnbeam
