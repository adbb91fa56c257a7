import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  parseUnits,
} from 'viem';
import type { ChainFacts } from './chain-facts.ts';
import type { Contracts } from './compile-contracts.ts';
import { toQuantity, type Rpc } from './rpc.ts';

/** Deploys the contracts and distributes tokens. Requires an empty chain that mines one block per transaction. */
export async function deployContracts(chain: {
  readonly callRpc: Rpc;
  readonly contracts: Contracts;
  /** Accounts of the chain. The first account deploys the contracts. */
  readonly accounts: readonly Address[];
}): Promise<Pick<ChainFacts, 'token' | 'stakingContract' | 'usdc' | 'variants'>> {
  const [deployerAddress, ...otherAccounts] = chain.accounts;
  const deployer = new Deployer({ ...chain, from: deployerAddress! });
  const token = await deployer.deployContract('Token');
  const stakingContract = await deployer.deployContract('Staking', token);
  const usdc = await deployer.deployContract('Usdc');
  const resetToken = await deployer.deployContract('ResetToken');
  const variants = {
    resetToken,
    resetStaking: await deployer.deployContract('Staking', resetToken),
    stakingOwn: await deployer.deployContract('StakingOwn', token),
    stakingFor: await deployer.deployContract('StakingFor', token),
    noMetadataToken: await deployer.deployContract('NamelessToken'),
    falseMetadataToken: await deployer.deployContract('LyingToken'),
    accountFactory: await deployer.deployContract('ContractAccountFactory'),
  };
  for (const account of otherAccounts.slice(0, 3)) {
    for (const tokenAddress of [
      token,
      resetToken,
      variants.noMetadataToken,
      variants.falseMetadataToken,
    ]) {
      await deployer.callContract(tokenAddress, 'mint', account, parseUnits('1000', 18));
    }
    await deployer.callContract(usdc, 'mint', account, parseUnits('1000', 6));
  }
  await deployer.copyCodeTo('Multicall', multicallAddress);
  await deployer.stakeFor(otherAccounts[3]!, { token, stakingContract });
  return { token, stakingContract, usdc, variants };
}

/** Canonical address of the Multicall3 contract, which is the same on most chains. */
const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11';

const stakingAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'function stake(address recipient, uint256 amount)',
]);

class Deployer {
  readonly #callRpc: Rpc;
  readonly #contracts: Contracts;
  readonly #deployerAddress: Address;
  #nonce = 0;

  constructor(chain: { callRpc: Rpc; contracts: Contracts; from: Address }) {
    this.#callRpc = chain.callRpc;
    this.#contracts = chain.contracts;
    this.#deployerAddress = chain.from;
  }

  async deployContract(name: string, ...args: readonly unknown[]): Promise<Address> {
    const contract = this.#contracts[name];
    if (contract === undefined) throw new Error(`No contract is called ${name}`);
    const address = getContractAddress({ from: this.#deployerAddress, nonce: BigInt(this.#nonce) });
    await this.#send({ data: encodeDeployData({ ...contract, args }) });
    return address;
  }

  /** Deploys a contract, and copies its code to the given address. */
  async copyCodeTo(name: string, address: Address): Promise<void> {
    const code = await this.#callRpc('eth_getCode', [await this.deployContract(name), 'latest']);
    await this.#callRpc('anvil_setCode', [address, code]);
  }

  callContract(
    contractAddress: Address,
    functionName: 'mint' | 'approve',
    account: Address,
    value: bigint,
  ): Promise<void> {
    return this.#send({
      to: contractAddress,
      data: encodeFunctionData({ abi: stakingAbi, functionName, args: [account, value] }),
    });
  }

  async stakeFor(
    recipient: Address,
    { token, stakingContract }: { token: Address; stakingContract: Address },
  ): Promise<void> {
    const amount = parseUnits('100', 18);
    await this.callContract(token, 'mint', this.#deployerAddress, amount);
    await this.callContract(token, 'approve', stakingContract, amount);
    const data = encodeFunctionData({
      abi: stakingAbi,
      functionName: 'stake',
      args: [recipient, amount],
    });
    await this.#send({ to: stakingContract, data });
  }

  /**
   * Sends a transaction and waits until a block contains it, so that a later snapshot includes it.
   * @throws Error if the transaction reverts
   */
  async #send(transaction: { to?: Address; data: Hex }): Promise<void> {
    const nonce = toQuantity(this.#nonce++);
    const fullTransaction = {
      from: this.#deployerAddress,
      nonce,
      gas: toQuantity(6_000_000),
      ...transaction,
    };
    const receipt = (await this.#callRpc('eth_sendTransactionSync', [fullTransaction])) as {
      status: string;
    };
    if (receipt.status !== '0x1') throw new Error(`Transaction ${nonce} of the setup failed`);
  }
}
