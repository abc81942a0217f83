package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// exchange is one request and how it was answered.
type exchange struct {
	method, path, query, contentType string
	status                           int
}

// recorder writes down what a client asked, to know by which of its ways it came to its data.
type recorder struct {
	lock sync.Mutex
	all  []exchange
}

func (r *recorder) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil {
			return response, err
		}
		r.lock.Lock()
		defer r.lock.Unlock()
		contentType := response.Header.Get("Content-Type")
		r.all = append(r.all, exchange{
			request.Method, request.URL.Path, request.URL.RawQuery, contentType, response.StatusCode,
		})
		return response, nil
	})
}

// lists are the reads of a whole collection: those that streamed it as a watch, and those that did not.
func (r *recorder) lists(path string) (streamed, plain int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, seen := range r.all {
		if seen.method != http.MethodGet || seen.path != path || seen.status != http.StatusOK {
			continue
		}
		switch {
		case strings.Contains(seen.query, "sendInitialEvents=true"):
			streamed++
		case !strings.Contains(seen.query, "watch="):
			plain++
		}
	}
	return streamed, plain
}

// answeredBy says whether the path was ever answered in that form, streamed or not.
func (r *recorder) answeredBy(path, contentType string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.ContainsFunc(r.all, func(seen exchange) bool {
		return seen.path == path && strings.HasPrefix(seen.contentType, contentType)
	})
}

// contentTypes are those of all answers, without their parameters.
func (r *recorder) contentTypes() []string {
	r.lock.Lock()
	defer r.lock.Unlock()
	found := []string{}
	for _, seen := range r.all {
		contentType, _, _ := strings.Cut(seen.contentType, ";")
		if !slices.Contains(found, contentType) {
			found = append(found, contentType)
		}
	}
	slices.Sort(found)
	return found
}

type roundTripper func(*http.Request) (*http.Response, error)

func (do roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return do(request) }
