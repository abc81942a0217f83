package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const pollEvery = 50 * time.Millisecond

// serveLogs answers with the file `log` of the container's folder, or `log.previous`. Each line may begin with a time
// (RFC 3339) and a space; who wants log lines writes them by exec.
// See https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ (PodLogOptions).
func (c containers) serveLogs(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	folder, err := c.folder(r.PathValue("namespace")+"/"+r.PathValue("pod"), r.PathValue("container"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	name := "log"
	if query.Get("previous") == "true" {
		name = "log.previous"
	}
	file, err := os.Open(filepath.Join(folder, name))
	if errors.Is(err, fs.ErrNotExist) && name == "log" {
		file, err = os.Create(filepath.Join(folder, name))
	}
	if err != nil {
		http.Error(w, "previous terminated container "+r.PathValue("container")+" not found", http.StatusBadRequest)
		return
	}
	defer file.Close()
	ctx, leave := c.pods.enter(r.Context(), sandboxID(r.PathValue("namespace"), r.PathValue("pod")))
	defer leave()
	writer := &logWriter{to: w, stamps: query.Get("timestamps") == "true", left: limitOf(query)}
	if err := writer.copy(ctx, file, sinceOf(query), tailOf(query), query.Get("follow") == "true"); err != nil {
		panic(http.ErrAbortHandler)
	}
}

type logWriter struct {
	to     http.ResponseWriter
	stamps bool
	left   int
}

func (w *logWriter) copy(ctx context.Context, file *os.File, since time.Time, tail int, follow bool) error {
	reader := bufio.NewReader(file)
	var first []string
	for {
		line, err := reader.ReadString('\n')
		if err == nil || line != "" {
			if at, _ := split(line); at.IsZero() || !at.Before(since) {
				first = append(first, line)
			}
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	if tail >= 0 && len(first) > tail {
		first = first[len(first)-tail:]
	}
	for _, line := range first {
		if !w.write(line) {
			return nil
		}
	}
	w.flush()
	for follow {
		line, err := reader.ReadString('\n')
		if line != "" && !w.write(line) {
			return nil
		}
		if err == nil {
			continue
		} else if err != io.EOF {
			return err
		}
		w.flush()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
	}
	return nil
}

// write tells whether there may be more.
func (w *logWriter) write(line string) bool {
	if _, text := split(line); !w.stamps {
		line = text
	}
	if len(line) > w.left {
		line = line[:w.left]
	}
	w.left -= len(line)
	_, err := io.WriteString(w.to, line)
	return err == nil && w.left > 0
}

func (w *logWriter) flush() {
	w.to.(http.Flusher).Flush()
}

// split takes the time off a line that begins with one.
func split(line string) (time.Time, string) {
	stamp, text, found := strings.Cut(line, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if !found || err != nil {
		return time.Time{}, line
	}
	return at, text
}

func limitOf(query url.Values) int {
	if limit, err := strconv.Atoi(query.Get("limitBytes")); err == nil {
		return limit
	}
	return int(^uint(0) >> 1)
}

func tailOf(query url.Values) int {
	if tail, err := strconv.Atoi(query.Get("tailLines")); err == nil {
		return tail
	}
	return -1
}

func sinceOf(query url.Values) time.Time {
	if seconds, err := strconv.Atoi(query.Get("sinceSeconds")); err == nil {
		return time.Now().Add(-time.Duration(seconds) * time.Second)
	}
	at, _ := time.Parse(time.RFC3339Nano, query.Get("sinceTime"))
	return at
}
