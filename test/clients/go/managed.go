package main

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimeclient "sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// managerWithCache runs the operator under a controller-runtime manager that leads by a Lease, and uses it as its user
// would: a Gadget is made, resized and deleted, and each time the operator must follow.
func managerWithCache(ctx context.Context, c *client) (did, error) {
	if err := c.define(ctx, managedGroup); err != nil {
		return nil, err
	}
	manager, err := c.newManager(ctx)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	if !manager.GetCache().WaitForCacheSync(running) {
		return nil, fmt.Errorf("the cache was not filled: %w", <-ended)
	}
	done, err := c.useGadget(ctx, manager.GetClient())
	if err != nil {
		return nil, err
	}
	stop()
	if err := <-ended; err != nil {
		return nil, err
	}
	done["protobuf"] = c.seen.answeredBy("/apis/apps/v1/deployments", runtime.ContentTypeProtobuf)
	return done, nil
}

func (c *client) newManager(ctx context.Context) (ctrl.Manager, error) {
	ctrl.SetLogger(logr.Discard())
	kinds := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, managedKinds.AddToScheme} {
		if err := add(kinds); err != nil {
			return nil, err
		}
	}
	manager, err := ctrl.NewManager(c.config, ctrl.Options{
		Scheme:                        kinds,
		LeaderElection:                true,
		LeaderElectionNamespace:       c.namespace,
		LeaderElectionID:              "gadgets",
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	index := func(object runtimeclient.Object) []string { return []string{object.(*Gadget).Spec.Word} }
	if err := manager.GetFieldIndexer().IndexField(ctx, &Gadget{}, byWord, index); err != nil {
		return nil, err
	}
	gadgets := &operator{manager.GetClient(), manager.GetEventRecorder("gadgets")}
	return manager, ctrl.NewControllerManagedBy(manager).For(&Gadget{}).Owns(&appsv1.Deployment{}).Complete(gadgets)
}

func (c *client) useGadget(ctx context.Context, cached runtimeclient.Client) (did, error) {
	gadget := &Gadget{ObjectMeta: c.named("one"), Spec: GadgetSpec{Replicas: 1, Word: c.word}}
	gadget.Namespace = c.namespace
	if err := cached.Create(ctx, gadget); err != nil {
		return nil, err
	}
	key := runtimeclient.ObjectKeyFromObject(gadget)
	sizes := []int32{}
	for _, size := range []int32{1, 3} {
		patch := runtimeclient.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, size))
		if err := cached.Patch(ctx, gadget, patch); err != nil {
			return nil, err
		}
		wanted := GadgetStatus{Ready: size, Observed: gadget.Generation}
		if err := until(ctx, fmt.Sprintf("the gadget has %d ready", size), func(ctx context.Context) (bool, error) {
			found := &GadgetList{}
			err := cached.List(ctx, found, runtimeclient.MatchingFields{byWord: c.word})
			return len(found.Items) == 1 && found.Items[0].Status == wanted, err
		}); err != nil {
			return nil, err
		}
		sizes = append(sizes, size)
	}
	event, err := c.eventOf(ctx, gadget)
	if err != nil {
		return nil, err
	}
	if err := cached.Delete(ctx, gadget); err != nil {
		return nil, err
	}
	if err := until(ctx, "the gadget is gone", func(ctx context.Context) (bool, error) {
		err := cached.Get(ctx, key, &Gadget{})
		return apierrors.IsNotFound(err), runtimeclient.IgnoreNotFound(err)
	}); err != nil {
		return nil, err
	}
	note, err := c.typed.CoreV1().ConfigMaps(c.namespace).Get(ctx, "one-was-here", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if err := until(ctx, "what the gadget owned is collected", func(ctx context.Context) (bool, error) {
		_, err := c.typed.AppsV1().Deployments(c.namespace).Get(ctx, "one", metav1.GetOptions{})
		return apierrors.IsNotFound(err), runtimeclient.IgnoreNotFound(err)
	}); err != nil {
		return nil, err
	}
	return did{"sizes": sizes, "event": event, "note": note.Data["word"]}, nil
}

// eventOf waits for the event about the object that the operator wrote.
func (c *client) eventOf(ctx context.Context, gadget *Gadget) (string, error) {
	var found *eventsv1.Event
	err := until(ctx, "the operator's event is there", func(ctx context.Context) (bool, error) {
		list, err := c.typed.EventsV1().Events(c.namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Made"})
		if err != nil || len(list.Items) == 0 {
			return false, err
		}
		found = &list.Items[0]
		return true, nil
	})
	if err != nil {
		return "", err
	}
	of := found.Regarding
	if of.UID != gadget.UID || of.Namespace != gadget.Namespace || of.APIVersion != managedGroup+"/v1" {
		return "", fmt.Errorf("the event is about %+v", of)
	}
	related := found.Related
	if related == nil || related.Kind != "Deployment" || related.Namespace != c.namespace {
		return "", fmt.Errorf("the event's related object is %+v", related)
	}
	return found.Note, nil
}
