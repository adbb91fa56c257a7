import { isRecord } from '../../src/base/json.ts';
import { isProvider, type Provider } from './provider.ts';

/** A wallet that is in the browser. Name and icon are its own words: text, and a picture that can do nothing. */
export interface FoundWallet {
  readonly id: string;
  /** At most 40 characters, none of them invisible; empty when it has none. */
  readonly name: string;
  /** A `data:` address of a picture; absent when it has none of that kind. */
  readonly icon?: string;
  readonly provider: Provider;
}

const mostWallets = 20;
const longestName = 40;
const longestIcon = 128 * 1_024;
/** For wallets that only know `window.ethereum`: the others have announced themselves by then. */
const searchMs = 500;

/**
 * Finds the wallets by EIP-6963, and by `window.ethereum` where none announces itself. Calls `onChange` with all that
 * are known whenever that changes, and once the search is over; more may come later.
 */
export function discoverWallets(
  window: Window & typeof globalThis,
  onChange: (wallets: readonly FoundWallet[], isSearching: boolean) => void,
): void {
  const found = new Map<string, FoundWallet>();
  let isSearching = true;
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = readAnnounced(event);
    if (wallet === undefined || found.has(wallet.id) || found.size >= mostWallets) return;
    found.delete(legacyId);
    found.set(wallet.id, wallet);
    onChange([...found.values()], isSearching);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  window.setTimeout(() => {
    isSearching = false;
    const legacy: unknown = Reflect.get(window, 'ethereum');
    if (found.size === 0 && isProvider(legacy))
      found.set(legacyId, { id: legacyId, name: '', provider: legacy });
    onChange([...found.values()], isSearching);
  }, searchMs);
}

export const legacyId = 'window.ethereum';

/** Undefined for what announces no wallet. */
export function readAnnounced(event: Event): FoundWallet | undefined {
  try {
    const detail: unknown = Reflect.get(event, 'detail');
    const { info, provider } = isRecord(detail) ? detail : ({} as never);
    if (!isRecord(info) || !isProvider(provider)) return undefined;
    const { uuid, name, icon } = info;
    if (typeof uuid !== 'string' || !/^[\w-]{1,64}$/u.test(uuid)) return undefined;
    const picture = safeIcon(icon);
    return {
      id: uuid,
      name: safeName(name),
      provider,
      ...(picture === undefined ? {} : { icon: picture }),
    };
  } catch {
    // It is not ours, and may throw at any touch.
    return undefined;
  }
}

/** Without what would not be seen or would turn the words around it. */
function safeName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const seen = name
    .slice(0, 1_000)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
  return Array.from(seen.trim()).slice(0, longestName).join('');
}

const safeIcon = (icon: unknown): string | undefined =>
  typeof icon === 'string' &&
  icon.length <= longestIcon &&
  /^data:image\/(?:png|jpeg|webp|svg\+xml)[;,]/u.test(icon)
    ? icon
    : undefined;
