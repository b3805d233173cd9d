// Package job does work on arrays that outgrow a machine, in three steps that any scheduler can
// run: a shell loop, Slurm, Kubernetes, or a program.
//
//   - Plan: [New] cuts the work into tasks, each of which writes whole chunks of the output. The
//     [Plan] is a small text.
//   - Work: [Job.Work] runs tasks, in any number of processes on any number of machines. What a
//     task made is put into the bucket of the job under a name of its content. Running a task
//     twice, at the same time or half does no harm.
//   - Seal: [Job.Seal] checks that every task is done, and commits the output in one step.
//
// The output is the same, byte for byte, for any number of processes. A worker or sealer that wakes
// up after the job was sealed or cancelled changes nothing.
//
// The bucket of a job is any [storage.Bucket]: an object store, or a directory that all machines
// share ([storage.FSBucket]). The budget of this package is 40 exported names.
package job
