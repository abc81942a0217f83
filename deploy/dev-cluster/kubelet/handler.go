package main

import (
	"net/http"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// As the kubelet's own defaults: no stream is cut for being idle within four hours.
const idleTimeout = 4 * time.Hour

// The paths that kube-apiserver asks a kubelet for.
// See pkg/registry/core/pod/strategy.go (v1.36): LogLocation, streamLocation, PortForwardLocation.
func handler(all containers) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", all.serveLogs)
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		streams, err := remotecommand.NewOptions(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		pod := r.PathValue("namespace") + "/" + r.PathValue("pod")
		remotecommand.ServeExec(w, r, all, pod, "", r.PathValue("container"), r.URL.Query()["command"], streams,
			idleTimeout, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
	})
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		streams, err := remotecommand.NewOptions(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		pod := r.PathValue("namespace") + "/" + r.PathValue("pod")
		remotecommand.ServeAttach(w, r, all, pod, "", r.PathValue("container"), streams,
			idleTimeout, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
	})
	mux.HandleFunc("/portForward/{namespace}/{pod}", func(w http.ResponseWriter, r *http.Request) {
		ports, err := portforward.NewV4Options(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		// As a runtime serves it, which knows no names of pods: errors say what is given here.
		id := sandboxID(r.PathValue("namespace"), r.PathValue("pod"))
		portforward.ServePortForward(w, r, all, id, "", ports, idleTimeout,
			remotecommand.DefaultStreamCreationTimeout, portforward.SupportedProtocols)
	})
	return mux
}
