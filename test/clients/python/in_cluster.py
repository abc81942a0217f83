"""The Python client as in a pod: python in_cluster.py ROOT, where ROOT stands for the root of the pod.

Prints as one JSON object who it is, where it asked, which namespaces there are, and the ConfigMaps in its own.
"""

import json
import pathlib
import sys

from kubernetes import client
from kubernetes.config.incluster_config import InClusterConfigLoader

mounted = pathlib.Path(sys.argv[1], "var/run/secrets/kubernetes.io/serviceaccount")
# What load_incluster_config does, with its own paths below the root.
InClusterConfigLoader(token_filename=str(mounted / "token"), cert_filename=str(mounted / "ca.crt")).load_and_set()
own = (mounted / "namespace").read_text()
core = client.CoreV1Api()
self = client.AuthenticationV1Api().create_self_subject_review({})
print(json.dumps({
    "server": client.Configuration.get_default_copy().host,
    "namespace": own,
    "user": self.status.user_info.username,
    "namespaces": [item.metadata.name for item in core.list_namespace().items],
    "configMaps": [item.metadata.name for item in core.list_namespaced_config_map(own).items],
}))
