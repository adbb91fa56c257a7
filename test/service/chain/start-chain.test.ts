import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DEFAULT_ASSETS } from '@x402/evm';
import { createPublicClient, createWalletClient, getAddress, http, parseUnits } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import {
  stakeAbi,
  stakeForAbi,
  stakingAbi,
  tokenAbi,
  usdcAbi,
} from '../../../src/wallet/chain-client.ts';
import { parseChainSettings } from '../../../src/wallet/chain.ts';
import { createStakingChain, createChainSetting } from './chain-facts.ts';
import { type RunningChain, startChain } from './start-chain.ts';

let runningChain: RunningChain;
let snapshotId: string;
beforeAll(async () => {
  runningChain = await startChain();
});
beforeEach(async () => {
  snapshotId = await runningChain.takeSnapshot();
});
afterEach(() => runningChain.revertToSnapshot(snapshotId));
afterAll(() => runningChain.stop());

const createReadClient = () =>
  createPublicClient({ transport: http(runningChain.rpcUrl), cacheTime: 0 });

test('startChain transfers test tokens to the test accounts', async () => {
  const { facts } = runningChain;
  const client = createReadClient();
  const readBalances = async (index: number) => {
    const args = [facts.accounts[index]!.address] as const;
    const readBalance = (address: `0x${string}`) =>
      client.readContract({ address, abi: tokenAbi, functionName: 'balanceOf', args });
    const contractAddresses = [
      facts.token,
      facts.usdc,
      facts.stakingContract,
      facts.variants.resetToken,
    ];
    return Promise.all(contractAddresses.map(readBalance));
  };
  const thousandTokens = parseUnits('1000', 18);
  const fundedBalances = [thousandTokens, 1_000_000_000n, 0n, thousandTokens];
  expect(await Promise.all([1, 2, 3, 4, 5].map(readBalances))).toEqual([
    fundedBalances,
    fundedBalances,
    fundedBalances,
    [0n, 0n, parseUnits('100', 18), 0n],
    [0n, 0n, 0n, 0n],
  ]);
  expect(facts.accounts.map(({ address }) => address)).not.toContain(facts.payTo);
  expect(await client.getBalance({ address: facts.accounts[5]!.address })).toBe(10n ** 22n);
});

test('the contracts report symbol, decimals and version', async () => {
  const { token, stakingContract, usdc } = runningChain.facts;
  const client = createReadClient();
  const readMetadata = (address: `0x${string}`, functionName: 'symbol' | 'decimals') =>
    client.readContract({ address, abi: tokenAbi, functionName });
  expect([await readMetadata(token, 'symbol'), await readMetadata(token, 'decimals')]).toEqual([
    'STK',
    18,
  ]);
  expect(await readMetadata(stakingContract, 'symbol')).toBe('sSTK');
  const version = await client.readContract({
    address: usdc,
    abi: usdcAbi,
    functionName: 'version',
  });
  expect([
    await readMetadata(usdc, 'symbol'),
    await readMetadata(usdc, 'decimals'),
    version,
  ]).toEqual(['USDC', 6, '2']);
});

test('the facts about the chain contain the private key and the checksummed address of each account', () => {
  for (const { address, privateKey } of runningChain.facts.accounts) {
    expect(privateKeyToAccount(privateKey).address).toBe(address);
    expect(getAddress(address.toLowerCase())).toBe(address);
  }
});

test('no test contract has the address of an x402 default asset on a public network', () => {
  const { facts } = runningChain;
  const { token, stakingContract, usdc, payTo, variants } = facts;
  const addresses = [token, stakingContract, usdc, payTo, ...Object.values(variants)];
  const defaultAssets = Object.values(DEFAULT_ASSETS).flatMap((assets) =>
    assets.map(({ asset }) => asset.toLowerCase()),
  );
  expect(defaultAssets).toContain('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913');
  expect(addresses.filter((address) => defaultAssets.includes(address.toLowerCase()))).toEqual([]);
});

test('the generated chain setting describes the running chain', () => {
  const { facts } = runningChain;
  expect(parseChainSettings(createChainSetting(facts), 'chain')).toEqual(createStakingChain(facts));
});

test('the chain mines blocks, and reverts to the same snapshot only once', async () => {
  const client = createReadClient();
  const initialBlockNumber = await client.getBlockNumber();
  const checkpoint = await runningChain.takeSnapshot();
  await runningChain.mineBlocks(3);
  expect(await client.getBlockNumber()).toBe(initialBlockNumber + 3n);
  await runningChain.revertToSnapshot(checkpoint);
  expect(await client.getBlockNumber()).toBe(initialBlockNumber);
  await expect(runningChain.revertToSnapshot(checkpoint)).rejects.toThrow(/no snapshot/);
});

test('setNextBlockTime determines the timestamp of the next block', async () => {
  const client = createReadClient();
  const { timestamp } = await client.getBlock();
  await runningChain.setNextBlockTime(Number(timestamp) + 86_400);
  await runningChain.mineBlocks();
  expect((await client.getBlock()).timestamp).toBe(timestamp + 86_400n);
});

describe('the staking contract', () => {
  const getAccount = () => privateKeyToAccount(runningChain.facts.accounts[1]!.privateKey);
  const createWallet = () =>
    createWalletClient({ account: getAccount(), transport: http(runningChain.rpcUrl) });
  const amount = parseUnits('25', 18);

  /** Waits until a block contains the transaction. The node may return the hash earlier. */
  async function waitUntilMined(hashPromise: Promise<`0x${string}`>): Promise<void> {
    await createReadClient().waitForTransactionReceipt({
      hash: await hashPromise,
      pollingInterval: 20,
    });
  }

  const approve = (token: `0x${string}`, spender: `0x${string}`, value = amount) =>
    waitUntilMined(
      createWallet().writeContract({
        address: token,
        abi: tokenAbi,
        functionName: 'approve',
        args: [spender, value],
        chain: null,
      }),
    );
  const readStake = (address: `0x${string}`) =>
    createReadClient().readContract({
      address,
      abi: stakingAbi,
      functionName: 'balanceOf',
      args: [getAccount().address],
    });

  const ownStakeCall = { abi: stakeAbi, functionName: 'stake', args: [amount] } as const;
  const createStakeForCall = () =>
    ({ abi: stakeForAbi, functionName: 'stake', args: [getAccount().address, amount] }) as const;

  test.each([
    ['stakingContract', '`stake(uint256)` and `stake(address,uint256)`', true, true],
    ['stakingOwn', 'only `stake(uint256)`', true, false],
    ['stakingFor', 'only `stake(address,uint256)`', false, true],
  ] as const)(
    'in the variant %s supports %s',
    async (contractName, _functions, supportsOwnStake, supportsStakeFor) => {
      const { facts } = runningChain;
      const address =
        contractName === 'stakingContract' ? facts.stakingContract : facts.variants[contractName];
      await approve(facts.token, address, 2n * amount);
      const tryStake = async (stake: () => Promise<unknown>) => {
        const initialStake = await readStake(address);
        await stake().catch(() => undefined);
        return (await readStake(address)) === initialStake + amount;
      };
      const stakeOwn = () =>
        waitUntilMined(createWallet().writeContract({ address, ...ownStakeCall, chain: null }));
      const stakeForAddress = () =>
        waitUntilMined(
          createWallet().writeContract({ address, ...createStakeForCall(), chain: null }),
        );
      expect([await tryStake(stakeOwn), await tryStake(stakeForAddress)]).toEqual([
        supportsOwnStake,
        supportsStakeFor,
      ]);
    },
  );

  test('returns unstaked tokens only after the cooldown', async () => {
    const { stakingContract: address, token } = runningChain.facts;
    await approve(token, address);
    await waitUntilMined(createWallet().writeContract({ address, ...ownStakeCall, chain: null }));
    const stakingContract = { address, abi: stakingAbi, chain: null } as const;
    await waitUntilMined(
      createWallet().writeContract({
        ...stakingContract,
        functionName: 'initiateUnstake',
        args: [amount],
      }),
    );
    expect(await readStake(address)).toBe(0n);
    const finalizeUnstake = () =>
      waitUntilMined(
        createWallet().writeContract({ ...stakingContract, functionName: 'finalizeUnstake' }),
      );
    await expect(finalizeUnstake()).rejects.toThrow(/the waiting time is not over/);
    const cooldownS = await createReadClient().readContract({
      ...stakingContract,
      functionName: 'cooldownDuration',
    });
    const { timestamp } = await createReadClient().getBlock();
    await runningChain.setNextBlockTime(Number(timestamp + cooldownS));
    await runningChain.mineBlocks();
    await finalizeUnstake();
    const args = [getAccount().address] as const;
    const balanceCall = { address: token, abi: tokenAbi, functionName: 'balanceOf', args } as const;
    expect(await createReadClient().readContract(balanceCall)).toBe(parseUnits('1000', 18));
  });

  test('can use a token that accepts a new allowance only after a reset to 0', async () => {
    const { resetToken, resetStaking } = runningChain.facts.variants;
    await approve(resetToken, resetStaking, 1n);
    await expect(approve(resetToken, resetStaking, 2n)).rejects.toThrow(/reset the allowance/);
    await approve(resetToken, resetStaking, 0n);
    await approve(resetToken, resetStaking, 2n);
  });
});

test('the chain has a test token without metadata and a test token with false metadata', async () => {
  const { noMetadataToken, falseMetadataToken } = runningChain.facts.variants;
  const readMetadata = (address: `0x${string}`, functionName: 'symbol' | 'decimals') =>
    createReadClient().readContract({ address, abi: tokenAbi, functionName });
  await expect(readMetadata(noMetadataToken, 'decimals')).rejects.toThrow();
  await expect(readMetadata(noMetadataToken, 'symbol')).rejects.toThrow();
  expect(await readMetadata(falseMetadataToken, 'decimals')).toBe(255);
  expect(await readMetadata(falseMetadataToken, 'symbol')).toMatch(/\n\u202e/);
});

test('the node exits when the process that started it is killed', async () => {
  const script = `
    const { startChain } = await import(${JSON.stringify(new URL('start-chain.ts', import.meta.url).href)});
    console.log((await startChain()).rpcUrl);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = String((await once(child.stdout, 'data'))[0]).trim();
  const canConnect = () =>
    fetch(url, { method: 'POST' }).then(
      () => true,
      () => false,
    );
  expect(await canConnect()).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(canConnect).toBe(false);
});
