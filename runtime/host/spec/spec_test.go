package spec

import (
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/host"
	"github.com/lobsterc/lobsterc/runtime/stage"
	"github.com/lobsterc/lobsterc/runtime/value"
)

type GoodOptions struct {
	Project string          `flag:"project,p" required:"true" help:"the project"`
	Kind    string          `flag:"kind" values:"bug,wish" default:"bug"`
	N       int             `flag:"n" default:"3"`
	Limit   *float64        `flag:"limit"`
	Data    value.Value     `flag:"data"`
	Where   stage.Predicate `flag:"where"`
	Text    []string        `words:"TEXT" required:"true"`
}

func Good(GoodOptions) flow.Stage { return flow.Stage{} }

func Plain() flow.Stage { return flow.Stage{} }

func lower() flow.Stage { return flow.Stage{} }

type OtherOptions struct{}

func Wrong(OtherOptions) flow.Stage { return flow.Stage{} }

type UntaggedOptions struct{ N int }

func Untagged(UntaggedOptions) flow.Stage { return flow.Stage{} }

type ChannelOptions struct {
	C chan int `flag:"c"`
}

func Channel(ChannelOptions) flow.Stage { return flow.Stage{} }

type TwiceOptions struct {
	A string `words:"A"`
	B string `words:"B"`
}

func Twice(TwiceOptions) flow.Stage { return flow.Stage{} }

type NeededOptions struct {
	N int `flag:"n" required:"true"`
}

func Needed(NeededOptions) flow.Stage { return flow.Stage{} }

func TestDescribe(t *testing.T) {
	v, err := describe(&host.Stage{Name: "t.good", New: Good, Effects: []string{"network"}, Dispatch: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Get("package").Text() + "." + v.Get("constructor").Text(); got != "github.com/lobsterc/lobsterc/runtime/host/spec.Good" {
		t.Errorf("constructor %s", got)
	}
	var flags []string
	for f := range v.Get("flags").All() {
		flags = append(flags, f.Get("name").Text()+":"+f.Get("type").Text()+":"+f.Get("default").Text())
	}
	if got := strings.Join(flags, " "); got != "project:text: kind:word:bug n:integer:3 limit:number: data:JSON: where:comparison:" {
		t.Errorf("flags %s", got)
	}
	if got := v.Get("words").JSON(); got != `{"name":"TEXT","each":true,"field":"Text","help":"","required":true}` {
		t.Errorf("words %s", got)
	}
	if v, err := describe(&host.Stage{Name: "t.plain", New: Plain}); err != nil || v.Get("flags").Len() != 0 || !v.Get("words").IsAbsent() {
		t.Errorf("plain: %s, %v", v.JSON(), err)
	}
}

func TestDescribeErrors(t *testing.T) {
	tests := []struct {
		new  any
		want string
	}{
		{nil, "New must be a function"},
		{7, "New must be a function"},
		{func() int { return 1 }, "it must be func() flow.Stage"},
		{func() flow.Stage { return flow.Stage{} }, "it must be an exported function"},
		{lower, "it must be an exported function"},
		{Wrong, "it must take a struct named WrongOptions"},
		{Untagged, "UntaggedOptions.N must be exported and have one of the tags"},
		{Channel, "ChannelOptions.C is chan int, which no flag can be"},
		{Twice, "has two fields for words"},
		{Needed, "NeededOptions.N is required: make it a *int"},
	}
	for _, tt := range tests {
		if _, err := describe(&host.Stage{Name: "x", New: tt.new}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: %v, want ...%s...", tt.new, err, tt.want)
		}
	}
}
