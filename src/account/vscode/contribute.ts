import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ContextKeys } from '../../platform/commands.ts';
import type { InlineSuggestions } from '../../completion/vscode/inline-suggestions.ts';
import type { Host } from '../../host.ts';
import { followSignIn } from './account.ts';

/** The context key of the account, and the status bar entry. */
export function contributeAccount(host: Host, suggestions: InlineSuggestions): Disposable {
  const owned = new DisposableStore();
  owned.add(followSignIn(host.account, new ContextKeys()));
  void addStatusBar(owned, { host, suggestions });
  return owned;
}

/** Its words and figures are loaded once the extension has started. */
async function addStatusBar(
  owned: DisposableStore,
  { host, suggestions }: { host: Host; suggestions: InlineSuggestions },
): Promise<void> {
  try {
    const { createStatusBar } = await import('./status-bar.ts');
    owned.add(createStatusBar(host, suggestions));
  } catch (error) {
    host.log.error('The entry of the status bar could not be shown', error);
  }
}
