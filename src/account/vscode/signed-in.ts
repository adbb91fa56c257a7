import type { Disposable } from '../../base/disposable.ts';
import { isSignedInBy } from '../key-state.ts';
import { addressFailure } from '../../service/http/endpoint.ts';
import type { ContextKeys } from '../../platform/commands.ts';
import type { Account } from './account.ts';

/** Whether calls can be signed in, as far as is known: before the key was read, whether there was one the last time. */
export function isSignedIn({ key, profile }: Pick<Account, 'key' | 'profile'>): boolean {
  const hasKey = isSignedInBy(key) || (key.kind === 'unread' && key.expected);
  return hasKey && addressFailure(profile.baseUrl) === undefined;
}

/**
 * The walkthrough ticks off its first step, and what needs a key is shown, from now on until disposed. What is told
 * before the editor has read the walkthrough is no event for it: so the manifest names its page as well.
 */
export function followSignIn(
  account: Pick<Account, 'key' | 'profile' | 'onDidChange'>,
  keys: Pick<ContextKeys, 'set'>,
): Disposable {
  const tell = (): void => keys.set('signedIn', isSignedIn(account));
  tell();
  return account.onDidChange(tell);
}
