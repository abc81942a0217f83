package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimeclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	finalizer = "managed.clients.example.com/farewell"
	byWord    = "spec.word"
)

// operator keeps a Deployment for each Gadget, and the Gadget's status as the Deployment's.
type operator struct {
	runtimeclient.Client
	events events.EventRecorder
}

func (o *operator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	gadget := &Gadget{}
	if err := o.Get(ctx, request.NamespacedName, gadget); err != nil {
		return ctrl.Result{}, runtimeclient.IgnoreNotFound(err)
	}
	if gadget.DeletionTimestamp != nil {
		return ctrl.Result{}, o.farewell(ctx, gadget)
	}
	if controllerutil.AddFinalizer(gadget, finalizer) {
		return ctrl.Result{}, o.Update(ctx, gadget)
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: gadget.Namespace, Name: gadget.Name}}
	outcome, err := controllerutil.CreateOrUpdate(ctx, o.Client, deployment, func() error {
		labels := map[string]string{"gadget": gadget.Name}
		deployment.Labels = labels
		deployment.Spec.Replicas = &gadget.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{
			Name: "gadget", Image: "gadget:1", Env: []corev1.EnvVar{{Name: "WORD", Value: gadget.Spec.Word}},
		}}
		return controllerutil.SetControllerReference(gadget, deployment, o.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if outcome == controllerutil.OperationResultCreated {
		o.events.Eventf(gadget, deployment, corev1.EventTypeNormal, "Made", "Make", "made %s", deployment.Name)
	}
	before := gadget.DeepCopyObject().(*Gadget)
	gadget.Status = GadgetStatus{Ready: deployment.Status.ReadyReplicas, Observed: gadget.Generation}
	return ctrl.Result{}, o.Status().Patch(ctx, gadget, runtimeclient.MergeFrom(before))
}

// farewell leaves a note before the Gadget goes.
func (o *operator) farewell(ctx context.Context, gadget *Gadget) error {
	note := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: gadget.Namespace, Name: gadget.Name + "-was-here"},
		Data:       map[string]string{"word": gadget.Spec.Word},
	}
	if err := o.Create(ctx, note); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	controllerutil.RemoveFinalizer(gadget, finalizer)
	return runtimeclient.IgnoreNotFound(o.Update(ctx, gadget))
}
