package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// Gadget is the kind of the manager's own, as an operator's author writes it.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GadgetSpec   `json:"spec,omitempty"`
	Status            GadgetStatus `json:"status,omitempty"`
}

type GadgetSpec struct {
	Replicas int32  `json:"replicas,omitempty"`
	Word     string `json:"word,omitempty"`
}

type GadgetStatus struct {
	Ready    int32 `json:"ready,omitempty"`
	Observed int64 `json:"observed,omitempty"`
}

type GadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Gadget `json:"items"`
}

func (g *Gadget) DeepCopyObject() runtime.Object {
	copied := *g
	g.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

func (l *GadgetList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Gadget, 0, len(l.Items))
	for at := range l.Items {
		copied.Items = append(copied.Items, *l.Items[at].DeepCopyObject().(*Gadget))
	}
	return &copied
}

const managedGroup = "managed.clients.example.com"

var managedKinds = &scheme.Builder{GroupVersion: schema.GroupVersion{Group: managedGroup, Version: "v1"}}

func init() { managedKinds.Register(&Gadget{}, &GadgetList{}) }
