import { expect, test } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { ServiceError } from './failure.ts';
import { listModels } from '../models.ts';
import { withServiceClock, ServiceClock } from './service-clock.ts';

const minuteMs = 60_000;
const { signal } = new AbortController();

test.each<[number | string, number]>([
  [10 * minuteMs, 10 * minuteMs],
  [-10 * minuteMs, -10 * minuteMs],
  [3_000, 0],
  [15 * minuteMs, 15 * minuteMs],
  [16 * minuteMs, 0],
  [-16 * minuteMs, 0],
  ['yesterday', 0],
  ['', 0],
])(
  'ServiceClock, given the Date header $0 (text or offset in milliseconds), shifts the local time by $1 ms',
  async (offsetOrText, expectedOffset) => {
    const { clock } = createScriptedService();
    const date =
      typeof offsetOrText === 'number'
        ? new Date(clock.now() + offsetOrText).toUTCString()
        : offsetOrText;
    const serviceClock = new ServiceClock(clock);
    serviceClock.recordServerTime({ date });
    expect(serviceClock.now() - clock.now()).toBe(expectedOffset);
  },
);

test('ServiceClock uses the Date header of the latest response, including error responses', async () => {
  const replyWithDate = (isoTime: string, status: number) => ({
    status,
    headers: { date: new Date(isoTime).toUTCString() },
    body: ['{"data":[]}'],
  });
  const { context, clock } = createScriptedService(
    replyWithDate('2026-01-01T00:10:00Z', 401),
    replyWithDate('2025-12-31T23:50:00Z', 200),
  );
  const serviceClock = new ServiceClock(clock);
  const observedContext = {
    ...context,
    getTransport: async () => withServiceClock(await context.getTransport(), serviceClock),
  };
  await expect(listModels(observedContext, { signal })).rejects.toThrow(ServiceError);
  expect(serviceClock.now() - clock.now()).toBe(10 * minuteMs);
  await listModels(observedContext, { signal });
  expect(serviceClock.now() - clock.now()).toBe(-10 * minuteMs);
});
