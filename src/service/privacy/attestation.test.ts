import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../../test/service/test-service.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { fetchAttestation } from './attestation.ts';
import type { Attestation, CheckName } from './verify-attestation.ts';
import { intelRootKey } from './certificate-chain.ts';
import { createLocalContext, localRoots } from './local-context.fixture.ts';

const signal = new AbortController().signal;
const modelId = 'sealed-letter-70b';
const attestationOptions = { model: modelId, signal, roots: localRoots, randomBytes };

const listFailedChecks = ({ checks }: Attestation): CheckName[] =>
  checks.filter(({ hasPassed }) => !hasPassed).map(({ name }) => name);

test('fetchAttestation verifies a valid enclave and returns its key and measurements', async () => {
  const service = await startTestService();
  const attestation = await fetchAttestation(createLocalContext(service), attestationOptions);
  expect(listFailedChecks(attestation)).toEqual([]);
  expect(attestation).toMatchObject({ verdict: 'verified', model: modelId, provider: 'local' });
  expect(attestation.publicKey).toMatch(/^04[0-9a-f]{128}$/u);
  expect(attestation.measurements?.['MRTD']).toMatch(/^[0-9a-f]{96}$/u);
  expect(JSON.parse(attestation.evidence)).toMatchObject({ tee_provider: 'local' });
});

test('fetchAttestation sends a new random nonce of 32 bytes with each attestation request', async () => {
  const service = await startTestService();
  const context = createLocalContext(service);
  for (let count = 0; count < 2; count++) await fetchAttestation(context, attestationOptions);
  const nonces = (await service.control.getRequests()).map(
    ({ path }) => /nonce=(\w+)/u.exec(path)?.[1],
  );
  expect(nonces[0]).toMatch(/^[0-9a-f]{64}$/u);
  expect(nonces[1]).not.toBe(nonces[0]);
});

test.each([
  ['nonce', ['nonce']],
  ['key', ['key-bound']],
  ['debug', ['debug']],
  ['expired', ['hardware']],
  ['signature', ['signature']],
  ['root', ['hardware']],
  ['quoting-enclave', ['hardware']],
  ['model', ['model']],
] as const)(
  'fetchAttestation, given an enclave with the fault "%s", reports the failed checks %j',
  async (misbehavior, expected) => {
    const service = await startTestService();
    await service.control.setEnclaveMisbehavior({ attestation: misbehavior });
    const attestation = await fetchAttestation(createLocalContext(service), attestationOptions);
    expect(listFailedChecks(attestation)).toEqual(expected);
    expect(attestation.verdict).toBe('failed');
  },
);

test('fetchAttestation fails the hardware check if the certificates do not chain to the pinned root', async () => {
  const service = await startTestService();
  const context = createLocalContext(service);
  const attestation = await fetchAttestation(context, {
    ...attestationOptions,
    roots: [intelRootKey],
  });
  expect(listFailedChecks(attestation)).toEqual(['hardware']);
});

test('fetchAttestation rejects with the HTTP status if the service responds to the attestation request with an error', async () => {
  const service = await startTestService();
  await service.control.setEnclaveMisbehavior({ attestation: 'refuses' });
  await expect(
    fetchAttestation(createLocalContext(service), attestationOptions),
  ).rejects.toMatchObject({
    failure: { status: 502 },
  });
});

describe('malformed attestations', () => {
  test.each<[string, object]>([
    ['no fields', {}],
    [
      'only the service’s own verification',
      { verified: true, server_verification: { tdx: { valid: true } } },
    ],
    ['an empty quote', { intel_quote: '' }],
    ['a quote of zeros', { intel_quote: '00'.repeat(5_000) }],
    ['a quote of one megabyte', { intel_quote: '04'.repeat(1_000_000) }],
    ['a quote that is not a string', { intel_quote: { quote: 7 } }],
    ['a Base64 quote', { intel_quote: 'BAACAIEAAAA=' }],
    ['a key that is not on the curve', { signing_key: `04${'11'.repeat(64)}` }],
    ['fields of the wrong type', { signing_key: ['04'], signing_address: {} }],
    ['prototype property names', { __proto__: null, constructor: 1, model_attestations: [null] }],
  ])('with %s fail verification', async (_, body) => {
    const { context } = createScriptedService({ body: [JSON.stringify(body)] });
    const attestation = await fetchAttestation(context, attestationOptions);
    expect(attestation.verdict).toBe('failed');
  });

  test.each(['[]', 'null', '"text"', '<html>'])(
    'with the body %s are rejected as an unexpected response',
    async (text) => {
      const { context } = createScriptedService({ body: [text] });
      await expect(fetchAttestation(context, attestationOptions)).rejects.toMatchObject({
        failure: { code: 'unexpected-response' },
      });
    },
  );
});
