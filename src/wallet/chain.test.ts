import { expect, test } from 'vitest';
import { parseChainSettings } from './chain.ts';
import { WalletError } from './wallet-failure.ts';

const chainSettingName = 'inferenceService.wallet.chain';
const tokenAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stakingContractAddress = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const usdcAddress = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const requiredSettings = {
  chainId: 8453,
  rpcUrl: 'https://rpc.test/v1/key',
  token: tokenAddress,
  stakingContract: stakingContractAddress,
};

test('parseChainSettings returns defaults for missing optional settings', () => {
  expect(parseChainSettings(requiredSettings, chainSettingName)).toEqual({
    id: 8453,
    name: 'Chain 8453',
    rpcUrl: 'https://rpc.test/v1/key',
    currency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    token: tokenAddress,
    staking: stakingContractAddress,
    confirmations: 2,
  });
});

test('parseChainSettings returns every specified setting', () => {
  const allSettings = {
    ...requiredSettings,
    name: 'Testnet',
    rpcUrl: 'http://127.0.0.1:8545',
    currency: { name: 'Coin', symbol: 'C', decimals: 9 },
    explorerUrl: 'https://explorer.test/',
    usdc: usdcAddress,
    confirmations: 1,
  };
  expect(parseChainSettings(allSettings, chainSettingName)).toEqual({
    id: 8453,
    name: 'Testnet',
    rpcUrl: 'http://127.0.0.1:8545',
    currency: { name: 'Coin', symbol: 'C', decimals: 9 },
    explorerUrl: 'https://explorer.test',
    token: tokenAddress,
    staking: stakingContractAddress,
    usdc: usdcAddress,
    confirmations: 1,
  });
});

test('parseChainSettings adds checksums to addresses and treats empty text as absent', () => {
  const chain = parseChainSettings(
    { ...requiredSettings, token: tokenAddress.toLowerCase(), usdc: '', explorerUrl: '', name: '' },
    chainSettingName,
  );
  expect(chain).toMatchObject({ token: tokenAddress, name: 'Chain 8453' });
  expect(chain).not.toHaveProperty('usdc');
  expect(chain).not.toHaveProperty('explorerUrl');
});

test.each([undefined, null, 'chain', [], {}])(
  'parseChainSettings reports a missing chain setting for the value %j',
  (value) => {
    expect(getFailure(value)).toEqual({
      code: 'no-chain',
      detail: `The setting ${chainSettingName} is missing.`,
    });
  },
);

test('parseChainSettings accepts a chain without contracts for staking', () => {
  const chain = parseChainSettings(
    { chainId: 1, rpcUrl: 'https://rpc.test', usdc: usdcAddress },
    chainSettingName,
  );
  expect(chain).toMatchObject({ id: 1, usdc: usdcAddress });
  expect(chain).not.toHaveProperty('token');
  expect(chain).not.toHaveProperty('staking');
});

test.each(['chainId', 'rpcUrl', 'token', 'stakingContract'])(
  'parseChainSettings reports that the setting %s is missing',
  (name) => {
    expect(getFailure({ ...requiredSettings, [name]: undefined })?.detail).toBe(
      `The setting ${chainSettingName}.${name} is missing.`,
    );
  },
);

test.each([
  ['chainId', '8453', 'whole number'],
  ['chainId', 0, 'whole number'],
  ['chainId', 1.5, 'whole number'],
  ['chainId', Number.MAX_SAFE_INTEGER, 'whole number'],
  ['confirmations', 0, 'whole number'],
  ['confirmations', 1e9, 'whole number'],
  ['name', 'x'.repeat(61), 'type or length'],
  ['name', 'Main\u202Enet', 'type or length'],
  ['name', 7, 'type or length'],
  ['currency', 'ETH', 'type or length'],
  ['token', '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'checksum'],
  ['token', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', '40 hexadecimal'],
  ['token', `0x${'0'.repeat(40)}`, '40 hexadecimal'],
  ['token', { toString: () => tokenAddress }, '40 hexadecimal'],
  ['usdc', 'none', '40 hexadecimal'],
  ['rpcUrl', 'http://rpc.test', 'https://'],
  ['rpcUrl', 'http://127.0.0.1.evil.test', 'https://'],
  ['rpcUrl', 'file:///etc/passwd', 'https://'],
  ['rpcUrl', 'rpc.test', 'complete'],
  ['rpcUrl', 'https://me:secret@rpc.test', 'password'],
  ['rpcUrl', 'https://rpc.test#x', 'fragment'],
  ['rpcUrl', 'https://rpc.test/a b', 'complete'],
  ['rpcUrl', 'https://rpc.test\\@evil.test', 'complete'],
  ['rpcUrl', `https://rpc.test/${'x'.repeat(2_048)}`, 'complete'],
  ['rpcUrl', ['https://rpc.test'], 'type or length'],
  ['explorerUrl', 'javascript:alert(1)', 'https://'],
])('parseChainSettings rejects the setting %s with the value %j', (name, value, reason) => {
  const failure = getFailure({ ...requiredSettings, [name]: value });
  expect(failure).toMatchObject({ code: 'no-chain' });
  expect(failure?.detail).toContain(`${chainSettingName}.${name} cannot be used`);
  expect(failure?.detail).toContain(reason);
});

test('parseChainSettings names the nested currency setting in an error', () => {
  expect(getFailure({ ...requiredSettings, currency: { decimals: 37 } })?.detail).toContain(
    `${chainSettingName}.currency.decimals cannot be used`,
  );
});

test.each([
  ['the token and the staking contract', { stakingContract: tokenAddress }],
  ['the token and USDC', { usdc: tokenAddress }],
  ['the staking contract and, in lowercase, USDC', { usdc: stakingContractAddress.toLowerCase() }],
])('parseChainSettings rejects the same address for %s', (_contracts, fields) => {
  expect(getFailure({ ...requiredSettings, ...fields })?.detail).toContain('must differ');
});

test('parseChainSettings never quotes a setting value in an error, because the value may contain an RPC key', () => {
  const failure = getFailure({ ...requiredSettings, rpcUrl: 'http://rpc.test/canary' });
  expect(failure?.detail).not.toContain('canary');
});

function getFailure(value: unknown): WalletError['failure'] | undefined {
  try {
    parseChainSettings(value, chainSettingName);
    return undefined;
  } catch (error) {
    if (error instanceof WalletError) return error.failure;
    throw error;
  }
}
