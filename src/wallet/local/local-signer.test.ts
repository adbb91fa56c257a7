import { text } from 'node:stream/consumers';
import { hexToBytes, recoverMessageAddress, recoverTypedDataAddress } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createStakingChain } from '../../../test/service/chain/chain-facts.ts';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import { startHttpServer, type LoopbackServer } from '../../../test/support/loopback.ts';
import { type ChainClient, createChainClient } from '../chain-client.ts';
import type { StakingChain, Hex } from '../chain.ts';
import type { Review, TransactionToSend } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import { type LocalSignerKey, createLocalSigner } from './local-signer.ts';

let runningChain: RunningChain;
let chain: StakingChain;
let snapshotId: string;
let client: ChainClient;
beforeAll(async () => {
  runningChain = await startChain();
  chain = createStakingChain(runningChain.facts);
  client = createChainClient(chain, { pollingMs: 20 });
}, 60_000);
beforeEach(async () => {
  snapshotId = await runningChain.takeSnapshot();
});
afterEach(() => runningChain.revertToSnapshot(snapshotId));
afterAll(() => runningChain.stop());

const neverAbortedSignal = new AbortController().signal;
const review: Review = { purpose: 'A test', rows: [], warnings: [] };

/**
 * Creates a signer key that records each byte array that `open` returns, so that tests can check whether the signer
 * erased the arrays.
 */
function createRecordingKey(
  index: number,
): LocalSignerKey & { readonly returnedKeys: Uint8Array[] } {
  const { address, privateKey } = runningChain.facts.accounts[index]!;
  const returnedKeys: Uint8Array[] = [];
  const open = async (): Promise<Uint8Array> => {
    const bytes = hexToBytes(privateKey);
    returnedKeys.push(bytes);
    return bytes;
  };
  return { kind: 'private-key', address, open, returnedKeys };
}

/** Builds the transaction that calls `approve(staking, 5)` on the token contract. */
const createApprovalTransaction = (
  changes: Partial<TransactionToSend> = {},
): TransactionToSend => ({
  chainId: chain.id,
  to: chain.token,
  data: `0x095ea7b3${chain.staking.slice(2).toLowerCase().padStart(64, '0')}${'5'.padStart(64, '0')}`,
  value: 0n,
  review,
  ...changes,
});

test('the local signer signs a text with personal_sign and erases the key', async () => {
  const key = createRecordingKey(1);
  const signature = await createLocalSigner(key, client).signMessage(
    { text: 'a.b.c', review },
    neverAbortedSignal,
  );
  expect(await recoverMessageAddress({ message: 'a.b.c', signature })).toBe(key.address);
  expect(key.returnedKeys).toEqual([new Uint8Array(32)]);
});

test('the local signer signs typed data and erases the key', async () => {
  const key = createRecordingKey(1);
  const typedData = {
    domain: { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: chain.token },
    types: { Note: [{ name: 'amount', type: 'uint256' }] },
    primaryType: 'Note' as const,
    message: { amount: 7n },
  };
  const signature = await createLocalSigner(key, client).signTypedData(
    typedData,
    neverAbortedSignal,
  );
  expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(key.address);
  expect(key.returnedKeys).toEqual([new Uint8Array(32)]);
});

test('the local signer sends a transaction with exactly the requested fields', async () => {
  const key = createRecordingKey(1);
  const hash = await createLocalSigner(key, client).sendTransaction(
    createApprovalTransaction(),
    neverAbortedSignal,
  );
  const { from, to, input, value, chainId } = await client.getTransaction({ hash });
  expect([from, to].map((address) => address?.toLowerCase())).toEqual(
    [key.address, chain.token].map((address) => address.toLowerCase()),
  );
  expect({ input, value, chainId }).toEqual({
    input: createApprovalTransaction().data,
    value: 0n,
    chainId: 31_337,
  });
  const { status } = await client.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  expect(key.returnedKeys).toEqual([new Uint8Array(32)]);
});

test('the local signer assigns consecutive nonces to two pending transactions', async () => {
  await runningChain.request('evm_setAutomine', [false]);
  try {
    const signer = createLocalSigner(createRecordingKey(1), client);
    const firstHash = await signer.sendTransaction(createApprovalTransaction(), neverAbortedSignal);
    const secondHash = await signer.sendTransaction(
      createApprovalTransaction(),
      neverAbortedSignal,
    );
    const nonces = await Promise.all(
      [firstHash, secondHash].map(async (hash) => (await client.getTransaction({ hash })).nonce),
    );
    expect(nonces[1]).toBe((nonces[0] ?? 0) + 1);
  } finally {
    await runningChain.request('evm_setAutomine', [true]);
  }
});

test.each<[string, () => Partial<TransactionToSend>, number, string]>([
  ['another chain', () => ({ chainId: 1 }), 1, 'wrong-chain'],
  ['a value in native currency', () => ({ value: 1n }), 1, 'unsafe-request'],
  // Account 5 has no tokens, so a transfer of one token unit reverts.
  ['a call that reverts', () => ({ data: encodeTransferOfOne() }), 5, 'reverted'],
])(
  'the local signer does not read the key for a transaction with %s',
  async (_description, createChanges, index, code) => {
    const key = createRecordingKey(index);
    const hashPromise = createLocalSigner(key, client).sendTransaction(
      createApprovalTransaction(createChanges()),
      neverAbortedSignal,
    );
    await expect(hashPromise).rejects.toMatchObject({ failure: { code } });
    expect(key.returnedKeys).toEqual([]);
  },
);

test('the local signer does not read the key for an account that can’t pay the fee', async () => {
  const key = createRecordingKey(1);
  await runningChain.request('anvil_setBalance', [key.address, '0x1']);
  const hashPromise = createLocalSigner(key, client).sendTransaction(
    createApprovalTransaction(),
    neverAbortedSignal,
  );
  await expect(hashPromise).rejects.toMatchObject({ failure: { code: 'insufficient-funds' } });
  expect(key.returnedKeys).toEqual([]);
});

test('the local signer rejects a fee far above the displayed fee', async () => {
  const key = createRecordingKey(1);
  const signer = createLocalSigner(key, client);
  const { to, data } = createApprovalTransaction();
  const [gas, { maxFeePerGas }] = await Promise.all([
    client.estimateGas({ account: key.address, to, data }),
    client.estimateFeesPerGas(),
  ]);
  const hashPromise = signer.sendTransaction(
    createApprovalTransaction({ maxFee: gas * maxFeePerGas }),
    neverAbortedSignal,
  );
  await expect(hashPromise).rejects.toMatchObject({ failure: { code: 'unsafe-request' } });
  expect(key.returnedKeys).toEqual([]);
  await signer.sendTransaction(
    createApprovalTransaction({ maxFee: gas * maxFeePerGas * 2n }),
    neverAbortedSignal,
  );
  expect(key.returnedKeys).toHaveLength(1);
});

test('the local signer rejects an implausible gas estimate from the node before reading the key', async () => {
  const key = createRecordingKey(1);
  const greedyClient = { ...client, estimateGas: async () => 10n ** 12n } as ChainClient;
  const hashPromise = createLocalSigner(key, greedyClient).sendTransaction(
    createApprovalTransaction(),
    neverAbortedSignal,
  );
  await expect(hashPromise).rejects.toMatchObject({ failure: { code: 'unsafe-request' } });
  expect(key.returnedKeys).toEqual([]);
});

test('the local signer rejects a key that belongs to another account', async () => {
  const otherKey = createRecordingKey(2);
  const signer = createLocalSigner({ ...otherKey, address: createRecordingKey(1).address }, client);
  await expect(signer.signMessage({ text: 'x', review }, neverAbortedSignal)).rejects.toMatchObject(
    {
      failure: { code: 'invalid-keystore' },
    },
  );
  expect(otherKey.returnedKeys).toEqual([new Uint8Array(32)]);
});

test('the local signer signs nothing if the user cancels while the key is being read', async () => {
  const abortController = new AbortController();
  const key = createRecordingKey(1);
  const open = async (): Promise<Uint8Array> => {
    abortController.abort();
    return key.open(abortController.signal);
  };
  const signaturePromise = createLocalSigner({ ...key, open }, client).signMessage(
    { text: 'x', review },
    abortController.signal,
  );
  await expect(signaturePromise).rejects.toMatchObject({ failure: { code: 'stopped' } });
  expect(key.returnedKeys).toEqual([new Uint8Array(32)]);
});

/**
 * Starts a proxy in front of the chain's node. For calls of `method`, the proxy replies with an error, either without
 * forwarding the call (`before`) or after the node has executed it (`after`).
 */
const startBrokenNode = (
  method: string,
  failurePoint: 'before' | 'after',
): Promise<LoopbackServer> =>
  startHttpServer((request, response) => {
    const answerRequest = async (): Promise<void> => {
      const body = await text(request);
      const isBroken = (JSON.parse(body) as { method: string }).method === method;
      const result = isBroken && failurePoint === 'before' ? '' : await forwardRequest(body);
      response.writeHead(isBroken ? 400 : 200, jsonHeaders).end(isBroken ? '{}' : result);
    };
    void answerRequest();
  });

const forwardRequest = async (body: string): Promise<string> =>
  (await fetch(chain.rpcUrl, { method: 'POST', headers: jsonHeaders, body })).text();

const jsonHeaders = { 'content-type': 'application/json' };

test('the local signer reports a transaction as sent even if the node’s response is lost', async () => {
  await using brokenNode = await startBrokenNode('eth_sendRawTransaction', 'after');
  const lossyClient = createChainClient({
    ...chain,
    rpcUrl: `http://127.0.0.1:${brokenNode.port}`,
  });
  const hash = await createLocalSigner(createRecordingKey(1), lossyClient).sendTransaction(
    createApprovalTransaction(),
    neverAbortedSignal,
  );
  expect((await client.getTransaction({ hash })).hash).toBe(hash);
});

test('the local signer reports the status “unknown” and the hash of a transaction that the chain never received', async () => {
  await using brokenNode = await startBrokenNode('eth_sendRawTransaction', 'before');
  const lossyClient = createChainClient({
    ...chain,
    rpcUrl: `http://127.0.0.1:${brokenNode.port}`,
  });
  const error = await createLocalSigner(createRecordingKey(1), lossyClient)
    .sendTransaction(createApprovalTransaction(), neverAbortedSignal)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WalletError);
  expect((error as WalletError).failure).toMatchObject({
    code: 'transaction-unknown',
    hash: expect.stringMatching(/^0x[\da-f]{64}$/),
  });
});

/** Encodes the call data of `transfer(staking, 1)`. */
const encodeTransferOfOne = (): Hex =>
  `0xa9059cbb${chain.staking.slice(2).toLowerCase().padStart(64, '0')}${'1'.padStart(64, '0')}`;
