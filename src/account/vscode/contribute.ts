import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { observeSignIn } from './account.ts';
import type { AccountParts } from './money-status.ts';
import type { StatusSections } from './status-bar.ts';

/** Loads what other features show in the status bar. */
type LoadSections = () => Promise<StatusSections>;

/** The context key of the account, and the status bar entry. */
export function contributeAccount(parts: AccountParts, sections: LoadSections): Disposable {
  const owned = new DisposableStore();
  owned.add(observeSignIn(parts.account, new ContextKeys()));
  void addStatusBar(owned, parts, sections);
  return owned;
}

/** Its words and figures are loaded once the extension has started. */
async function addStatusBar(
  owned: DisposableStore,
  parts: AccountParts,
  sections: LoadSections,
): Promise<void> {
  try {
    const [{ createStatusBar }, loaded] = await Promise.all([
      import('./status-bar.ts'),
      sections(),
    ]);
    owned.add(createStatusBar(parts, loaded));
  } catch (error) {
    parts.log.error('The entry of the status bar could not be shown', error);
  }
}
