package stage

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// openStore gives the state store of the run.
func openStore(env *flow.Env) (*state.Store, error) {
	dir, err := env.StateDir()
	if err != nil {
		return nil, err
	}
	return state.Open(dir), nil
}

// whole is what a stage keeps of its items: the one item, or all of them as an array.
func whole(items []value.Value) value.Value {
	if len(items) == 1 {
		return items[0]
	}
	return value.Array(items...)
}

// StateGetOptions are the options of state.get.
type StateGetOptions struct{ Key string }

// StateGet gives the value that is kept under a key, null when there is none.
func StateGet(o StateGetOptions) flow.Stage {
	if o.Key == "" {
		return Failing("state.get", errors.New("state.get requires a key"))
	}
	return source("state.get", func(env *flow.Env, y yield) {
		store, err := openStore(env)
		if err != nil {
			fail(y, err)
			return
		}
		v, _, err := store.Read(o.Key)
		if v.IsAbsent() {
			v = value.Null
		}
		y(v, err)
	})
}

// StateSetOptions are the options of state.set.
type StateSetOptions struct{ Key string }

// StateSet keeps its items under a key and passes on what it keeps. A file that cannot be read is never overwritten.
func StateSet(o StateSetOptions) flow.Stage {
	if o.Key == "" {
		return Failing("state.set", errors.New("state.set requires a key"))
	}
	s := gather("state.set", func(env *flow.Env, items []value.Value, y yield) {
		store, err := openStore(env)
		if err != nil {
			fail(y, err)
			return
		}
		v := whole(items)
		_, _, err = store.Swap(env.Ctx, o.Key, v, false)
		y(v, err)
	})
	s.Effect = true
	return s
}

// DiffLastOptions are the options of diff.last.
type DiffLastOptions struct{ Key string }

// DiffLast compares its items with those of the last time and keeps them for the next. A snapshot that cannot be read counts as none.
func DiffLast(o DiffLastOptions) flow.Stage {
	if o.Key == "" {
		return Failing("diff.last", errors.New("diff.last requires --key"))
	}
	s := gather("diff.last", func(env *flow.Env, items []value.Value, y yield) {
		after := whole(items)
		before, changed, err := snapshot(env, o.Key, after)
		if err != nil {
			fail(y, err)
			return
		}
		y(value.Object(value.M("kind", value.String("diff.last")), value.M("key", value.String(o.Key)),
			value.M("changed", value.Bool(changed)), value.M("before", before), value.M("after", after)), nil)
	})
	s.Effect = true
	return s
}

// snapshot replaces what is kept under key. before is null when there was nothing; key-sorted JSON decides whether it changed.
func snapshot(env *flow.Env, key string, after value.Value) (before value.Value, changed bool, err error) {
	store, err := openStore(env)
	if err != nil {
		return value.Value{}, false, err
	}
	before, _, err = store.Swap(env.Ctx, key, after, true)
	if before.IsAbsent() {
		before = value.Null
	}
	return before, !sameJSON(before, after), err
}
