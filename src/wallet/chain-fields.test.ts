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
  ['balances', undefined, ['chainId', 'rpcUrl', 'usdc']],
  ['balances', nodeFields, []],
  ['balances', { chainId: 8453, usdc: tokenAddress }, ['rpcUrl']],
  ['staking', {}, ['chainId', 'rpcUrl', 'token', 'stakingContract']],
  ['staking', { ...nodeFields, token: '' }, ['token', 'stakingContract']],
  ['staking', { ...nodeFields, token: tokenAddress, stakingContract: stakingContractAddress }, []],
  ['staking', { ...nodeFields, token: [], stakingContract: stakingContractAddress }, []],
  ['top-up', 'chain', ['chainId', 'rpcUrl', 'usdc']],
  [
    'top-up',
    { ...nodeFields, token: tokenAddress, stakingContract: stakingContractAddress },
    ['usdc'],
  ],
] as const)(
  'listMissingFields lists the fields that the purpose %s needs and the chain setting %j lacks: %j',
  (purpose, setting, fields) => {
    expect(listMissingFields(setting, purpose)).toEqual(fields);
  },
);

test.each([
  ['chainId', '8453', undefined],
  ['chainId', '0x2105', /whole number/u],
  ['rpcUrl', 'https://rpc.test/key', undefined],
  ['rpcUrl', 'http://127.0.0.1:8545', undefined],
  ['rpcUrl', 'http://192.168.1.5:8545', /https:\/\//u],
  ['rpcUrl', 'http://rpc.test', /https:\/\//u],
  ['rpcUrl', 'https://user:pass@rpc.test', /password/u],
  ['rpcUrl', '', /complete address/u],
  ['token', tokenAddress, undefined],
  ['token', tokenAddress.replace('5aAe', '5aae'), /checksum/u],
  ['token', 'STK', /40 hexadecimal digits/u],
  ['usdc', stakingContractAddress.toLowerCase(), /differ/u],
  ['usdc', `0x${'0'.repeat(40)}`, /40 hexadecimal digits/u],
] as const)(
  'findFieldProblem finds in the field %s with the text %j the problem %s',
  (field, text, problem) => {
    const message = findFieldProblem(field, text, { stakingContract: stakingContractAddress });
    if (problem === undefined) expect(message).toBeUndefined();
    else expect(message).toMatch(problem);
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
