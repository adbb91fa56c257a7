import { registerCommand } from '../../platform/commands.ts';
import type { Contribution } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';
import type { InlineSuggestions } from './inline-suggestions.ts';

/** Inline suggestions: the provider once they are on. All else is loaded with the first use. */
export function contributeCompletions(host: Host, suggestions: InlineSuggestions): Contribution {
  // Not in the manifest: VS Code runs it after an item was accepted.
  const accepted = registerCommand('inferenceService.completion.accepted', host.log, (id) =>
    suggestions.runtime?.accepted(id),
  );
  suggestions.start();
  return { dispose: () => accepted.dispose(), close: () => suggestions.close() };
}
