import type { TopUpRecord } from './signed-top-up.ts';

/** Record of a signed top-up of 10 USDC. */
export const topUpRecord: TopUpRecord = {
  origin: 'https://api.service.test',
  chainId: 31_337,
  asset: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  symbol: 'USDC',
  decimals: 6,
  from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 10_000_000n,
  nonce: `0x${'ab'.repeat(32)}`,
  validBefore: 1_800_000_000n,
  block: 12n,
};
