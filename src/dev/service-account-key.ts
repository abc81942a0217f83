/**
 * The key that signs service-account tokens of the dev and test control plane: RSA, which every verifier understands.
 * @see https://kubernetes.io/docs/setup/best-practices/certificates/
 */
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** The RSA pair of service-account tokens: `keyPem` signs (controller manager, API server), `publicPem` verifies. */
export async function createServiceAccountKey(): Promise<{ readonly keyPem: string; readonly publicPem: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { keyPem: privateKey, publicPem: publicKey };
}
