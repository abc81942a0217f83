package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// How long anything may take before it counts as broken; never how long it is expected to take.
const patience = 150 * time.Second

const (
	pollEvery  = 50 * time.Millisecond
	wordLabel  = "clients.example.com/word"
	deployment = "web"
)

// client is what every kind of client starts from: its configuration as client-go makes it of a kubeconfig, with
// nothing changed but that requests are written down.
type client struct {
	config    *rest.Config
	typed     kubernetes.Interface
	dynamic   dynamic.Interface
	namespace string
	word      string
	seen      *recorder
}

func newClient(namespace, word string) (*client, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	seen := &recorder{}
	config.Wrap(seen.wrap)
	// The limit of the client's own, 5 a second, would only make a test slow.
	config.QPS = -1
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &client{config, typed, untyped, namespace, word, seen}, nil
}

func (c *client) makeNamespace(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: c.named(c.namespace)}
	_, err := c.typed.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	return err
}

// named gives an object a name and the word.
func (c *client) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{wordLabel: c.word}}
}

func (c *client) configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: c.named(name), Data: map[string]string{"word": c.word}}
}

// definition is a CustomResourceDefinition of gadgets, whose spec has whatever it is given, with a status of its own.
func (c *client) definition(group string) map[string]any {
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata": map[string]any{
			"name":   "gadgets." + group,
			"labels": map[string]any{wordLabel: c.word},
		},
		"spec": map[string]any{
			"group": group,
			"scope": "Namespaced",
			"names": map[string]any{"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type":       "object",
					"properties": map[string]any{"spec": open, "status": open},
				}},
			}},
		},
	}
}

func gadgets(group string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: "gadgets"}
}

// until waits for what must come to be, and says what did not.
func until(ctx context.Context, what string, isSo func(context.Context) (bool, error)) error {
	if err := wait.PollUntilContextCancel(ctx, pollEvery, true, isSo); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
