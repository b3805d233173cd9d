package storage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// FSBucket returns the directory dir of a file system as a Bucket whose objects are files. The
// first Put makes the directory if there is none. Versions are made of the time of the last write
// and the size; each Put makes sure that the time increases. Conditions are atomic among all
// buckets on the directory in this process and, if fsys is a [Locker], in other processes. The
// bucket keeps .lock and .new-… in dir for itself.
func FSBucket(fsys FS, dir string) Bucket { return &fsBucket{fsys: fsys, dir: dir} }

type fsBucket struct {
	fsys FS
	dir  string
	mu   sync.Mutex // held while an object is put or deleted
}

const (
	bucketLock = ".lock"
	bucketTemp = ".new-"
	// between attempts to take the lock, or to get a later time
	bucketWait = 500 * time.Microsecond
)

// file returns the path of an object.
func (b *fsBucket) file(op, name string) (string, error) {
	if first, _, _ := strings.Cut(name, "/"); !fs.ValidPath(name) || name == "." || ownName(first) {
		return "", nameError(op, name, fs.ErrInvalid)
	}
	return b.dir + "/" + name, nil
}

// ownName reports whether a name in the directory is not that of an object.
func ownName(name string) bool { return name == bucketLock || strings.HasPrefix(name, bucketTemp) }

// A dated file has a time of last write, in nanoseconds of some clock.
type dated interface{ modified() (int64, error) }

func (f diskFile) modified() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}

func (f *memoryFile) modified() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.written, nil
}

// objectOf returns the Object of an open file. If files have no time, the version is a hash of the
// content.
func objectOf(name string, f File) (Object, error) {
	size, err := f.Size()
	if err != nil {
		return Object{}, err
	}

	if d, ok := f.(dated); ok {
		when, err := d.modified()
		version := strconv.FormatInt(when, 36) + "-" + strconv.FormatInt(size, 36)
		return Object{Name: name, Size: size, Version: version}, err
	}

	sum := sha256.New()
	_, err = io.Copy(sum, io.NewSectionReader(f, 0, size))
	return Object{Name: name, Size: size, Version: hex.EncodeToString(sum.Sum(nil))}, err
}

// open opens an object for reading.
func (b *fsBucket) open(ctx context.Context, op, name string) (File, Object, error) {
	file, err := b.file(op, name)
	if err != nil {
		return nil, Object{}, err
	}

	if err = ctx.Err(); err != nil {
		return nil, Object{}, err
	}

	if info, err := b.fsys.Stat(file); err == nil && info.Dir {
		return nil, Object{}, nameError(op, name, fs.ErrNotExist)
	}

	f, err := b.fsys.Open(file)
	if err != nil && b.belowFile(name) {
		err = nameError(op, name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, Object{}, err
	}

	at, err := objectOf(name, f)
	if err != nil {
		return nil, Object{}, errors.Join(err, f.Close())
	}
	return f, at, nil
}

// belowFile reports whether an object cannot exist, because another one is in the place of a folder
// that it would be in. Operating systems call that no directory.
func (b *fsBucket) belowFile(name string) bool {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if info, err := b.fsys.Stat(b.dir + "/" + folder); err == nil && !info.Dir {
			return true
		}
	}
	return false
}

func (b *fsBucket) Stat(ctx context.Context, name string) (Object, error) {
	f, at, err := b.open(ctx, "stat", name)
	if err != nil {
		return Object{}, err
	}
	return at, f.Close()
}

func (b *fsBucket) ReadStart(ctx context.Context, name string, p []byte) (n int, at Object, err error) {
	f, at, err := b.open(ctx, "read", name)
	if err != nil {
		return 0, Object{}, err
	}
	defer f.Close()

	p = p[:min(int64(len(p)), at.Size)]
	return len(p), at, readRanges(ctx, f, at.Size, []Range{{Data: p}})
}

func (b *fsBucket) ReadRanges(ctx context.Context, at Object, ranges []Range) error {
	f, now, err := b.open(ctx, "read", at.Name)
	if err != nil {
		return err
	}
	defer f.Close()

	if err := (When{Version: at.Version}).allows(now, true); err != nil {
		return err
	}
	return readRanges(ctx, f, now.Size, ranges)
}

func (b *fsBucket) Put(ctx context.Context, name string, data []byte, when When) (at Object, err error) {
	file, err := b.file("put", name)
	if err != nil {
		return Object{}, err
	}
	if b.missing() {
		if err := b.makeDir(filepath.ToSlash(b.dir)); err != nil {
			return Object{}, err
		}
	}
	if err := b.folders(path.Dir(name)); err != nil {
		return Object{}, err
	}

	temp := b.dir + "/" + bucketTemp + rand.Text()
	out, err := b.fsys.Create(temp)
	if err != nil {
		return Object{}, err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			_ = b.fsys.Remove(temp) // not there if the rename has happened
		}
	}()

	if _, err := out.WriteAt(data, 0); err != nil {
		return Object{}, err
	}

	err = b.locked(ctx, func() error {
		old, err := b.Stat(ctx, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}

		exists := err == nil
		if old.Name = name; when.allows(old, exists) != nil {
			return when.allows(old, exists)
		}

		if exists {
			err = b.retime(ctx, file, out, data)
		} else {
			err = nil
		}
		if err != nil {
			return err
		}

		at, err = objectOf(name, out)

		if err != nil {
			return err
		}
		if err := out.Sync(); err != nil {
			return err
		}
		if err := b.fsys.Rename(temp, file); err != nil {
			return err
		}
		return b.fsys.SyncDir(path.Dir(file))
	})
	return at, err
}

// retime rewrites a new file until its time differs from that of the file it will replace, so that
// the versions of both differ. The time of the old file may be later, if the clock was set back.
func (b *fsBucket) retime(ctx context.Context, file string, out File, data []byte) error {
	fresh, ok := out.(dated)
	if !ok {
		return nil
	}

	f, err := b.fsys.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()

	// The version of an object here is the time of its last change, so the new one must not have
	// the time of the old one.
	old, err := f.(dated).modified()
	if err != nil {
		return err
	}

	for {
		now, err := fresh.modified()
		if err != nil || now != old {
			return err
		}

		if err := pause(ctx); err != nil {
			return err
		}

		if len(data) > 0 {
			if _, err := out.WriteAt(data[:1], 0); err != nil {
				return err
			}
			continue
		}

		// An empty file changes by a byte that comes and goes.
		if _, err := out.WriteAt([]byte{0}, 0); err != nil {
			return err
		}
		if err := out.Truncate(0); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(bucketWait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// locked calls do while holding the bucket's lock.
func (b *fsBucket) locked(ctx context.Context, do func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()

	if err := ctx.Err(); err != nil {
		return err
	}

	l, ok := b.fsys.(Locker)
	if !ok {
		return do()
	}

	lock, err := l.OpenLock(b.dir + "/" + bucketLock)
	if errors.Is(err, errors.ErrUnsupported) {
		return do()
	}
	if err != nil {
		return err
	}

	for {
		got, err := lock.TryLock(true)
		if err == nil && !got {
			if err = pause(ctx); err == nil {
				continue
			}
		}

		if err != nil {
			return errors.Join(err, lock.Close())
		}

		err = do()
		return errors.Join(err, lock.Close())
	}
}

// missing reports whether the directory of the bucket does not exist.
func (b *fsBucket) missing() bool {
	_, err := b.fsys.Stat(b.dir)
	return errors.Is(err, fs.ErrNotExist)
}

// makeDir creates a directory and those that it is in.
func (b *fsBucket) makeDir(dir string) error {
	err := b.fsys.Mkdir(dir)
	above := path.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) && above != dir {
		if err := b.makeDir(above); err != nil {
			return err
		}
		err = b.fsys.Mkdir(dir)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil // by another process
	case err != nil:
		return err
	}
	return b.fsys.SyncDir(above)
}

// folders creates a folder and its parents.
func (b *fsBucket) folders(folder string) error {
	if folder == "." {
		return nil
	}
	if err := b.folders(path.Dir(folder)); err != nil {
		return err
	}

	name := b.dir + "/" + folder
	if err := b.fsys.Mkdir(name); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return b.fsys.SyncDir(path.Dir(name))
}

func (b *fsBucket) Delete(ctx context.Context, name string) error {
	file, err := b.file("delete", name)
	if err != nil {
		return err
	}

	if b.missing() {
		return ctx.Err()
	}

	return b.locked(ctx, func() error {
		if err := b.fsys.Remove(file); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		return b.fsys.SyncDir(path.Dir(file))
	})
}

func (b *fsBucket) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(Object{}, err)
			return
		}

		var all []Object
		err := b.walk(ctx, "", prefix, &all)
		if errors.Is(err, fs.ErrNotExist) && b.missing() {
			err = nil
		}

		slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
		for _, o := range all {
			if !yield(o, nil) {
				return
			}
		}

		if err != nil {
			yield(Object{}, err)
		}
	}
}

// modified returns the time of the last write of an object, or zero if that is unknown.
func (b *fsBucket) modified(name string) time.Time {
	f, err := b.fsys.Open(b.dir + "/" + name)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()

	if d, ok := f.(dated); ok {
		if when, err := d.modified(); err == nil {
			return time.Unix(0, when)
		}
	}
	return time.Time{}
}

// walk appends the objects in folder, which is "" or ends with a slash, and below it, whose names
// begin with prefix.
func (b *fsBucket) walk(ctx context.Context, folder, prefix string, all *[]Object) error {
	entries, err := b.fsys.ReadDir(strings.TrimSuffix(b.dir+"/"+folder, "/"))
	if err != nil {
		return err
	}

	for _, e := range entries {
		name := folder + e.Name
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ownName(name) || e.Other:
		case e.Dir:
			if strings.HasPrefix(name+"/", prefix) || strings.HasPrefix(prefix, name+"/") {
				if err := b.walk(ctx, name+"/", prefix, all); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		case strings.HasPrefix(name, prefix):
			*all = append(*all, Object{Name: name, Size: e.Size, Modified: b.modified(name)})
		}
	}
	return nil
}
