package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// A container is the folder <root>/<namespace>/<pod>/<container>; it is made when first used.
type containers struct {
	root string
	pods *sandboxes
}

func (c containers) folder(pod, container string) (string, error) {
	folder := filepath.Join(c.root, filepath.FromSlash(pod), container)
	return folder, os.MkdirAll(folder, 0o700)
}

// ExecInContainer runs the command in the container's folder. Its exit code is the exec's own.
func (c containers) ExecInContainer(ctx context.Context, pod, _, container string, command []string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	return c.run(ctx, pod, container, command, in, out, errOut, tty, resize)
}

// AttachContainer gives a shell: no process of the container runs that it could attach to. How that ends is no error of
// the attaching.
func (c containers) AttachContainer(ctx context.Context, pod, _, container string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	err := c.run(ctx, pod, container, []string{"sh"}, in, out, errOut, tty, resize)
	var exit utilexec.CodeExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

func (c containers) run(ctx context.Context, pod, container string, command []string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	folder, err := c.folder(pod, container)
	if err != nil {
		return err
	}
	namespace, name, _ := strings.Cut(pod, "/")
	ctx, leave := c.pods.enter(ctx, sandboxID(namespace, name))
	defer leave()
	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Dir = folder
	child.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TERM=xterm", "HOSTNAME=" + name}
	child.WaitDelay = time.Second
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: !tty, Pdeathsig: syscall.SIGKILL}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
	if tty {
		err = runOnTerminal(child, in, out, resize)
	} else {
		err = runOnPipes(child, in, out, errOut)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return utilexec.CodeExitError{Err: err, Code: exitCode(exit)}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return utilexec.CodeExitError{Err: fmt.Errorf("no command %q on this machine", command[0]), Code: 127}
	}
	return err
}

// exitCode is 137 for what was killed, as container runtimes tell it.
func exitCode(exit *exec.ExitError) int {
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

func runOnPipes(child *exec.Cmd, in io.Reader, out, errOut io.WriteCloser) error {
	// A nil *WriteCloser in an interface is not nil, and neither is a file: only what is asked for is set.
	if out != nil {
		child.Stdout = out
	}
	if errOut != nil {
		child.Stderr = errOut
	}
	if in == nil {
		return child.Run()
	}
	// Not child.Stdin: its copying would keep Wait from returning until the client closes its side.
	stdin, err := child.StdinPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	go func() {
		io.Copy(stdin, in)
		stdin.Close()
	}()
	return child.Wait()
}

func runOnTerminal(child *exec.Cmd, in io.Reader, out io.WriteCloser, resize <-chan remotecommand.TerminalSize) error {
	terminal, err := pty.Start(child)
	if err != nil {
		return err
	}
	defer terminal.Close()
	go func() {
		for size := range resize {
			pty.Setsize(terminal, &pty.Winsize{Rows: size.Height, Cols: size.Width})
		}
	}()
	if in != nil {
		go io.Copy(terminal, in)
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		if out != nil {
			io.Copy(out, terminal)
		}
	}()
	err = child.Wait()
	select {
	case <-copied:
	case <-time.After(time.Second):
	}
	return err
}

// PortForward connects to that port of loopback, for as long as there is the pod.
func (c containers) PortForward(ctx context.Context, id, _ string, port int32, stream io.ReadWriteCloser) error {
	ctx, leave := c.pods.enter(ctx, id)
	defer leave()
	if ctx.Err() != nil {
		return fmt.Errorf("network namespace for sandbox %q is closed", id)
	}
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		io.Copy(connection, stream)
		connection.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, connection)
	if ctx.Err() != nil {
		return fmt.Errorf("network namespace for sandbox %q is closed", id)
	}
	stream.Close()
	<-sent
	return err
}
