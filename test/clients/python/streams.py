"""The Python client's streams into a pod, as whatever user KUBECONFIG names: python streams.py NAMESPACE POD PORT

POD runs in NAMESPACE; at PORT of it something answers what it was sent, after `said `. Prints what it did as one JSON
object; ends with a traceback when anything is not as a cluster has it.
"""

import json
import sys

from kubernetes import client, config
from kubernetes.stream import portforward, stream


def exec_once(core, namespace, pod):
    """Runs a command to its end: its outputs apart, and its exit code."""
    script = "echo out; echo err >&2; exit 3"
    opened = stream(core.connect_get_namespaced_pod_exec, pod, namespace, command=["sh", "-c", script],
                    stderr=True, stdout=True, stdin=False, tty=False, _preload_content=False)
    opened.run_forever(timeout=60)
    return {"out": opened.read_stdout(), "err": opened.read_stderr(), "code": opened.returncode}


def exec_talk(core, namespace, pod):
    """Speaks with a shell, line by line."""
    opened = stream(core.connect_get_namespaced_pod_exec, pod, namespace, command=["sh"],
                    stderr=True, stdout=True, stdin=True, tty=False, _preload_content=False)
    heard = []
    for line in ("first", "second"):
        opened.write_stdin(f"echo {line}\n")
        heard.append(opened.readline_stdout(timeout=60))
    opened.write_stdin("exit 0\n")
    opened.run_forever(timeout=60)
    return {"heard": heard, "code": opened.returncode}


def attach(core, namespace, pod):
    opened = stream(core.connect_get_namespaced_pod_attach, pod, namespace,
                    stderr=True, stdout=True, stdin=True, tty=False, _preload_content=False)
    opened.write_stdin("echo attached\n")
    heard = opened.readline_stdout(timeout=60)
    opened.close()
    return heard


def logs(core, namespace, pod):
    return core.read_namespaced_pod_log(pod, namespace, tail_lines=1, _preload_content=False).data.decode()


def forward(core, namespace, pod, port):
    forwarded = portforward(core.connect_get_namespaced_pod_portforward, pod, namespace, ports=str(port))
    socket = forwarded.socket(port)
    socket.sendall(b"hello")
    heard = socket.recv(100).decode()
    socket.close()
    return heard


def main(namespace, pod, port):
    config.load_kube_config()
    core = client.CoreV1Api()
    print(json.dumps({
        "once": exec_once(core, namespace, pod),
        "talk": exec_talk(core, namespace, pod),
        "attach": attach(core, namespace, pod),
        "logs": logs(core, namespace, pod),
        "forward": forward(core, namespace, pod, int(port)),
    }))


main(*sys.argv[1:])
