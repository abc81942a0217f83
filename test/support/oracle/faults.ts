/** Breaks the host in front of the proxy, one way after the other, until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultLab } from '../fault-lab.ts';

/** Longer than any of the proxy's own first pauses. */
const QUIET_MS = 1_500;

type Fault = (lab: FaultLab) => Promise<void>;

/** In this order, again and again: each at least once in a short run. */
export const FAULTS: readonly Fault[] = [
  async ({ relay }) => {
    relay.lose(20_000);
    await sleep(2_000);
  },
  async ({ relay }) => {
    relay.cut();
    await sleep(700);
  },
  async ({ relay }) => {
    relay.delay(150);
    await sleep(1_500);
  },
  async ({ relay }) => {
    relay.freeze();
    await sleep(1_000);
  },
  async ({ controlPlane }) => {
    await controlPlane.kill('kube-apiserver');
    await sleep(300);
    await controlPlane.restart('kube-apiserver');
  },
];

/** @param onBroken called after each fault */
export async function breakUntil(lab: FaultLab, isOver: () => boolean, onBroken: () => void): Promise<void> {
  for (let at = 0; !isOver(); at += 1) {
    await (FAULTS[at % FAULTS.length] as Fault)(lab);
    lab.relay.mend();
    onBroken();
    await sleep(QUIET_MS);
  }
}
