/** What is watched of the API server, as it counts itself. */
import type { Lab } from './lab.ts';

/** How many watches of all objects of a kind the API server has open, whoever asks. @param resource `pods` */
export async function upstreamWatches(lab: Lab, resource: string): Promise<number> {
  const { body } = await lab.admin.send('GET', '/metrics');
  const lines = String(body).split('\n');
  return lines
    .filter((line) => line.startsWith('apiserver_longrunning_requests{') && line.includes(`resource="${resource}"`))
    .filter((line) => line.includes('scope="cluster"'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
