import * as vscode from 'vscode';
import { reportAndShowFailure } from '../../account/vscode/show-failure.ts';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { isRecord } from '../../base/json.ts';
import { formatCause } from '../../agent/answer/answer-marks.ts';
import {
  type CommitRefusal,
  previewCommitMessage,
  readCommitMessage,
} from '../../agent/answer/commit-message.ts';
import { buildCommitRequest } from '../../conversation/commit-prompt.ts';
import { type CommitChanges, readChanges } from './commit-changes.ts';
import { createAnswerActions } from './show-answer.ts';
import type { Host } from '../../host.ts';
import { requireSelectedModel } from '../../models/vscode/selected-model.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { getGitApi, type GitRepository } from '../../platform/git.ts';
import {
  showProgress,
  showInformation,
  showStatusMessage,
  showWithActions,
  escapeIcons,
} from '../../platform/notifications.ts';
import type { StreamOutcome } from '../../service/chat/chat-types.ts';
import { createFailedOutcome } from '../../service/http/network-failure.ts';

/** Minimum interval in milliseconds between updates of the Source Control input. Users do not notice faster updates. */
const minUpdateIntervalMs = 60;

/**
 * Number of update intervals (2 seconds) in which VS Code reports a message that was written to the input. If the input
 * then still contains an older message, the user has restored it with Undo.
 */
const maxReportIntervals = Math.ceil(2_000 / minUpdateIntervalMs);

/**
 * Streams a commit message into the Source Control input. Stops when the user edits the input. VS Code reports each
 * change of the input with a delay, so the input can contain an older message for a while. Nothing is written then.
 */
export class CommitMessageInput {
  /** Text in the input before the first update. Restored if the request fails. */
  readonly previousText: string;
  readonly #input: { value: string };
  readonly #clock: Clock;
  readonly #writtenTexts = new Set<string>();
  #lastWrittenText: string;
  #lastWriteAt = 0;
  #isEditedByUser = false;

  constructor(input: { value: string }, clock: Clock) {
    this.#input = input;
    this.#clock = clock;
    this.previousText = input.value;
    this.#lastWrittenText = input.value;
  }

  /** True after the user changed the text in the input. Further updates are ignored. */
  get isEditedByUser(): boolean {
    this.#isEditedByUser ||=
      !this.#hasLastWrittenText && !this.#writtenTexts.has(this.#input.value);
    return this.#isEditedByUser;
  }

  /** True if no message text has been written to the input. */
  get isEmpty(): boolean {
    return this.#lastWriteAt === 0;
  }

  /** Updates the input at most once per {@link minUpdateIntervalMs}. Returns false if the user changed the text. */
  show(message: () => string): boolean {
    if (this.isEditedByUser) return false;
    if (this.#hasLastWrittenText && this.#clock.now() - this.#lastWriteAt >= minUpdateIntervalMs)
      this.#writeMessage(message());
    return true;
  }

  async finishMessage(message: string): Promise<void> {
    await this.#waitForReports();
    if (!this.isEditedByUser) this.#writeMessage(message);
  }

  /** Restores the previous text of the input after an answer without a message, unless the user changed the text. */
  async discardMessage(): Promise<void> {
    await this.#waitForReports();
    if (this.isEditedByUser) return;
    this.restorePreviousText();
    this.#lastWriteAt = 0;
  }

  restorePreviousText(): void {
    this.#writeText(this.previousText);
  }

  get #hasLastWrittenText(): boolean {
    return this.#input.value === this.#lastWrittenText;
  }

  /** If the input contains an older message, waits for a report of the last one. */
  async #waitForReports(): Promise<void> {
    for (let interval = 0; !this.#hasLastWrittenText && !this.isEditedByUser; interval += 1) {
      if (interval === maxReportIntervals) this.#isEditedByUser = true;
      else await new Promise<void>((resolve) => this.#clock.after(minUpdateIntervalMs, resolve));
    }
  }

  #writeMessage(message: string): void {
    if (message === '') return;
    this.#lastWriteAt = this.#clock.now();
    this.#writtenTexts.add(message);
    this.#writeText(message);
  }

  #writeText(text: string): void {
    this.#lastWrittenText = text;
    this.#input.value = text;
  }
}

/**
 * Returns the repository whose title bar button the user clicked. Without such a click, returns the only repository,
 * otherwise the repository of the active file, otherwise the repository that the user chooses.
 * @returns `none` if there is no repository; undefined if the user cancels
 */
export async function pickRepository(
  args: readonly unknown[],
): Promise<GitRepository | 'none' | undefined> {
  const git = await getGitApi();
  if (git === undefined || git.repositories.length === 0) return 'none';
  const [sourceControl] = args;
  const rootUri: unknown = isRecord(sourceControl) ? sourceControl['rootUri'] : undefined;
  const activeUri = vscode.window.activeTextEditor?.document.uri;
  const [firstRepository] = git.repositories;
  if (rootUri instanceof vscode.Uri) return git.getRepository(rootUri) ?? 'none';
  if (git.repositories.length === 1) return firstRepository;
  return (activeUri && git.getRepository(activeUri)) ?? promptForRepository(git.repositories);
}

async function promptForRepository(
  repositories: readonly GitRepository[],
): Promise<GitRepository | undefined> {
  const items = repositories.map((repository) => ({
    label: escapeIcons(repository.rootUri.path.split('/').at(-1) ?? ''),
    description: escapeIcons(vscode.workspace.asRelativePath(repository.rootUri)),
    repository,
  }));
  const placeHolder = vscode.l10n.t('For which repository?');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.repository;
}

/** Writes commit messages to the Source Control input, one message at a time. */
export class CommitMessages implements Disposable {
  readonly #host: Host;
  readonly #contextKeys = new ContextKeys();
  #abortController: AbortController | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Writes a commit message. If a request is already running, stops this request instead. */
  async generate(args: readonly unknown[]): Promise<void> {
    if (this.#abortController !== undefined) return this.stop();
    if (!vscode.workspace.isTrusted)
      return showMessage(
        vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.'),
      );
    const repository = await pickRepository(args);
    if (repository === undefined) return;
    if (repository === 'none')
      return showMessage(vscode.l10n.t('Open a folder with a Git repository.'));
    // Another run can have started while the user chose a repository.
    if (this.#abortController !== undefined) return;
    const refusal = await this.#runRequest(repository);
    if (refusal !== undefined) await this.#showRefusal(refusal, repository);
  }

  /**
   * Requests a commit message and writes it into the Source Control input. If the answer contains no commit message,
   * returns the answer and the reason why it was refused.
   */
  async #runRequest(repository: GitRepository): Promise<RefusedMessage | undefined> {
    const abortController = new AbortController();
    this.#setAbortController(abortController);
    try {
      const location = vscode.ProgressLocation.SourceControl;
      const title = vscode.l10n.t('Writing a commit message');
      return await showProgress({ location, title }, () =>
        this.#writeMessage(repository, abortController.signal),
      );
    } finally {
      this.#setAbortController(undefined);
    }
  }

  stop(): void {
    this.#abortController?.abort();
  }

  dispose(): void {
    this.stop();
  }

  /** Shows the reason why the model's answer was refused, with buttons to retry and to show the answer. */
  async #showRefusal(refusal: RefusedMessage, { rootUri }: GitRepository): Promise<void> {
    const { answer, reason, cause } = refusal;
    this.#host.log.info(`The answer with a commit message was refused: ${cause?.rule ?? reason}`);
    await showWithActions(showInformation, formatRefusal(refusal), [
      { label: vscode.l10n.t('Retry'), run: () => this.#retry(rootUri) },
      ...createAnswerActions(answer),
    ]);
  }

  /** Writes a commit message, unless the user has already started another request after the notification appeared. */
  async #retry(rootUri: vscode.Uri): Promise<void> {
    if (this.#abortController === undefined) await this.generate([{ rootUri }]);
  }

  async #writeMessage(
    repository: GitRepository,
    signal: AbortSignal,
  ): Promise<RefusedMessage | undefined> {
    const changes = await readChanges(repository, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (changes === undefined || signal.aborted) return undefined;
    if (changes.isEmpty) {
      showMessage(formatNoChangesMessage(changes));
      return undefined;
    }
    if (changes.isUnstaged)
      showStatusMessage(vscode.l10n.t('Nothing is staged, so the message covers all changes.'));
    else if (changes.secretFileCount > 0)
      showStatusMessage(formatOmittedFiles(changes.secretFileCount));
    const messageInput = new CommitMessageInput(repository.inputBox, this.#host.service.clock);
    const { profile } = this.#host.account;
    const { outcome, refusal } = await this.#streamMessage(messageInput, changes, signal);
    if (messageInput.isEditedByUser) return undefined;
    if (outcome?.kind === 'failed' || messageInput.isEmpty || signal.aborted)
      messageInput.restorePreviousText();
    if (signal.aborted) return undefined;
    if (outcome?.kind === 'failed') {
      const { failure } = outcome;
      void reportAndShowFailure({ account: this.#host.account, profile, failure });
      return undefined;
    }
    if (refusal !== undefined) return refusal;
    if (messageInput.isEmpty) return { kind: 'refused', reason: 'empty', answer: '' };
    if (messageInput.previousText !== '') void offerRestore(messageInput);
    return undefined;
  }

  async #streamMessage(
    messageInput: CommitMessageInput,
    { context }: CommitChanges,
    signal: AbortSignal,
  ): Promise<StreamedMessage> {
    const { account, models, service } = this.#host;
    const { profile } = account;
    const model = await requireSelectedModel(models, signal).catch(createFailedOutcome);
    if ('kind' in model) return { outcome: model };
    const request = buildCommitRequest(model.id, context);
    const { streamChat } = await import('../../service/chat/stream-chat.ts');
    let answer = '';
    for await (const events of streamChat(service, request, { signal })) {
      for (const event of events) {
        if (event.type === 'stream-start') account.reportOutcome(event.info, profile);
        if (event.type === 'stream-end') {
          const { outcome } = event;
          const result =
            outcome.kind === 'complete'
              ? readCommitMessage(answer, outcome.finishReason)
              : undefined;
          if (result?.kind === 'message') await messageInput.finishMessage(result.text);
          else await messageInput.discardMessage();
          return result?.kind === 'refused'
            ? { outcome, refusal: { ...result, answer } }
            : { outcome };
        }
        if (event.type !== 'text-delta' || answer.length > maxAnswerLength) continue;
        answer += event.text;
        // Stops the stream if the user edited the input.
        if (!messageInput.show(() => previewCommitMessage(answer))) return {};
      }
    }
    return {};
  }

  #setAbortController(abortController: AbortController | undefined): void {
    this.#abortController = abortController;
    this.#contextKeys.set('commitMessage.isRunning', abortController !== undefined);
  }
}

interface StreamedMessage {
  readonly outcome?: StreamOutcome;
  readonly refusal?: RefusedMessage;
}

/** Answer that contains no usable commit message, and the reason why it was refused. */
type RefusedMessage = CommitRefusal & { readonly answer: string };

const formatRefusal = ({ cause, reason }: CommitRefusal): string => {
  if (cause !== undefined) return formatCause(cause);
  return reason === 'cut-off'
    ? vscode.l10n.t('The answer is incomplete.')
    : vscode.l10n.t('The model gave no usable answer. Retry, or choose another model.');
};

/** Maximum length of an answer in characters. The rest of a longer answer is ignored. */
const maxAnswerLength = 50_000;

export const formatNoChangesMessage = ({
  secretFileCount,
}: Pick<CommitChanges, 'secretFileCount'>): string =>
  secretFileCount > 0
    ? vscode.l10n.t('All changes are in files that may hold secrets, so nothing was sent.')
    : vscode.l10n.t('Nothing has changed since the last commit.');

export const formatOmittedFiles = (fileCount: number): string =>
  vscode.l10n.t('Files not sent, because they may hold secrets: {0}', fileCount);

/**
 * Notifies the user that the message replaced existing text. The notification has a button that
 * restores the text.
 */
async function offerRestore(messageInput: CommitMessageInput): Promise<void> {
  const restoreLabel = vscode.l10n.t('Restore My Text');
  const selectedLabel = await showInformation(
    vscode.l10n.t('The message replaced your text.'),
    restoreLabel,
  );
  if (selectedLabel === restoreLabel) messageInput.restorePreviousText();
}

function showMessage(message: string): void {
  void showInformation(message);
}
