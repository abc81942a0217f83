// The protobuf schema generator: README.
//
// It reads the Go types of Kubernetes by reflection and writes the table which drives the codec in
// src/codec/protobuf, and a corpus of golden samples (protobuf bytes next to the JSON that Go shows
// for them) which tests that codec. Nothing of it runs in the proxy. Both outputs depend on the
// pinned module versions in go.mod and on nothing else: the same versions give the same bytes.
//
// Run by hand from this directory, after raising the versions in go.mod to a new Kubernetes minor:
//
//	go run . schema                                 writes ../../../src/codec/protobuf/schema.generated.json
//	go run . corpus                                 writes ../corpus.bin.gz (2 samples a kind, committed)
//	go run . corpus -samples 20 -out ../big.bin.gz  the big corpus, not committed; check it from the root with
//	PROTOBUF_CORPUS=test/protobuf/big.bin.gz npx vitest run -c test/vitest.config.ts src/codec/protobuf/codec.test.ts
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: go run . schema|corpus [flags]"))
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	switch os.Args[1] {
	case "schema":
		out := flags.String("out", "../../../src/codec/protobuf/schema.generated.json", "file to write")
		fail(flags.Parse(os.Args[2:]))
		fail(writeSchema(*out))
	case "corpus":
		out := flags.String("out", "../corpus.bin.gz", "file to write")
		samples := flags.Int("samples", 2, "samples for each kind")
		fail(flags.Parse(os.Args[2:]))
		fail(writeCorpus(*out, *samples))
	default:
		fail(fmt.Errorf("unknown command %q: use schema or corpus", os.Args[1]))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
