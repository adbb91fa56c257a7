import { expect, test } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import { ServiceError } from '../../service/http/failure.ts';
import type { MintProblem } from '../../service/web3-key.ts';
import type { Hex } from '../chain.ts';
import type { Signer } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import { type MintRequest, type MintEntry, mintKey } from './mint.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const otherAccount = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const startMs = Date.UTC(2026, 0, 1);
const apiKey = 'SERVICE_INFERENCE_KEY_0123456789';
const keyAnswer: ScriptedAnswer = { body: [JSON.stringify({ data: { apiKey } })] };

const createRefusalReply = (error: string): ScriptedAnswer => ({
  status: 400,
  body: [JSON.stringify({ error })],
});

function createToken(jti: string, { exp = startMs / 1_000 + 900 } = {}): string {
  const parts = [{ alg: 'ES256' }, { iss: 'service', exp, jti }, 'signature'];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

const createTokenReply = (jti: string, claims?: { exp: number }): ScriptedAnswer => ({
  body: [JSON.stringify({ data: { token: createToken(jti, claims) } })],
});

interface MintScenario {
  readonly answers: readonly ScriptedAnswer[];
  readonly sign?: (text: string, signal: AbortSignal) => Promise<Hex>;
  readonly extraRequestFields?: Partial<MintRequest>;
}

function startMint({ answers, sign, extraRequestFields }: MintScenario) {
  const { context, requests, clock } = createScriptedService(...answers);
  const signedTexts: string[] = [];
  const journal: MintEntry[] = [];
  const steps: string[] = [];
  const signer: Signer = {
    kind: 'private-key',
    address: account.address,
    signMessage: async ({ text }, signal) => {
      signedTexts.push(text);
      return sign === undefined ? account.signMessage({ message: text }) : sign(text, signal);
    },
    sendTransaction: () => Promise.reject(new Error('Minting sends no transaction.')),
  };
  const mint: MintRequest = {
    signer,
    options: { type: 'INFERENCE' },
    signal: new AbortController().signal,
    service: context,
    journal: {
      storeEntry: async (entry) => void journal.push(entry),
      removeEntry: async (entry) => void journal.splice(journal.indexOf(entry), 1),
    },
    createReview: () => ({ purpose: 'Mint', rows: [], warnings: [] }),
    onProgress: ({ step }) => steps.push(step),
    ...extraRequestFields,
  };
  const listSentRequests = () => requests.filter(({ method }) => method === 'POST');
  return {
    newKeyPromise: mintKey(mint),
    requests,
    listSentRequests,
    clock,
    signedTexts,
    journal,
    steps,
  };
}

const createPendingPromise = () => new Promise<never>(() => {});

test('mintKey signs only the validation token and exchanges it for an API key', async () => {
  const { newKeyPromise, listSentRequests, signedTexts, journal, steps } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
  });
  expect(await newKeyPromise).toEqual({ apiKey, record: { type: 'INFERENCE' } });
  expect(signedTexts).toEqual([createToken('a')]);
  expect(JSON.parse(String(listSentRequests()[0]?.body))).toEqual({
    address: account.address,
    token: createToken('a'),
    signature: await account.signMessage({ message: createToken('a') }),
    apiKeyType: 'INFERENCE',
  });
  expect(steps).toEqual(['token', 'sign', 'verify', 'exchange']);
  expect(journal).toEqual([]);
});

test.each([
  'JWT has expired',
  'JWT signature is invalid',
  'JWT claims are invalid',
  'JWT is malformed',
])('mintKey requests and signs a new token immediately after the error “%s”', async (error) => {
  const answers = [
    createTokenReply('a'),
    createRefusalReply(error),
    createTokenReply('b'),
    keyAnswer,
  ];
  const { newKeyPromise, signedTexts, journal, clock } = startMint({ answers });
  expect((await newKeyPromise).apiKey).toBe(apiKey);
  expect(signedTexts).toEqual([createToken('a'), createToken('b')]);
  expect(journal).toEqual([]);
  expect(clock.pendingTimerCount).toBe(0);
});

test.each<[string, MintProblem]>([
  ['JWT has expired', 'token-expired'],
  ['JWT signature is invalid', 'token-signature'],
  ['JWT claims are invalid', 'token-claims'],
  ['JWT is malformed', 'token-malformed'],
])('mintKey signs no third token after the error “%s” for two tokens', async (error, problem) => {
  const answers = [
    createTokenReply('a'),
    createRefusalReply(error),
    createTokenReply('b'),
    createRefusalReply(error),
    createTokenReply('c'),
    keyAnswer,
  ];
  const { newKeyPromise, signedTexts } = startMint({ answers });
  await expect(newKeyPromise).rejects.toMatchObject({ problem });
  expect(signedTexts).toHaveLength(2);
});

test.each<[string, MintProblem]>([
  ['Invalid wallet address', 'invalid-address'],
  ['Wallet signature does not match', 'wrong-signature'],
  ['Wallet has no staked TKN on Chain', 'no-stake'],
  ['Invalid request parameters', 'invalid-options'],
])('mintKey signs only one token after the error “%s”', async (error, problem) => {
  const { newKeyPromise, signedTexts, listSentRequests, journal } = startMint({
    answers: [createTokenReply('a'), createRefusalReply(error), createTokenReply('b'), keyAnswer],
  });
  await expect(newKeyPromise).rejects.toMatchObject({ problem });
  expect(signedTexts).toHaveLength(1);
  expect(listSentRequests()).toHaveLength(1);
  expect(journal).toEqual([]);
});

const unverifiedReply = createRefusalReply('Could not verify wallet signature');

test('mintKey resends the same token if the service could not verify the signature', async () => {
  const { newKeyPromise, listSentRequests, signedTexts, clock } = startMint({
    answers: [createTokenReply('a'), unverifiedReply, unverifiedReply, keyAnswer],
  });
  await clock.advance(60_000);
  expect((await newKeyPromise).apiKey).toBe(apiKey);
  expect(signedTexts).toHaveLength(1);
  expect(new Set(listSentRequests().map(({ body }) => body)).size).toBe(1);
  expect(listSentRequests()).toHaveLength(3);
});

test('mintKey stops after five failed verifications by the service', async () => {
  const { newKeyPromise, listSentRequests, clock, journal } = startMint({
    answers: [createTokenReply('a'), unverifiedReply],
  });
  const rejectionPromise = expect(newKeyPromise).rejects.toMatchObject({
    problem: 'signature-unverified',
  });
  await clock.advance(10 * 60_000);
  await rejectionPromise;
  expect(listSentRequests()).toHaveLength(5);
  expect(journal).toEqual([]);
});

test('mintKey sends no expired token', async () => {
  const shortTokenReply = createTokenReply('a', { exp: startMs / 1_000 + 1 });
  const { newKeyPromise, listSentRequests, clock } = startMint({
    answers: [shortTokenReply, unverifiedReply],
  });
  const rejectionPromise = expect(newKeyPromise).rejects.toMatchObject({
    problem: 'signature-unverified',
  });
  await clock.advance(10 * 60_000);
  await rejectionPromise;
  expect(listSentRequests()).toHaveLength(2);
});

test('mintKey sends no further request after the user cancels', async () => {
  const abortController = new AbortController();
  const { newKeyPromise, clock, listSentRequests } = startMint({
    answers: [createTokenReply('a'), unverifiedReply],
    extraRequestFields: { signal: abortController.signal },
  });
  const rejectionPromise = expect(newKeyPromise).rejects.toMatchObject({
    failure: { code: 'stopped' },
  });
  await clock.advance(1);
  abortController.abort();
  await rejectionPromise;
  expect(listSentRequests()).toHaveLength(1);
});

test.each([
  ['a sign-in message', 'evil.example wants you to sign in with your Ethereum account:\n0x'],
  ['a hash', `0x${'ab'.repeat(32)}`],
  ['typed data', '{"types":{}}'],
  ['a token with an invalid expiry', createToken('a', { exp: Number.NaN })],
  ['a token that expired yesterday', createToken('a', { exp: startMs / 1_000 - 86_400 })],
])('mintKey requests no signature if the token is %s', async (_description, token) => {
  const { newKeyPromise, signedTexts, listSentRequests } = startMint({
    answers: [{ body: [JSON.stringify({ token })] }, keyAnswer],
  });
  await expect(newKeyPromise).rejects.toMatchObject({ failure: { code: 'unsafe-request' } });
  expect(signedTexts).toEqual([]);
  expect(listSentRequests()).toEqual([]);
});

test.each<[string, (text: string) => Promise<Hex>]>([
  ['a signature of another account', (text) => otherAccount.signMessage({ message: text })],
  ['a signature of another text', (text) => account.signMessage({ message: `${text} ` })],
  ['a zero signature', async () => `0x${'00'.repeat(65)}`],
  ['an empty signature', async () => '0x'],
  ['a signature that is not hexadecimal', async () => 'yes' as Hex],
  ['an oversized signature', async () => `0x${'ab'.repeat(100_000)}`],
])('mintKey sends no token with %s', async (_description, sign) => {
  const { newKeyPromise, listSentRequests, journal } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    sign,
  });
  await expect(newKeyPromise).rejects.toMatchObject({ failure: { code: 'wallet-lied' } });
  expect(listSentRequests()).toEqual([]);
  expect(journal).toEqual([]);
});

const createFakeClient = (verifyMessage: () => Promise<boolean>) =>
  ({ getCode: async () => '0x60', verifyMessage }) as unknown as NonNullable<
    MintRequest['chainClient']
  >;

test('mintKey verifies a contract account’s signature on the chain', async () => {
  const chainClient = createFakeClient(async () => true);
  const sign = async (): Promise<Hex> => `0x${'ab'.repeat(65)}`;
  const { newKeyPromise } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    sign,
    extraRequestFields: { chainClient },
  });
  expect((await newKeyPromise).apiKey).toBe(apiKey);
});

test('mintKey sends no token if the chain is unreachable', async () => {
  const signature: Hex = `0x${'ab'.repeat(65)}`;
  const chainClient = createFakeClient(() => Promise.reject(new Error(signature)));
  const sign = async (): Promise<Hex> => signature;
  const { newKeyPromise, listSentRequests } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    sign,
    extraRequestFields: { chainClient },
  });
  const error = await newKeyPromise.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ failure: { code: 'chain-unreachable' } });
  expect(String((error as Error).stack)).not.toContain(signature);
  expect(listSentRequests()).toEqual([]);
});

test('mintKey sends no chain request for an account that is not a contract', async () => {
  const chainClient = createFakeClient(createPendingPromise);
  const { newKeyPromise } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    extraRequestFields: { chainClient },
  });
  expect((await newKeyPromise).apiKey).toBe(apiKey);
});

test('mintKey stops waiting for the wallet when the token expires', async () => {
  let signal: AbortSignal | undefined;
  const sign = (_text: string, lifetimeSignal: AbortSignal): Promise<Hex> => {
    signal = lifetimeSignal;
    return createPendingPromise();
  };
  const { newKeyPromise, clock, listSentRequests } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    sign,
  });
  const rejectionPromise = expect(newKeyPromise).rejects.toMatchObject({
    problem: 'token-expired',
  });
  await clock.advance(15 * 60_000 - 1);
  expect(signal?.aborted).toBe(false);
  await clock.advance(1);
  await rejectionPromise;
  expect(signal?.aborted).toBe(true);
  expect(listSentRequests()).toEqual([]);
});

test('mintKey stops waiting for an unresponsive wallet when the user cancels', async () => {
  const abortController = new AbortController();
  const { newKeyPromise, clock } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    sign: createPendingPromise,
    extraRequestFields: { signal: abortController.signal },
  });
  const rejectionPromise = expect(newKeyPromise).rejects.toMatchObject({
    failure: { code: 'stopped' },
  });
  await clock.advance(1);
  abortController.abort();
  await rejectionPromise;
  expect(clock.pendingTimerCount).toBe(0);
});

test('mintKey fails with the wallet’s error if the wallet rejects the signature request', async () => {
  const sign = () => Promise.reject(new WalletError('rejected', 'No.'));
  const { newKeyPromise, clock } = startMint({ answers: [createTokenReply('a')], sign });
  await expect(newKeyPromise).rejects.toMatchObject({ failure: { code: 'rejected' } });
  expect(clock.pendingTimerCount).toBe(0);
});

test('mintKey signs nothing if the user declines the confirmation', async () => {
  const extraRequestFields = { confirm: async () => false };
  const { newKeyPromise, signedTexts } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    extraRequestFields,
  });
  await expect(newKeyPromise).rejects.toMatchObject({ failure: { code: 'rejected' } });
  expect(signedTexts).toEqual([]);
});

test('mintKey requests a new token without a second confirmation if the first token is about to expire', async () => {
  let confirmationCount = 0;
  let waitForUser = (): Promise<void> => Promise.resolve();
  const confirm = async (): Promise<boolean> => {
    confirmationCount++;
    await waitForUser();
    return true;
  };
  const lateTokenReply = createTokenReply('b', { exp: startMs / 1_000 + 1_800 });
  const runningMint = startMint({
    answers: [createTokenReply('a'), lateTokenReply, keyAnswer],
    extraRequestFields: { confirm },
  });
  waitForUser = () => runningMint.clock.advance(14.9 * 60_000);
  expect((await runningMint.newKeyPromise).apiKey).toBe(apiKey);
  expect(runningMint.signedTexts).toEqual([createToken('b', { exp: startMs / 1_000 + 1_800 })]);
  expect(confirmationCount).toBe(1);
});

test('mintKey keeps the journal entry if the response is lost', async () => {
  const interruption = new ServiceError({ code: 'interrupted', message: 'cut off' });
  const { newKeyPromise, journal, listSentRequests } = startMint({
    answers: [createTokenReply('a'), interruption],
  });
  await expect(newKeyPromise).rejects.toMatchObject({ problem: 'maybe-minted' });
  expect(listSentRequests()).toHaveLength(1);
  expect(journal).toEqual([
    {
      address: account.address,
      tokenHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      time: startMs,
    },
  ]);
});

test('mintKey keeps the journal entry until the key is stored', async () => {
  const journalSizes: number[] = [];
  const runningMint = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    extraRequestFields: {
      storeKey: async () => void journalSizes.push(runningMint.journal.length),
    },
  });
  await runningMint.newKeyPromise;
  expect(journalSizes).toEqual([1]);
  expect(runningMint.journal).toEqual([]);
});

test('mintKey keeps the journal entry if storing the key fails', async () => {
  const extraRequestFields = { storeKey: () => Promise.reject(new Error('full')) };
  const { newKeyPromise, journal } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    extraRequestFields,
  });
  await expect(newKeyPromise).rejects.toThrow('full');
  expect(journal).toHaveLength(1);
});

test('mintKey sends no token if the journal entry can’t be written', async () => {
  const journal = {
    storeEntry: () => Promise.reject(new Error('full')),
    removeEntry: async () => {},
  };
  const { newKeyPromise, listSentRequests } = startMint({
    answers: [createTokenReply('a'), keyAnswer],
    extraRequestFields: { journal },
  });
  await expect(newKeyPromise).rejects.toThrow('full');
  expect(listSentRequests()).toEqual([]);
});

test.each([
  ['ahead of', 10],
  ['behind', -10],
])(
  'mintKey mints a key if the service clock is 10 minutes %s the local clock',
  async (_direction, minutes) => {
    const serverTime = startMs + minutes * 60_000;
    const token = createToken('a', { exp: serverTime / 1_000 + 900 });
    const date = new Date(serverTime).toUTCString();
    const tokenReplyWithDate = { headers: { date }, body: [JSON.stringify({ token })] };
    expect(
      (await startMint({ answers: [tokenReplyWithDate, keyAnswer] }).newKeyPromise).apiKey,
    ).toBe(apiKey);
  },
);

test('mintKey prompts once about an option that the service rejects, even if the token then expires', async () => {
  const questions: unknown[] = [];
  const { newKeyPromise, listSentRequests } = startMint({
    answers: [
      createTokenReply('a'),
      createRefusalReply("Unrecognized key(s) in object: 'limitPeriod'"),
      createRefusalReply('JWT has expired'),
      createTokenReply('b'),
      keyAnswer,
    ],
    extraRequestFields: {
      options: { type: 'INFERENCE', consumptionLimit: { usd: 10 }, limitPeriod: 'MONTH' },
      confirmOmission: async (error) => questions.push(error) > 0,
    },
  });
  await expect(newKeyPromise).resolves.toMatchObject({ apiKey });
  expect(questions).toHaveLength(1);
  expect(listSentRequests()).toHaveLength(3);
  expect(String(listSentRequests().at(-1)?.body)).not.toContain('limitPeriod');
});

const allOptions = {
  type: 'INFERENCE',
  description: 'CI',
  expiresAt: '2026-02-01',
  consumptionLimit: { usd: 10, vcu: 2 },
  limitPeriod: 'MONTH',
  modelPrivacy: 'PRIVATE_ONLY',
} as const;

test.each([
  [{ keys: ['description'], path: [] }, 'Name', { description: undefined }],
  [{ keys: ['expiresAt'], path: [] }, 'Key expires', { expiresAt: undefined }],
  [
    { keys: ['consumptionLimit'], path: [] },
    'Limit',
    { consumptionLimit: undefined, limitPeriod: undefined },
  ],
  [{ keys: ['vcu'], path: ['consumptionLimit'] }, 'Limit: VCU', { consumptionLimit: { usd: 10 } }],
  [{ keys: ['limitPeriod'], path: [] }, 'How often the limit resets', { limitPeriod: undefined }],
  [{ keys: ['modelPrivacy'], path: [] }, 'Private models only', { modelPrivacy: undefined }],
])(
  'mintKey requests the user’s consent before it omits the rejected option “$1”',
  async (issue, name, change) => {
    const message = `Unrecognized key(s) in object: '${issue.keys.join("', '")}'`;
    const refusal = {
      status: 400,
      body: [
        JSON.stringify({
          error: 'Invalid request parameters',
          issues: [{ code: 'unrecognized_keys', ...issue, message }],
        }),
      ],
    };
    const answers = [createTokenReply('a'), refusal, keyAnswer];
    const questions: string[] = [];
    const { newKeyPromise, listSentRequests } = startMint({
      answers,
      extraRequestFields: {
        options: allOptions,
        confirmOmission: async ({ failure }) => questions.push(failure.message) > 0,
      },
    });
    await expect(newKeyPromise).resolves.toMatchObject({ apiKey });
    expect(questions).toEqual([`This service does not support this option: ${name}.`]);
    const { type: apiKeyType, ...otherOptions } = { ...allOptions, ...change };
    expect(JSON.parse(String(listSentRequests().at(-1)?.body))).toEqual({
      address: account.address,
      token: createToken('a'),
      signature: await account.signMessage({ message: createToken('a') }),
      ...JSON.parse(JSON.stringify({ apiKeyType, ...otherOptions })),
    });

    const unconfirmedMint = startMint({ answers, extraRequestFields: { options: allOptions } });
    await expect(unconfirmedMint.newKeyPromise).rejects.toMatchObject({
      problem: 'invalid-options',
    });
    expect(unconfirmedMint.listSentRequests()).toHaveLength(1);
  },
);

test('mintKey does not report a missing stake as a rejected option, even if the service’s message names options', async () => {
  const { newKeyPromise } = startMint({
    answers: [createTokenReply('a'), createRefusalReply('Wallet has no staked usd on expiresAt')],
    extraRequestFields: {
      options: allOptions,
      confirmOmission: () => Promise.reject(new Error('Asked.')),
    },
  });
  await expect(newKeyPromise).rejects.toMatchObject({ problem: 'no-stake' });
});
