package gobuild

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The cache is a folder:
//
//	bin/KEY/        a program and its checksum: a damaged entry is noticed and rebuilt
//	ir/HASH.json    the canonical IR of a program by its hash, which outlives the program so that a paused run can go on
//	src/HASH/       the runtime's sources as a vendor folder
//	recipe/KEY      how to build without the go command (fast.go)
//	warm/           marks of what the toolchain has compiled before
//	failed/         generated modules that did not build
//	tmp/            work in progress
//	lock/           locks
//
// Everything appears by a rename, so readers need no lock. Entries are found by a hash of all that goes into them and never
// change. The time of last use is the modification time.

const (
	defaultCacheBytes = 512 << 20
	irBytes           = 64 << 20
	recipeBytes       = 16 << 20
	staleWork         = 24 * time.Hour
)

// Cache is the cache folder.
type Cache struct {
	Dir string
	// MaxBytes bounds the programs that are kept.
	MaxBytes int64
}

// OpenCache finds the cache folder: LOBSTERC_CACHE_DIR, else lobsterc in the user's cache folder, else one in the folder for
// temporary files.
func OpenCache() (*Cache, error) {
	dir := os.Getenv("LOBSTERC_CACHE_DIR")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = filepath.Join(os.TempDir(), "user-"+strconv.Itoa(os.Getuid()))
		}
		dir = filepath.Join(base, "lobsterc")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &Cache{Dir: dir, MaxBytes: defaultCacheBytes}
	if n, err := strconv.ParseInt(os.Getenv("LOBSTERC_CACHE_MAX_BYTES"), 10, 64); err == nil && n >= 0 {
		c.MaxBytes = n
	}
	return c, nil
}

// mkdir makes a folder of the cache.
func (c *Cache) mkdir(name string) (string, error) {
	dir := filepath.Join(c.Dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("build cache: %w (LOBSTERC_CACHE_DIR chooses another folder)", err)
	}
	return dir, nil
}

// work makes a new folder for work in progress.
func (c *Cache) work() (string, error) {
	tmp, err := c.mkdir("tmp")
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(tmp, "build-")
}

// put stores data under dir/name at once or not at all.
func (c *Cache) put(dir, name string, mode fs.FileMode, data ...[]byte) error {
	folder, err := c.mkdir(dir)
	if err != nil {
		return err
	}
	return writeAtomic(filepath.Join(folder, name), mode, data...)
}

// writeAtomic writes a file by renaming a finished one into place. An executable that is just running is replaced too.
func writeAtomic(path string, mode fs.FileMode, data ...[]byte) error {
	f, err := createTemp(path, mode)
	if err != nil {
		var x *fs.PathError
		if errors.As(err, &x) { // of the file that was asked for, not of the temporary one
			err = &fs.PathError{Op: x.Op, Path: path, Err: x.Err}
		}
		return err
	}
	for _, d := range data {
		if _, err = f.Write(d); err != nil {
			break
		}
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// createTemp makes a file beside path that nobody else has. Unlike os.CreateTemp it leaves the mode to the umask.
func createTemp(path string, mode fs.FileMode) (*os.File, error) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), time.Now().UnixNano()+int64(i))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) || i > 1000 {
			return f, err
		}
	}
}

// program gives the path of the program of a key. A damaged entry is removed and does not count.
func (c *Cache) program(key string, t Target) (string, []byte, bool) {
	dir := filepath.Join(c.Dir, "bin", key)
	path := filepath.Join(dir, "program"+t.Exe())
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, false
	}
	want, err := os.ReadFile(filepath.Join(dir, "sum"))
	if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != string(want) {
		os.RemoveAll(dir)
		return "", nil, false
	}
	touch(dir)
	return path, data, true
}

// putProgram stores a program with its checksum and makes room.
func (c *Cache) putProgram(key string, t Target, data []byte) (path string, err error) {
	tmp, err := c.work()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	bin, err := c.mkdir("bin")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	if err := os.WriteFile(filepath.Join(tmp, "sum"), []byte(hex.EncodeToString(sum[:])), 0o600); err != nil {
		return "", err
	}
	name := "program" + t.Exe()
	if err := os.WriteFile(filepath.Join(tmp, name), data, 0o700); err != nil {
		return "", err
	}
	dir := filepath.Join(bin, key)
	if err := os.Rename(tmp, dir); err != nil {
		// Somebody else has just stored the same.
		if _, _, ok := c.program(key, t); !ok {
			return "", err
		}
	}
	touch(dir)
	c.evictPrograms(key)
	return filepath.Join(dir, name), nil
}

// entry is a folder of bin.
type entry struct {
	name string
	size int64
	used time.Time
}

// programs lists what bin holds, the least recently used first.
func (c *Cache) programs() []entry {
	var list []entry
	folders, _ := os.ReadDir(filepath.Join(c.Dir, "bin"))
	for _, f := range folders {
		info, err := f.Info()
		if err != nil {
			continue
		}
		e := entry{name: f.Name(), used: info.ModTime()}
		files, _ := os.ReadDir(filepath.Join(c.Dir, "bin", f.Name()))
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				e.size += info.Size()
			}
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.name, b.name)) })
	return list
}

// evictPrograms removes the programs that were not used for the longest time until there is room; keep stays.
func (c *Cache) evictPrograms(keep string) {
	list := c.programs()
	var total int64
	for _, e := range list {
		total += e.size
	}
	for _, e := range list {
		if total <= c.MaxBytes {
			return
		}
		if e.name != keep && os.RemoveAll(filepath.Join(c.Dir, "bin", e.name)) == nil {
			total -= e.size
		}
	}
}

// putIR keeps a program's IR under its hash, with the name of its file in front.
func (c *Cache) putIR(src Source) error {
	name := irName(src.Hash)
	if name == "" || len(src.IR) == 0 {
		return nil
	}
	if path := filepath.Join(c.Dir, "ir", name); touch(path) {
		return nil
	}
	if err := c.put("ir", name, 0o600, []byte(strconv.Quote(src.File)+"\n"), src.IR); err != nil {
		return err
	}
	c.evictFiles("ir", irBytes)
	return nil
}

// ProgramIR gives the canonical IR of the program with that hash and the name of its file, if this machine ever built it. A
// paused run whose program was evicted goes on with it.
func (c *Cache) ProgramIR(hash string) (ir []byte, file string, ok bool) {
	name := irName(hash)
	if name == "" {
		return nil, "", false
	}
	data, err := os.ReadFile(filepath.Join(c.Dir, "ir", name))
	if err != nil {
		return nil, "", false
	}
	first, ir, ok := bytes.Cut(data, []byte("\n"))
	file, err = strconv.Unquote(string(first))
	return ir, file, ok && err == nil && len(ir) > 0
}

// irName is the file name for a hash, "" when it is none.
func irName(hash string) string {
	digits := strings.TrimPrefix(hash, "sha256:")
	if _, err := hex.DecodeString(digits); err != nil || digits == "" {
		return ""
	}
	return digits + ".json"
}

// touch marks a file as used now; false when there is none.
func touch(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// evictFiles removes the files of a folder that were not used for the longest time until it holds at most max bytes.
func (c *Cache) evictFiles(dir string, max int64) {
	entries, _ := os.ReadDir(filepath.Join(c.Dir, dir))
	var infos []fs.FileInfo
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
			total += info.Size()
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, info := range infos {
		if total <= max {
			return
		}
		if os.Remove(filepath.Join(c.Dir, dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
}

// sweep removes what interrupted builds left behind long ago.
func (c *Cache) sweep() {
	tmp := filepath.Join(c.Dir, "tmp")
	entries, _ := os.ReadDir(tmp)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleWork {
			os.RemoveAll(filepath.Join(tmp, e.Name()))
		}
	}
}

// CacheInfo says what is in the cache.
type CacheInfo struct {
	Dir      string
	Programs int
	Bytes    int64
	MaxBytes int64
}

// Check tells whether the cache can be written, by writing to it.
func (c *Cache) Check() error {
	dir, err := c.work()
	if err != nil {
		return err
	}
	return os.Remove(dir)
}

// Info looks into the cache.
func (c *Cache) Info() CacheInfo {
	info := CacheInfo{Dir: c.Dir, MaxBytes: c.MaxBytes}
	for _, e := range c.programs() {
		info.Programs++
		info.Bytes += e.size
	}
	return info
}

// Clean empties the cache but for the IR of programs, which paused runs may need.
func (c *Cache) Clean() error {
	var errs []error
	for _, dir := range []string{"bin", "src", "recipe", "warm", "failed", "tmp"} {
		errs = append(errs, os.RemoveAll(filepath.Join(c.Dir, dir)))
	}
	return errors.Join(errs...)
}
