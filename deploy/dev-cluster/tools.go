//go:build tools

// Package tools names the programs of the dev and test control plane, so that go.mod and go.sum pin them and
// everything they are made of. It is never compiled: src/dev/go-build.ts builds the commands themselves.
package tools

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "sigs.k8s.io/kwok/cmd/kwok"
)
