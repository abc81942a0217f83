// The program node-agents is what runs on the nodes of a cluster, as far as the API server sees it: on each node a
// kubelet, a kube-proxy and an agent of a DaemonSet, with client-go's informers of the kinds, selectors and encoding that
// the real ones use, each over a connection of its own.
//
//	node-agents CONFIG
//
// It starts them all, prints `synced` when every cache is filled, and then does what it reads, a line each:
//
//	restart N   ends all agents of the first N nodes, starts them anew, and prints `synced` when they are filled
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
)

type config struct {
	Nodes []*node `json:"nodes"`
}

type node struct {
	Name    string   `json:"name"`
	Clients []client `json:"clients"`
	// Read by name, as the kubelet does for the pods of its node.
	ConfigMaps []string `json:"configMaps"`
	stop       func()
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("node-agents CONFIG, not %q", args)
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var all config
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if err := startAll(all.Nodes); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var count int
		if _, err := fmt.Sscanf(strings.TrimSpace(lines.Text()), "restart %d", &count); err != nil {
			return fmt.Errorf("restart N, not %q", lines.Text())
		}
		for _, one := range all.Nodes[:count] {
			one.stop()
		}
		if err := startAll(all.Nodes[:count]); err != nil {
			return err
		}
	}
	return lines.Err()
}

// startAll returns when every cache is filled, which it prints.
func startAll(nodes []*node) error {
	var starting sync.WaitGroup
	failures := make(chan error, len(nodes))
	for _, one := range nodes {
		starting.Go(func() {
			if err := one.start(); err != nil {
				failures <- fmt.Errorf("%s: %w", one.Name, err)
			}
		})
	}
	starting.Wait()
	select {
	case err := <-failures:
		return err
	default:
		fmt.Println("synced")
		return nil
	}
}

func (n *node) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	var running []func()
	n.stop = func() {
		cancel()
		for _, end := range running {
			end()
		}
	}
	for _, one := range n.Clients {
		end, err := one.run(ctx, n)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Kind, err)
		}
		running = append(running, end)
	}
	return nil
}
