package value

import "testing"

func TestMembers(t *testing.T) {
	var m Members
	m.Add("a", Array(Int(1)))
	m.Add("none", Value{})
	m.String("empty", "")
	m.Text("no", "")
	m.Text("text", "t")
	m.Int("n", -3)
	m.Flag("off", false)
	m.Flag("on", true)
	if got := m.Object().JSON(); got != `{"a":[1],"empty":"","text":"t","n":-3,"on":true}` {
		t.Errorf("got %s", got)
	}
	if got := Members(nil).Object().JSON(); got != "{}" {
		t.Errorf("no members: %s", got)
	}
}
