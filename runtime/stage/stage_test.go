package stage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/stage/filter"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// testEnv is an environment in a temporary directory; what renderers print goes to out.
func testEnv(t *testing.T, out io.Writer) *flow.Env {
	t.Helper()
	state := t.TempDir()
	return &flow.Env{
		Ctx: context.Background(), Environ: os.Environ(), Dir: t.TempDir(), Stdout: out, Stderr: io.Discard,
		StateDir:     func() (string, error) { return state, nil },
		NoteDispatch: func() {}, NoteUsage: func(flow.Usage) {},
	}
}

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// result runs stages on the elements of a JSON array and gives the items as compact JSON, or the error's text.
func result(t *testing.T, env *flow.Env, input string, stages ...flow.Stage) string {
	t.Helper()
	out, err := flow.Run(env, stages, 0, flow.Input(parse(t, input)))
	if err != nil {
		return "error: " + err.Error()
	}
	return value.Array(out.Items...).JSON()
}

// mixed is input with every kind of item.
const mixed = `[{"a":1,"k":null,"s":"x","o":{"z":1,"y":2}},{"a":"1","s":"y","o":{"y":2,"z":1}},{"a":1.0,"k":0},{"a":[1],"k":"0"},{"a":null},{},[1,2],"str",5,null,true,{"a":{"b":1}},{"a":"[1]"}]`

func keep(path, op string, want value.Value) flow.Stage {
	return Where(WhereOptions{Keep: Compare(strings.Split(path, "."), op, want)})
}

// The expected texts are what the reference answers.
func TestShapeStages(t *testing.T) {
	num, str := value.Number, value.String
	tests := []struct {
		name, in string
		stages   []flow.Stage
		want     string
	}{
		{"head", `[1,2,3]`, []flow.Stage{Head(HeadOptions{2})}, `[1,2]`},
		{"head of a fraction", `[1,2,3,4]`, []flow.Stage{Head(HeadOptions{2.5})}, `[1,2,3]`},
		{"head 0", `[1,2,3]`, []flow.Stage{Head(HeadOptions{0})}, `[]`},
		{"head negative", `[1]`, []flow.Stage{Head(HeadOptions{-1})}, `error: head --n must be a non-negative number`},
		{"pick", mixed, []flow.Stage{Pick(PickOptions{[]string{"o", "a", "o"}}), Head(HeadOptions{7})},
			`[{"o":{"z":1,"y":2},"a":1},{"o":{"y":2,"z":1},"a":"1"},{"a":1},{"a":[1]},{"a":null},{},{}]`},
		{"pick keeps places", `[{"b":1}]`, []flow.Stage{Pick(PickOptions{[]string{"a", "b"}}), Map(MapOptions{Set: []Assign{{"a", Text{Lit("x")}}}})}, `[{"a":"x","b":1}]`},
		{"groupBy keeps places", `[{"b":1}]`, []flow.Stage{GroupBy(GroupByOptions{Path{"a"}}), Map(MapOptions{Set: []Assign{{"key", Text{Lit("x")}}}})}, `[{"key":"x","items":[{"b":1}],"count":1}]`},
		{"pick from arrays", `[[5,6],null,"x"]`, []flow.Stage{Pick(PickOptions{[]string{"1", "length"}})}, `[{"1":6,"length":2},null,"x"]`},
		{"where number", mixed, []flow.Stage{keep("a", "==", num(1)), GroupBy(GroupByOptions{Path{"a"}}), Pick(PickOptions{[]string{"key", "count"}})},
			`[{"key":1,"count":2},{"key":"1","count":1},{"key":[1],"count":1}]`},
		{"where null", mixed, []flow.Stage{keep("a", "=", value.Null)}, `[{"a":null},{},[1,2],"str",5,null,true]`},
		{"where not null", mixed, []flow.Stage{keep("a", "!=", value.Null), Pick(PickOptions{[]string{"a"}})}, `[{"a":1},{"a":"1"},{"a":1},{"a":[1]},{"a":{"b":1}},{"a":"[1]"}]`},
		{"where less", mixed, []flow.Stage{keep("a", "<", num(2)), Pick(PickOptions{[]string{"a"}})}, `[{"a":1},{"a":"1"},{"a":1},{"a":[1]},{"a":null}]`},
		{"where greater", mixed, []flow.Stage{keep("a", ">", num(0)), Pick(PickOptions{[]string{"a"}})}, `[{"a":1},{"a":"1"},{"a":1},{"a":[1]}]`},
		{"where true", mixed, []flow.Stage{keep("a", "=", value.Bool(true)), Pick(PickOptions{[]string{"a"}})}, `[{"a":1},{"a":"1"},{"a":1},{"a":[1]}]`},
		{"where k>=0", mixed, []flow.Stage{keep("k", ">=", num(0)), Pick(PickOptions{[]string{"a"}})}, `[{"a":1},{"a":1},{"a":[1]}]`},
		{"where length", mixed, []flow.Stage{keep("length", "=", num(2))}, `[[1,2]]`},
		{"where length of text", mixed, []flow.Stage{keep("s.length", "=", num(1))}, `[]`},
		{"where object text", mixed, []flow.Stage{keep("a", "=", str("[object Object]"))}, `[{"a":{"b":1}}]`},
		{"where text order", mixed, []flow.Stage{keep("o", "<", str("z")), Pick(PickOptions{[]string{"a"}})}, `[{"a":1},{"a":"1"}]`},
		{"where empty key", mixed, []flow.Stage{keep(".a", "=", num(1))}, `[]`},
		{"sort by key", mixed, []flow.Stage{Sort(SortOptions{Key: Path{"a"}}), Pick(PickOptions{[]string{"a"}})},
			`[{"a":1},{"a":"1"},{"a":1},{"a":[1]},{"a":"[1]"},{"a":{"b":1}},{"a":null},{},{},"str",5,null,true]`},
		{"sort down", mixed, []flow.Stage{Sort(SortOptions{Key: Path{"a"}, Desc: true}), Pick(PickOptions{[]string{"a"}})},
			`[{"a":null},{},{},"str",5,null,true,{"a":{"b":1}},{"a":"[1]"},{"a":1},{"a":"1"},{"a":1},{"a":[1]}]`},
		{"sort whole items", mixed, []flow.Stage{Sort(SortOptions{}), Pick(PickOptions{[]string{"a"}})},
			`[{},5,{"a":1},{"a":"1"},{"a":1},{"a":[1]},{"a":null},{},{"a":{"b":1}},{"a":"[1]"},"str",true,null]`},
		{"sort by length", mixed, []flow.Stage{Sort(SortOptions{Key: Path{"length"}}), Head(HeadOptions{2})}, `[[1,2],"str"]`},
		{"map of an infinite number", `[{"k":1e400,"n":1.50}]`, []flow.Stage{Map(MapOptions{Set: []Assign{{"t", Text{Hole(Path{"k"}), Lit("/"), Hole(Path{"n"})}}}}), Pick(PickOptions{[]string{"t"}})}, `[{"t":"null/1.5"}]`},
		{"sort a cycle", `["İ",37,33,"2",1.7976931348623157e+308]`, []flow.Stage{Sort(SortOptions{Desc: true})}, `["İ",37,33,"2",1.7976931348623157e+308]`},
		{"sort a cycle, the first", `["2",33,1e99,"10",9]`, []flow.Stage{SortHead(SortHeadOptions{N: 3})}, `["10","2",9]`},
		{"sort utf16", `["\uff5e","😀","a"]`, []flow.Stage{Sort(SortOptions{})}, `["a","😀","～"]`},
		{"dedupe by key", mixed, []flow.Stage{Dedupe(DedupeOptions{Path{"a"}}), Pick(PickOptions{[]string{"a"}})}, `[{"a":1},{"a":"1"},{"a":[1]},{"a":null},{},{"a":{"b":1}},{"a":"[1]"}]`},
		{"dedupe", `[1,1.0,"1",{"a":1,"b":2},{"b":2,"a":1},{"a":1,"b":2}]`, []flow.Stage{Dedupe(DedupeOptions{})}, `[1,"1",{"a":1,"b":2},{"b":2,"a":1}]`},
		{"groupBy", mixed, []flow.Stage{GroupBy(GroupByOptions{Path{"length"}}), Pick(PickOptions{[]string{"key", "count"}})}, `[{"count":11},{"key":2,"count":1},{"key":3,"count":1}]`},
		{"groupBy items", `[{"g":1,"x":1},{"g":2},{"g":1,"x":2}]`, []flow.Stage{GroupBy(GroupByOptions{Path{"g"}})},
			`[{"key":1,"items":[{"g":1,"x":1},{"g":1,"x":2}],"count":2},{"key":2,"items":[{"g":2}],"count":1}]`},
		{"groupBy without key", mixed, []flow.Stage{GroupBy(GroupByOptions{})}, `error: groupBy requires --key`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := result(t, testEnv(t, io.Discard), tt.in, tt.stages...); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestMap(t *testing.T) {
	set := func(key string, pieces ...Piece) Assign { return Assign{key, pieces} }
	tests := []struct {
		name, in string
		o        MapOptions
		want     string
	}{
		{"nothing", `[1]`, MapOptions{}, `[1]`},
		{"unwrap", mixed, MapOptions{Unwrap: "a"}, `[1,"1",1,[1],null,null,null,null,null,null,null,{"b":1},"[1]"]`},
		{"unwrap length", mixed, MapOptions{Unwrap: "length"}, `[null,null,null,null,null,null,2,null,null,null,null,null,null]`},
		{"unwrap ignores assignments", `[{"a":1}]`, MapOptions{Unwrap: "a", Set: []Assign{set("b", Lit("1"))}}, `[1]`},
		{"wrap", `[{"a":1},[1],null]`, MapOptions{Wrap: "w.x"}, `[{"w.x":{"a":1}},{"w.x":[1]},{"w.x":null}]`},
		{"wrap reads the item", `[{"a":1}]`, MapOptions{Wrap: "w", Set: []Assign{set("b", Hole(Path{"a"})), set("c", Hole(Path{"w"})), set("w", Hole(nil))}}, `[{"w":"{\"a\":1}","b":"1","c":""}]`},
		{"assign", `[{"a":1,"s":"x"},[1,2],null,true]`, MapOptions{Set: []Assign{set("a", Hole(Path{"a"}), Lit("!")), set("q", Hole(nil))}},
			`[{"a":"1!","s":"x","q":"{\"a\":\"1!\",\"s\":\"x\"}"},{"value":[1,2],"a":"!","q":"[1,2]"},{"value":null,"a":"!","q":""},{"value":true,"a":"!","q":"true"}]`},
		{"literal key", `[{}]`, MapOptions{Set: []Assign{set("a.b", Lit("1"))}}, `[{"a.b":"1"}]`},
		{"both", `[{}]`, MapOptions{Wrap: "a", Unwrap: "b"}, `error: map cannot use both --wrap and --unwrap`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := result(t, testEnv(t, io.Discard), tt.in, Map(tt.o)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestUnwrappedFromNothingIsAbsent(t *testing.T) {
	in := `["s",null,5,[1],true,{}]`
	text := Text{Lit("<"), Hole(nil, filter.JSON()), Lit(">")}
	want := `["<>","<>","<>","<1>","<>","<>"]`
	if got := result(t, testEnv(t, io.Discard), in, Map(MapOptions{Unwrap: "length"}), Template(TemplateOptions{Text: text})); got != want {
		t.Errorf("got %s", got)
	}
}

func TestItemsAreNotChanged(t *testing.T) {
	item := parse(t, `{"a":1}`)
	_, err := flow.Run(testEnv(t, io.Discard), []flow.Stage{Map(MapOptions{Set: []Assign{{"a", Text{Lit("2")}}}})}, 0, flow.Items(item))
	if err != nil || item.JSON() != `{"a":1}` {
		t.Errorf("item became %s, error %v", item.JSON(), err)
	}
}

func TestTemplate(t *testing.T) {
	in := `[{"name":"Ann","tags":["x","y"],"n":3.14159},"str",null]`
	text := Text{Lit("<"), Hole(Path{"name"}, filter.Upper()), Lit("|"), Hole(Path{"tags", "length"}), Lit("|"), Hole(nil), Lit(">")}
	want := `["<ANN|2|{\"name\":\"Ann\",\"tags\":[\"x\",\"y\"],\"n\":3.14159}>","<||str>","<||>"]`
	if got := result(t, testEnv(t, io.Discard), in, Template(TemplateOptions{Text: text})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSortHeadIsSortAndHead(t *testing.T) {
	var items []value.Value
	seed := uint32(1)
	for i := range 500 {
		seed = seed*1664525 + 1013904223
		items = append(items, value.Object(value.M("k", value.Int(int64(seed>>24))), value.M("i", value.Int(int64(i)))))
	}
	in := value.Array(items...).JSON()
	for _, n := range []float64{0, 1, 2.5, 10, 499, 500, 1e9} {
		for _, desc := range []bool{false, true} {
			env := testEnv(t, io.Discard)
			key := Path{"k"}
			got := result(t, env, in, SortHead(SortHeadOptions{key, desc, n}))
			want := result(t, env, in, Sort(SortOptions{key, desc}), Head(HeadOptions{n}))
			if got != want {
				t.Errorf("n %v, desc %v: got %s want %s", n, desc, got, want)
			}
		}
	}
}

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                "[]\n",
		`[1,{"a":[]},"x"]`:  "[\n  1,\n  {\n    \"a\": []\n  },\n  \"x\"\n]\n",
		`[{"a":{"b":[1]}}]`: "[\n  {\n    \"a\": {\n      \"b\": [\n        1\n      ]\n    }\n  }\n]\n",
	} {
		var out bytes.Buffer
		if got := result(t, testEnv(t, &out), in, JSON()); got != `[]` || out.String() != want {
			t.Errorf("%s printed %q and gave %s", in, out.String(), got)
		}
		env := testEnv(t, &out)
		env.Passthrough = true
		out.Reset()
		if got := result(t, env, in, JSON()); got != parse(t, in).JSON() || out.Len() > 0 {
			t.Errorf("passing on: %s printed %q and gave %s", in, out.String(), got)
		}
	}
}

func TestCommandsList(t *testing.T) {
	table := parse(t, `[{"name":"exec"},{"name":"head"}]`)
	if got := result(t, testEnv(t, io.Discard), `[7]`, CommandsList(CommandsListOptions{table})); got != table.JSON() {
		t.Errorf("got %s", got)
	}
}

func TestFailing(t *testing.T) {
	bad := errors.New("bad")
	if got := result(t, testEnv(t, io.Discard), `[7]`, Failing("head", bad)); got != "error: bad" {
		t.Errorf("got %s", got)
	}
}
