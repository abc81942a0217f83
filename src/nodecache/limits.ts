/** What is believed for how long, and how much is kept. */

/** How long the API server's word on a token or a right counts: no longer than it keeps such answers itself. */
export const KEPT_MS = 10_000;
/** How long it may take to give it. */
export const ASK_MS = 5_000;
/**
 * How often the right to a watch that is open is looked at again, when it has something to tell. The API server never does;
 * a kubelet believes an answer to a review as long (`authorization.webhook.cacheAuthorizedTTL`).
 */
export const JUDGED_AGAIN_MS = 5 * 60_000;
/** Collections of single objects besides the shared ones; more are not kept. */
export const COLLECTIONS = 2_000;
/** What all collections together may hold. */
export const CACHE_BYTES = 256 * 1024 * 1024;
/** The same for a hub, which has the pods of all nodes. */
export const HUB_BYTES = 2 * 1024 * 1024 * 1024;
/** How long a hub may take to answer before the API server is asked. */
export const HUB_ANSWER_MS = 10_000;
/** How long a hub that did not answer is left alone, and up to twice as long: nodes do not come back to it all at once. */
export const HUB_AWAY_MS = 30_000;
/** How often what was kept is written down. */
export const SNAPSHOT_MS = 60_000;
/** How long a start waits for the cluster to go on from what was written down. */
export const RESUME_MS = 5_000;
/** A collection that is smaller is read again for less than it costs the API server to prove that it is up to date. */
export const SMALL_BYTES = 128 * 1024;
