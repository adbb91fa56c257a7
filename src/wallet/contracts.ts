import { parseAbi } from 'viem';

/** ERC-20, as much as staking needs. */
export const tokenAbi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
]);

/** Both call forms of `stake` that are deployed; which one a contract has is found by simulation. */
export const stakeAbi = parseAbi(['function stake(uint256 amount)']);
export const stakeForAbi = parseAbi(['function stake(address recipient, uint256 amount)']);

/** The staking contract is the staked token itself: what minting asks for is its `balanceOf` (service facts §8). */
export const stakingAbi = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function cooldownDuration() view returns (uint256)',
  'function stakes(address owner) view returns (uint256 rewardDebt, uint256 cooldownEnd, uint256 cooldownAmount)',
  'function initiateUnstake(uint256 amount)',
  'function finalizeUnstake()',
]);

/** EIP-3009, as much as top-ups need. */
export const usdcAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);
