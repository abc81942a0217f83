// The program clients does the work of one kind of Go client as whatever user KUBECONFIG names, checks what it finds,
// and prints what it did as one JSON object. It ends with code 1 and a reason when anything is not as a cluster has it.
//
//	clients informers|metadata|leader|apply|manager NAMESPACE WORD
//
// NAMESPACE is made by the program and left behind; WORD is planted in every object, so that a test can tell whose it is.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// did is what a client did, for the test to look at.
type did map[string]any

var works = map[string]func(context.Context, *client) (did, error){
	"informers": typedInformers,
	"metadata":  metadataAndDynamicInformers,
	"leader":    leaderElection,
	"apply":     serverSideApply,
	"manager":   managerWithCache,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || works[args[0]] == nil {
		return fmt.Errorf("clients informers|metadata|leader|apply|manager NAMESPACE WORD, not %q", args)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := newClient(args[1], args[2])
	if err != nil {
		return err
	}
	if err := c.makeNamespace(ctx); err != nil {
		return err
	}
	done, err := works[args[0]](ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	done["contentTypes"] = c.seen.contentTypes()
	return json.NewEncoder(os.Stdout).Encode(done)
}
