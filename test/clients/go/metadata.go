package main

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// metadataAndDynamicInformers follows built-in kinds by their metadata alone, and a kind that the tenant defines by both
// kinds of informer, while a dynamic client writes it.
func metadataAndDynamicInformers(ctx context.Context, c *client) (did, error) {
	group := "dynamic.clients.example.com"
	if err := c.define(ctx, group); err != nil {
		return nil, err
	}
	resource := gadgets(group)
	path := "/apis/" + group + "/v1/gadgets"
	metadataClient, err := metadata.NewForConfig(c.config)
	if err != nil {
		return nil, err
	}
	byMetadata := metadatainformer.NewSharedInformerFactory(metadataClient, 0)
	byDynamic := dynamicinformer.NewDynamicSharedInformerFactory(c.dynamic, 0)
	stores := map[string]cache.SharedIndexInformer{
		"/api/v1/configmaps":        byMetadata.ForResource(resourceOf("/api/v1/configmaps")).Informer(),
		"/apis/apps/v1/deployments": byMetadata.ForResource(resourceOf("/apis/apps/v1/deployments")).Informer(),
		definitionsPath:             byMetadata.ForResource(resourceOf(definitionsPath)).Informer(),
		path:                        byMetadata.ForResource(resource).Informer(),
	}
	ofGadgets := byDynamic.ForResource(resource).Informer()
	heard, heardDynamic := &listener{namespace: c.namespace}, &listener{namespace: c.namespace}
	if _, err := stores[path].AddEventHandler(heard); err != nil {
		return nil, err
	}
	if _, err := ofGadgets.AddEventHandler(heardDynamic); err != nil {
		return nil, err
	}
	following, stop := context.WithCancel(ctx)
	defer byMetadata.Shutdown()
	defer byDynamic.Shutdown()
	defer stop()
	byMetadata.Start(following.Done())
	byDynamic.Start(following.Done())
	byMetadata.WaitForCacheSync(ctx.Done())
	byDynamic.WaitForCacheSync(ctx.Done())

	if err := c.writeGadgets(ctx, resource); err != nil {
		return nil, err
	}
	wanted := []string{"add one", "update one", "update one", "add two", "delete two"}
	for _, each := range []*listener{heard, heardDynamic} {
		if err := until(ctx, fmt.Sprintf("events %v are heard", wanted), func(context.Context) (bool, error) {
			return slices.Equal(each.all(), wanted), nil
		}); err != nil {
			return nil, fmt.Errorf("%w; heard were %v", err, each.all())
		}
	}
	streamed, plain := c.seen.lists(path)
	held := did{}
	for path, informer := range stores {
		count, err := c.sameAsListed(ctx, path, informer.GetStore())
		if err != nil {
			return nil, err
		}
		held[path] = count
	}
	if held["dynamic"], err = c.sameAsListed(ctx, path, ofGadgets.GetStore()); err != nil {
		return nil, err
	}
	return did{"heard": heardDynamic.all(), "held": held, "streamed": streamed, "plain": plain}, nil
}

// define makes the kind, and waits until the API has it.
func (c *client) define(ctx context.Context, group string) error {
	definitions := c.dynamic.Resource(resourceOf(definitionsPath))
	definition := &unstructured.Unstructured{Object: c.definition(group)}
	if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := until(ctx, "the definition is established", func(ctx context.Context) (bool, error) {
		found, err := definitions.Get(ctx, definition.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		// It is null at first.
		all, _, err := unstructured.NestedFieldNoCopy(found.Object, "status", "conditions")
		conditions, _ := all.([]any)
		return slices.ContainsFunc(conditions, func(one any) bool {
			condition, isMap := one.(map[string]any)
			return isMap && condition["type"] == "Established" && condition["status"] == "True"
		}), err
	}); err != nil {
		return err
	}
	// Established is what the definition says; discovery is where the API has it.
	return until(ctx, "the kind is in discovery", func(context.Context) (bool, error) {
		_, err := c.typed.Discovery().ServerResourcesForGroupVersion(group + "/v1")
		return err == nil, nil
	})
}

// writeGadgets makes one with a changed spec and a status, and another that goes again.
func (c *client) writeGadgets(ctx context.Context, resource schema.GroupVersionResource) error {
	ours := c.dynamic.Resource(resource).Namespace(c.namespace)
	one, err := ours.Create(ctx, c.gadget(resource, "one"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(one.Object, int64(9007199254740993), "spec", "size"); err != nil {
		return err
	}
	if one, err = ours.Update(ctx, one, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if size, _, err := unstructured.NestedInt64(one.Object, "spec", "size"); err != nil || size != 9007199254740993 {
		return fmt.Errorf("the size is %d (%v)", size, err)
	}
	if err := unstructured.SetNestedField(one.Object, "ready", "status", "phase"); err != nil {
		return err
	}
	if _, err = ours.UpdateStatus(ctx, one, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if _, err = ours.Create(ctx, c.gadget(resource, "two"), metav1.CreateOptions{}); err != nil {
		return err
	}
	return ours.Delete(ctx, "two", metav1.DeleteOptions{})
}

func (c *client) gadget(resource schema.GroupVersionResource, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": resource.GroupVersion().String(),
		"kind":       "Gadget",
		"metadata":   map[string]any{"name": name, "labels": map[string]any{wordLabel: c.word}},
		"spec":       map[string]any{"word": c.word},
	}}
}
