//go:build tools

// Package tools names what the conformance run is built from, so that go.mod and go.sum pin it and everything it is made
// of. It is never compiled: test/conformance/suite-build.ts builds the two programs themselves.
package tools

import (
	_ "github.com/onsi/ginkgo/v2/ginkgo"
	_ "k8s.io/kubernetes/test/e2e"
)
