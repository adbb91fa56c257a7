import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test, vi } from 'vitest';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../../../test/support/deployment-context.ts';
import type { KeyOptions } from '../../service/key-record.ts';
import { mintKey, type MintRequest } from './mint.ts';
import { parseOptionsWithDefaults, getRecommendedOptions } from './mint-options.ts';

/** Account that has a stake at the test service, because the last hexadecimal digit of its address is even. */
const account = privateKeyToAccount(`0x${'1'.repeat(64)}`);

/** Mints a key with the recommended options. */
function mintOnDeployment(
  { connect }: DeploymentConnection,
  confirmOmission?: MintRequest['confirmOmission'],
  options: KeyOptions = getRecommendedOptions(Date.now(), 'Test'),
): ReturnType<typeof mintKey> {
  return mintKey({
    signer: {
      kind: 'private-key',
      address: account.address,
      signMessage: ({ text }) => account.signMessage({ message: text }),
      sendTransaction: () => Promise.reject(new Error('Minting sends no transaction.')),
    },
    options,
    signal: new AbortController().signal,
    service: connect(),
    journal: { storeEntry: () => Promise.resolve(), removeEntry: () => Promise.resolve() },
    createReview: () => ({ purpose: '', rows: [], warnings: [] }),
    ...(confirmOmission === undefined ? {} : { confirmOmission }),
  });
}

const mintPath = '/api_keys/generate_web3_key';

const vendorPrefixes = ['acme', 'zephyr'] as const;

describe.each(vendorPrefixes)(
  'minting at a deployment with the vendor prefix "%s"',
  (vendorPrefix) => {
    const keyPattern = new RegExp(`^${vendorPrefix.toUpperCase()}_INFERENCE_KEY_`, 'u');

    test('uses all recommended options if the service supports them', async () => {
      await using server = await startStrictDeployment({ word: vendorPrefix, shape: 'full' });
      const { apiKey, record } = await mintOnDeployment(server);
      expect(apiKey).toMatch(keyPattern);
      expect(record).toMatchObject({ consumptionLimit: { usd: 10 }, limitPeriod: 'MONTH' });
    });

    test('omits the period of the key’s spending limit only after the user agreed', async () => {
      await using server = await startStrictDeployment({ word: vendorPrefix, shape: 'minimal' });
      const confirmOmission = vi.fn(() => Promise.resolve(true));
      const { apiKey } = await mintOnDeployment(server, confirmOmission);
      expect(apiKey).toMatch(keyPattern);
      expect(confirmOmission).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({
          failure: expect.objectContaining({
            code: 'unsupported-option',
            message: 'This service does not support this option: How often the limit resets.',
          }),
        }),
      );
      expect(server.listRequests(mintPath).at(-1)?.body).toMatchObject({
        consumptionLimit: { usd: 10 },
      });
    });
  },
);

test.each([{ limitPeriod: null }, { consumptionLimit: null }])(
  'mintKey mints a key with the options %j at a service without limit periods',
  async (fields) => {
    await using server = await startStrictDeployment({ shape: 'minimal' });
    const parsedOptions = parseOptionsWithDefaults(fields, Date.now());
    if (!parsedOptions.ok) throw new Error(parsedOptions.problem);
    const { apiKey } = await mintOnDeployment(server, undefined, parsedOptions.options);
    expect(apiKey).toMatch(/^ACME_INFERENCE_KEY_/);
  },
);

test.each([
  ['declines', () => Promise.resolve(false)],
  ['cannot be asked', undefined],
])(
  'mintKey mints no key if the service refuses the limit period and the user %s',
  async (_case, confirmOmission) => {
    await using server = await startStrictDeployment({ shape: 'minimal' });
    await expect(mintOnDeployment(server, confirmOmission)).rejects.toMatchObject({
      problem: 'invalid-options',
      failure: { refusedField: 'api-key.limitPeriod' },
    });
  },
);

test.each(['minimal', 'full'] as const)(
  'mintKey mints a key with a limit in VCU at a deployment with the "%s" set of accepted fields',
  async (shape) => {
    await using server = await startStrictDeployment({ shape });
    const options = { type: 'INFERENCE', consumptionLimit: { vcu: 2 } } as const;
    await mintOnDeployment(server, undefined, options);
    expect(server.listRequests(mintPath).at(-1)).toMatchObject({
      status: 200,
      body: { consumptionLimit: { vcu: 2 } },
    });
  },
);
