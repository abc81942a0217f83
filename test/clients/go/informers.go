package main

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// watched are kinds of every sort: namespaced, cluster-scoped, written by the host's controllers, virtual.
var watched = []struct{ path, resource string }{
	{"/api/v1/configmaps", "configmaps"},
	{"/api/v1/namespaces", "namespaces"},
	{"/api/v1/pods", "pods"},
	{"/api/v1/nodes", "nodes"},
	{"/apis/apps/v1/deployments", "deployments"},
	{"/apis/rbac.authorization.k8s.io/v1/clusterroles", "clusterroles"},
}

// typedInformers follows kinds over all namespaces with a shared informer factory while it writes: every change must be
// heard, and the caches must hold in the end what a list says. They must have been filled by a streamed list, which
// client-go asks first since 0.35, without falling back to a plain one.
func typedInformers(ctx context.Context, c *client) (did, error) {
	before, after := c.configMap("before"), c.configMap("after")
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	if _, err := maps.Create(ctx, before, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(c.typed, 0)
	heard := &listener{namespace: c.namespace}
	stores := map[string]cache.SharedIndexInformer{
		"configmaps":   factory.Core().V1().ConfigMaps().Informer(),
		"namespaces":   factory.Core().V1().Namespaces().Informer(),
		"pods":         factory.Core().V1().Pods().Informer(),
		"nodes":        factory.Core().V1().Nodes().Informer(),
		"deployments":  factory.Apps().V1().Deployments().Informer(),
		"clusterroles": factory.Rbac().V1().ClusterRoles().Informer(),
	}
	if _, err := stores["configmaps"].AddEventHandler(heard); err != nil {
		return nil, err
	}
	following, stop := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer stop()
	factory.Start(following.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return nil, fmt.Errorf("the cache of %s was not filled", kind)
		}
	}
	// Filled before anything else is written, so this one came with the list.
	if _, there, _ := stores["configmaps"].GetStore().GetByKey(c.namespace + "/before"); !there {
		return nil, fmt.Errorf("the cache lacks what was there before it")
	}

	created, err := maps.Create(ctx, after, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	created.Data["more"] = "of it"
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return nil, err
	}
	if err := maps.Delete(ctx, "after", metav1.DeleteOptions{}); err != nil {
		return nil, err
	}
	role := &rbacv1.ClusterRole{ObjectMeta: c.named(c.namespace), Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}},
	}}
	if _, err := c.typed.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if _, err := c.typed.AppsV1().Deployments(c.namespace).Create(ctx, c.deployment(2), metav1.CreateOptions{}); err != nil {
		return nil, err
	}

	wanted := []string{"add before", "add after", "update after", "delete after"}
	if err := until(ctx, fmt.Sprintf("events %v are heard", wanted), func(context.Context) (bool, error) {
		return slices.Equal(heard.all(), wanted), nil
	}); err != nil {
		return nil, fmt.Errorf("%w; heard were %v", err, heard.all())
	}
	if err := until(ctx, "the cache has the pods running", func(context.Context) (bool, error) {
		running := 0
		for _, item := range stores["pods"].GetStore().List() {
			if pod := item.(*corev1.Pod); pod.Namespace == c.namespace && pod.Status.Phase == corev1.PodRunning {
				running++
			}
		}
		return running == 2, nil
	}); err != nil {
		return nil, err
	}
	// Before this program itself asks for a plain list, to compare.
	streamed := c.onlyStreamed()
	held := did{}
	for _, kind := range watched {
		count, err := c.sameAsListed(ctx, kind.path, stores[kind.resource].GetStore())
		if err != nil {
			return nil, err
		}
		held[kind.resource] = count
	}
	return did{"heard": heard.all(), "held": held, "streamed": streamed}, nil
}

// onlyStreamed are the kinds that informers read by one streamed list.
func (c *client) onlyStreamed() []string {
	found := []string{}
	for _, kind := range watched {
		if streamed, plain := c.seen.lists(kind.path); streamed == 1 && plain == 0 {
			found = append(found, kind.resource)
		}
	}
	return found
}

func (c *client) deployment(replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": deployment, wordLabel: c.word}
	return &appsv1.Deployment{
		ObjectMeta: c.named(deployment),
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "web", Image: "web:1"}},
				},
			},
		},
	}
}
