package gobuild

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/lobsterc/lobsterc/runtime/blob"
)

// Provenance says what a program was built from. The first part lies in the program as a marked byte string; Go, Target and
// Flags are what the Go linker records.
type Provenance struct {
	Lobsterc string       `json:"lobsterc"`
	IR       string       `json:"ir"`
	Runtime  string       `json:"runtime"`
	Sources  []SourceFile `json:"sources"`
	// Stages are the packages that brought stages of their own, with a hash over them and all that they import.
	Stages []SourceFile `json:"stages,omitempty"`
	MCP    bool         `json:"mcp,omitempty"` // built with --mcp

	Go     string   `json:"go,omitempty"`
	Target string   `json:"target,omitempty"`
	Flags  []string `json:"flags,omitempty"`
}

// SourceFile is a source with its hash.
type SourceFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// NewProvenance describes a program made by this lobsterc. Names are relative to the folder of the entry file.
func NewProvenance(version, irHash string, sources []File) (*Provenance, error) {
	rt, err := loadRuntime()
	if err != nil {
		return nil, err
	}
	p := &Provenance{Lobsterc: version, IR: irHash, Runtime: "sha256:" + rt.hash, Sources: []SourceFile{}}
	for _, s := range sources {
		sum := sha256.Sum256(s.Data)
		p.Sources = append(p.Sources, SourceFile{s.Name, hex.EncodeToString(sum[:])})
	}
	return p, nil
}

// AddStages notes the foreign packages that a program is built with; nil = none.
func (p *Provenance) AddStages(f *Foreign) {
	if f == nil {
		return
	}
	for _, name := range f.Packages {
		p.Stages = append(p.Stages, SourceFile{name, f.Hash})
	}
}

// JSON is the part that lies in the program.
func (p *Provenance) JSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	inside := *p
	inside.Go, inside.Target, inside.Flags = "", "", nil
	if err := enc.Encode(inside); err != nil {
		panic("lobsterc bug: provenance: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// ErrNotOurs is given for files that are not programs made by lobsterc.
var ErrNotOurs = errors.New("not a program built by lobsterc")

// ReadProvenance reads what the program at path was built from, and its canonical IR, without running it.
func ReadProvenance(path string) (*Provenance, []byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	p, ir, err := provenanceOf(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, ir, nil
}

// provenanceOf reads the provenance and the IR out of a program.
func provenanceOf(program []byte) (*Provenance, []byte, error) {
	text, err := one(program, blob.Provenance)
	if err != nil {
		return nil, nil, err
	}
	ir, err := one(program, blob.IR)
	if err != nil {
		return nil, nil, err
	}
	p := &Provenance{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, nil, fmt.Errorf("%w: its provenance is damaged: %w", ErrNotOurs, err)
	}
	if info, err := buildinfo.Read(bytes.NewReader(program)); err == nil {
		p.Go = info.GoVersion
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
			if s.Key != "GOOS" && s.Key != "GOARCH" {
				p.Flags = append(p.Flags, s.Key+"="+s.Value)
			}
		}
		p.Target = settings["GOOS"] + "/" + settings["GOARCH"]
	}
	return p, ir, nil
}

// one gives the only piece of data of a kind.
func one(file []byte, kind string) ([]byte, error) {
	switch found := blob.Find(file, kind); len(found) {
	case 0:
		return nil, ErrNotOurs
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("%w: it holds several marked pieces of kind %q", ErrNotOurs, kind)
	}
}
