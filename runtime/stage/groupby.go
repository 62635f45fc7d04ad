package stage

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// GroupByOptions are the options of groupBy.
type GroupByOptions struct{ Key Path }

// GroupBy gathers the items of each key into {key, items, count}, in order of first appearance.
func GroupBy(o GroupByOptions) flow.Stage {
	if len(o.Key) == 0 {
		return Failing("groupBy", errors.New("groupBy requires --key"))
	}
	return flow.Stage{Name: "groupBy", Gathers: true, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			groups, err := group(in, o.Key)
			if err != nil {
				fail(y, err)
				return
			}
			for _, g := range groups {
				members := []value.Member{value.M("key", g.key), value.M("items", value.Array(g.items...)), value.M("count", value.Int(int64(len(g.items))))}
				if !y(value.ObjectSparse(members), nil) {
					return
				}
			}
		}
	}}
}

// keyGroup is the items of one key.
type keyGroup struct {
	key   value.Value
	items []value.Value
}

func group(in flow.Stream, path Path) ([]*keyGroup, error) {
	var groups []*keyGroup
	byKey := map[string]*keyGroup{}
	var buf []byte
	for v, err := range in {
		if err != nil {
			return nil, err
		}
		key := path.of(v)
		buf = appendKey(buf[:0], key)
		g := byKey[string(buf)]
		if g == nil {
			g = &keyGroup{key: key.Detach()}
			byKey[string(buf)] = g
			groups = append(groups, g)
		}
		g.items = append(g.items, v.Detach())
	}
	return groups, nil
}
