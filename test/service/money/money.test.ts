import { describe, expect, test } from 'vitest';
import { createChatRequest, postChat, startTestService } from '../test-service.ts';
import type { Control } from '../control.ts';

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

async function readMainAccount(control: Control) {
  const { accounts, charges } = await control.getAccounts();
  const account = accounts.find(({ id }) => id === 'main')!;
  return { account, charges };
}

describe('an account', () => {
  test('pays from DIEM, then bundled credits, then USD, and can split a charge among them', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.changeAccount({ stakedDiem: 0.1, bundled: 0.1, usd: 1 });
    const script = {
      steps: [{ content: 'x' }],
      usage: { prompt_tokens: 0, completion_tokens: 1e5 },
    };
    // The price of 100,000 tokens at 1.5 micro-dollars each exceeds the balance of the first
    // funding source.
    await control.setLimits({ rpm: 1000, tpm: 1e9 });
    await control.addScripts({ ...script, times: 2 });
    const firstReply = await postChat(
      service,
      createChatRequest('Hi', { model: 'vision-plain-32b' }),
    );
    expect(await firstReply.json()).toMatchObject({ cost: { diem: 0.1, usd: 0.05 } });
    await postChat(service, createChatRequest('Hi', { model: 'vision-plain-32b' }));
    const { account, charges } = await readMainAccount(control);
    expect(charges).toMatchObject([
      { diem: 100_000, bundled: 50_000, usd: 0 },
      { diem: 0, bundled: 50_000, usd: 100_000 },
    ]);
    expect(account.spendable).toEqual({ diem: 0, bundled: 0, usd: 900_000 });
  });

  test('cannot spend DIEM if its stake is below 0.1', async () => {
    const service = await startTestService();
    const readBalance = async (stakedDiem: number): Promise<number> => {
      await service.control.changeAccount({ stakedDiem });
      return (await readMainAccount(service.control)).account.spendable.diem;
    };
    expect(await readBalance(0.099999)).toBe(0);
    expect(await readBalance(0.1)).toBe(100_000);
  });

  test('gets its daily DIEM at 00:00 UTC and not earlier', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T23:50:00.000Z' });
    await postChat(service, createChatRequest('Hi'));
    const { account } = await readMainAccount(control);
    expect(account.spendable.diem).toBeLessThan(5_000_000);
    await control.changeClock({ set: '2026-11-20T23:59:50.000Z' });
    expect((await readMainAccount(control)).account.spendable).toEqual(account.spendable);
    await control.changeClock({ set: '2026-11-21T00:00:00.000Z' });
    expect((await readMainAccount(control)).account.spendable.diem).toBe(5_000_000);
  });

  test('is charged the exact price of 50 concurrent requests, and its balance never becomes negative', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.setLimits({ rpm: 1000, tpm: 1e9 });
    await control.changeAccount({ stakedDiem: 0.1, bundled: 0.05, usd: 0.03 });
    const initialAmounts = (await readMainAccount(control)).account.spendable;
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const model = index % 2 === 0 ? 'default' : 'reasoner-deep-235b';
        const reply = await postChat(
          service,
          createChatRequest(`Question ${index}`, { model, stream: true }),
        );
        await reply.text();
        return reply.status;
      }),
    );
    const { account, charges } = await readMainAccount(control);
    for (const source of ['diem', 'bundled', 'usd'] as const) {
      const chargedAmount = sum(charges.map((charge) => charge[source]));
      expect(chargedAmount).toBe(initialAmounts[source] - account.spendable[source]);
      expect(account.spendable[source]).toBeGreaterThanOrEqual(0);
      expect(charges.every((charge) => Number.isInteger(charge[source]))).toBe(true);
    }
    expect(charges).toHaveLength(statuses.filter((status) => status === 200).length);
  });

  test('without funds receives the status 402', async () => {
    const service = await startTestService();
    await service.control.changeAccount({ id: 'fresh', keys: [{ secret: 'fresh-key' }] });
    const reply = await postChat(service, createChatRequest('Hi'), { key: 'fresh-key' });
    expect(reply.status).toBe(402);
    expect(reply.headers.has('x-service-balance-usd')).toBe(false);
    expect(await reply.json()).toMatchObject({
      error: expect.stringMatching(/^Insufficient USD or Diem balance to complete request\./),
    });
  });
});

test('a key that has reached its spending limit is rejected, even if the account has funds', async () => {
  const service = await startTestService();
  const { control } = service;
  const keys = [{ secret: 'capped', limit: { usd: 0.001, diem: 0.001 } }];
  await control.changeAccount({ usd: 1, bundled: 1, stakedDiem: 1, keys });
  expect((await postChat(service, createChatRequest('Hi'), { key: 'capped' })).status).toBe(200);
  const { charges } = await readMainAccount(control);
  expect(charges).toMatchObject([{ diem: 1000, bundled: 1000, usd: 0 }]);
  const reply = await postChat(service, createChatRequest('Hi'), { key: 'capped' });
  expect(reply.status).toBe(402);
  expect(await reply.json()).toMatchObject({
    error: expect.stringMatching(
      /^API key DIEM spend limit exceeded\. Your account may still have/,
    ),
  });
  expect((await postChat(service, createChatRequest('Hi'))).status).toBe(200);
});

test('an account is charged only for the tokens sent before an abort', async () => {
  const service = await startTestService();
  const { control } = service;
  await control.addScripts({
    steps: [{ content: 'one two three' }, { hold: 'rest' }, { content: 'x' }],
  });
  const controller = new AbortController();
  const { signal } = controller;
  const reply = await postChat(service, createChatRequest('Hi', { stream: true }), { signal });
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('three')) text += (await reader.read()).value ?? '';
  controller.abort();
  const recordedRequest = await control.waitForRequest(({ closedAt }) => closedAt !== undefined);
  expect(recordedRequest.abortedByClient).toBe(true);
  await control.releasePause('rest');
  await expect.poll(async () => (await readMainAccount(control)).charges.length).toBe(1);
  const { charges } = await readMainAccount(control);
  const promptTokenCount = 1700 + 5;
  expect(charges[0]?.diem).toBe(Math.ceil(promptTokenCount * 1.4 + 3 * 4.4));
});

test('an account is not charged for an empty reply', async () => {
  const service = await startTestService();
  await service.control.addScripts({ steps: [] });
  const reply = await postChat(service, createChatRequest('Hi'));
  expect(await reply.json()).toMatchObject({ cost: { usd: 0, diem: 0 } });
});
