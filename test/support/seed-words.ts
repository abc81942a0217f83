/** The words by which a leak is known. In nothing else may they occur. */

/** Planted in everything that globex has: names, labels, data, groups, events, images. */
export const CANARY = 'zq7canary4f1d';
/** A namespace of the host's own, with objects in it, that no tenant is to hear of. */
export const HOST_NAMESPACE = 'zq7hostonly';
