import { describe, expect, it } from 'vitest';
import { createAuditWebhook, type WebhookLimits } from './webhook.ts';

/** Nothing waits for a clock: a batch goes out when it is full, or when the webhook is closed. */
const LIMITS: Partial<WebhookLimits> = { batchEvents: 2, batchMs: 3_600_000, tries: 2, pauseMs: 0 };

function receiver(answers: ReadonlyArray<number | Error> = [], limits: Partial<WebhookLimits> = {}) {
  const batches: unknown[][] = [];
  const dropped: [number, string][] = [];
  let asked = 0;
  const webhook = createAuditWebhook({
    async send(body) {
      const answer = answers[asked] ?? 200;
      asked += 1;
      if (answer instanceof Error) throw answer;
      if (answer < 300) batches.push((JSON.parse(body) as { items: unknown[] }).items);
      return answer;
    },
    onDropped: (count, why) => dropped.push([count, why]),
    limits: { ...LIMITS, ...limits },
  });
  return { webhook, batches, dropped, asked: () => asked };
}

describe('a webhook for audit events', () => {
  it('gets every event once and in order, several at a time', async () => {
    const { webhook, batches, dropped } = receiver();
    for (const at of [1, 2, 3, 4, 5]) webhook.write(String(at));
    await webhook.close();
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
    expect(dropped).toEqual([]);
  });

  it('gets a list of events of Kubernetes', async () => {
    const bodies: string[] = [];
    const send = async (body: string) => bodies.push(body) && 200;
    const webhook = createAuditWebhook({ send, onDropped() {}, limits: LIMITS });
    webhook.write('{"kind":"Event"}');
    await webhook.close();
    expect(JSON.parse(bodies[0] ?? '')).toEqual({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [{ kind: 'Event' }],
    });
  });

  it('is tried again, and what it does not take in the end is counted', async () => {
    const { promise: told, resolve } = Promise.withResolvers<[number, string]>();
    let asked = 0;
    const taken: string[] = [];
    const webhook = createAuditWebhook({
      async send(body) {
        asked += 1;
        if (asked === 1) throw new Error('nobody there');
        if (asked <= 4) return 503;
        taken.push(body);
        return 200;
      },
      onDropped: (count, why) => resolve([count, why]),
      limits: { ...LIMITS, tries: 4 },
    });
    webhook.write('1');
    webhook.write('2');
    expect(await told).toEqual([2, 'the webhook answered with 503']);
    webhook.write('3');
    await webhook.close();
    expect(asked).toBe(5);
    expect(taken).toHaveLength(1);
  });

  it('that does not answer costs memory once: what comes then is dropped and counted', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<number>();
    const dropped: [number, string][] = [];
    const webhook = createAuditWebhook({
      send: () => answered,
      onDropped: (count, why) => dropped.push([count, why]),
      limits: { ...LIMITS, waitingBytes: 10 },
    });
    for (let at = 0; at < 100; at += 1) webhook.write('12345');
    resolve(200);
    await webhook.close();
    expect(dropped).toEqual([[98, 'too many events wait for the webhook']]);
  });

  it('is waited for once when the proxy ends', async () => {
    const { webhook, dropped, asked } = receiver([new Error('gone')], { tries: 1_000, pauseMs: 3_600_000 });
    webhook.write('1');
    await webhook.close();
    expect(asked()).toBe(1);
    expect(dropped).toEqual([[1, 'gone']]);
  });
});
