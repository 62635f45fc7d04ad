package table

import (
	"bytes"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func TestTable(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", `[]`, "(no results)\n"},
		{"cells", `[{"a":1,"b":"x\ny","c":null},{"a":[1,2],"d":{"z":1},"b":"日本語"},{"a":true,"c":1.50,"b":"é😀"}]`,
			"a      b       c    d      \n" +
				"-----  ------  ---  -------\n" +
				"1      x y                 \n" +
				"[1,2]  日本語       {\"z\":1}\n" +
				"true   é😀     1.5         \n"},
		{"empty objects", `[{},{}]`, "\n\n\n\n"},
		{"no objects", `[{"a":1},"x\ny",null,[1,{"b":2}],5]`, "{\"a\":1}\nx\ny\n\n[1,{\"b\":2}]\n5\n"},
		{"later items", `[{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":19},5,{"z":1,"a":2}]`,
			"a  \n---\n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n1  \n19 \n   \n2  \n"},
		{"control characters", `[{"a":"\u0001"},{"a":"a\tbc\r\n"}]`, "a     \n------\n\x01     \na\tbc\r \n"},
		{"combined characters", `[{"a":"e\u0301","flag":"🇩🇪"},{"a":"👩‍👩‍👧"}]`, "a    flag\n---  ----\ne\u0301    🇩🇪  \n👩‍👩‍👧       \n"},
	}
	for _, tt := range tests {
		v, err := value.ParseString(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		got, err := flow.Run(&flow.Env{Stdout: &out}, []flow.Stage{Table()}, 0, flow.Input(v))
		if err != nil || len(got.Items) != 0 || out.String() != tt.want {
			t.Errorf("%s: error %v, %d items, printed\n%s\nwant\n%s", tt.name, err, len(got.Items), out.String(), tt.want)
		}
	}
}

func TestTablePassesOn(t *testing.T) {
	var out bytes.Buffer
	got, err := flow.Run(&flow.Env{Stdout: &out, Passthrough: true}, []flow.Stage{Table()}, 0, flow.Items(value.Int(1)))
	if err != nil || len(got.Items) != 1 || out.Len() > 0 {
		t.Errorf("error %v, %d items, printed %q", err, len(got.Items), out.String())
	}
}
