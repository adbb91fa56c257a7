import { expect, test } from 'vitest';
import {
  type ChainField,
  findFieldProblem,
  listMissingFields,
  toSettingFields,
  readStoredDraft,
  setField,
} from './chain-fields.ts';

const tokenAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stakingContractAddress = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const nodeFields = { chainId: 8453, rpcUrl: 'https://rpc.test' };

test.each([
  [
    'balances',
    'a missing setting',
    'chain ID, RPC URL, USDC address',
    undefined,
    ['chainId', 'rpcUrl', 'usdc'],
  ],
  ['balances', 'a setting with the chain ID and the RPC URL', 'nothing', nodeFields, []],
  [
    'balances',
    'a setting with the chain ID and the USDC address',
    'RPC URL',
    { chainId: 8453, usdc: tokenAddress },
    ['rpcUrl'],
  ],
  [
    'staking',
    'an empty setting',
    'chain ID, RPC URL, token, staking contract',
    {},
    ['chainId', 'rpcUrl', 'token', 'stakingContract'],
  ],
  [
    'staking',
    'a setting with an empty token address',
    'token, staking contract',
    { ...nodeFields, token: '' },
    ['token', 'stakingContract'],
  ],
  [
    'staking',
    'a setting with all required fields',
    'nothing',
    { ...nodeFields, token: tokenAddress, stakingContract: stakingContractAddress },
    [],
  ],
  [
    'staking',
    'a setting with a list as the token',
    'nothing',
    { ...nodeFields, token: [], stakingContract: stakingContractAddress },
    [],
  ],
  [
    'top-up',
    'a setting that is a text',
    'chain ID, RPC URL, USDC address',
    'chain',
    ['chainId', 'rpcUrl', 'usdc'],
  ],
  [
    'top-up',
    'a setting without the USDC address',
    'USDC address',
    { ...nodeFields, token: tokenAddress, stakingContract: stakingContractAddress },
    ['usdc'],
  ],
] as const)(
  'listMissingFields, for the purpose “%s” and %s, lists as missing: %s',
  (purpose, _setting, _names, setting, fields) => {
    expect(listMissingFields(setting, purpose)).toEqual(fields);
  },
);

test.each([
  ['chainId', '8453'],
  ['rpcUrl', 'https://rpc.test/key'],
  ['rpcUrl', 'http://127.0.0.1:8545'],
  ['token', tokenAddress],
] as const)('findFieldProblem accepts in the field %s the text %j', (field, text) => {
  expect(
    findFieldProblem(field, text, { stakingContract: stakingContractAddress }),
  ).toBeUndefined();
});

test.each([
  ['is not a whole number', 'chainId', '0x2105', /whole number/u],
  ['is not encrypted', 'rpcUrl', 'http://192.168.1.5:8545', /https:\/\//u],
  ['is not encrypted', 'rpcUrl', 'http://rpc.test', /https:\/\//u],
  ['contains a password', 'rpcUrl', 'https://user:pass@rpc.test', /password/u],
  ['is empty', 'rpcUrl', '', /complete address/u],
  ['has a wrong checksum', 'token', tokenAddress.replace('5aAe', '5aae'), /checksum/u],
  ['is not an address', 'token', 'STK', /40 hexadecimal digits/u],
  ['is the address of another field', 'usdc', stakingContractAddress.toLowerCase(), /differ/u],
  ['is the zero address', 'usdc', `0x${'0'.repeat(40)}`, /40 hexadecimal digits/u],
] as const)(
  'findFieldProblem rejects in the field $1 the text "$2", which $0',
  (_reason, field, text, problem) => {
    expect(findFieldProblem(field, text, { stakingContract: stakingContractAddress })).toMatch(
      problem,
    );
  },
);

test('if the chain id changes, setField removes the contract addresses that the form contains, and keeps all other fields', () => {
  const draft = {
    chainId: '1',
    rpcUrl: 'https://rpc.test',
    token: tokenAddress,
    stakingContract: stakingContractAddress,
    usdc: tokenAddress,
  };
  const changeField = (field: ChainField, text: string, fields: readonly ChainField[]) =>
    setField(draft, field, { text, fields });
  const stakingFields = ['chainId', 'rpcUrl', 'token', 'stakingContract'] as const;
  expect(changeField('chainId', '1', stakingFields)).toEqual(draft);
  expect(changeField('chainId', '2', stakingFields)).toEqual({
    chainId: '2',
    rpcUrl: 'https://rpc.test',
    usdc: tokenAddress,
  });
  expect(changeField('chainId', '2', ['chainId', 'usdc'])).toEqual({
    chainId: '2',
    rpcUrl: 'https://rpc.test',
    token: tokenAddress,
    stakingContract: stakingContractAddress,
  });
  expect(changeField('rpcUrl', 'https://b.test', stakingFields)).toEqual({
    ...draft,
    rpcUrl: 'https://b.test',
  });
});

test('toSettingFields returns only the requested fields that are not empty', () => {
  const draft = setField(readStoredDraft({ ...nodeFields, confirmations: 3 }), 'usdc', {
    text: '',
    fields: ['usdc'],
  });
  expect(toSettingFields(draft, ['chainId', 'rpcUrl', 'usdc'])).toEqual(nodeFields);
  expect(toSettingFields(draft, ['rpcUrl'])).toEqual({ rpcUrl: nodeFields.rpcUrl });
});
