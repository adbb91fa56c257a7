import { registerCommand } from '../../platform/commands.ts';
import type { Contribution } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';
import type { InlineSuggestions } from './inline-suggestions.ts';

/** Contributes inline suggestions. The provider loads once they are on, everything else on first use. */
export function contributeCompletions(host: Host, suggestions: InlineSuggestions): Contribution {
  // Not in the manifest, since only accepted items run it.
  const accepted = registerCommand('inferenceService.completion.accepted', host.log, (id) =>
    suggestions.runtime?.handleAccepted(id),
  );
  suggestions.start();
  return { dispose: () => accepted.dispose(), close: () => suggestions.close() };
}
