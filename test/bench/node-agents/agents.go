package main

import (
	"context"
	"fmt"
	"net"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// How long a cache may take to fill before it counts as broken.
const patience = 3 * time.Minute

// What kube-proxy leaves out: Services that it does not serve.
const served = "!service.kubernetes.io/headless,!service.kubernetes.io/service-proxy-name"

// One program on a node, and how it reaches the API server.
type client struct {
	Kind   string `json:"kind"`
	Server string `json:"server"`
	CA     string `json:"ca"`
	Cert   string `json:"cert"`
	Key    string `json:"key"`
	Token  string `json:"token"`
}

// run returns when its caches are filled, with what ends it.
func (c *client) run(ctx context.Context, n *node) (func(), error) {
	config := &rest.Config{
		Host:        c.Server,
		BearerToken: c.Token,
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   []byte(c.CA),
			CertData: []byte(c.Cert),
			KeyData:  []byte(c.Key),
		},
		// Of its own: client-go would share the connections of all agents that look alike.
		Dial: (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		QPS:  -1,
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	var factories []informers.SharedInformerFactory
	var all []cache.SharedIndexInformer
	// One factory for each set of selectors, as the real programs have them.
	with := func(labels, fields, namespace string) informers.SharedInformerFactory {
		factory := informers.NewSharedInformerFactoryWithOptions(clientset, 0,
			informers.WithNamespace(namespace),
			informers.WithTweakListOptions(func(options *metav1.ListOptions) {
				options.LabelSelector, options.FieldSelector = labels, fields
			}))
		factories = append(factories, factory)
		return factory
	}
	own := with("", "metadata.name="+n.Name, "").Core().V1().Nodes().Informer()
	all = append(all, own)
	pods := func() cache.SharedIndexInformer {
		return with("", "spec.nodeName="+n.Name, "").Core().V1().Pods().Informer()
	}
	switch c.Kind {
	case "kubelet":
		everything := with("", "", "")
		all = append(all, pods(), everything.Core().V1().Services().Informer(),
			everything.Storage().V1().CSIDrivers().Informer(), everything.Node().V1().RuntimeClasses().Informer())
		for _, name := range n.ConfigMaps {
			all = append(all, with("", "metadata.name="+name, "bench").Core().V1().ConfigMaps().Informer())
		}
	case "kube-proxy":
		selected := with(served, "", "")
		all = append(all, selected.Core().V1().Services().Informer(),
			selected.Discovery().V1().EndpointSlices().Informer(), with("", "", "").Networking().V1().ServiceCIDRs().Informer())
	case "daemon":
		everything := with("", "", "")
		all = append(all, pods(), everything.Core().V1().Services().Informer(),
			everything.Discovery().V1().EndpointSlices().Informer())
	default:
		return nil, fmt.Errorf("there is no agent %q", c.Kind)
	}
	for _, factory := range factories {
		factory.Start(ctx.Done())
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, one := range all {
		if !cache.WaitForCacheSync(waiting.Done(), one.HasSynced) {
			return nil, fmt.Errorf("a cache was not filled")
		}
	}
	return func() {
		for _, factory := range factories {
			factory.Shutdown()
		}
	}, nil
}
