import { describe, expect, test } from 'vitest';
import { createChatRequest, postChat, startTestService } from './test-service.ts';

describe('rate limits', () => {
  test('apply per key and model, and end after the time in Retry-After', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T10:00:00Z' });
    await control.setLimits({ model: 'assistant-large-480b', rpm: 2, tpm: 1e6 });
    const requestStatus = async (overrides = {}, key = service.apiKey): Promise<number> =>
      (await postChat(service, createChatRequest('Hi', overrides), { key })).status;
    expect([await requestStatus(), await requestStatus(), await requestStatus()]).toEqual([
      200, 200, 429,
    ]);
    expect(await requestStatus({ model: 'compact-xs-3b' })).toBe(200);
    expect(await requestStatus({}, service.adminKey)).toBe(200);
    const rejectedReply = await postChat(service, createChatRequest('Hi'));
    expect(await rejectedReply.json()).toEqual({ error: 'Rate limit exceeded' });
    expect(rejectedReply.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(rejectedReply.headers.get('x-ratelimit-type')).toBe('api_key');
    const seconds = Number(rejectedReply.headers.get('retry-after'));
    expect(seconds).toBe(30);
    await control.changeClock({ advance: seconds * 1000 });
    expect(await requestStatus()).toBe(200);
  });

  test('apply to tokens as well as requests', async () => {
    const service = await startTestService();
    await service.control.changeClock({ set: '2026-11-20T10:00:00Z' });
    await service.control.setLimits({ rpm: 100, tpm: 1000 });
    expect((await postChat(service, createChatRequest('Hi'))).status).toBe(200);
    const rejectedReply = await postChat(service, createChatRequest('Hi'));
    expect(rejectedReply.status).toBe(429);
    expect(rejectedReply.headers.get('x-ratelimit-remaining-tokens')).toBe('0');
  });
});

test('after more than 50 failures of a key within 30 seconds, the service blocks only this key for 30 seconds', async () => {
  const service = await startTestService();
  const { control } = service;
  await control.changeClock({ set: '2026-11-20T10:00:00Z' });
  for (let index = 0; index < 51; index++) {
    expect((await postChat(service, createChatRequest('Hi', { model: 'nowhere' }))).status).toBe(
      404,
    );
  }
  const blockedReply = await postChat(service, createChatRequest('Hi'));
  expect(blockedReply.status).toBe(429);
  expect(blockedReply.headers.get('retry-after')).toBe('30');
  expect(await blockedReply.json()).toEqual({
    error:
      'Too many failed attempts (> 50) resulting in a non-success status code. Please wait 30s and try again.',
  });
  expect((await postChat(service, createChatRequest('Hi'), { key: service.adminKey })).status).toBe(
    200,
  );
  await control.changeClock({ advance: 30_000 });
  expect((await postChat(service, createChatRequest('Hi'))).status).toBe(200);
});

test('the service does not block a key whose failures are spread over a longer time', async () => {
  const service = await startTestService();
  for (let index = 0; index < 60; index++) {
    await postChat(service, createChatRequest('Hi', { model: 'nowhere' }));
    await service.control.changeClock({ advance: 1000 });
  }
  expect((await postChat(service, createChatRequest('Hi'))).status).toBe(200);
});

test('the service does not block a key because of its own server errors', async () => {
  const service = await startTestService();
  await service.control.changeClock({ set: '2026-11-20T10:00:00Z' });
  for (let index = 0; index < 51; index++) {
    const reply = await postChat(service, createChatRequest('Hi', { model: 'absent-offline-70b' }));
    expect(reply.status).toBe(503);
  }
  expect((await postChat(service, createChatRequest('Hi'))).status).toBe(200);
});
