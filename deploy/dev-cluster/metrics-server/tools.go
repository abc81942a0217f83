//go:build tools

// Package tools names the program, so that go.mod and go.sum pin it and everything that it is made of.
package tools

import (
	_ "sigs.k8s.io/metrics-server/cmd/metrics-server"
)
