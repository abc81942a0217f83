/**
 * How many short requests are served at once, by how busy the process is. All of them share one thread: as long as that
 * waits for the host, more at once is better, and when it is busy all the time, more at once only means that whoever comes
 * next waits behind all the others' work in pieces. So the number falls while the thread is busy and rises while it is not,
 * as congestion control of networks does it; who waits then waits in the queues, where turns are given fairly.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { every as everyPeriod } from '../lib/every.ts';

export interface Pace extends Disposable {
  /** Now. */
  readonly seats: number;
}

export interface PaceOptions {
  /** When the process is not busy. */
  readonly most: number;
  /** However busy it is. */
  readonly least: number;
  /** Called when there are more than before. */
  readonly onMore: () => void;
  /** Calls again and again until the function that is returned is called. */
  readonly every?: (periodMs: number, call: () => void) => () => void;
  /** The part of the time since the last call in which the thread did something: 0 to 1. */
  readonly busy?: () => number;
}

const PERIOD_MS = 100;
const BUSY = 0.9;
const CALM = 0.7;
const LESS = 0.7;
const MORE = 1.3;

export function createPace({ most, least, onMore, every = everyPeriod, busy = busyOfThread() }: PaceOptions): Pace {
  let seats = most;
  const stop = every(PERIOD_MS, () => {
    const now = busy();
    if (now > BUSY) seats = Math.max(least, Math.floor(seats * LESS));
    else if (now < CALM && seats < most) {
      seats = Math.min(most, Math.ceil(seats * MORE));
      onMore();
    }
  });
  return {
    get seats() {
      return seats;
    },
    [Symbol.dispose]: stop,
  };
}

function busyOfThread(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
