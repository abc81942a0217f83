package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler fills Go objects with values that are awkward on purpose: extremes, empty against nil,
// zero times, text beyond the basic plane, keys that mean something to JavaScript.
type filler struct {
	rand *rand.Rand
	// values left to make in this object; when they are used up everything is nil or zero
	budget int
}

var (
	words = []string{"", "a", "web", "kube-system", "0", "héllo wörld", "日本語", "😀 <&>", "line\nbreak \u2028", "\ufffd", "\x00\x7f",
		"a-text-that-is-longer-than-the-pool-of-short-strings", "ééééééééééééééééééééééééé"}
	keys = []string{"app", "a/b", "__proto__", "constructor", "toString", "1", "10", "2", "", "é", "\uffee", "😀", "𐀀", "z"}

	quantities = []string{"0", "1", "100m", "1500m", "0.5", "1Gi", "1.5Gi", "9223372036854775807", "-3", "1e3", "12E", "10n", "123456789012345678901234567890"}
	int64s     = []int64{0, 1, -1, 127, 128, 300, 1 << 28, 1<<28 - 1, 1 << 31, 1 << 35, 1 << 49, 1 << 56, 1<<53 - 1, 1 << 53, 1<<53 + 1, -(1<<53 - 1), -(1 << 53), -(1<<53 + 1), math.MaxInt64, math.MinInt64, 12345}
	int32s     = []int32{0, 1, -1, 8080, math.MaxInt32, math.MinInt32, 1 << 28}
	doubles    = []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-7, 1e21, 1e20, 123456789.125, math.MaxFloat64, math.SmallestNonzeroFloat64}
	seconds    = []int64{0, -62135596800, -62135596801 + 86400, -1, 1, 951782400, 1700000000, 253402300799}
	documents  = []string{`{}`, `[]`, `true`, `0`, `"x"`, `{"a":{"b":[1,2,{"c":null}]},"z":"é😀"}`, `9007199254740993`, `-9223372036854775808`,
		`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`, `{"__proto__":{"x":1}}`, `1.50`, `[1e3,-0,0.1]`, `123456789012345678901234567890`}
)

func (f *filler) chance(percent int) bool { return f.rand.IntN(100) < percent }

func pick[T any](f *filler, list []T) T { return list[f.rand.IntN(len(list))] }

// value fills v, which must be settable.
func (f *filler) value(v reflect.Value, depth int) {
	f.budget--
	if f.special(v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.chance(50))
	case reflect.Int32:
		v.SetInt(int64(pick(f, int32s)))
	case reflect.Int64, reflect.Int:
		v.SetInt(pick(f, int64s))
	case reflect.Float64:
		v.SetFloat(pick(f, doubles))
	case reflect.Pointer:
		if f.isNil(depth) {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.value(v.Elem(), depth+1)
	case reflect.Slice:
		f.slice(v, depth)
	case reflect.Map:
		f.fillMap(v, depth)
	case reflect.Struct:
		// In any order, so that the budget does not always end before the same fields.
		for _, i := range f.rand.Perm(v.NumField()) {
			if v.Type().Field(i).Type != typeMetaType {
				f.value(v.Field(i), depth+1)
			}
		}
	default:
		panic(fmt.Sprintf("no filler for %v", v.Type()))
	}
}

func (f *filler) isNil(depth int) bool {
	return f.budget <= 0 || depth > 24 || f.chance(40)
}

func (f *filler) text() string {
	if f.chance(60) {
		return fmt.Sprintf("t%d", f.rand.IntN(1000))
	}
	return pick(f, words)
}

func (f *filler) slice(v reflect.Value, depth int) {
	if f.isNil(depth) {
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		data := make([]byte, f.rand.IntN(20))
		for i := range data {
			data[i] = byte(f.rand.IntN(256))
		}
		v.SetBytes(data)
		return
	}
	length := f.rand.IntN(3)
	v.Set(reflect.MakeSlice(v.Type(), length, length))
	for i := range length {
		f.value(v.Index(i), depth+1)
	}
}

func (f *filler) fillMap(v reflect.Value, depth int) {
	if f.isNil(depth) {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range f.rand.IntN(4) {
		key := reflect.New(v.Type().Key()).Elem()
		key.SetString(pick(f, keys))
		value := reflect.New(v.Type().Elem()).Elem()
		f.value(value, depth+1)
		v.SetMapIndex(key, value)
	}
}

// special fills the types whose fields do not say what they mean; it reports whether v was one.
func (f *filler) special(v reflect.Value, depth int) bool {
	switch target := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*target = resource.MustParse(pick(f, quantities))
	case *metav1.Time:
		target.Time = f.time(0)
	case *metav1.MicroTime:
		target.Time = f.time(f.rand.Int64N(1_000_000_000))
	case *metav1.Duration:
		target.Duration = time.Duration(pick(f, int64s))
	case *intstr.IntOrString:
		*target = intstr.FromInt32(pick(f, int32s))
		if f.chance(50) {
			*target = intstr.FromString(f.text())
		}
	case *runtime.RawExtension:
		if !f.isNil(depth) {
			target.Raw = f.document()
		}
	case *apiextensionsv1.JSON:
		if !f.isNil(depth) {
			target.Raw = f.document()
		}
	case *metav1.FieldsV1:
		if !f.isNil(depth) {
			target.Raw = []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`)
		}
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		target.Allows = f.chance(50)
		target.Schema = f.schema(depth)
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		target.Schema = f.schema(depth)
		if target.Schema == nil {
			f.slice(reflect.ValueOf(&target.JSONSchemas).Elem(), depth+2)
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		target.Schema = f.schema(depth)
		if target.Schema == nil {
			f.slice(reflect.ValueOf(&target.Property).Elem(), depth)
		}
	default:
		return false
	}
	return true
}

// document is compact JSON of any type. null is not among it: Go reads it back as nil. There is no <, > or
// & in the documents: Go's JSON writes such a letter of embedded text as an escape, which other writers do not.
func (f *filler) document() []byte {
	text := pick(f, documents)
	if !json.Valid([]byte(text)) {
		panic(text)
	}
	return []byte(text)
}

func (f *filler) time(nanos int64) time.Time {
	if f.chance(50) {
		return time.Unix(f.rand.Int64N(4_000_000_000), nanos)
	}
	if f.chance(30) {
		nanos = 0
	}
	return time.Unix(pick(f, seconds), nanos)
}

func (f *filler) schema(depth int) *apiextensionsv1.JSONSchemaProps {
	if f.isNil(depth+4) || f.chance(60) {
		return nil
	}
	out := &apiextensionsv1.JSONSchemaProps{}
	f.value(reflect.ValueOf(out).Elem(), depth+3)
	return out
}
