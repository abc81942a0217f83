/** A node besides those of the lab, with kwok as its kubelet. @param pods as many fit */
export function node(name: string, pods: number): object {
  const amounts = { cpu: '32', memory: '128Gi', pods: String(pods) };
  return {
    metadata: { name, labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': name } },
    status: { capacity: amounts, allocatable: amounts },
  };
}
