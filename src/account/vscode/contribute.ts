import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ContextKeys, registerCommand } from '../../platform/commands.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { observeSignIn } from './account.ts';
import type { AccountDependencies, StatusSections } from './status-bar.ts';
import { allowUnencrypted, allowUnencryptedCommand } from './unencrypted-origins.ts';

/** Loads the content that other features show in the status bar. */
type LoadSections = () => Promise<StatusSections>;

/** Registers the account's context key and its status bar entry. */
export function contributeAccount(
  dependencies: AccountDependencies,
  loadSections: LoadSections,
): Disposable {
  const disposables = new DisposableStore();
  disposables.add(observeSignIn(dependencies.account, new ContextKeys()));
  const { account, log } = dependencies;
  disposables.add(
    registerCommand(allowUnencryptedCommand, log, async (confirmation, shownOrigin) => {
      const { showFailure, toShownFailure } = await import('./show-failure.ts');
      const show = (failure: ServiceFailure) => showFailure(toShownFailure(failure));
      await allowUnencrypted(account, { confirmation, shownOrigin, showFailure: show });
    }),
  );
  void addStatusBar(disposables, dependencies, loadSections);
  return disposables;
}

/** Adds the status bar entry. Its code loads after the extension has started. */
async function addStatusBar(
  disposables: DisposableStore,
  dependencies: AccountDependencies,
  loadSections: LoadSections,
): Promise<void> {
  try {
    const [{ createStatusBar }, loadedSections] = await Promise.all([
      import('./status-bar.ts'),
      loadSections(),
    ]);
    disposables.add(createStatusBar(dependencies, loadedSections));
  } catch (error) {
    dependencies.log.error('Could not show the status bar item', error);
  }
}
