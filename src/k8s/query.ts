/** Query parameters as Kubernetes reads them. */

/** As a query parameter becomes a boolean: present and neither `0` nor `false`. */
export function isOn(query: ReadonlyMap<string, string>, name: string): boolean {
  const value = query.get(name)?.toLowerCase();
  return value !== undefined && value !== '0' && value !== 'false';
}
