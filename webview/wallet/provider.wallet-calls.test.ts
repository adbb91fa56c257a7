import { describe, expect, test } from 'vitest';
import {
  readAccounts,
  requestChainId,
  getErrorCode,
  type ProblemError,
  toWalletProblem,
  type Provider,
  sendTransaction,
  signText,
  switchChain,
} from './provider.ts';

const address = `0x${'ab'.repeat(20)}`;
const signature = `0x${'11'.repeat(65)}`;
const transactionHash = `0x${'22'.repeat(32)}`;
const review = { purpose: 'Test', rows: [], warnings: [] };
const signRequest = { kind: 'sign', id: 'a', address, chainId: 1, text: 'Grüße', review } as const;
const sendRequest = {
  kind: 'send',
  id: 'a',
  address,
  chainId: 1,
  to: address,
  data: '0x12',
  value: '0x0',
  review,
} as const;
const chain = {
  chainId: '0x1',
  chainName: 'Test',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: ['https://rpc.example'],
  blockExplorerUrls: [],
};

interface WalletRequest {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Creates a wallet that replies to each method with the value in `answers`, or throws the value if it is an error. The
 * wallet records each request.
 */
function createWallet(
  answers: Record<string, unknown> = {},
): Provider & { readonly requests: WalletRequest[] } {
  const requests: WalletRequest[] = [];
  const defaultAnswers = {
    eth_accounts: [address],
    eth_requestAccounts: [address],
    eth_chainId: '0x1',
    personal_sign: signature,
    eth_sendTransaction: transactionHash,
  };
  const allAnswers: Record<string, unknown> = { ...defaultAnswers, ...answers };
  return {
    requests,
    request: async (request) => {
      requests.push(request);
      const answer = allAnswers[request.method];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

const createError = (code: number, overrides: object = {}): Error =>
  Object.assign(new Error('words of a wallet'), { code, ...overrides });

const getProblem = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: ProblemError) => error.problem,
  );

test.each([
  [4001, 'rejected'],
  [4100, 'unauthorised'],
  [4200, 'unsupported'],
  [4900, 'disconnected'],
  [4901, 'disconnected'],
  [4902, 'wrong-chain'],
  [-32_002, 'busy'],
  [-32_601, 'unsupported'],
  [-32_603, 'other'],
  [0, 'other'],
])('for the error code %i, toWalletProblem returns "%s"', (code, expected) => {
  expect(toWalletProblem(createError(code))).toBe(expected);
  expect(toWalletProblem({ code })).toBe(expected);
});

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a text', 'text'],
  ['a number', 4001],
  ['an object whose code is a text', { code: '4001' }],
  ['an error without a code', new Error('none')],
])('getErrorCode finds no error code in %s', (_, error) => {
  expect(getErrorCode(error)).toBeUndefined();
  expect(toWalletProblem(error)).toBe('other');
});

test('getErrorCode prefers the code of a nested wallet error', () => {
  expect(getErrorCode(createError(-32_603, { data: { originalError: { code: 4902 } } }))).toBe(
    4902,
  );
});

describe('the wallet provider', () => {
  test.each([
    ['only the addresses in a list of accounts', [address, 'vitalik.eth', 5], [address]],
    ['no account in an empty list', [], []],
  ])('finds %s', async (_, answer, accounts) => {
    expect(await readAccounts(createWallet({ eth_accounts: answer }), false)).toEqual(accounts);
  });

  test.each([
    ['null', null],
    ['a text', 'text'],
    ['an object', { 0: address }],
  ])('rejects %s in place of a list of accounts', async (_, answer) => {
    expect(await getProblem(readAccounts(createWallet({ eth_accounts: answer }), false))).toBe(
      'other',
    );
  });

  test.each([
    ['0x1', 1],
    ['8453', 8453],
    [10, 10],
  ])('parses the chain ID %j', async (answer, chainId) => {
    expect(await requestChainId(createWallet({ eth_chainId: answer }))).toBe(chainId);
  });

  test.each([
    ['null', null],
    ['an empty text', ''],
    ['"0x"', '0x'],
    ['"0x0"', '0x0'],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['a number of 160 bits', `0x${'f'.repeat(40)}`],
    ['an object', {}],
    ['a list', [1]],
  ])('rejects %s as the chain ID', async (_, answer) => {
    expect(await getProblem(requestChainId(createWallet({ eth_chainId: answer })))).toBe('other');
  });
});

describe('switchChain', () => {
  test('adds an unknown chain, omits empty lists from the request, and returns the current chain', async () => {
    const provider = createWallet({
      wallet_switchEthereumChain: createError(4902),
      eth_chainId: '0x5',
    });
    expect(await switchChain(provider, chain)).toEqual({ kind: 'network', chainId: 5 });
    const { blockExplorerUrls: _, ...expectedParameter } = chain;
    expect(provider.requests.map(({ method }) => method)).toEqual([
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'eth_chainId',
    ]);
    expect(provider.requests[1]?.params).toEqual([expectedParameter]);
  });

  test('adds no chain if the user rejects the switch', async () => {
    const provider = createWallet({ wallet_switchEthereumChain: createError(4001) });
    expect(await getProblem(switchChain(provider, chain))).toBe('rejected');
    expect(provider.requests).toHaveLength(1);
  });
});

describe('signText', () => {
  test('requests a signature of the UTF-8 bytes from the requested account', async () => {
    const provider = createWallet();
    expect(await signText(provider, signRequest)).toEqual({
      kind: 'sign',
      address,
      chainId: 1,
      signature,
    });
    expect(provider.requests.at(-1)).toEqual({
      method: 'personal_sign',
      params: ['0x4772c3bcc39f65', address],
    });
  });

  test.each([
    ['another account', { eth_accounts: [`0x${'cd'.repeat(20)}`, address] }, 'account-changed'],
    ['no account', { eth_accounts: [] }, 'account-changed'],
    ['another chain', { eth_chainId: '0x2' }, 'wrong-chain'],
  ])('requests no signature if the wallet uses %s', async (_, answers, expected) => {
    const provider = createWallet(answers);
    expect(await getProblem(signText(provider, signRequest))).toBe(expected);
    expect(provider.requests.map(({ method }) => method)).not.toContain('personal_sign');
  });

  test.each([
    ['null', null],
    ['a text that is not hexadecimal', 'text'],
    ['"0x1"', '0x1'],
    ['a number', 5],
    ['an object', {}],
    ['a text of 20,001 bytes', `0x${'11'.repeat(20_001)}`],
  ])('rejects %s as the signature', async (_, answer) => {
    expect(await getProblem(signText(createWallet({ personal_sign: answer }), signRequest))).toBe(
      'other',
    );
  });
});

describe('sendTransaction', () => {
  test('sends only the defined fields, and notifies the caller before it sends the request to the wallet', async () => {
    const provider = createWallet();
    let requestCountBefore = -1;
    const onRequest = async (): Promise<void> => {
      requestCountBefore = provider.requests.length;
    };
    expect(await sendTransaction(provider, sendRequest, onRequest)).toEqual({
      kind: 'send',
      address,
      chainId: 1,
      hash: transactionHash,
    });
    expect(requestCountBefore).toBe(provider.requests.length - 1);
    expect(provider.requests.at(-1)?.params).toEqual([
      { from: address, to: address, data: '0x12', value: '0x0', chainId: '0x1' },
    ]);
  });

  test.each([
    ['null', null],
    ['"0x"', '0x'],
    ['a hash of zeros', `0x${'00'.repeat(32)}`],
    ['a hash with an extra byte', `${transactionHash}00`],
    ['a text that is not hexadecimal', 'text'],
  ])('rejects %s as the transaction hash', async (_, answer) => {
    const provider = createWallet({ eth_sendTransaction: answer });
    expect(await getProblem(sendTransaction(provider, sendRequest, async () => {}))).toBe('other');
  });
});
