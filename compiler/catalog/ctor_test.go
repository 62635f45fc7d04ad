package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// decls are the functions, structs and aliases that a package declares, read from its source.
type decls struct {
	funcs   map[string]bool
	structs map[string]map[string]string
	aliases map[string]bool
}

func readDecls(t *testing.T, dir string) decls {
	t.Helper()
	d := decls{map[string]bool{}, map[string]map[string]string{}, map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					d.funcs[decl.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					d.addType(spec)
				}
			}
		}
	}
	return d
}

func (d decls) addType(spec ast.Spec) {
	typ, ok := spec.(*ast.TypeSpec)
	if !ok {
		return
	}
	st, ok := typ.Type.(*ast.StructType)
	if !ok {
		d.aliases[typ.Name.Name] = typ.Assign.IsValid()
		return
	}
	fields := map[string]string{}
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			fields[n.Name] = strings.TrimPrefix(types.ExprString(f.Type), "stage.")
		}
	}
	d.structs[typ.Name.Name] = fields
}

// TestConstructors compares the catalogue with the packages that it names: generated code must compile.
func TestConstructors(t *testing.T) {
	read := map[string]decls{}
	for _, s := range New().All() {
		ctors := []Ctor{s.Ctor}
		for _, v := range s.Variants {
			ctors = append(ctors, v.Ctor)
		}
		for _, c := range ctors {
			d, ok := read[c.Package]
			if !ok {
				d = readDecls(t, filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(c.Package, module))))
				read[c.Package] = d
			}
			if len(d.funcs) == 0 {
				continue // building a program that names the stage says that its package is missing
			}
			if !d.funcs[c.Name] {
				t.Errorf("%s: no function %s in %s", s.Name, c.Name, c.Package)
			}
			if !s.HasOptions() || d.aliases[c.Name+"Options"] {
				continue
			}
			for field, typ := range optionFields(s) {
				if have := d.structs[c.Name+"Options"][field]; have != typ {
					t.Errorf("%s: %s.%sOptions.%s has type %q, want %s", s.Name, c.Package, c.Name, field, have, typ)
				}
			}
		}
	}
}

// goTypes are the types of the package comment.
var goTypes = map[Type]string{
	Bool: "bool", Int: "int", Number: "float64", String: "string", Enum: "string", JSON: "value.Value", Schema: "flow.Schema", Path: "Path",
	Names: "[]string", Predicate: "Predicate", Template: "Text", Assignments: "[]Assign", Words: "[]string",
}

// optionFields gives the fields that an options struct must have, with their types.
func optionFields(s *Stage) map[string]string {
	fields := map[string]string{}
	for i := range s.Flags {
		f := &s.Flags[i]
		fields[f.Field] = goTypes[f.Type]
		if f.Optional() {
			fields[f.Field] = "*" + goTypes[f.Type]
		}
	}
	fields[s.Words.Field] = goTypes[s.Words.Type]
	fields[s.NameField] = "string"
	fields[s.TableField] = "value.Value"
	delete(fields, "")
	return fields
}
