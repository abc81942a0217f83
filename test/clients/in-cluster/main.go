// The program in-cluster is any program of a pod that speaks to its API server: it knows of it what client-go finds in
// the pod, and nothing else. It prints as one JSON object who it is, where it asked, which namespaces there are, and the
// names of the ConfigMaps in its own.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	core "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// Where a program reads its namespace, as client-go's own tools do: below the root of the pod.
const namespaceFile = "var/run/secrets/kubernetes.io/serviceaccount/namespace"

const patience = time.Minute

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	own, err := os.ReadFile(namespaceFile)
	if err != nil {
		return err
	}
	reviews, err := authentication.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := core.NewForConfig(config)
	if err != nil {
		return err
	}
	self, err := reviews.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	namespaces, err := objects.Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	maps, err := objects.ConfigMaps(string(own)).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	seen := map[string][]string{}
	for _, namespace := range namespaces.Items {
		seen["namespaces"] = append(seen["namespaces"], namespace.Name)
	}
	for _, one := range maps.Items {
		seen["configMaps"] = append(seen["configMaps"], one.Name)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"server":     config.Host,
		"namespace":  string(own),
		"user":       self.Status.UserInfo.Username,
		"namespaces": seen["namespaces"],
		"configMaps": seen["configMaps"],
	})
}
