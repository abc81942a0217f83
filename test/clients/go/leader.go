package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// leaderElection lets two candidates run for one Lease: the first leads, and when it steps down the second does.
func leaderElection(ctx context.Context, c *client) (did, error) {
	leads := make(chan string)
	stepDown, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 2)
	go func() { ended <- c.runFor(stepDown, "first", leads) }()
	order := []string{}
	for _, next := range []string{"first", "second"} {
		select {
		case leader := <-leads:
			order = append(order, leader)
		case err := <-ended:
			return nil, fmt.Errorf("%s ended without leading: %w", next, err)
		case <-ctx.Done():
			return nil, fmt.Errorf("%s does not lead", next)
		}
		if next == "second" {
			break
		}
		go func() { ended <- c.runFor(ctx, "second", leads) }()
		cancel()
		if err := <-ended; err != nil {
			return nil, err
		}
	}
	lease, err := c.typed.CoordinationV1().Leases(c.namespace).Get(ctx, "lead", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return did{
		"order":       order,
		"holder":      lease.Spec.HolderIdentity,
		"transitions": lease.Spec.LeaseTransitions,
	}, nil
}

// runFor tells when the candidate leads, and returns when it does no more.
func (c *client) runFor(ctx context.Context, candidate string, leads chan<- string) error {
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: c.namespace, Name: "lead"},
			Client:     c.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: candidate},
		},
		// Long against any delay of a busy machine: here nobody loses the lease but by stepping down.
		LeaseDuration:   2 * patience,
		RenewDeadline:   patience,
		RetryPeriod:     200 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { leads <- candidate },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	elector.Run(ctx)
	return nil
}
