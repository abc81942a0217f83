package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

// listener writes down the events of one namespace, but not those of what every namespace has by itself.
type listener struct {
	namespace string
	lock      sync.Mutex
	events    []string
}

func (l *listener) OnAdd(object any, _ bool) { l.note("add", object) }
func (l *listener) OnUpdate(_, object any)   { l.note("update", object) }
func (l *listener) OnDelete(object any)      { l.note("delete", object) }
func (l *listener) note(what string, one any) {
	if gone, ok := one.(cache.DeletedFinalStateUnknown); ok {
		one = gone.Obj
	}
	found, err := meta.Accessor(one)
	if err != nil || found.GetNamespace() != l.namespace || found.GetName() == "kube-root-ca.crt" {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	l.events = append(l.events, what+" "+found.GetName())
}

func (l *listener) all() []string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return slices.Clone(l.events)
}

// sameAsListed waits until a cache holds the very versions that a list gives, and says how many there are.
func (c *client) sameAsListed(ctx context.Context, path string, store cache.Store) (int, error) {
	reader, err := metadata.NewForConfig(c.config)
	if err != nil {
		return 0, err
	}
	resource := resourceOf(path)
	listed, held := []string{}, []string{}
	err = until(ctx, "the cache of "+path+" holds what is listed", func(ctx context.Context) (bool, error) {
		list, err := reader.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		listed, held = []string{}, []string{}
		for at := range list.Items {
			listed = append(listed, version(&list.Items[at]))
		}
		for _, item := range store.List() {
			object, err := meta.Accessor(item)
			if err != nil {
				return false, err
			}
			held = append(held, version(object))
		}
		slices.Sort(listed)
		slices.Sort(held)
		return slices.Equal(listed, held), nil
	})
	if err != nil {
		return 0, fmt.Errorf("%w: listed %v, held %v", err, listed, held)
	}
	return len(held), nil
}

func version(object metav1.Object) string {
	return fmt.Sprintf("%s/%s %s@%s", object.GetNamespace(), object.GetName(), object.GetUID(), object.GetResourceVersion())
}

// resourceOf reads /api/v1/pods and /apis/apps/v1/deployments.
func resourceOf(path string) schema.GroupVersionResource {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/"), "/")
	if len(parts) == 2 {
		return schema.GroupVersionResource{Version: parts[0], Resource: parts[1]}
	}
	return schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}
}
