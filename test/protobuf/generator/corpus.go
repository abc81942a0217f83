package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	sigsjson "sigs.k8s.io/json"
)

// Values in one sample; a few hundred reach every part of the largest kinds over the samples.
const sampleBudget = 250

// writeCorpus writes samples for each root kind as records in one gzip file.
//
// A record is four blocks, each with its length in four bytes, big-endian: "apiVersion
// kind"; protobuf bytes of a random object; the JSON that Go shows for them; the protobuf bytes Go
// writes for that JSON, empty when they equal the first. Blocks are not base64 so that gzip sees the
// same text in both encodings.
func writeCorpus(path string, samples int) error {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	records, differing := 0, 0
	for _, r := range roots() {
		for i := range samples {
			sample, err := makeSample(r, i)
			if err != nil {
				return fmt.Errorf("%s %s sample %d: %w", r.groupVersion, r.kind, i, err)
			}
			records++
			if len(sample[3]) > 0 {
				differing++
			}
			for _, block := range sample {
				var length [4]byte
				binary.BigEndian.PutUint32(length[:], uint32(len(block)))
				if _, err := zip.Write(append(length[:], block...)); err != nil {
					return err
				}
			}
		}
	}
	if err := zip.Close(); err != nil {
		return err
	}
	fmt.Printf("%d records, %d bytes; in %d Go's bytes of the JSON differ from the first\n", records, out.Len(), differing)
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// object is a root kind in its Go form.
type object interface {
	runtime.Object
	protoMessage
}

func makeSample(r root, number int) ([4][]byte, error) {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s|%s", r.groupVersion, r.kind)
	f := &filler{rand: rand.New(rand.NewPCG(hash.Sum64(), uint64(number))), budget: sampleBudget}
	gvk := r.gvk()

	filled := newObject(r)
	f.value(reflect.ValueOf(filled).Elem(), 0)
	first, err := encode(filled, gvk)
	if err != nil {
		return [4][]byte{}, err
	}
	// What Go shows is what it decodes from the bytes, not what was filled in.
	decoded := newObject(r)
	if err := decode(first, decoded); err != nil {
		return [4][]byte{}, err
	}
	shown, err := toJSON(decoded, gvk)
	if err != nil {
		return [4][]byte{}, err
	}
	// And what Go writes for that JSON.
	reread := newObject(r)
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts(shown, reread); err != nil {
		return [4][]byte{}, err
	}
	second, err := encode(reread, gvk)
	if err != nil {
		return [4][]byte{}, err
	}
	if bytes.Equal(first, second) {
		second = nil
	}
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	return [4][]byte{[]byte(apiVersion + " " + kind), first, shown, second}, nil
}

func newObject(r root) object {
	return reflect.New(r.goType).Interface().(object)
}

// encode is the encoder of the API server.
func encode(o object, gvk schema.GroupVersionKind) ([]byte, error) {
	if _, ok := o.(*metav1.WatchEvent); ok {
		return encodeWithoutKind(o, gvk)
	}
	setKind(o, gvk)
	var out bytes.Buffer
	err := protobuf.NewSerializer(nil, nil).Encode(o, &out)
	return out.Bytes(), err
}

func decode(data []byte, into object) error {
	unknown := runtime.Unknown{}
	if err := unknown.Unmarshal(data[4:]); err != nil {
		return err
	}
	return into.Unmarshal(unknown.Raw)
}

func toJSON(o object, gvk schema.GroupVersionKind) ([]byte, error) {
	setKind(o, gvk)
	// An API server's list has an array of items always; the wire cannot say so.
	if strings.HasSuffix(gvk.Kind, "List") {
		if items := reflect.ValueOf(o).Elem().FieldByName("Items"); items.IsValid() && items.IsNil() {
			items.Set(reflect.MakeSlice(items.Type(), 0, 0))
		}
	}
	return json.Marshal(o)
}

// encodeWithoutKind names the kind in the envelope for a type that has no field for it (WatchEvent).
func encodeWithoutKind(o object, gvk schema.GroupVersionKind) ([]byte, error) {
	raw, err := o.Marshal()
	if err != nil {
		return nil, err
	}
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	data, err := unknown.Marshal()
	return append([]byte("k8s\x00"), data...), err
}

func setKind(o object, gvk schema.GroupVersionKind) {
	o.GetObjectKind().SetGroupVersionKind(gvk)
}
