import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import type { KeyState } from '../../account/key-state.ts';
import type { Account } from '../../account/vscode/account.ts';
import { formatUsd } from '../../base/amounts.ts';
import { createFundingActions, formatFundingDetail, readFunds } from './funding-view.ts';

vi.mock('../keys/vscode/management.ts', () => ({
  createKeyManagement: ({ management }: { management: unknown }) => ({ service: management }),
}));

const now = Date.parse('2026-11-23T20:54:30Z');
const { signal } = new AbortController();
const rejectEndpoint = () => Promise.reject(new Error('not needed'));
const listLabels = (kind: string, options?: { isNewKey: boolean }): readonly string[] =>
  createFundingActions({ endpoint: rejectEndpoint, key: { kind } as KeyState }, options).map(
    ({ label }) => label,
  );

test('formatFundingDetail shows today’s DIEM, the minimum stake and the countdown to the next refresh', () => {
  const funds = { diem: 0.35, diemAllocation: 1, bundled: 2, usd: 3.5 };
  const detail = formatFundingDetail({ funds, stake: '12 sSTK', paysByWallet: false, now });
  expect(detail.split('\n').slice(0, 5)).toEqual([
    '• DIEM left today: 0.35',
    '• DIEM allocation today: 1',
    `• Bundled credits: ${formatUsd(2)}`,
    `• US dollars: ${formatUsd(3.5)}`,
    '• Staked: 12 sSTK',
  ]);
  expect(detail).toContain('at least 0.1 staked DIEM');
  expect(detail).toContain('00:00 UTC, in 3 h 5 min');
  expect(detail).toContain('DIEM, then bundled credits, then US dollars');
});

test('formatFundingDetail omits an unknown amount', () => {
  const detail = formatFundingDetail({ funds: {}, stake: undefined, paysByWallet: true, now });
  expect(detail).not.toContain('•');
});

test('createFundingActions offers a top-up for a key only together with the switch to pay-per-request', () => {
  expect(listLabels('usable')).toEqual(['Stake', 'Dashboard', 'Top Up and Switch']);
  expect(listLabels('wallet')).toEqual(['Top up…']);
});

test('createFundingActions offers no funding that a new key cannot spend', () => {
  expect(listLabels('usable', { isNewKey: true })).toEqual(['Stake', 'Dashboard']);
  const facts = { funds: {}, stake: '12 sSTK', paysByWallet: false, now };
  expect(formatFundingDetail(facts)).toMatch(/can’t spend a top-up/u);
  expect(formatFundingDetail({ ...facts, isNewKey: true })).not.toMatch(/top|wallet/iu);
});

test.each(['none', 'keyless'])(
  'createFundingActions offers no funding for the key state %s',
  (kind) => {
    expect(listLabels(kind)).toEqual([]);
  },
);

test('readFunds reads the amounts and the allocation from a deployment with another vendor prefix', async () => {
  await using site = await startStrictDeployment({ word: 'acme', shape: 'full', balance: 'diem' });
  const { inference, admin } = site.deployment.keys;
  const reader = {
    key: { kind: 'usable' },
    service: site.connect(inference),
    management: site.connect(admin),
    balance: {},
  };
  const funds = await readFunds(reader as unknown as Account, signal);
  expect(funds.diem).toBeGreaterThan(0);
  expect(funds.diemAllocation).toBeGreaterThan(0);
});

test('readFunds reads the balances with the management key if the key in use has no access to the balances', async () => {
  await using site = await startStrictDeployment({ shape: 'full', balance: 'bundled' });
  const { expired, admin } = site.deployment.keys;
  const reader = {
    key: { kind: 'usable' },
    service: site.connect(expired),
    management: site.connect(admin),
    balance: {},
  };
  const funds = await readFunds(reader as unknown as Account, signal);
  expect(funds).toEqual({ bundled: 10, diemAllocation: 0 });
});

test('readFunds prefers the balances of the key in use to those of the management key', async () => {
  await using site = await startStrictDeployment({ shape: 'full', balance: 'usd' });
  await using other = await startStrictDeployment({ shape: 'full', balance: 'diem' });
  const reader = {
    key: { kind: 'usable' },
    service: site.connect(site.deployment.keys.inference),
    management: other.connect(other.deployment.keys.admin),
    balance: { usd: 11 },
  };
  const funds = await readFunds(reader as unknown as Account, signal);
  expect(funds).toMatchObject({ usd: 10, diem: 0, bundled: 0 });
});

test('readFunds uses the balances of the last response headers if the deployment has no routes for balances', async () => {
  await using site = await startStrictDeployment({ word: 'zeta', shape: 'minimal' });
  const service = site.connect(site.deployment.keys.inference);
  const reader = { key: { kind: 'usable' }, service, management: service, balance: { usd: 4 } };
  expect(await readFunds(reader as unknown as Account, signal)).toEqual({ usd: 4 });
});
