/** Calls again and again, and keeps no process alive. @returns ends it */
export function every(periodMs: number, call: () => void): () => void {
  const timer = setInterval(call, periodMs);
  timer.unref();
  return () => clearInterval(timer);
}
