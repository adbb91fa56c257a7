import { registerCommand } from '../../platform/commands.ts';
import type { Contribution } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';
import type { InlineSuggestions } from './inline-suggestions.ts';

/** Contributes inline suggestions. The provider loads when suggestions are on; other features load on first use. */
export function registerCompletions(host: Host, suggestions: InlineSuggestions): Contribution {
  // This command is not in the manifest, because only VS Code runs the command, when the user accepts an item.
  const registration = registerCommand('inferenceService.completion.accepted', host.log, (id) =>
    suggestions.runtime?.handleAcceptance(id),
  );
  suggestions.start();
  return { dispose: () => registration.dispose(), close: () => suggestions.close() };
}
