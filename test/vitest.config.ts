/**
 * The vitest projects: `unit` needs nothing but this folder, `integration` needs the real control plane, which
 * its global setup starts once, and `product` needs the proxy with two tenants in front of one, as does `slow`, whose
 * programs take minutes to build. Timeouts are for faults only: no test may depend on how fast the machine is.
 * Skipped tests are refused by the runner (test/runner/vitest-report.ts), `.only` here.
 * @see https://vitest.dev/guide/projects
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig({
  root,
  // Under the ignored cache folder, so that a test run leaves the tree as it was.
  cacheDir: `${root}/node_modules/.vite`,
  test: {
    watch: false,
    allowOnly: false,
    passWithNoTests: false,
    retry: 0,
    pool: 'forks',
    teardownTimeout: 60_000,
    setupFiles: [`${root}/test/support/patience.ts`],
    expect: { poll: { timeout: 25_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/{architecture,bench,conformance,tools}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/{integration,wire}/*.test.ts'],
          globalSetup: ['test/support/control-plane.ts'],
          // One file after the other: they share one control plane and two cores.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'product',
          exclude: ['test/clients/slow/**'],
          include: [
            'test/{isolation,cli,clients}/**/*.test.ts',
            'test/integration/{kubectl,input,differential}/**/*.test.ts',
          ],
          globalSetup: ['test/support/control-plane.ts', 'test/support/product-setup.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/clients/slow/*.test.ts'],
          globalSetup: ['test/support/control-plane.ts', 'test/support/product-setup.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
