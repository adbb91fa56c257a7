import { expect, test } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { ServiceError } from './failure.ts';
import { listModels } from '../models.ts';
import { withServiceClock, ServiceClock } from './service-clock.ts';

const minuteMs = 60_000;
const { signal } = new AbortController();

/** Returns by how many milliseconds a Date header shifts the local time. A number is an offset in milliseconds. */
function computeTimeShift(offsetOrText: number | string): number {
  const { clock } = createScriptedService();
  const date =
    typeof offsetOrText === 'number'
      ? new Date(clock.now() + offsetOrText).toUTCString()
      : offsetOrText;
  const serviceClock = new ServiceClock(clock);
  serviceClock.recordServerTime({ date });
  return serviceClock.now() - clock.now();
}

test.each([
  ['10 minutes ahead of', 10 * minuteMs],
  ['10 minutes behind', -10 * minuteMs],
  ['15 minutes ahead of', 15 * minuteMs],
])('ServiceClock adopts a Date header that is %s the local time', (_description, offsetMs) => {
  expect(computeTimeShift(offsetMs)).toBe(offsetMs);
});

test.each<[string, number | string]>([
  ['3 seconds ahead of the local time', 3_000],
  ['16 minutes ahead of the local time', 16 * minuteMs],
  ['16 minutes behind the local time', -16 * minuteMs],
  ['not a date', 'yesterday'],
  ['empty', ''],
])('ServiceClock ignores a Date header that is %s', (_description, offsetOrText) => {
  expect(computeTimeShift(offsetOrText)).toBe(0);
});

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
