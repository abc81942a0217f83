package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// sandboxes ends what runs in pods that go, as a container runtime does.
type sandboxes struct {
	mu      sync.Mutex
	running map[string]map[*context.CancelFunc]struct{}
	gone    map[string]bool
}

// sandboxID is what a runtime knows a pod by, and what it calls the pod in what it says.
func sandboxID(namespace, pod string) string {
	sum := sha256.Sum256([]byte(namespace + "/" + pod))
	return hex.EncodeToString(sum[:])
}

// enter gives a context that ends with the pod, and what to call when nothing runs any more.
func (s *sandboxes) enter(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone[id] {
		cancel()
		return ctx, func() {}
	}
	if s.running[id] == nil {
		s.running[id] = map[*context.CancelFunc]struct{}{}
	}
	s.running[id][&cancel] = struct{}{}
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running[id], &cancel)
		if len(s.running[id]) == 0 {
			delete(s.running, id)
		}
	}
}

func (s *sandboxes) start(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.gone, id)
}

func (s *sandboxes) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone[id] = true
	for cancel := range s.running[id] {
		(*cancel)()
	}
}

// watch hears of pods from the API server until the context ends.
func (s *sandboxes) watch(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	hear := func(object any) {
		pod, ok := object.(*corev1.Pod)
		switch {
		case !ok:
		case pod.DeletionTimestamp == nil:
			s.start(sandboxID(pod.Namespace, pod.Name))
		default:
			s.end(sandboxID(pod.Namespace, pod.Name))
		}
	}
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    hear,
		UpdateFunc: func(_, object any) { hear(object) },
		DeleteFunc: func(object any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
			if err != nil {
				return
			}
			namespace, name, err := cache.SplitMetaNamespaceKey(key)
			if err == nil {
				s.end(sandboxID(namespace, name))
			}
		},
	})
	if err != nil {
		return fmt.Errorf("watching pods: %w", err)
	}
	factory.StartWithContext(ctx)
	return nil
}
