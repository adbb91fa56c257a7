import { isRecord } from '../../src/base/json.ts';
import type { WalletProblem } from '../../src/wallet/browser/protocol.ts';

/** EIP-1193, as much as the page uses. It belongs to an extension of the browser: whatever it returns may be anything. */
export interface Provider {
  request(asked: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }): Promise<unknown>;
  on?(event: string, listener: (payload: unknown) => void): unknown;
  removeListener?(event: string, listener: (payload: unknown) => void): unknown;
}

export const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'request') === 'function';

/** What a wallet has against a request, by the code of its error (EIP-1193, EIP-1474). Its words are not used. */
export function problemOf(error: unknown): WalletProblem {
  return codes.get(codeOf(error) ?? 0) ?? 'other';
}

/** Some wallets put the code that counts into an error within the error. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) && !isRecord(error)) return undefined;
  const data: unknown = Reflect.get(error, 'data');
  const original: unknown = isRecord(data) ? data['originalError'] : undefined;
  const inner: unknown = isRecord(original) ? original['code'] : undefined;
  const code: unknown = inner ?? Reflect.get(error, 'code');
  return typeof code === 'number' ? code : undefined;
}

/** The wallet does not know the chain (EIP-3326). */
export const unknownChain = 4902;

const codes: ReadonlyMap<number, WalletProblem> = new Map<number, WalletProblem>([
  [4001, 'rejected'],
  [4100, 'unauthorised'],
  [4200, 'unsupported'],
  [4900, 'disconnected'],
  [4901, 'disconnected'],
  [unknownChain, 'wrong-chain'],
  [-32_002, 'busy'],
  [-32_601, 'unsupported'],
]);
