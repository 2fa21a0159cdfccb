// Go's side of bench/template_bench.cc: go test -bench . -benchmem
package template_go

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"syscall"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

type job struct {
	ID, Name, Status     string
	Tags                 []string
	CreatedAt, UpdatedAt int
}

type root struct {
	Job              job
	Command, Cluster map[string]interface{}
	Outputs          map[string]interface{}
}

type row struct {
	Name, Template, Want string
	Data                 root
}

// JSON's numbers that are whole, as a config has them.
func whole(value interface{}) interface{} {
	switch v := value.(type) {
	case float64:
		return int(v)
	case map[string]interface{}:
		for key := range v {
			v[key] = whole(v[key])
		}
	}
	return value
}

func rows(b *testing.B) []row {
	text, err := os.ReadFile("../../tests/testdata/gotemplate/bench.json")
	if err != nil {
		b.Fatal(err)
	}
	var file struct{ Rows []row }
	if err := json.Unmarshal(text, &file); err != nil {
		b.Fatal(err)
	}
	for _, r := range file.Rows {
		whole(reflect.ValueOf(r.Data.Cluster).Interface())
	}
	return file.Rows
}

func parsed(b *testing.B, source string) *template.Template {
	t, err := template.New("attr").Option("missingkey=error").Funcs(sprig.TxtFuncMap()).Funcs(
		template.FuncMap{"slice": goSlice}).Parse(source)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// Sprig has a slice of its own that would hide Go's.
func goSlice(list []string, from int) []string { return list[from:] }

// Processor time as well: on a busy machine the clock on the wall counts the others too.
func measure(b *testing.B, run func()) {
	begin := processorTime()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(processorTime()-begin)/float64(b.N), "cpu-ns/op")
}

func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func BenchmarkExecute(b *testing.B) {
	for _, r := range rows(b) {
		b.Run(r.Name, func(b *testing.B) {
			t := parsed(b, r.Template)
			var out bytes.Buffer
			b.ReportAllocs()
			measure(b, func() {
				out.Reset()
				if err := t.Execute(&out, r.Data); err != nil {
					b.Fatal(err)
				}
			})
			if out.String() != r.Want {
				b.Fatalf("got %q", out.String())
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, r := range rows(b) {
		b.Run(r.Name, func(b *testing.B) {
			measure(b, func() { parsed(b, r.Template) })
		})
	}
}
