package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	appsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	rbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"
)

// applied does one apply as the manager, and says how it went.
type applied func(manager, value string, force bool) ([]metav1.ManagedFieldsEntry, error)

// serverSideApply lets two managers want the same field of objects of several sorts: the second meets a conflict that
// names the first, and takes the field over when it insists.
func serverSideApply(ctx context.Context, c *client) (did, error) {
	group := "apply.clients.example.com"
	if err := c.define(ctx, group); err != nil {
		return nil, err
	}
	conflicts := did{}
	for name, apply := range c.applies(ctx, group) {
		conflict, err := fought(apply)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		conflicts[name] = conflict
	}
	extracted, err := c.extracts(ctx)
	if err != nil {
		return nil, err
	}
	return did{"conflicts": conflicts, "extracted": extracted}, nil
}

// fought has the first manager set a field and the second want another value. @returns the conflict's message
func fought(apply applied) (string, error) {
	if _, err := apply("first", "one", false); err != nil {
		return "", err
	}
	// The same once more changes nothing, and is no conflict.
	if _, err := apply("first", "one", false); err != nil {
		return "", err
	}
	_, err := apply("second", "two", false)
	if !apierrors.IsConflict(err) {
		return "", fmt.Errorf("the second manager met %v, and no conflict", err)
	}
	message := err.Error()
	if !strings.Contains(message, `conflict with "first"`) {
		return "", fmt.Errorf("the conflict does not name the first manager: %s", message)
	}
	fields, err := apply("second", "two", true)
	if err != nil {
		return "", err
	}
	second := func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == "second" && entry.Operation == metav1.ManagedFieldsOperationApply
	}
	if !slices.ContainsFunc(fields, second) {
		return "", fmt.Errorf("the second manager owns nothing: %v", fields)
	}
	return message, nil
}

func (c *client) applies(ctx context.Context, group string) map[string]applied {
	labels := map[string]string{wordLabel: c.word}
	return map[string]applied{
		"ConfigMap": func(manager, value string, force bool) ([]metav1.ManagedFieldsEntry, error) {
			wanted := corev1.ConfigMap("applied", c.namespace).WithLabels(labels).
				WithData(map[string]string{"value": value})
			found, err := c.typed.CoreV1().ConfigMaps(c.namespace).Apply(ctx, wanted, options(manager, force))
			if err != nil {
				return nil, err
			}
			return found.ManagedFields, nil
		},
		"Deployment": func(manager, value string, force bool) ([]metav1.ManagedFieldsEntry, error) {
			found, err := c.typed.AppsV1().Deployments(c.namespace).
				Apply(ctx, c.deploymentWith(value), options(manager, force))
			if err != nil {
				return nil, err
			}
			return found.ManagedFields, nil
		},
		"ClusterRole": func(manager, value string, force bool) ([]metav1.ManagedFieldsEntry, error) {
			wanted := rbacv1.ClusterRole("applied-by-client-go").WithLabels(labels).WithRules(rbacv1.PolicyRule().
				WithAPIGroups("").WithResources("pods").WithVerbs("get").WithResourceNames(value))
			found, err := c.typed.RbacV1().ClusterRoles().Apply(ctx, wanted, options(manager, force))
			if err != nil {
				return nil, err
			}
			return found.ManagedFields, nil
		},
		"Gadget": func(manager, value string, force bool) ([]metav1.ManagedFieldsEntry, error) {
			wanted := c.gadget(gadgets(group), "applied")
			if err := unstructured.SetNestedField(wanted.Object, value, "spec", "value"); err != nil {
				return nil, err
			}
			found, err := c.dynamic.Resource(gadgets(group)).Namespace(c.namespace).
				Apply(ctx, "applied", wanted, options(manager, force))
			if err != nil {
				return nil, err
			}
			return found.GetManagedFields(), nil
		},
	}
}

// extracts reads back, out of the managed fields, what one manager applied: they must be paths that client-go's own
// schema of the kind knows.
func (c *client) extracts(ctx context.Context) (string, error) {
	found, err := c.typed.AppsV1().Deployments(c.namespace).Get(ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	own, err := appsv1.ExtractDeployment(found, "second")
	if err != nil {
		return "", err
	}
	if own.Spec == nil || own.Spec.Template == nil || own.Spec.Template.Spec == nil ||
		len(own.Spec.Template.Spec.Containers) != 1 || own.Spec.Replicas != nil {
		return "", fmt.Errorf("not what the second manager applied: %+v", own.Spec)
	}
	return *own.Spec.Template.Spec.Containers[0].Image, nil
}

func (c *client) deploymentWith(image string) *appsv1.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied", wordLabel: c.word}
	pod := corev1.PodSpec().WithContainers(corev1.Container().WithName("web").WithImage(image))
	return appsv1.Deployment("applied", c.namespace).WithLabels(labels).WithSpec(appsv1.DeploymentSpec().
		WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(corev1.PodTemplateSpec().WithLabels(labels).WithSpec(pod)))
}

func options(manager string, force bool) metav1.ApplyOptions {
	return metav1.ApplyOptions{FieldManager: manager, Force: force}
}
