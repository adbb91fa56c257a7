import { beforeEach, expect, test, vi } from 'vitest';
import { createScriptedService } from '../../../../test/support/scripted-transport.ts';
import { updateKeyOrConfirm } from './edit-key.ts';

const confirm = vi.hoisted(() => vi.fn<(...args: unknown[]) => Promise<string | undefined>>());
vi.mock('../../../platform/notifications.ts', () => ({
  confirm,
  showError: () => {},
  showWithActions: () => {},
  showCancellable: () => {},
}));

const { signal } = new AbortController();
const keyChange = { id: 'k', consumptionLimit: { usd: 2 }, limitPeriod: 'EPOCH' } as const;
const refusal = {
  status: 400,
  body: [JSON.stringify({ error: "Unrecognized key(s) in object: 'limitPeriod'" })],
};

beforeEach(() => confirm.mockReset());

test('updateKeyOrConfirm omits a rejected option only after the user agreed', async () => {
  const { context, requests } = createScriptedService(refusal, { body: ['{"success":true}'] });
  confirm.mockResolvedValue('Send without it');
  await updateKeyOrConfirm(context, keyChange, signal);
  expect(confirm).toHaveBeenCalledExactlyOnceWith(
    {
      question: 'This service does not support this option: How often the limit resets.',
      detail: 'Without it, this part of the key stays as it is.',
    },
    'Send without it',
  );
  expect(JSON.parse(String(requests.at(-1)?.body))).toEqual({
    id: 'k',
    consumptionLimit: { usd: 2, diem: null },
  });
});

test('updateKeyOrConfirm changes nothing if the user declines', async () => {
  const { context, requests } = createScriptedService(refusal);
  confirm.mockResolvedValue(undefined);
  await expect(updateKeyOrConfirm(context, keyChange, signal)).rejects.toMatchObject({
    failure: { code: 'unsupported-option' },
  });
  expect(requests).toHaveLength(1);
});
