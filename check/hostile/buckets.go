package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

// bucketSeeds returns the seeds in the archives of a folder: the objects of frames in buckets
// (docs/format/bucket.md). Their numbers are random, so they are files: TestBucketSeeds makes them.
func bucketSeeds(dir string) ([]*seedFile, error) {
	return seedsLike(filepath.Join(dir, "*.zip"), func(name string, b []byte) ([]*seedFile, error) {
		objects, err := unzip(b)
		return []*seedFile{newSeed(strings.TrimSuffix(name, ".zip"), buckets, objects)}, err
	})
}

// Offsets in a root.
const (
	rootSum     = 8
	rootSummed  = 16
	rootHeader  = 56 // bytes of the header
	rootTrailer = 60 // bytes of the trailer
	rootFixed   = 80
)

// examineObject finds the parts of an object.
func examineObject(name string, b []byte) *anatomy {
	a := &anatomy{}
	if !strings.HasSuffix(name, "root") {
		a.addChunk(b, 0)
		return a
	}
	if len(b) < rootFixed {
		return a
	}

	a.root = true
	for at := rootSummed; at < rootHeader; at += 8 {
		a.big = append(a.big, field{at, 8, true})
	}
	for at := rootHeader; at < rootFixed; at += 4 {
		a.big = append(a.big, field{at, 4, true})
	}

	header := rootFixed + int(binary.LittleEndian.Uint32(b[rootHeader:]))
	for _, f := range headerFields {
		a.big = append(a.big, field{rootFixed + f.at, f.width, f.little})
	}
	trailer := header + int(binary.LittleEndian.Uint32(b[rootTrailer:]))

	a.addTagged(b, rootFixed+headerFixed, header)
	a.addTagged(b, header, trailer)
	for at := trailer; at+8 <= len(b) && at < trailer+40*8; at += 8 {
		a.big = append(a.big, field{at, 8, true})
	}
	return a
}

// sealObjects corrects the checksums of segments in roots, and those of roots.
func (p *mutation) sealObjects() {
	table := crc32.MakeTable(crc32.Castagnoli)
	le := binary.LittleEndian

	for _, root := range p.seed.order {
		if !p.seed.parts[root].root || p.files[root] == nil && p.changed(root) {
			continue
		}
		b := p.get(root)
		for _, name := range p.seed.order {
			hex, isSegment := strings.CutSuffix(name, ".index")
			number, err := strconv.ParseUint(hex, 16, 64)
			if !isSegment || err != nil || p.files[name] == nil {
				continue
			}
			if at := bytes.Index(b, le.AppendUint64(nil, number)); at >= 0 && at+16 <= len(b) {
				le.PutUint32(b[at+8:], uint32(len(p.files[name])))
				le.PutUint32(b[at+12:], crc32.Checksum(p.files[name], table))
			}
		}

		if len(b) > rootSummed {
			le.PutUint32(b[rootSum:], crc32.Checksum(b[rootSummed:], table))
		}
	}
}

// changed reports whether a file was changed or removed.
func (p *mutation) changed(name string) bool {
	_, ok := p.files[name]
	return ok
}

// intoBucket makes the files of the subject, which are in memory, the objects of a bucket.
func (s *subject) intoBucket() {
	s.fs = storage.BucketFS(context.Background(), storage.FSBucket(s.fs, "."))
}

// fromBucket is run for a frame in a bucket, whose first request for an object asks for more bytes
// than there are.
func fromBucket(run func(l *tester, s *subject) (uint64, error)) func(l *tester, s *subject) (uint64, error) {
	return func(l *tester, s *subject) (uint64, error) {
		asked, err := run(l, s)
		return asked + 4*scratch, err
	}
}

// bucketEntries are the entry points for frames in buckets.
func bucketEntries() []entry {
	return []entry{
		{"open in bucket", buckets, true, 1, fromBucket(openPath)},
		{"open array in bucket", buckets, false, 1, fromBucket(openArray)},
		{"metalayers in bucket", buckets, false, 1, fromBucket(readLayers)},
		{"chunks in bucket", buckets, false, 1, fromBucket(readChunks)},
		{"items in bucket", buckets, false, 1, fromBucket(readItems)},
		{"blocks in bucket", buckets, false, 1, fromBucket(readBlocks)},
		{"array in bucket", buckets, false, 1, fromBucket(readArray)},
		{"verify in bucket", buckets, false, 2, fromBucket(verify)},
		{"copy from bucket", buckets, false, 4, fromBucket(copyFrame)},
		{"change in bucket", buckets, false, 4, fromBucket(change)},
		{"versions", buckets, false, 2, fromBucket(readVersions)},
		{"collect", buckets, false, 4, fromBucket(collect)},
	}
}

// readVersions lists the versions of a frame, and reads a chunk of some.
func readVersions(l *tester, s *subject) (asked uint64, err error) {
	var got first
	for v, err := range frame.Versions(context.Background(), "in", l.frameOptions(s)) {
		asked += scratch
		if got.take(err); err != nil || asked > 8*scratch {
			break
		}
		o := l.frameOptions(s)
		o.Version = v.Seq
		f, err := frame.Open("in", o)
		if got.take(err); err != nil {
			continue
		}
		_, err = f.ReadChunk(context.Background(), l.buf, 0)
		got.take(err)
		got.take(f.Close())
	}
	return asked, got.err
}

// collect removes garbage. What was sound before must be sound after that.
func collect(l *tester, s *subject) (uint64, error) {
	ctx := context.Background()
	_, unsoundBefore := frame.Verify(ctx, "in", l.frameOptions(s))
	_, err := frame.Collect(ctx, "in", &frame.CollectOptions{FS: s.fs, Limits: limits(), Keep: s.rng.IntN(3), Age: time.Nanosecond})
	if unsoundBefore == nil {
		if _, failed := frame.Verify(ctx, "in", l.frameOptions(s)); failed != nil {
			return 0, unsoundError{fmt.Errorf("after collecting (%v): %w", err, failed)}
		}
	}
	return 3 * scratch, err
}
