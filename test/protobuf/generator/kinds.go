package main

import (
	"reflect"
	"sort"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// commonGroupVersion stands in the schema for "any group and version": the apiserver accepts the
// kinds of the meta package (DeleteOptions, Status, ...) under every groupVersion.
const commonGroupVersion = "*"

// root is one kind that may stand in an envelope.
type root struct {
	groupVersion string
	kind         string
	goType       reflect.Type
}

// protoMessage is what the generated code of Kubernetes gives to every protobuf type.
type protoMessage interface {
	runtime.ProtobufMarshaller
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

var (
	protoMessageType = reflect.TypeFor[protoMessage]()
	metaPackage      = reflect.TypeFor[metav1.ObjectMeta]().PkgPath()
)

// withoutProtobuf are the registered kinds that have JSON only (the apiserver answers 406 for them).
// TableOptions looks as if it had a protobuf form: it inherits the methods of its TypeMeta.
var withoutProtobuf = map[reflect.Type]bool{
	reflect.TypeFor[metav1.Table]():        true,
	reflect.TypeFor[metav1.TableOptions](): true,
}

// roots lists every kind with a protobuf form that a built-in API of Kubernetes, or its metrics API, knows, sorted.
func roots() []root {
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(apiextensionsv1.AddToScheme(known))
	utilruntime.Must(apiregistrationv1.AddToScheme(known))
	utilruntime.Must(metricsv1beta1.AddToScheme(known))
	utilruntime.Must(apidiscoveryv2.AddToScheme(known))
	utilruntime.Must(apidiscoveryv2beta1.AddToScheme(known))
	utilruntime.Must(metav1.AddMetaToScheme(known))

	seen := map[string]bool{}
	var all []root
	for gvk, goType := range known.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal || withoutProtobuf[goType] {
			continue
		}
		groupVersion := gvk.GroupVersion().String()
		if goType.PkgPath() == metaPackage {
			groupVersion = commonGroupVersion
		}
		if key := groupVersion + "|" + gvk.Kind; !seen[key] {
			seen[key] = true
			all = append(all, root{groupVersion, gvk.Kind, goType})
		}
	}
	all = append(all, root{commonGroupVersion, "List", reflect.TypeFor[metav1.List]()})
	// The older list of metadata has the same fields under other numbers.
	partialList := reflect.TypeFor[metav1beta1.PartialObjectMetadataList]()
	all = append(all, root{metav1beta1.SchemeGroupVersion.String(), partialList.Name(), partialList})
	sort.Slice(all, func(i, j int) bool {
		if all[i].groupVersion != all[j].groupVersion {
			return all[i].groupVersion < all[j].groupVersion
		}
		return all[i].kind < all[j].kind
	})
	return all
}

// gvk is the type a sample of this root carries; kinds of the meta package are shown under v1.
func (r root) gvk() schema.GroupVersionKind {
	groupVersion := r.groupVersion
	if groupVersion == commonGroupVersion {
		groupVersion = "v1"
	}
	parsed, err := schema.ParseGroupVersion(groupVersion)
	utilruntime.Must(err)
	return parsed.WithKind(r.kind)
}
