// The program dns is CoreDNS with the plugins that a cluster's DNS needs and no others: what answers names of a cluster
// is its own, and so is what rewrites them. It takes CoreDNS's own options.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/rewrite"
)

// In the order of CoreDNS's own plugin.cfg.
var directives = []string{"bind", "ready", "errors", "rewrite", "kubernetes"}

func main() {
	dnsserver.Directives = directives
	coremain.Run()
}
