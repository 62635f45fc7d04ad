package sdk_test

import (
	"context"
	"fmt"
	"os"

	"github.com/lobsterc/lobsterc/runtime/sdk"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// A pipeline that stops before it sends anything, and goes on when a person has approved.
func Example() {
	dir, err := os.MkdirTemp("", "sdk")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	p := sdk.New(
		sdk.ExecJSON(`echo '[{"to":"ann","words":3},{"to":"bob","words":900}]'`),
		sdk.Filter("short", func(draft sdk.Value) bool { return draft.Get("words").Float() < 100 }),
		sdk.Map("greet", func(draft sdk.Value) (sdk.Value, error) {
			return draft.With("subject", value.String("Hello "+draft.Get("to").Text())), nil
		}),
		sdk.Approve("Send these?"),
		sdk.Effect("send", func(_ context.Context, drafts []sdk.Value) ([]sdk.Value, error) {
			for _, d := range drafts {
				fmt.Println("sending:", d.Get("subject").Text())
			}
			return []sdk.Value{value.Int(int64(len(drafts)))}, nil
		}),
	)
	p.StateDir = dir

	res := p.Run(context.Background())
	fmt.Println(res.Status, res.RequiresApproval.Prompt, value.Array(res.RequiresApproval.Items...).JSON())

	// Perhaps hours later, perhaps in another process with the same pipeline:
	res = p.Resume(context.Background(), res.RequiresApproval.Token, sdk.Approved)
	fmt.Println(res.Status, value.Array(res.Output...).JSON())
	// Output:
	// needs_approval Send these? [{"to":"ann","words":3,"subject":"Hello ann"}]
	// sending: Hello ann
	// ok [1]
}
