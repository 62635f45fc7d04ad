package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// keeper holds answers in two places: under a name in the state directory, for one run and its repetitions, and in the cache, by what
// was asked. Both are caches in the sense of the state store: what cannot be understood is not there.
type keeper struct {
	runs  *state.Store // nil without a state key
	cache *state.Store // nil with --disable-cache
}

// keeper opens the places; a state key that cannot be used is an error before anything is asked.
func (q *question) keeper() (*keeper, error) {
	k := &keeper{}
	if q.StateKey != "" {
		if _, err := state.FileName(q.StateKey); err != nil {
			return nil, err
		}
		dir, err := q.env.StateDir()
		if err != nil {
			return nil, err
		}
		k.runs = state.Open(dir)
	}
	if !q.DisableCache {
		dir := strings.TrimSpace(q.env.Getenv("LOBSTER_CACHE_DIR"))
		if dir == "" {
			dir = ".lobster-cache"
		}
		k.cache = state.Open(filepath.Join(dir, q.Name))
	}
	return k, nil
}

// find gives the items of a kept answer, marked as replayed, or nil.
func (k *keeper) find(q *question) []value.Value {
	if k.runs != nil {
		if v, ok := k.runs.ReadCache(q.StateKey); ok && v.Get("type").Str() == q.Name && v.Get("cacheKey").Str() == q.key {
			if items := replay(v, "run_state"); items != nil {
				return items
			}
		}
	}
	if k.cache != nil {
		if v, ok := k.cache.ReadCache(q.key); ok && v.Get("cacheKey").Str() == q.key {
			return replay(v, "cache")
		}
	}
	return nil
}

func replay(v value.Value, source string) []value.Value {
	if v.Get("items").Kind() != value.ArrayKind {
		return nil
	}
	items := make([]value.Value, 0, v.Get("items").Len())
	for item := range v.Get("items").All() {
		if item.Kind() == value.ObjectKind {
			item = item.With("source", value.String(source)).With("cached", value.Bool(true)).With("replayed", value.Bool(true))
		}
		items = append(items, item)
	}
	return items
}

// keep stores an answer. It is paid for, so that a disk that takes no more is a warning and not a failure of the run.
func (k *keeper) keep(q *question, items []value.Value) {
	list := value.Array(items...)
	warn := func(err error) {
		if err != nil {
			fmt.Fprintf(q.env.Stderr, "[WARN] %s could not keep its answer and will ask again next time: %s\n", q.Name, err)
		}
	}
	if k.runs != nil {
		warn(k.runs.Write(q.StateKey, value.Object(
			value.M("type", value.String(q.Name)), value.M("version", value.Int(1)), value.M("cacheKey", value.String(q.key)),
			value.M("items", list), value.M("storedAt", value.String(state.Now())),
		)))
	}
	if k.cache != nil {
		warn(k.cache.Write(q.key, value.Object(value.M("items", list), value.M("cacheKey", value.String(q.key)), value.M("storedAt", value.String(state.Now())))))
	}
}

// hash is the SHA-256 of the key-sorted JSON.
func hash(v value.Value) string {
	sum := sha256.Sum256([]byte(v.SortedJSON()))
	return hex.EncodeToString(sum[:])
}
