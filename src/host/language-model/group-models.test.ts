import { expect, test } from 'vitest';
import { scriptedService } from '../../../test/support/scripted-transport.ts';
import { GroupModels } from './group-models.ts';

const { signal } = new AbortController();
const minuteMs = 60_000;

const list = { body: [JSON.stringify({ data: [{ id: 'm-1', type: 'text' }] })] };
const status = (code: number) => ({ status: code, body: ['{"error":"No."}'] });

for (const refusal of [401, 403]) {
  test(`a key that was refused with ${refusal} is not sent again for some minutes`, async () => {
    const { context, clock, requests } = scriptedService(status(refusal), list);
    const models = new GroupModels(context);
    const failure = { failure: { status: refusal } };
    await expect(models.list(signal)).rejects.toMatchObject(failure);
    await clock.advance(4 * minuteMs);
    await expect(models.list(signal)).rejects.toMatchObject(failure);
    await models.refresh();
    expect([requests.length, models.failure?.status]).toEqual([1, refusal]);
    await clock.advance(minuteMs);
    expect((await models.list(signal)).map(({ id }) => id)).toEqual(['m-1']);
    expect([requests.length, models.failure]).toEqual([2, undefined]);
  });
}

test('what failed for another reason is asked again at once', async () => {
  const { context, requests } = scriptedService(status(404), list);
  const models = new GroupModels(context);
  await expect(models.list(signal)).rejects.toMatchObject({ failure: { code: 'not-found' } });
  await models.list(signal);
  expect(requests.length).toBe(2);
});

test('a list is asked for again after ten minutes', async () => {
  const { context, clock, requests } = scriptedService(list);
  const models = new GroupModels(context);
  await models.list(signal);
  await clock.advance(9 * minuteMs);
  await models.list(signal);
  expect(requests.length).toBe(1);
  await clock.advance(minuteMs);
  await models.list(signal);
  expect(requests.length).toBe(2);
});
