import * as vscode from 'vscode';
import type { ChatSession } from '../../chat-session.ts';
import { type ContextAttacher, getDroppedUris } from './context-attacher.ts';
import { explainUntrustedWorkspace } from './gather-workspace.ts';
import {
  listMentionSuggestions,
  type MentionSources,
  type SuggestionTargets,
} from './mention-suggestions.ts';
import {
  fillPromptFromEditor,
  type ChatSettings,
  applyPromptSettings,
  type NamedPrompt,
  type PromptFiles,
  formatPromptNotice,
} from './prompt-files.ts';
import type {
  ContextChoose,
  ContextDrop,
  ContextSuggestion,
  ContextSearch,
} from '../../protocol/composer.ts';
import type { HostMessage } from '../../protocol/host-message.ts';
import type { OpenChat, PageHandlers } from '../../vscode/open-chat.ts';
import { stripPromptDirectives } from '../../../conversation/prompt-file.ts';
import {
  mentionsCodebase,
  parseSlashCommand,
  slashCommands,
} from '../../../conversation/slash-commands.ts';
import { showCancellable, confirm, showInformation } from '../../../platform/notifications.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import type { Answer } from '../../../conversation/conversation.ts';
import { findCurrentRepository, type GitRepository } from '../../../platform/git.ts';
import { findActiveOrVisibleEditor } from '../../../platform/window.ts';

/**
 * Replaces the earlier messages of the chat with a summary in future requests. Returns a notice for the user, if any.
 */
export async function compactChat(session: ChatSession): Promise<string | undefined> {
  // The command stays in the queue and is sent after the running turn.
  if (session.runningAnswerId !== undefined) return undefined;
  return showCancellable(vscode.l10n.t('Summarizing the chat'), async (signal) => {
    try {
      const isCompacted = await session.compact(signal);
      if (isCompacted === undefined) return vscode.l10n.t('The chat stays as it was.');
      return isCompacted
        ? vscode.l10n.t('From here on the model gets a summary of what came before.')
        : vscode.l10n.t('There is nothing to summarize before the last exchange.');
    } catch (error) {
      if (signal.aborted) return vscode.l10n.t('The chat stays as it was.');
      if (!(error instanceof ServiceError)) throw error;
      return vscode.l10n.t('No summary could be written: {0}', error.failure.message);
    }
  });
}

/** Context sources shared by the chat pages of a window. */
export interface ContextSources extends MentionSources {
  readonly contextAttacher: ContextAttacher;
  readonly prompts: PromptFiles;
  /** Adds the URI of an attached file to the recent files. */
  addRecent(uriText: string): void;
}

export interface ContextMessagesPorts {
  readonly post: (message: HostMessage) => void;
  readonly showNotice: (text: string) => void;
  /** Moves the focus back to the composer after an input box has closed. */
  readonly focusComposer: () => void;
  /** Chat settings that a prompt file can change. */
  readonly chatSettings: ChatSettings;
}

/** Handles a page's messages about mentions (`#`), slash commands (`/`) and dropped files. */
export class ContextMessages {
  readonly #sources: ContextSources;
  readonly #ports: ContextMessagesPorts;
  #searchCanceller = new AbortController();

  constructor(sources: ContextSources, ports: ContextMessagesPorts) {
    this.#sources = sources;
    this.#ports = ports;
  }

  readonly handlers: PageHandlers<'context-search' | 'context-choose' | 'context-drop'> = {
    'context-search': (message) => this.#postSuggestions(message),
    'context-choose': (message, chat) => this.#attachChosenItem(message, chat),
    'context-drop': (message, chat) => this.#attachDroppedUris(message, chat),
  };

  /**
   * Attaches the context that a slash command or `#codebase` requires.
   * @returns true if the message can be sent. If the result is false, a notice or the composer shows the reason.
   */
  async prepareSend(text: string, chat: OpenChat): Promise<boolean> {
    if (text === '/compact') return this.#notifyAndReturn(await compactChat(chat.session), false);
    const prompt = await this.#findInvokedPrompt(text);
    if (prompt !== undefined) return this.#showPrompt(prompt.prompt, prompt.textAfterName, chat);
    const parsedCommand = parseSlashCommand(text);
    if (parsedCommand !== undefined && chat.attachments.length === 0) {
      const refusal = await this.#sources.contextAttacher.attachCommand(
        parsedCommand.command.attachmentGroups,
        chat,
      );
      // A command with text after it can be sent even if nothing was attached.
      const isOnlyContent = chat.attachments.length === 0 && parsedCommand.rest === '';
      if (refusal !== undefined && isOnlyContent) return this.#addToComposer(text, refusal);
    }
    if (parsedCommand?.command.name === 'commit') offerCommitMessage(chat.session);
    if (mentionsCodebase(text)) {
      this.#notifyAndReturn(await this.#sources.contextAttacher.attachCodebase(chat, text), true);
    }
    return true;
  }

  /**
   * Searches for mentions or slash commands that match the typed text, and posts them to the page as suggestions. A
   * newer search cancels the previous search.
   */
  async #postSuggestions({ request, kind, query }: ContextSearch): Promise<void> {
    this.#searchCanceller.abort();
    const searchCanceller = new AbortController();
    this.#searchCanceller = searchCanceller;
    const { post } = this.#ports;
    const searchResult = await this.#findSuggestions(kind, query, searchCanceller.signal);
    if (!searchCanceller.signal.aborted)
      post({ type: 'context-suggestions', request, ...searchResult });
  }

  async #findSuggestions(
    kind: ContextSearch['kind'],
    query: string,
    signal: AbortSignal,
  ): Promise<{ readonly suggestions: ContextSuggestion[]; readonly note: string }> {
    const { targets, prompts } = this.#sources;
    const note = explainUntrustedWorkspace() ?? '';
    if (kind === 'command') {
      const commandSuggestions = listCommandSuggestions(query, {
        targets,
        prompts: await prompts.prompts,
      });
      return { suggestions: commandSuggestions.slice(0, maxSuggestions), note: '' };
    }
    if (note !== '') return { suggestions: [], note };
    const mentionSuggestions = await listMentionSuggestions(kind, query, {
      sources: this.#sources,
      signal,
    });
    // `#12` and `#include` are not mentions, so only a search for a specific kind reports an empty result.
    const emptyNote = kind === 'any' || mentionSuggestions.length > 0 ? '' : getNoMatchMessage();
    return { suggestions: mentionSuggestions.slice(0, maxSuggestions), note: emptyNote };
  }

  async #attachChosenItem({ id, text }: ContextChoose, chat: OpenChat): Promise<void> {
    const { showNotice } = this.#ports;
    const target = this.#sources.targets.findTarget(id);
    if (target === undefined) return;
    if (target.kind === 'prompt') return void (await this.#showPrompt(target.prompt, '', chat));
    if (target.kind === 'command') return this.#chooseCommand(target.name, chat);
    if (target.kind === 'codebase' && text.replaceAll(/#\S*/gu, '').trim() === '')
      return showNotice(vscode.l10n.t('The workspace is searched for the words of your question.'));
    if (target.kind === 'folder' || target.kind === 'codebase')
      showNotice(vscode.l10n.t('Loading…'));
    this.#notifyAndReturn(
      await this.#sources.contextAttacher.attachTarget(target, chat, text),
      true,
    );
    if (target.kind === 'file') this.#sources.addRecent(target.uri.toString());
  }

  async #chooseCommand(name: string, chat: OpenChat): Promise<void> {
    const command = slashCommands.find((slashCommand) => slashCommand.name === name);
    if (command === undefined || chat.attachments.length > 0) return;
    this.#notifyAndReturn(
      await this.#sources.contextAttacher.attachCommand(command.attachmentGroups, chat),
      true,
    );
  }

  async #attachDroppedUris({ uris }: ContextDrop, chat: OpenChat): Promise<void> {
    const refusal = explainUntrustedWorkspace();
    if (refusal !== undefined) return this.#ports.showNotice(refusal);
    const droppedFiles = await getDroppedUris(uris);
    if (droppedFiles === undefined)
      return this.#ports.showNotice(vscode.l10n.t('Only files and folders can be dropped here.'));
    for (const uri of droppedFiles) {
      this.#notifyAndReturn(await this.#sources.contextAttacher.attachDroppedUri(uri, chat), true);
    }
  }

  /**
   * Returns the workspace prompt that the message invokes, such as `/review`, and the text after the prompt's name.
   * Resolves to undefined if the message invokes no workspace prompt.
   */
  async #findInvokedPrompt(
    text: string,
  ): Promise<{ readonly prompt: NamedPrompt; readonly textAfterName: string } | undefined> {
    const match = /^\/(?<name>\S+)(?:\s+(?<rest>[\s\S]*))?$/u.exec(text);
    if (match === null || parseSlashCommand(text) !== undefined) return undefined;
    const prompts = await this.#sources.prompts.prompts;
    const prompt = prompts.find(({ name }) => name === match.groups?.['name']);
    return prompt && { prompt, textAfterName: match.groups?.['rest'] ?? '' };
  }

  /**
   * Puts a prompt into the composer without sending it. The user must review the prompt, because it is untrusted
   * workspace content.
   * @returns false, because the message that invoked the prompt must not be sent
   */
  async #showPrompt(prompt: NamedPrompt, textAfterName: string, chat: OpenChat): Promise<false> {
    const { post, showNotice, focusComposer, chatSettings } = this.#ports;
    const { contextAttacher } = this.#sources;
    const filledPrompt = await fillPromptFromEditor(prompt, textAfterName, () =>
      contextAttacher.attachSelection(chat),
    );
    const messageText = stripPromptDirectives(filledPrompt.body.trim());
    const text =
      filledPrompt.textAfterName === ''
        ? messageText
        : `${messageText}\n\n${filledPrompt.textAfterName}`;
    post({ type: 'draft-set', text, replace: true });
    if (filledPrompt.hasTakenFocus) focusComposer();
    const appliedSettings = await applyPromptSettings(prompt, chatSettings);
    const promptSummary = formatPromptNotice(
      `/${prompt.name}`,
      appliedSettings,
      filledPrompt.missingVariables,
    );
    showNotice(promptSummary);
    if (!mentionsCodebase(filledPrompt.body)) return false;
    const searchNotice = await contextAttacher.attachCodebase(chat, text);
    // The page shows only the last notice, so this notice includes both texts.
    return this.#notifyAndReturn(searchNotice && `${promptSummary} ${searchNotice}`, false);
  }

  #addToComposer(text: string, reason: string): false {
    this.#ports.post({ type: 'draft-set', text, replace: false });
    this.#ports.showNotice(reason);
    return false;
  }

  #notifyAndReturn<T>(sentence: string | undefined, result: T): T {
    if (sentence !== undefined) this.#ports.showNotice(sentence);
    return result;
  }
}

const maxSuggestions = 60;

const getNoMatchMessage = (): string => vscode.l10n.t('No results');

/**
 * Returns suggestions for the slash commands that match the text after `/`: the built-in commands, then the
 * workspace's prompt files.
 */
export function listCommandSuggestions(
  query: string,
  {
    targets,
    prompts,
  }: { readonly targets: SuggestionTargets; readonly prompts: readonly NamedPrompt[] },
): readonly ContextSuggestion[] {
  const lowerQuery = query.toLowerCase();
  const builtInCommands = Object.entries(getCommandDescriptions())
    .filter(([name]) => name.startsWith(lowerQuery))
    // All other commands attach workspace content, which is not allowed in an untrusted workspace.
    .filter(
      ([name]) =>
        ['compact', 'persona'].includes(name) || explainUntrustedWorkspace() === undefined,
    )
    .map(([name, detail]) =>
      targets.addTarget(
        { kind: 'command', name },
        { insert: `/${name}`, label: `/${name}`, detail },
      ),
    );
  const promptCommands = prompts
    .filter(({ name }) => name.toLowerCase().startsWith(lowerQuery))
    .map((prompt) =>
      targets.addTarget(
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

const getCommandDescriptions = (): Readonly<Record<string, string>> => ({
  explain: vscode.l10n.t('Explain the attached or selected code'),
  fix: vscode.l10n.t('Fix the attached or selected code and its problems'),
  tests: vscode.l10n.t('Write tests for the attached or selected code'),
  doc: vscode.l10n.t('Write documentation comments for the attached or selected code'),
  commit: vscode.l10n.t('Write a commit message for the staged changes'),
  persona: vscode.l10n.t('Select the persona that answers in this chat'),
  compact: vscode.l10n.t('Replace the chat so far by a summary'),
});

/**
 * Waits for the next answer. If that answer replies to `/commit`, offers to use its text as the commit message of the
 * repository.
 */
export function offerCommitMessage(session: ChatSession): void {
  const visibleUri = findActiveOrVisibleEditor()?.document.uri;
  const subscription = session.onDidChange((event) => {
    // A turn ends either with an answer, or after the tool calls of an answer.
    const isEnd =
      event.type === 'work-end' || (event.type === 'turn-event' && event.event.type === 'turn-end');
    if (!isEnd || session.runningAnswerId !== undefined) return;
    subscription.dispose();
    const answer = session.conversation.head;
    if (answer?.role !== 'assistant' || !isReplyToCommitRequest(session, answer)) return;
    void showCommitMessageOffer(answer, visibleUri);
  });
}

/**
 * Checks whether the answer replies to `/commit`. The answer may reply to another message that the user sent first.
 */
function isReplyToCommitRequest({ conversation }: ChatSession, { id }: Answer): boolean {
  const question = conversation.findMessage(conversation.findTurnStartId(id) ?? '');
  return question !== undefined && parseSlashCommand(question.text)?.command.name === 'commit';
}

/**
 * Shows a notification that offers to use the commit message from an answer. Does nothing if the answer is incomplete
 * or contains no commit message.
 */
async function showCommitMessageOffer(
  { status, text, result }: Answer,
  visibleUri: vscode.Uri | undefined,
): Promise<void> {
  if (status !== 'complete') return;
  const { readCommitMessage } = await import('../../../agent/answer/commit-message.ts');
  const commitAnswer = readCommitMessage(text, result.finishReason);
  if (commitAnswer.kind !== 'message') return;
  const message = commitAnswer.text;
  const useLabel = vscode.l10n.t('Use as Commit Message');
  const answer = await showInformation(vscode.l10n.t('The commit message is written.'), useLabel);
  if (answer !== useLabel) return;
  const repository = await findCurrentRepository(visibleUri, { prefersStaged: true });
  if (repository === undefined || !(await confirmReplace(repository, message))) return;
  repository.inputBox.value = message;
  await vscode.commands.executeCommand('workbench.view.scm');
}

/**
 * Asks the user to confirm that the message replaces the text in the commit input box. Resolves to true without a
 * prompt if the box is empty or already contains the message.
 */
async function confirmReplace({ inputBox }: GitRepository, message: string): Promise<boolean> {
  if (inputBox.value.trim() === '' || inputBox.value === message) return true;
  const replaceLabel = vscode.l10n.t('Replace');
  const question = vscode.l10n.t('Replace the commit message that is there?');
  return (await confirm({ question }, replaceLabel)) === replaceLabel;
}
