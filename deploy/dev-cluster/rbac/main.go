// Command rbac answers questions by Kubernetes' own RBAC authorizer, without an API server: tests compare with it. One
// line of standard input is a world of roles and bindings with questions about it, as JSON; one line of output has the
// answers, in their order.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

type world struct {
	Roles               []*rbacv1.Role               `json:"roles"`
	RoleBindings        []*rbacv1.RoleBinding        `json:"rolebindings"`
	ClusterRoles        []*rbacv1.ClusterRole        `json:"clusterroles"`
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding `json:"clusterrolebindings"`
	Questions           []question                   `json:"questions"`
}

// question is of one of three kinds: may they do it, what may they do, may they grant it.
type question struct {
	User       string              `json:"user"`
	Groups     []string            `json:"groups"`
	Attributes *attributes         `json:"attributes"`
	Namespace  string              `json:"namespace"`
	Grant      []rbacv1.PolicyRule `json:"grant"`
}

type attributes struct {
	Verb        string `json:"verb"`
	Group       string `json:"group"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	Path        string `json:"path"`
	IsResource  bool   `json:"isResource"`
}

type answer struct {
	Allowed  bool                `json:"allowed"`
	Reason   string              `json:"reason,omitempty"`
	Rules    []rbacv1.PolicyRule `json:"rules,omitempty"`
	Problem  string              `json:"problem,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 256<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var asked world
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text, err := json.Marshal(asked.answers())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, string(text))
		out.Flush()
	}
}

func (w world) answers() []answer {
	resolver, static := validation.NewTestRuleResolver(w.Roles, w.RoleBindings, w.ClusterRoles, w.ClusterRoleBindings)
	authz := rbac.New(static, static, static, static)
	answers := make([]answer, len(w.Questions))
	for at, asked := range w.Questions {
		who := &user.DefaultInfo{Name: asked.User, Groups: asked.Groups}
		switch {
		case asked.Attributes != nil:
			answers[at] = decide(authz, who, *asked.Attributes)
		case asked.Grant != nil:
			ctx := genericrequest.WithUser(genericrequest.WithNamespace(context.Background(), asked.Namespace), who)
			err := validation.ConfirmNoEscalation(ctx, resolver, asked.Grant)
			answers[at] = answer{Allowed: err == nil, Problem: text(err)}
		default:
			rules, err := resolver.RulesFor(context.Background(), who, asked.Namespace)
			answers[at] = answer{Rules: rules, Problem: text(err)}
		}
	}
	return answers
}

func decide(authz *rbac.RBACAuthorizer, who user.Info, asked attributes) answer {
	decision, reason, err := authz.Authorize(context.Background(), authorizer.AttributesRecord{
		User:            who,
		Verb:            asked.Verb,
		Namespace:       asked.Namespace,
		APIGroup:        asked.Group,
		Resource:        asked.Resource,
		Subresource:     asked.Subresource,
		Name:            asked.Name,
		Path:            asked.Path,
		ResourceRequest: asked.IsResource,
	})
	return answer{Allowed: decision == authorizer.DecisionAllow, Reason: strings.TrimSpace(reason), Problem: text(err)}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
