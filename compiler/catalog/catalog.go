// Package catalog is the one place that knows what each pipeline stage is: its name, flags with their types, positional words,
// effects, help text, and the Go constructor that generated code calls. The pipeline checker, the code generator, effect
// analysis, `lobsterc stages` and the table of `commands.list` all read it, so a stage is added by adding one entry.
//
// # How a stage becomes Go
//
// A stage is emitted as one call of its constructor with one options struct, named after the constructor:
//
//	stage.Exec(stage.ExecOptions{JSON: true, Shell: "cat inbox.json"})
//	stage.Head(stage.HeadOptions{N: 10})
//	stage.JSON()
//
// A constructor whose stage has no options at all (json, table) takes none. It returns a flow.Stage. Flags are set in the order of
// the catalogue; a flag that was not given and has a Default is emitted with it, so a constructor never needs to know defaults; any
// other flag that was not given is left out, and its zero value means "not given".
//
// The Go type of an option field follows from the Type of its flag or words. Literals are checked and compiled when the
// program is built; nothing is parsed at run time:
//
//	Type         Go type           emitted for a literal
//	Bool         bool              true
//	Int          int               5          (*int and new(5) when the flag has no default)
//	Number       float64           0.2        (*float64 and new(0.2) when the flag has no default)
//	String, Enum string            "text"
//	JSON         value.Value       value.Object(value.M("a", value.Int(1)))
//	Schema       flow.Schema       schema.Lazy(value.Object(...))
//	Path         stage.Path        stage.Path{"a", "b"}        (type Path []string; no keys: the whole item)
//	Names        []string          []string{"id", "subject"}
//	Predicate    stage.Predicate   stage.Compare(stage.Path{"minutes"}, ">=", value.Number(30))
//	Template     stage.Text        stage.Text{stage.Lit("id="), stage.Hole(stage.Path{"a"}, filter.Upper(), filter.Truncate(3))}
//	Assignments  []stage.Assign    []stage.Assign{{Key: "k", Text: stage.Text{stage.Lit("v")}}}
//	Words        []string          []string{"echo", "hi"}
//
// filter is runtime/stage/filter: one constructor per filter, named as parse.Filter.Name in Go style (upper -> Upper), with
// the arguments that runtime/stage/parse normalised. Paths, predicates, templates and assignments are parsed by runtime/stage/parse, by
// the compiler for literals and, where text holds a hole, once when the pipeline's stages are made. For that generated code calls methods
// of runtime/stage/late, which only such programs link:
//
//	var l late.Values
//	l.Stage(stage.Head(stage.HeadOptions{N: l.Number("head --n", run.Arg("n"))}))
//
// A late value that does not parse makes its stage fail when it starts, with the reference's message.
package catalog

import (
	"cmp"
	"slices"
)

// Type is the type of a flag's value or of a stage's words; see the package comment for what it becomes in Go.
type Type uint8

// The types.
const (
	// Bool flags take no value and swallow no word.
	Bool Type = iota
	// Int is an integer that is not negative. Like Number it is written as JavaScript's Number reads it (0x10, 1e3).
	Int
	// Number is any finite number.
	Number
	// String is text as it is.
	String
	// Enum is one of a few words.
	Enum
	// JSON is a JSON text.
	JSON
	// Schema is a JSON text that is a JSON Schema object.
	Schema
	// Path is keys joined by dots.
	Path
	// Names are keys joined by commas; spaces around them and empty ones do not count.
	Names
	// Predicate is a comparison of a path with a value, as in where.
	Predicate
	// Template is text with {{path | filter}} in it.
	Template
	// Assignments are words of the form key=text, the text with {{path}} (no filters) in it.
	Assignments
	// Words are the words one by one.
	Words
)

// String names t for people.
func (t Type) String() string {
	return [...]string{"boolean", "integer", "number", "text", "word", "JSON", "JSON Schema", "path", "names", "comparison", "template", "assignments", "words"}[t]
}

// Flag is an option of a stage.
type Flag struct {
	Name    string   // the spelling to use
	Aliases []string // other spellings that are accepted
	Type    Type
	Values  []string // of an Enum
	// Default is the text that stands when the flag is not given. HasDefault tells it from "nothing".
	Default    string
	HasDefault bool
	Required   bool // an empty text is as good as none
	Help       string
	// Field is the field of the options struct.
	Field string
	// Message is the reference's text for a value that the type refuses; empty = a text of ours.
	Message string
	// NonNegative bounds a Number.
	NonNegative bool
	// Object: a JSON value has to be an object. Array: an array.
	Object, Array bool
	// Secret values should come from a variable, not from the file.
	Secret bool
	// File: the value names a file that is read.
	File bool
}

// WordMode says what a stage does with its positional words.
type WordMode uint8

// The modes.
const (
	// NoWords: any word is an error.
	NoWords WordMode = iota
	// OneWord: exactly one word is used.
	OneWord
	// JoinedWords: all words, joined by single spaces, are one text.
	JoinedWords
	// EachWord: every word counts by itself.
	EachWord
)

// Positional describes a stage's words.
type Positional struct {
	Mode WordMode
	// Name is what help calls a word ("EXPR").
	Name string
	// Type is the type of the word or text; Words or Assignments with EachWord.
	Type  Type
	Field string
	// Flag, when set, is the flag that the words stand for: they fill its field when the flag is not given, and are an
	// error beside it. Field and Type are then the flag's.
	Flag string
	Help string
	// Required words; Stage.Missing is the reference's text for their absence.
	Required bool
	// Message is the reference's text, before the word, for one that the type refuses.
	Message string
	// Rest: from the first word on, flags that the stage does not know belong to the words, and after -- all do (exec).
	Rest bool
}

// Ctor names a Go constructor: Package is an import path, Name the function.
type Ctor struct {
	Package string
	Name    string
}

// Variant is another constructor, with the same options, that takes over when Flag is given. It keeps weight (an HTTP client) out of
// programs that do without.
type Variant struct {
	Flag string
	Ctor Ctor
	// Effects replace the stage's.
	Effects []string
}

// InputUse says what a stage does with the items that are piped in.
type InputUse uint8

// The uses of input.
const (
	// UsesInput: the items matter.
	UsesInput InputUse = iota
	// IgnoresInput: the items are read to their end and dropped.
	IgnoresInput
)

// Stage is one stage.
type Stage struct {
	Name string
	// AliasOf names the stage that this one is another name of, "" for none. The entry is complete all the same.
	AliasOf string
	// Summary is one line. Usage lines show how it is written. Notes are sentences.
	Summary string
	Usage   []string
	Notes   []string
	Example string

	Flags []Flag
	Words Positional
	// OneOf lists groups of flags of which at least one must be given. "_" stands for the words.
	OneOf []Group
	// Exclusive lists flags that may not stand together.
	Exclusive []Group
	// Missing is the reference's message when a required flag or word is not given.
	Missing string

	// Effects are what the stage does to the world, as commands.list reports them and effect analysis uses them.
	Effects []string
	// HiddenEffects count in effect analysis only: the reference does not report them.
	HiddenEffects []string
	// Barrier: the stage gets its first item only after everything before it has ended well (spec part 6, 5).
	Barrier bool
	// Dispatch: it hands something to the outside that cannot be taken back, so its step is never retried.
	Dispatch bool
	// Checks: its constructor sets flow.Stage.Needs, so programs with it look before they run whether what it needs is there.
	Checks bool
	// Renderer: it prints its items and passes none on.
	Renderer bool
	// Halts is "approval" or "input" for stages that stop for a person.
	Halts string
	// Pure: the same items always give the same items, and nothing is touched.
	Pure bool
	// Input says whether piped items matter; a stage that ignores them uses them after all when one of InputFlags is given.
	Input      InputUse
	InputFlags []string

	Ctor     Ctor
	Variants []Variant
	// NameField is the options field that takes the stage's name as written, for constructors that serve several.
	NameField string
	// TableField is the options field that takes the table of all stages (commands.list).
	TableField string
}

// Group is a set of flags with the message for breaking its rule.
type Group struct {
	Flags   []string
	Message string
}

// Flag finds a flag by any of its spellings.
func (s *Stage) Flag(name string) (*Flag, bool) {
	for i := range s.Flags {
		if f := &s.Flags[i]; f.Name == name || slices.Contains(f.Aliases, name) {
			return f, true
		}
	}
	return nil, false
}

// FlagNames lists the preferred spellings of all flags.
func (s *Stage) FlagNames() []string {
	names := make([]string, len(s.Flags))
	for i, f := range s.Flags {
		names[i] = f.Name
	}
	return names
}

// HasOptions tells whether the constructor takes an options struct.
func (s *Stage) HasOptions() bool {
	return len(s.Flags) > 0 || s.Words.Mode != NoWords || s.NameField != "" || s.TableField != ""
}

// Optional tells whether an Int or Number field is a pointer: there is no default that could stand for "not given".
func (f *Flag) Optional() bool { return (f.Type == Int || f.Type == Number) && !f.HasDefault }

// Constructor gives the constructor to call when the flags for which given is true are set.
func (s *Stage) Constructor(given func(flag string) bool) Ctor {
	for _, v := range s.Variants {
		if given(v.Flag) {
			return v.Ctor
		}
	}
	return s.Ctor
}

// AllEffects lists every effect that the stage has with the given flags, for effect analysis.
func (s *Stage) AllEffects(given func(flag string) bool) []string {
	all := slices.Concat(s.Effects, s.HiddenEffects)
	for _, v := range s.Variants {
		if given(v.Flag) {
			all = append(all, v.Effects...)
		}
	}
	for _, f := range s.Flags {
		if f.File && given(f.Name) {
			all = append(all, "reads_file")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// UsesInput tells whether piped items matter with the given flags.
func (s *Stage) UsesInput(given func(flag string) bool) bool {
	return s.Input == UsesInput || slices.ContainsFunc(s.InputFlags, given)
}

// Catalogue is a set of stages. The zero value is empty; New gives the built-in ones. Host programs add theirs.
type Catalogue struct{ stages map[string]*Stage }

// New gives a catalogue of all built-in stages.
func New() *Catalogue {
	c := &Catalogue{}
	for _, s := range builtin() {
		c.Add(s)
	}
	return c
}

// Add puts a stage in; it replaces one of the same name.
func (c *Catalogue) Add(s Stage) {
	if c.stages == nil {
		c.stages = map[string]*Stage{}
	}
	c.stages[s.Name] = &s
}

// Lookup finds a stage by name.
func (c *Catalogue) Lookup(name string) (*Stage, bool) {
	s, ok := c.stages[name]
	return s, ok
}

// All lists the stages by name.
func (c *Catalogue) All() []*Stage {
	all := make([]*Stage, 0, len(c.stages))
	for _, s := range c.stages {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Stage) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Nearest gives the stage names that name may have been meant to be, the likeliest first, at most three.
func (c *Catalogue) Nearest(name string) []string {
	names := make([]string, 0, len(c.stages))
	for n := range c.stages {
		names = append(names, n)
	}
	slices.Sort(names)
	if habit, ok := habits[name]; ok {
		return []string{habit}
	}
	return Nearest(name, names)
}

// habits maps what people type from other tools to the stage that does it.
var habits = map[string]string{
	"filter": "where", "select": "pick", "limit": "head", "take": "head", "first": "head", "uniq": "dedupe", "unique": "dedupe", "distinct": "dedupe",
	"group": "groupBy", "group_by": "groupBy", "order": "sort", "print": "json", "format": "template", "render": "template",
	"run": "exec", "shell": "exec", "sh": "exec", "bash": "exec", "echo": "exec", "cat": "exec", "curl": "exec", "jq": "exec", "gh": "exec", "confirm": "approve", "approval": "approve",
	"input": "ask", "prompt": "ask", "llm": "llm.invoke", "agent": "openclaw.agent", "diff": "diff.last",
}
