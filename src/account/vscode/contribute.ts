import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ContextKeys, registerCommand } from '../../platform/commands.ts';
import type { InlineSuggestions } from '../../completion/vscode/inline-suggestions.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import { followSignIn } from './account.ts';

/** Commands for key, address, profiles and connection, and the status bar entry. */
export function contributeAccount(
  host: Host,
  _images: Images,
  suggestions: InlineSuggestions,
): Disposable {
  const { account, log } = host;
  const owned = new DisposableStore();
  owned.add(followSignIn(account, new ContextKeys()));
  for (const id of lazyCommands) {
    owned.add(
      registerCommand(id, log, async () => {
        const { accountCommands } = await import('./key-commands.ts');
        await accountCommands[id](account);
      }),
    );
  }
  owned.add(registerCommand('inferenceService.showLog', log, () => log.show()));
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

const lazyCommands = [
  'inferenceService.setApiKey',
  'inferenceService.removeApiKey',
  'inferenceService.setAddress',
  'inferenceService.addProfile',
  'inferenceService.removeProfile',
  'inferenceService.switchProfile',
  'inferenceService.testConnection',
] as const;
