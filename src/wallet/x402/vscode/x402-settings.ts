import { type X402Headers, x402HeaderProfiles } from '../../../service/payment-requirements.ts';
import { usdcDecimals } from '../usdc-facts.ts';
import { userSetting } from '../../../platform/settings.ts';

const defaultCeiling = 20;
const largestCeiling = 10_000;

export function x402Headers(): X402Headers {
  const isOld = userSetting('inferenceService.wallet.x402Headers') === 'compatible';
  return x402HeaderProfiles[isOld ? 'compatible' : 'v2'];
}

/** The most that one top-up may be, in the smallest unit of USDC: whole cents. */
export function topUpCeiling(): bigint {
  const value = userSetting('inferenceService.wallet.topUpCeiling');
  const isFair = typeof value === 'number' && value >= 0 && value <= largestCeiling;
  const cents = BigInt(Math.floor((isFair ? value : defaultCeiling) * 100));
  return (cents * 10n ** BigInt(usdcDecimals)) / 100n;
}
