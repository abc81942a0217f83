// Command dev-kubelet serves what kwok does not of a kubelet: exec, attach, port-forward and logs, by the library that
// container runtimes serve them with (k8s.io/cri-streaming). There are no containers on kwok's nodes, so a "container"
// is a folder, a command runs in it as a process of this machine, and a port is a port of loopback.
//
// For the dev and test control plane only: whoever may exec in a pod runs commands as the user who started it.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// src/dev/versions.ts names the same version: change both when anything here changes, or cached programs stay in use.
const version = "2"

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	address := flag.String("address", "127.0.0.1:0", "where to listen")
	certFile := flag.String("tls-cert-file", "", "serving certificate")
	keyFile := flag.String("tls-private-key-file", "", "its key")
	clientCA := flag.String("client-ca-file", "", "who may connect: holders of a certificate of this authority")
	kubeconfig := flag.String("kubeconfig", "", "of who may watch pods: what runs in one that goes is ended")
	root := flag.String("root-dir", "", "folder with a folder for each container that was used")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println("dev-kubelet v" + version)
		return nil
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	pods := &sandboxes{running: map[string]map[*context.CancelFunc]struct{}{}, gone: map[string]bool{}}
	if err := pods.watch(stop, *kubeconfig); err != nil {
		return err
	}
	pem, err := os.ReadFile(*clientCA)
	if err != nil {
		return err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no certificate", *clientCA)
	}
	server := &http.Server{
		Addr:              *address,
		Handler:           handler(containers{root: *root, pods: pods}),
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{
			ClientAuth: tls.RequireAndVerifyClientCert,
			ClientCAs:  authorities,
			// SPDY and WebSocket take over an HTTP/1.1 connection.
			NextProtos: []string{"http/1.1"},
		},
	}
	go func() {
		<-stop.Done()
		server.Close()
	}()
	if err := server.ListenAndServeTLS(*certFile, *keyFile); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
