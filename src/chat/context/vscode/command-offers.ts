import * as vscode from 'vscode';
import type { ContextOffer } from '../../protocol/composer.ts';
import { trustRefusal } from './gathered.ts';
import type { Offers } from './offers.ts';
import type { NamedPrompt } from './prompt-files.ts';

/** The commands that `/` can name: our own, then the prompts of the workspace. */
export function commandOffers(
  query: string,
  { offers, prompts }: { readonly offers: Offers; readonly prompts: readonly NamedPrompt[] },
): readonly ContextOffer[] {
  const typed = query.toLowerCase();
  const own = Object.entries(descriptions())
    .filter(([name]) => name.startsWith(typed))
    // In an untrusted workspace nothing could go along with the others.
    .filter(([name]) => ['compact', 'persona'].includes(name) || trustRefusal() === undefined)
    .map(([name, detail]) =>
      offers.make({ kind: 'command', name }, { insert: `/${name}`, label: `/${name}`, detail }),
    );
  const others = prompts
    .filter(({ name }) => name.toLowerCase().startsWith(typed))
    .map((prompt) =>
      offers.make(
        { kind: 'prompt', prompt },
        {
          insert: `/${prompt.name}`,
          label: `/${prompt.name}`,
          detail: prompt.description || vscode.l10n.t('Prompt of this workspace'),
        },
      ),
    );
  return [...own, ...others];
}

const descriptions = (): Readonly<Record<string, string>> => ({
  explain: vscode.l10n.t('Explain the selection or the open file'),
  fix: vscode.l10n.t('Fix the problems of the selection or the open file'),
  tests: vscode.l10n.t('Write tests for the selection or the open file'),
  doc: vscode.l10n.t('Write documentation comments'),
  commit: vscode.l10n.t('Write a commit message for the staged changes'),
  persona: vscode.l10n.t('Start a chat with a persona'),
  compact: vscode.l10n.t('Replace the chat so far by a summary'),
});
