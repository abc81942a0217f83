"""The Python client at work as whatever user KUBECONFIG names: python client.py NAMESPACE WORD

Prints what it did as one JSON object; ends with a traceback when anything is not as a cluster has it. NAMESPACE is made
and left behind; WORD is planted in every object.
"""

import json
import sys
import threading

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException

GROUP = "python.clients.example.com"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [{
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }},
        }],
    },
}


def crud(core, namespace, word):
    """Creates, reads, replaces, patches, lists and deletes; and what is gone is 404."""
    metadata = client.V1ObjectMeta(name="map", labels={"python": word})
    core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=metadata, data={"word": word}))
    found = core.read_namespaced_config_map("map", namespace)
    found.data["more"] = "of it"
    core.replace_namespaced_config_map("map", namespace, found)
    core.patch_namespaced_config_map("map", namespace, {"data": {"word": None}})
    everywhere = core.list_config_map_for_all_namespaces(label_selector=f"python={word}")
    data = [(item.metadata.namespace, item.data) for item in everywhere.items]
    stale = found
    try:
        core.replace_namespaced_config_map("map", namespace, stale)
        raise AssertionError("a replacement with an old resourceVersion was taken")
    except ApiException as conflict:
        assert conflict.status == 409, conflict
    core.delete_namespaced_config_map("map", namespace)
    try:
        core.read_namespaced_config_map("map", namespace)
        raise AssertionError("what was deleted is still there")
    except ApiException as gone:
        assert gone.status == 404, gone
        return {"listed": data, "gone": json.loads(gone.body)["message"]}


def pages(core, namespace, word):
    """Lists over all namespaces, two at a time."""
    for number in range(5):
        metadata = client.V1ObjectMeta(name=f"page-{number}", labels={"page": word})
        core.create_namespaced_secret(namespace, client.V1Secret(metadata=metadata, string_data={"word": word}))
    names, token, count = [], None, 0
    while True:
        page = core.list_secret_for_all_namespaces(label_selector=f"page={word}", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        count += 1
        token = page.metadata._continue
        if not token:
            return {"names": names, "pages": count}


def watched(core, namespace, word):
    """Watches from a list's revision on, while another thread writes."""
    start = core.list_namespaced_service_account(namespace).metadata.resource_version

    def write():
        account = client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="seen", labels={"python": word}))
        core.create_namespaced_service_account(namespace, account)
        core.patch_namespaced_service_account("seen", namespace, {"metadata": {"annotations": {"a": "b"}}})
        core.delete_namespaced_service_account("seen", namespace)

    writer = threading.Thread(target=write)
    writer.start()
    events = []
    for event in watch.Watch().stream(core.list_service_account_for_all_namespaces, resource_version=start,
                                      label_selector=f"python={word}"):
        events.append((event["type"], event["object"].metadata.namespace, event["object"].metadata.name))
        if event["type"] == "DELETED":
            break
    writer.join()
    return events


def applied(dynamic_client, namespace, word):
    """Server-side apply by the dynamic client, to a built-in kind and to one of the tenant's own."""
    definitions = dynamic_client.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    definitions.create(body=DEFINITION)
    name = DEFINITION["metadata"]["name"]
    for event in definitions.watch(field_selector=f"metadata.name={name}"):
        conditions = event["object"].to_dict().get("status", {}).get("conditions") or []
        if any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
            break
    managers = {}
    for api_version, kind, body in (
        ("v1", "Service", {"spec": {"ports": [{"port": 80}], "selector": {"app": word}}}),
        (f"{GROUP}/v1", "Widget", {"spec": {"word": word, "large": 9007199254740993}}),
    ):
        resource = dynamic_client.resources.get(api_version=api_version, kind=kind)
        wanted = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "applied"}, **body}
        found = resource.server_side_apply(body=wanted, namespace=namespace, field_manager="python")
        managers[kind] = [entry["manager"] for entry in found.to_dict()["metadata"]["managedFields"]]
    widgets = dynamic_client.resources.get(api_version=f"{GROUP}/v1", kind="Widget")
    # As text: whoever reads the JSON may know no such number.
    managers["large"] = str(widgets.get(name="applied", namespace=namespace).spec.large)
    return managers


def manifest(api_client, apps, namespace, word):
    """What the client makes of a manifest, as `kubectl create -f` would."""
    labels = {"app": "made", "word": word}
    utils.create_from_dict(api_client, {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "made", "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "made", "image": "made:1"}]},
            },
        },
    })
    for event in watch.Watch().stream(apps.list_namespaced_deployment, namespace):
        if event["object"].status.ready_replicas == 1:
            break
    apps.patch_namespaced_deployment_scale("made", namespace, {"spec": {"replicas": 2}})
    return apps.read_namespaced_deployment_scale("made", namespace).spec.replicas


def main(namespace, word):
    config.load_kube_config()
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace, labels={"python": word})))
    print(json.dumps({
        "crud": crud(core, namespace, word),
        "pages": pages(core, namespace, word),
        "watched": watched(core, namespace, word),
        "applied": applied(dynamic.DynamicClient(client.ApiClient()), namespace, word),
        "scale": manifest(client.ApiClient(), apps, namespace, word),
    }))


main(*sys.argv[1:])
