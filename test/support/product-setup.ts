/**
 * vitest's global setup of the project `product`: after the control plane's own, it puts ONE product in front of it for
 * the whole run, fills globex with canaries, and hands the facts to the test files (`inject('product')`).
 */
import type { TestProject } from 'vitest/node';
import { startProduct } from './product.ts';
import { seedGlobex, seedHost, whenSeedRests } from './seed.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = project.getProvidedContext().controlPlane;
  const product = await startProduct(controlPlane);
  process.stderr.write(`product: ready at ${product.facts.server}\n`);
  try {
    await seedHost(controlPlane);
    await seedGlobex(product.facts);
    await whenSeedRests(controlPlane);
  } catch (error) {
    await product.stop();
    throw error;
  }
  project.provide('product', product.facts);
  return () => product.stop();
}
