// Command kubectl is kubectl of the minor version that the module file names: go.mod, or another one by -modfile.
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	// Tells what went wrong, and ends with the code of a command that ran in a pod.
	util.CheckErr(cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()))
}
