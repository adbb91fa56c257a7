import * as vscode from 'vscode';
import type { ChatSession } from '../../chat-session.ts';
import { trustRefusal } from './gather-workspace.ts';
import type { SuggestionTargets } from './mention-suggestions.ts';
import type { NamedPrompt } from './prompt-files.ts';
import type { ContextSuggestion } from '../../protocol/composer.ts';
import { extractCommitMessage } from '../../../conversation/commit-answer.ts';
import type { Answer } from '../../../conversation/conversation.ts';
import { parseSlashCommand } from '../../../conversation/slash-commands.ts';
import { currentRepository, type GitRepository } from '../../../platform/git.ts';
import { confirm, showInformation } from '../../../platform/notifications.ts';
import { activeOrVisibleEditor } from '../../../platform/window.ts';

/** Returns the commands that match the text after `/`: the built-in ones, then the workspace's prompt files. */
export function commandSuggestions(
  query: string,
  {
    targets,
    prompts,
  }: { readonly targets: SuggestionTargets; readonly prompts: readonly NamedPrompt[] },
): readonly ContextSuggestion[] {
  const lowerQuery = query.toLowerCase();
  const builtInCommands = Object.entries(descriptions())
    .filter(([name]) => name.startsWith(lowerQuery))
    // Other commands attach workspace content, which an untrusted workspace does not allow.
    .filter(([name]) => ['compact', 'persona'].includes(name) || trustRefusal() === undefined)
    .map(([name, detail]) =>
      targets.add({ kind: 'command', name }, { insert: `/${name}`, label: `/${name}`, detail }),
    );
  const promptCommands = prompts
    .filter(({ name }) => name.toLowerCase().startsWith(lowerQuery))
    .map((prompt) =>
      targets.add(
        { kind: 'prompt', prompt },
        {
          insert: `/${prompt.name}`,
          label: `/${prompt.name}`,
          detail: prompt.description || vscode.l10n.t('Prompt of this workspace'),
        },
      ),
    );
  return [...builtInCommands, ...promptCommands];
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

/** Waits for the next answer and offers to use its text as the commit message of the repository. */
export function offerCommitMessage(session: ChatSession): void {
  const visibleUri = activeOrVisibleEditor()?.document.uri;
  const listening = session.onDidChange((event) => {
    // The turn ends with an answer, or after the tool calls of an answer.
    const isEnd =
      event.type === 'work-end' || (event.type === 'turn-event' && event.event.type === 'turn-end');
    if (!isEnd || session.streaming !== undefined) return;
    listening.dispose();
    const answer = session.conversation.head;
    if (answer?.role !== 'assistant' || !repliesToCommit(session, answer)) return;
    const message = commitMessageFrom(answer);
    if (message !== '') void showCommitMessageOffer(message, visibleUri);
  });
}

/** Checks whether the answer replies to `/commit`, because the user may send another message first. */
function repliesToCommit({ conversation }: ChatSession, { id }: Answer): boolean {
  const question = conversation.find(conversation.findTurnStart(id) ?? '');
  return question !== undefined && parseSlashCommand(question.text)?.command.name === 'commit';
}

/** Returns the text of the first fenced block, or the whole answer without one. Empty for an incomplete answer. */
function commitMessageFrom({ status, text }: Answer): string {
  if (status !== 'complete') return '';
  const fencedMessage = /^(?<fence>`{3,}|~{3,})[^\n]*\n(?<inner>[\s\S]*?)\n\k<fence>\s*$/mu.exec(
    text,
  );
  return extractCommitMessage(fencedMessage?.groups?.['inner'] ?? text);
}

async function showCommitMessageOffer(
  message: string,
  visibleUri: vscode.Uri | undefined,
): Promise<void> {
  const useLabel = vscode.l10n.t('Use as Commit Message');
  const answer = await showInformation(vscode.l10n.t('The commit message is written.'), useLabel);
  if (answer !== useLabel) return;
  const repository = await currentRepository(visibleUri, { stagedFirst: true });
  if (repository === undefined || !(await confirmReplace(repository, message))) return;
  repository.inputBox.value = message;
  await vscode.commands.executeCommand('workbench.view.scm');
}

/** Prompts the user to confirm that existing text in the commit input box is replaced. */
async function confirmReplace({ inputBox }: GitRepository, message: string): Promise<boolean> {
  if (inputBox.value.trim() === '' || inputBox.value === message) return true;
  const replace = vscode.l10n.t('Replace');
  const question = vscode.l10n.t('Replace the commit message that is there?');
  return (await confirm({ question }, replace)) === replace;
}
