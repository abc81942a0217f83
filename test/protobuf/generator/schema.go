package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// fieldKinds gives each kind of value its code: the position in this list. The schema file carries
// the list, and the loader of the codec refuses a file with another one.
var fieldKinds = []string{
	"string", "bytes", "bool", "int32", "int64", "double", "message",
	"quantity", "time", "microTime", "intOrString", "rawExtension", "rawJson",
	"schemaOrBool", "schemaOrArray", "schemaOrStringArray", "stringList", "duration",
}

// specialKinds are the types whose JSON is not what their fields say.
var specialKinds = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():                            "quantity",
	reflect.TypeFor[metav1.Time]():                                  "time",
	reflect.TypeFor[metav1.MicroTime]():                             "microTime",
	reflect.TypeFor[metav1.Duration]():                              "duration",
	reflect.TypeFor[intstr.IntOrString]():                           "intOrString",
	reflect.TypeFor[runtime.RawExtension]():                         "rawExtension",
	reflect.TypeFor[metav1.FieldsV1]():                              "rawJson",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "rawJson",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "schemaOrBool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "schemaOrArray",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "schemaOrStringArray",
}

// Bits of a field's flags; the codec has the same list.
const (
	flagOmitEmpty = 1 << iota
	flagOmitZero
	flagPointer
	flagInline
	flagRepeated
	flagMap
)

var (
	typeMetaType      = reflect.TypeFor[metav1.TypeMeta]()
	jsonMarshalerType = reflect.TypeFor[json.Marshaler]()
	schemaPropsType   = reflect.TypeFor[apiextensionsv1.JSONSchemaProps]()
)

type field struct {
	number   int
	jsonName string
	kind     int
	flags    int
	message  int // index, or -1
}

type message struct {
	name     string
	typeMeta bool // its JSON may carry kind and apiVersion, which do not exist on the wire
	fields   []field
}

type builder struct {
	messages []*message
	indexes  map[reflect.Type]int
}

// writeSchema writes the table of all messages that can be reached from a root kind. One message or
// groupVersion stands on a line, so that a raised version gives a readable diff.
func writeSchema(path string) error {
	b := &builder{indexes: map[reflect.Type]int{}}
	kinds := map[string][]string{}
	var groupVersions []string
	for _, r := range roots() {
		if kinds[r.groupVersion] == nil {
			groupVersions = append(groupVersions, r.groupVersion)
		}
		kinds[r.groupVersion] = append(kinds[r.groupVersion], fmt.Sprintf("%q:%d", r.kind, b.index(r.goType)))
	}

	var out bytes.Buffer
	names, err := json.Marshal(fieldKinds)
	if err != nil {
		return err
	}
	fmt.Fprintf(&out, "{\"kinds\":%s,\n\"roots\":{\n", names)
	for i, groupVersion := range groupVersions {
		fmt.Fprintf(&out, "%q:{%s}%s\n", groupVersion, strings.Join(kinds[groupVersion], ","), comma(i, len(groupVersions)))
	}
	out.WriteString("},\n\"messages\":[\n")
	fields := 0
	for i, m := range b.messages {
		fields += len(m.fields)
		fmt.Fprintf(&out, "%s%s\n", m.row(), comma(i, len(b.messages)))
	}
	out.WriteString("]}\n")
	if !json.Valid(out.Bytes()) {
		return fmt.Errorf("the schema is not valid JSON: a fault of this generator")
	}
	fmt.Printf("%d messages, %d fields, %d root kinds, %d bytes\n", len(b.messages), fields, len(roots()), out.Len())
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// row: [name, typeMeta 0|1, number, jsonName, kind, flags, messageIndex, number, ...].
func (m *message) row() string {
	typeMeta := 0
	if m.typeMeta {
		typeMeta = 1
	}
	parts := []string{strconv.Quote(m.name), strconv.Itoa(typeMeta)}
	for _, f := range m.fields {
		parts = append(parts, fmt.Sprintf("%d,%q,%d,%d,%d", f.number, f.jsonName, f.kind, f.flags, f.message))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func comma(i, length int) string {
	if i < length-1 {
		return ","
	}
	return ""
}

// index returns the place of a struct type in the table, reading the type when it is new.
func (b *builder) index(t reflect.Type) int {
	if i, ok := b.indexes[t]; ok {
		return i
	}
	if !reflect.PointerTo(t).Implements(protoMessageType) {
		panic(fmt.Sprintf("%v has no protobuf form", t))
	}
	i := len(b.messages)
	b.indexes[t] = i
	m := &message{name: strings.TrimPrefix(t.PkgPath(), "k8s.io/") + "." + t.Name()}
	b.messages = append(b.messages, m)
	for j := range t.NumField() {
		b.readField(m, t, t.Field(j))
	}
	// Go writes fields in the order of their numbers, which is not that of the declaration.
	sort.Slice(m.fields, func(x, y int) bool { return m.fields[x].number < m.fields[y].number })
	for j := 1; j < len(m.fields); j++ {
		if m.fields[j].number == m.fields[j-1].number {
			panic(fmt.Sprintf("%v has two fields %d", t, m.fields[j].number))
		}
	}
	return i
}

// readField reads one field. Of the protobuf tag only the number is to be trusted: in 85 fields of
// Kubernetes the tag's wire type and in more its repetition differ from the generated code.
func (b *builder) readField(m *message, owner reflect.Type, f reflect.StructField) {
	where := fmt.Sprintf("%v.%s", owner, f.Name)
	if f.Type == typeMetaType && f.Anonymous {
		m.typeMeta = true
		return
	}
	tag := f.Tag.Get("protobuf")
	parts := strings.Split(tag, ",")
	if len(parts) < 2 {
		panic(fmt.Sprintf("%s has no field number (tag %q)", where, tag))
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		panic(fmt.Sprintf("%s: %v", where, err))
	}
	options := strings.Split(f.Tag.Get("json"), ",")
	out := field{number: number, jsonName: options[0], message: -1}
	for _, option := range options[1:] {
		switch option {
		case "omitempty":
			out.flags |= flagOmitEmpty
		case "omitzero":
			if f.Type != reflect.TypeFor[metav1.Time]() {
				panic(where + ": omitzero is known only for Time")
			}
			out.flags |= flagOmitZero
		case "inline":
		default:
			panic(fmt.Sprintf("%s: unknown option %q in the json tag", where, option))
		}
	}
	t := f.Type
	if out.jsonName == "" {
		if !f.Anonymous || t.Kind() != reflect.Struct {
			panic(where + " has no JSON name and is not an embedded struct")
		}
		out.flags |= flagInline
	}
	if out.jsonName == "-" || out.jsonName == "__proto__" {
		panic(where + ": bad JSON name")
	}
	switch {
	case isStringList(t):
	case t.Kind() == reflect.Pointer:
		out.flags |= flagPointer
		t = t.Elem()
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		out.flags |= flagRepeated
		t = t.Elem()
	case t.Kind() == reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic(where + ": the keys of a map must be strings")
		}
		out.flags |= flagMap
		t = t.Elem()
	}
	out.kind, out.message = b.valueKind(where, t)
	if out.flags&flagInline != 0 && fieldKinds[out.kind] != "message" {
		panic(where + ": only an ordinary message can be inline")
	}
	m.fields = append(m.fields, out)
}

// valueKind returns the code of a value's kind and the index of its message (-1: none).
func (b *builder) valueKind(where string, t reflect.Type) (int, int) {
	if special, ok := specialKinds[t]; ok {
		if strings.HasPrefix(special, "schemaOr") {
			return code(special), b.index(schemaPropsType)
		}
		return code(special), -1
	}
	if isStringList(t) {
		return code("stringList"), -1
	}
	if t.Implements(jsonMarshalerType) || reflect.PointerTo(t).Implements(jsonMarshalerType) {
		panic(fmt.Sprintf("%s: %v has a JSON form of its own and no entry in specialKinds", where, t))
	}
	switch t.Kind() {
	case reflect.String:
		return code("string"), -1
	case reflect.Bool:
		return code("bool"), -1
	case reflect.Int32:
		return code("int32"), -1
	case reflect.Int64, reflect.Int:
		return code("int64"), -1
	case reflect.Float64:
		return code("double"), -1
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return code("bytes"), -1
		}
	case reflect.Struct:
		return code("message"), b.index(t)
	}
	panic(fmt.Sprintf("%s: %v has no kind in this schema", where, t))
}

// isStringList: a named slice of strings (Verbs, ExtraValue) which is a message {repeated string items = 1}.
func isStringList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String && t.Name() != "" &&
		reflect.PointerTo(t).Implements(protoMessageType)
}

func code(kind string) int {
	for i, name := range fieldKinds {
		if name == kind {
			return i
		}
	}
	panic("unknown kind " + kind)
}
