// Package stage has the pipeline stages that need neither network nor weight, one file each: a constructor that takes an options
// struct and gives a flow.Stage. Generated programs call the constructors that they name, so a program links only those.
//
// A constructor does nothing but keep its options. What a stage needs to know is prepared before the first item (generated programs
// hand over paths, predicates and templates that are already parsed), and nothing is parsed for an item. What each stage does is in
// spec part 2, section 4, and part 7, 23 to 32.
package stage

import (
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Path leads into an item: keys as JavaScript would follow them. No keys mean the item itself.
type Path []string

// of gives the value at p in v.
func (p Path) of(v value.Value) value.Value {
	for _, key := range p {
		v = v.Prop(key)
	}
	return v
}

// yield is what a stream calls for each item.
type yield = func(value.Value, error) bool

// fail ends a stream with an error.
func fail(y yield, err error) { y(value.Value{}, err) }

// Named gives s the name, text and arguments that the pipeline's source has: saved states of paused pipelines carry them.
func Named(s flow.Stage, name, raw string, args value.Value) flow.Stage {
	s.Name, s.Raw, s.Args = name, raw, args
	return s
}

// Failing is a stage that fails when it starts: what was written for it is wrong, which only shows when the program runs. What
// comes before it runs first, as it would have with a good one.
func Failing(name string, err error) flow.Stage {
	return flow.Stage{Name: name, Gathers: true, Fault: err, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			if before := flow.Drain(in); before != nil {
				err = before
			}
			fail(y, err)
		}
	}}
}

// each is a stage that gives at most one item for each item.
func each(name string, f func(value.Value) (value.Value, bool)) flow.Stage {
	return flow.Stage{Name: name, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			for v, err := range in {
				if err != nil {
					fail(y, err)
					return
				}
				if out, ok := f(v); ok && !y(out, nil) {
					return
				}
			}
		}
	}}
}

// gather is a stage that takes in all of its items before it gives any.
func gather(name string, f func(env *flow.Env, items []value.Value, y yield)) flow.Stage {
	return flow.Stage{Name: name, Gathers: true, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			items, err := flow.Collect(in)
			if err != nil {
				fail(y, err)
				return
			}
			f(env, items, y)
		}
	}}
}

// source is a stage that does not care for its items: they are taken in and dropped before it begins.
func source(name string, f func(env *flow.Env, y yield)) flow.Stage {
	return flow.Stage{Name: name, Gathers: true, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			if err := flow.Drain(in); err != nil {
				fail(y, err)
				return
			}
			f(env, y)
		}
	}}
}
