// Command custom-metrics serves custom.metrics.k8s.io and external.metrics.k8s.io from memory, by the library that
// adapters of monitoring systems are made with and the provider that it is tested with. What it is to tell is written to
// an address of its own: POST /write-metrics/namespaces/{namespace}/{resource}/{name}/{metric}, with a quantity.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/emicklei/go-restful/v3"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/metrics/pkg/apis/custom_metrics"
	basecmd "sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"
	"sigs.k8s.io/custom-metrics-apiserver/pkg/provider"
	fake "sigs.k8s.io/custom-metrics-apiserver/test-adapter/provider"
)

// The library asks for metrics of a namespace as for those of what has none; the provider keeps them as what has one.
type ofNamespaces struct{ provider.MetricsProvider }

func (p ofNamespaces) GetMetricByName(
	ctx context.Context,
	name types.NamespacedName,
	info provider.CustomMetricInfo,
	selector labels.Selector,
) (*custom_metrics.MetricValue, error) {
	info.Namespaced = info.Namespaced || info.GroupResource.Resource == "namespaces"
	return p.MetricsProvider.GetMetricByName(ctx, name, info, selector)
}

func main() {
	adapter := &basecmd.AdapterBase{Name: "custom-metrics"}
	writing := adapter.Flags().String("write-address", "", "where it is told what to tell")
	if err := adapter.Flags().Parse(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
	client, err := adapter.DynamicClient()
	if err != nil {
		log.Fatal(err)
	}
	mapper, err := adapter.RESTMapper()
	if err != nil {
		log.Fatal(err)
	}
	metrics, service := fake.NewFakeProvider(client, mapper)
	adapter.WithCustomMetrics(ofNamespaces{metrics})
	adapter.WithExternalMetrics(metrics)
	container := restful.NewContainer().Add(service)
	server := &http.Server{Addr: *writing, Handler: container, ReadHeaderTimeout: 10 * time.Second}
	go func() { log.Fatal(server.ListenAndServe()) }()
	log.Fatal(adapter.Run(context.Background()))
}
