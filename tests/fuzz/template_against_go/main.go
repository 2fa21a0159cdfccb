// Answers templates as Go's text/template does: reads one {"template", "data"} a line and writes it back with "want"
// or "error", in the form of tests/testdata/gotemplate/vectors.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"github.com/Masterminds/sprig/v3"

	"waybill/template_against_go/waybill"
)

var names = strings.Fields(`default empty coalesce ternary get hasKey dig trim trimPrefix trimSuffix lower upper title
	replace contains hasPrefix hasSuffix quote squote join splitList trunc toJson b64enc b64dec sha256sum
	regexReplaceAll int toString date`)

var place = regexp.MustCompile(`^template: attr:(\d+)(?::(\d+))?: `)

// What may be refused when the template is loaded already.
var visible = regexp.MustCompile(`in type waybill\.(Root|Job)$|template ".*" not defined$|undefined variable: |overflows int$`)

type failure struct {
	Phase   string      `json:"phase"`
	Message interface{} `json:"message"`
	Line    int         `json:"line"`
	Col     *int        `json:"col,omitempty"`
}

type vector struct {
	Name     string          `json:"name,omitempty"`
	Template json.RawMessage `json:"template"`
	Data     json.RawMessage `json:"data"`
	Want     interface{}     `json:"want,omitempty"`
	Error    *failure        `json:"error,omitempty"`
	Load     string          `json:"load,omitempty"`
	Loose    bool            `json:"loose,omitempty"`
}

func main() {
	time.Local = time.UTC
	functions := template.FuncMap{"urlPathEscape": url.PathEscape}
	for _, name := range names {
		functions[name] = sprig.FuncMap()[name]
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var v vector
		check(json.Unmarshal(in.Bytes(), &v))
		answer(&v, functions)
		line := new(bytes.Buffer)
		encoder := json.NewEncoder(line)
		encoder.SetEscapeHTML(false)
		check(encoder.Encode(v))
		out.Write(line.Bytes())
	}
	check(in.Err())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func answer(v *vector, functions template.FuncMap) {
	t, err := template.New("attr").Option("missingkey=error").Funcs(functions).Parse(text(plain(decode(v.Template))))
	if err != nil {
		v.fail("parse", err)
		return
	}
	var rendered bytes.Buffer
	if err = t.Execute(&rendered, root(decode(v.Data))); err != nil {
		v.fail("exec", err)
		return
	}
	v.Want = shown(rendered.String())
}

func (v *vector) fail(phase string, err error) {
	f := &failure{Phase: phase, Message: shown(err.Error())}
	if at := place.FindStringSubmatch(err.Error()); at != nil {
		f.Line, _ = strconv.Atoi(at[1])
		if col, err := strconv.Atoi(at[2]); err == nil && phase == "exec" {
			f.Col = &col
		}
	}
	if phase == "exec" && visible.MatchString(err.Error()) {
		v.Load = "may"
	}
	v.Loose = strings.Contains(err.Error(), "reflect: ")
	v.Error = f
}

// A string as JSON can hold it.
func shown(s string) interface{} {
	if utf8.ValidString(s) {
		return s
	}
	return map[string]string{"$b64": base64.StdEncoding.EncodeToString([]byte(s))}
}

func decode(raw json.RawMessage) interface{} {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value interface{}
	check(d.Decode(&value))
	return value
}

func text(value interface{}) string {
	s, _ := value.(string)
	return s
}

// plain turns what decode returns into the values that templates see.
func plain(value interface{}) interface{} {
	switch v := value.(type) {
	case json.Number:
		if i, err := strconv.Atoi(v.String()); err == nil {
			return i
		}
		f, err := v.Float64()
		check(err)
		return f
	case []interface{}:
		for i := range v {
			v[i] = plain(v[i])
		}
		return v[:len(v):len(v)]
	case map[string]interface{}:
		if s, ok := v["$b64"].(string); ok && len(v) == 1 {
			bytes, err := base64.StdEncoding.DecodeString(s)
			check(err)
			return string(bytes)
		}
		if s, ok := v["$float"].(string); ok && len(v) == 1 {
			f, err := strconv.ParseFloat(s, 64)
			check(err)
			return f
		}
		if s, ok := v["$uint64"].(string); ok && len(v) == 1 {
			u, err := strconv.ParseUint(s, 10, 64)
			check(err)
			return u
		}
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return value
}

// floats turns all numbers into float64, as JSON's are.
func floats(value interface{}) interface{} {
	switch v := value.(type) {
	case int:
		return float64(v)
	case uint64:
		return float64(v)
	case []interface{}:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]interface{}:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return value
}

func root(value interface{}) waybill.Root {
	data, _ := value.(map[string]interface{})
	space := func(name string) map[string]interface{} {
		if m, ok := plain(data[name]).(map[string]interface{}); ok {
			return m
		}
		return map[string]interface{}{}
	}
	r := waybill.Root{Command: space("Command"), Cluster: space("Cluster"), Outputs: space("Outputs")}
	job := reflect.ValueOf(&r.Job).Elem()
	for name, value := range space("Job") {
		field := job.FieldByName(name)
		switch v := value.(type) {
		case []interface{}:
			list := make([]string, 0, len(v))
			for _, s := range v {
				list = append(list, text(s))
			}
			field.Set(reflect.ValueOf(list[:len(list):len(list)]))
		case map[string]interface{}:
			field.Set(reflect.ValueOf(floats(v)))
		case float64:
			field.SetInt(int64(math.Trunc(v)))
		case nil:
		default:
			field.Set(reflect.ValueOf(v))
		}
	}
	return r
}
