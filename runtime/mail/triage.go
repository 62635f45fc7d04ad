package mail

import (
	"math"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// TriageOptions are the options of email.triage. Without a model only Limit and Emit count.
type TriageOptions struct {
	Limit           float64
	LLM             bool
	Model           string
	URL             string
	Token           string
	Temperature     *float64
	MaxOutputTokens *int
	Emit            string // report or drafts
	StateKey        string
}

// Triage sorts mail by simple rules. It gives one report, or no drafts: only a model writes those.
func Triage(o TriageOptions) flow.Stage {
	return flow.Stage{Name: "email.triage", Gathers: true, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			emails, err := Read(in, o.Limit)
			if err != nil {
				y(value.Value{}, err)
				return
			}
			if o.Emit != "drafts" {
				y(Deterministic(emails), nil)
			}
		}
	}}
}

// Email is a mail in the one form that triage works with.
type Email struct {
	ID, ThreadID, From, Subject, Date, Snippet string
	Labels                                     []string
}

// Read takes in a whole stream of mail and gives the first limit mails, at least one.
func Read(in flow.Stream, limit float64) ([]Email, error) {
	if math.IsNaN(limit) {
		limit = math.Inf(1)
	}
	limit = max(1, limit)
	var emails []Email
	for v, err := range in {
		if err != nil {
			return nil, err
		}
		if float64(len(emails)) < limit {
			emails = append(emails, Normalise(v))
		}
	}
	return emails, nil
}

// Normalise reads a mail as gog and other programs write it.
func Normalise(v value.Value) Email {
	id := firstOf(v, "id", "messageId")
	thread := firstOf(v, "threadId", "thread_id")
	if thread.IsNullish() {
		thread = id
	}
	e := Email{
		ID: trimmed(id), ThreadID: trimmed(thread),
		From: trimmed(firstOf(v, "from", "sender")), Subject: trimmed(v.Get("subject")),
		Date: trimmed(firstOf(v, "date", "internalDate", "timestamp")), Snippet: trimmed(v.Get("snippet")),
		Labels: []string{},
	}
	for label := range v.Get("labels").All() {
		e.Labels = append(e.Labels, label.JSString())
	}
	return e
}

// firstOf gives the first of some fields that is there.
func firstOf(v value.Value, names ...string) value.Value {
	for _, name := range names {
		if x := v.Get(name); !x.IsNullish() {
			return x
		}
	}
	return value.Value{}
}

func trimmed(v value.Value) string {
	if v.IsNullish() {
		return ""
	}
	return value.TrimSpace(v.JSString())
}

// Value is the mail as the report has it.
func (e *Email) Value() value.Value {
	return value.Object(
		value.M("id", value.String(e.ID)), value.M("threadId", value.String(e.ThreadID)), value.M("from", value.String(e.From)),
		value.M("subject", value.String(e.Subject)), value.M("date", value.String(e.Date)), value.M("snippet", value.String(e.Snippet)),
		value.M("labels", value.Strings(e.Labels...)),
	)
}

// Unread tells whether the mail carries the label UNREAD.
func (e *Email) Unread() bool {
	for _, label := range e.Labels {
		if strings.EqualFold(label, "UNREAD") {
			return true
		}
	}
	return false
}

// NoReply tells whether the sender says that nobody reads answers.
func (e *Email) NoReply() bool {
	from := strings.ToLower(e.From)
	for _, mark := range []string{"no-reply", "noreply", "do-not-reply", "donotreply"} {
		if strings.Contains(from, mark) {
			return true
		}
	}
	return false
}

// Buckets are the ids of mails by what they need.
type Buckets struct{ NeedsReply, NeedsAction, FYI []string }

// Sort sorts mail by its subject, labels and sender.
func Sort(emails []Email) Buckets {
	var b Buckets
	for i := range emails {
		e := &emails[i]
		subject := strings.ToLower(e.Subject)
		switch {
		case strings.Contains(subject, "urgent"), strings.Contains(subject, "action required"):
			b.NeedsAction = append(b.NeedsAction, e.ID)
		case e.Unread() && !e.NoReply():
			b.NeedsReply = append(b.NeedsReply, e.ID)
		default:
			b.FYI = append(b.FYI, e.ID)
		}
	}
	return b
}

// Summary is the one line that a report begins with.
func (b *Buckets) Summary() string {
	n := func(ids []string) string { return value.NumberText(float64(len(ids))) }
	return n(b.NeedsReply) + " need replies, " + n(b.NeedsAction) + " need action, " + n(b.FYI) + " FYI"
}

// Value is the buckets as the report has them.
func (b *Buckets) Value() value.Value {
	return value.Object(value.M("needsReply", value.Strings(b.NeedsReply...)), value.M("needsAction", value.Strings(b.NeedsAction...)), value.M("fyi", value.Strings(b.FYI...)))
}

// Values are mails as the report has them.
func Values(emails []Email) value.Value {
	items := make([]value.Value, len(emails))
	for i := range emails {
		items[i] = emails[i].Value()
	}
	return value.Array(items...)
}

// Deterministic is the report of the rules.
func Deterministic(emails []Email) value.Value {
	b := Sort(emails)
	return value.Object(value.M("summary", value.String(b.Summary())), value.M("buckets", b.Value()),
		value.M("emails", Values(emails)), value.M("mode", value.String("deterministic")))
}
