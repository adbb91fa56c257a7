import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { observeSignIn } from './account.ts';
import type { AccountParts } from './money-status.ts';
import type { StatusSections } from './status-bar.ts';

/** Loads the status bar content of other features. */
type LoadSections = () => Promise<StatusSections>;

/** Registers the account's context key and its status bar entry. */
export function contributeAccount(parts: AccountParts, sections: LoadSections): Disposable {
  const owned = new DisposableStore();
  owned.add(observeSignIn(parts.account, new ContextKeys()));
  void addStatusBar(owned, parts, sections);
  return owned;
}

/** Adds the status bar entry. Its code loads after the extension has started. */
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
    parts.log.error('Could not show the status bar item', error);
  }
}
