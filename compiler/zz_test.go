package compiler
import ("testing";"os";"path/filepath";"encoding/json";"fmt";"strings")
func TestZZ(t *testing.T){
 fs,_:=filepath.Glob("/tmp/syn/cases/*/op.json")
 ok,msg,rej:=0,0,0
 for _,f:=range fs { b,_:=os.ReadFile(f); var o struct{Op struct{T,File,Text string}; Check *struct{Error *string}; Kind string; Golden struct{Exit int; Stdout,Stderr string}}; json.Unmarshal(b,&o)
  var r *Result
  if o.Op.T=="pipe" { r=LoadPipeline(o.Op.Text,Options{}) } else { r=Load(o.Op.File,Options{}) }
  bad:=r.Diags.HasErrors()
  if o.Check!=nil { want:=o.Check.Error!=nil; if want!=bad { fmt.Println("MISMATCH",f,o.Kind,"want error",want,r.Diags) } else {ok++}
    if want&&bad { rej++; if r.Diags[0].Message==*o.Check.Error {msg++} else {fmt.Println("MSG",f,"got",r.Diags[0].Message,"want",*o.Check.Error)} }
  } else { if bad && o.Golden.Exit==0 {fmt.Println("REJECT",f,o.Kind,r.Diags[0], o.Op.Text)} else if bad { g:=o.Golden.Stderr+o.Golden.Stdout; if !strings.Contains(g, r.Diags[0].Message) {m,_:=json.Marshal(r.Diags[0].Message); if !strings.Contains(g,string(m[1:len(m)-1])){fmt.Println("RMSG",f,r.Diags[0].Message,"|",g)}} ; ok++ } else {ok++} }
  for _,d:=range r.Diags { if d.Severity==1 { fmt.Println("  W",d.Code,d.Message,"--",d.Hint) } }
 }
 fmt.Println(len(fs),ok,msg,rej)
}
