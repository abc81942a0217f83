/** Resolves at the first SIGINT or SIGTERM. A second one ends the process at once, for those who cannot wait. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let told = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (told) process.exit(130);
        told = true;
        resolve(signal);
      });
    }
  });
}
