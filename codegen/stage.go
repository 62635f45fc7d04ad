package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// pipelineFunc asks for the function that gives the stages of a pipeline.
func (g *generator) pipelineFunc(p *ir.Pipeline, scope []string, what string) jen.Code {
	panic("")
}

// schemaVar asks for the variable that holds a compiled JSON Schema.
func (g *generator) schemaVar(s value.Value, scope []string, what string, pos diag.Pos) string {
	name := g.names.pick("schema", scope...)
	g.declare(name, "is "+what, pos, jen.Var().Id(name).Op("=").Qual(schemaPath, "Lazy").Call(literal(s)))
	return name
}
