import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import type { KeyState } from '../../account/key-state.ts';
import type { Account } from '../../account/vscode/account.ts';
import { formatUsd } from '../../base/amounts.ts';
import { omitUndefined } from '../../base/json.ts';
import { createFundingActions, formatFunding, readFunds } from './funding-view.ts';

vi.mock('../keys/vscode/management.ts', () => ({
  createKeyManagement: ({ management }: { management: unknown }) => ({ service: management }),
}));

const nowMs = Date.parse('2026-11-23T20:54:30Z');
const { signal } = new AbortController();
const rejectEndpoint = () => Promise.reject(new Error('not needed'));
const listLabels = (kind: string, stake?: typeof sufficientStake): readonly string[] =>
  createFundingActions({ getEndpoint: rejectEndpoint, key: { kind } as KeyState }, stake).map(
    ({ label }) => label,
  );
const sufficientStake = { value: 10n ** 17n, decimals: 18, symbol: 'sSTK' };
const smallStake = { ...sufficientStake, value: 10n ** 17n - 1n };

test('formatFunding shows today’s DIEM, the minimum stake and the countdown to the next refresh', () => {
  const funds = { diem: 0.35, diemAllocation: 1, bundled: 2, usd: 3.5 };
  const { question, detail } = formatFunding({
    ...{ funds, stake: undefined, paysByWallet: false, now: nowMs },
  });
  expect(question).toBe('DIEM pays for the next request');
  expect(detail.split('\n').slice(0, 4)).toEqual([
    '• DIEM left today: 0.35 of 1',
    `• Bundled credits: ${formatUsd(2)}`,
    `• US dollars: ${formatUsd(3.5)}`,
    '',
  ]);
  expect(detail).toContain('at least 0.1 staked DIEM');
  expect(detail).toContain('00:00 UTC, in 3 h 5 min');
});

test.each([
  ['too small', smallStake, true],
  ['sufficient', sufficientStake, false],
])(
  'formatFunding states the minimum stake only if the stake is too small (stake: $0)',
  (_label, stake, isNamed) => {
    const { detail } = formatFunding({ funds: {}, stake, paysByWallet: false, now: nowMs });
    expect(detail).toContain('• Staked: ');
    expect(detail.includes('at least 0.1')).toBe(isNamed);
  },
);

test('formatFunding omits an unknown amount', () => {
  const { detail } = formatFunding({ funds: {}, stake: undefined, paysByWallet: true, now: nowMs });
  expect(detail).not.toContain('•');
});

test('formatFunding uses at most 55 words, including bullets, for all combinations of balances', () => {
  const amounts = [undefined, 0, 1.5];
  const wordCounts = amounts.flatMap((diem) =>
    amounts.flatMap((diemAllocation) =>
      amounts.flatMap((bundled) =>
        amounts.flatMap((usd) =>
          [undefined, smallStake, sufficientStake].flatMap((stake) =>
            [true, false].map((paysByWallet) => {
              const funds = omitUndefined({ diem, diemAllocation, bundled, usd });
              const { question, detail } = formatFunding({
                funds,
                stake,
                paysByWallet,
                now: nowMs,
              });
              return `${question} ${detail}`.split(/\s+/u).length;
            }),
          ),
        ),
      ),
    ),
  );
  expect(Math.max(...wordCounts)).toBeLessThanOrEqual(55);
});

test('createFundingActions offers a top-up for a key only together with the switch to pay-per-request', () => {
  expect(listLabels('usable')).toEqual(['Stake', 'Dashboard', 'Top Up and Switch']);
  expect(listLabels('wallet')).toEqual(['Top up…']);
});

test('createFundingActions lists a larger stake as the first action only if the current stake gives no DIEM', () => {
  expect(listLabels('usable', smallStake)[0]).toBe('Stake');
  expect(listLabels('usable', sufficientStake)[0]).toBe('Dashboard');
});

test.each(['none', 'keyless'])(
  'createFundingActions offers no funding for the key state %s',
  (kind) => {
    expect(listLabels(kind)).toEqual([]);
  },
);

test('readFunds reads the amounts and the allocation from a deployment with another vendor prefix', async () => {
  await using server = await startStrictDeployment({
    word: 'acme',
    shape: 'full',
    balance: 'diem',
  });
  const { inference: inferenceKey, admin: adminKey } = server.deployment.keys;
  const readerAccount = {
    key: { kind: 'usable' },
    service: server.connect(inferenceKey),
    management: server.connect(adminKey),
    balance: {},
  };
  const funds = await readFunds(readerAccount as unknown as Account, signal);
  expect(funds.diem).toBeGreaterThan(0);
  expect(funds.diemAllocation).toBeGreaterThan(0);
});

test('readFunds reads the balances with the management key if the key in use has no access to the balances', async () => {
  await using server = await startStrictDeployment({ shape: 'full', balance: 'bundled' });
  const { expired: expiredKey, admin: adminKey } = server.deployment.keys;
  const readerAccount = {
    key: { kind: 'usable' },
    service: server.connect(expiredKey),
    management: server.connect(adminKey),
    balance: {},
  };
  const funds = await readFunds(readerAccount as unknown as Account, signal);
  expect(funds).toEqual({ bundled: 10, diemAllocation: 0 });
});

test('readFunds prefers the balances of the key in use to those of the management key', async () => {
  await using server = await startStrictDeployment({ shape: 'full', balance: 'usd' });
  await using otherServer = await startStrictDeployment({ shape: 'full', balance: 'diem' });
  const readerAccount = {
    key: { kind: 'usable' },
    service: server.connect(server.deployment.keys.inference),
    management: otherServer.connect(otherServer.deployment.keys.admin),
    balance: { usd: 11 },
  };
  const funds = await readFunds(readerAccount as unknown as Account, signal);
  expect(funds).toMatchObject({ usd: 10, diem: 0, bundled: 0 });
});

test('readFunds uses the balances of the last response headers if the deployment has no routes for balances', async () => {
  await using server = await startStrictDeployment({ word: 'zeta', shape: 'minimal' });
  const service = server.connect(server.deployment.keys.inference);
  const readerAccount = {
    key: { kind: 'usable' },
    service,
    management: service,
    balance: { usd: 4 },
  };
  expect(await readFunds(readerAccount as unknown as Account, signal)).toEqual({ usd: 4 });
});
