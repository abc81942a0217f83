/**
 * What stands upstream for the empty StorageClass in volumes and claims of a tenant that holds volumes: as text below its
 * prefix that no class of its own can have. The host's binder brings together volumes and claims of one class, whoever
 * they are of; under the empty class a claim would get a volume of another tenant, or of the host.
 */
export const NO_CLASS = '-none';
