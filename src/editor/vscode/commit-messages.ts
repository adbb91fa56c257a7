import * as vscode from 'vscode';
import { failureAction, isChatAction } from '../../account/vscode/failure-actions.ts';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { isRecord } from '../../base/json.ts';
import { extractCommitMessage, buildCommitRequest } from '../../conversation/commit-prompt.ts';
import { type Changes, changesOf } from './commit-changes.ts';
import type { Host } from '../../host.ts';
import { requireSelectedModel } from '../../models/vscode/selected-model.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { getGitApi, type GitRepository } from '../../platform/git.ts';
import {
  showWithActions,
  showProgress,
  showError,
  showInformation,
  showStatusMessage,
  escapeIcons,
} from '../../platform/notifications.ts';
import type { StreamOutcome } from '../../service/chat/chat-types.ts';
import { failureTable } from '../../service/http/failure.ts';
import { failedOutcome } from '../../service/http/network-failure.ts';

/** Minimum interval between updates, in milliseconds. Faster updates are not visible. */
const betweenWrites = 60;

/** The commit message input during streaming. Text that the user types takes precedence. */
export class MessageBox {
  /** Text of the input before the first update. */
  readonly replaced: string;
  readonly #input: { value: string };
  readonly #clock: Clock;
  #shown: string;
  #written = 0;
  #isTaken = false;

  constructor(input: { value: string }, clock: Clock) {
    this.#input = input;
    this.#clock = clock;
    this.replaced = input.value;
    this.#shown = input.value;
  }

  /** True after the user changed the text. No more updates follow then. */
  get isTaken(): boolean {
    this.#isTaken ||= this.#input.value !== this.#shown;
    return this.#isTaken;
  }

  /** True if no update was written. */
  get isEmpty(): boolean {
    return this.#written === 0;
  }

  /**
   * Shows the message so far, at most once per interval. Returns false if the user changed the
   * text.
   */
  show(message: () => string): boolean {
    if (this.isTaken) return false;
    if (this.#clock.now() - this.#written >= betweenWrites) this.#write(message());
    return true;
  }

  end(message: string): void {
    if (!this.isTaken) this.#write(message);
  }

  restore(): void {
    this.#shown = this.replaced;
    this.#input.value = this.replaced;
  }

  #write(message: string): void {
    if (message === '') return;
    this.#written = this.#clock.now();
    this.#shown = message;
    this.#input.value = message;
  }
}

/**
 * Returns the repository for a command: the one whose title bar was clicked, else the only one,
 * else that of the active file, else the user's choice.
 * @returns `none` without a repository; undefined if canceled
 */
export async function pickRepository(
  args: readonly unknown[],
): Promise<GitRepository | 'none' | undefined> {
  const git = await getGitApi();
  if (git === undefined || git.repositories.length === 0) return 'none';
  const [pressed] = args;
  const root: unknown = isRecord(pressed) ? pressed['rootUri'] : undefined;
  const active = vscode.window.activeTextEditor?.document.uri;
  const [only] = git.repositories;
  if (root instanceof vscode.Uri) return git.getRepository(root) ?? 'none';
  if (git.repositories.length === 1) return only;
  return (active && git.getRepository(active)) ?? choose(git.repositories);
}

async function choose(repositories: readonly GitRepository[]): Promise<GitRepository | undefined> {
  const items = repositories.map((repository) => ({
    label: escapeIcons(repository.rootUri.path.split('/').at(-1) ?? ''),
    description: escapeIcons(vscode.workspace.asRelativePath(repository.rootUri)),
    repository,
  }));
  const placeHolder = vscode.l10n.t('For which repository?');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.repository;
}

/** Writes commit messages into the Source Control input, one at a time. */
export class CommitMessages implements Disposable {
  readonly #host: Host;
  readonly #keys = new ContextKeys();
  #running: AbortController | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Writes a commit message. If one is being written, stops it instead. */
  async generate(args: readonly unknown[]): Promise<void> {
    if (this.#running !== undefined) return this.stop();
    if (!vscode.workspace.isTrusted)
      return tell(vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.'));
    const repository = await pickRepository(args);
    if (repository === undefined) return;
    if (repository === 'none') return tell(vscode.l10n.t('Open a folder with a Git repository.'));
    const abort = new AbortController();
    this.#set(abort);
    try {
      const location = vscode.ProgressLocation.SourceControl;
      const title = vscode.l10n.t('Writing a commit message');
      await showProgress({ location, title }, () => this.#write(repository, abort.signal));
    } finally {
      this.#set(undefined);
    }
  }

  stop(): void {
    this.#running?.abort();
  }

  dispose(): void {
    this.stop();
  }

  async #write(repository: GitRepository, signal: AbortSignal): Promise<void> {
    const changes = await changesOf(repository);
    if (signal.aborted) return;
    if (changes.isEmpty) return tell(nothingIn(changes));
    if (changes.isUnstaged)
      showStatusMessage(vscode.l10n.t('Nothing is staged: this is about all changes.'));
    else if (changes.secretFiles > 0) showStatusMessage(leftOut(changes.secretFiles));
    const box = new MessageBox(repository.inputBox, this.#host.service.clock);
    const outcome = await this.#stream(box, changes, signal);
    if (box.isTaken) return;
    if (outcome?.kind === 'failed' || box.isEmpty || signal.aborted) box.restore();
    if (outcome?.kind === 'failed' && !signal.aborted) return this.#tellFailure(outcome);
    if (signal.aborted) return;
    if (box.isEmpty) return tell(vscode.l10n.t('The model answered without a message.'));
    if (box.replaced !== '') void offerBack(box);
  }

  async #stream(
    box: MessageBox,
    { facts }: Changes,
    signal: AbortSignal,
  ): Promise<StreamOutcome | undefined> {
    const { account, models, service } = this.#host;
    const { profile } = account;
    const model = await requireSelectedModel(models, signal).catch(failedOutcome);
    if ('kind' in model) return model;
    const request = buildCommitRequest(model.id, facts);
    const { streamChat } = await import('../../service/chat/stream-chat.ts');
    let answer = '';
    for await (const events of streamChat(service, request, { signal })) {
      for (const event of events) {
        if (event.type === 'stream-start') account.report(event.info, profile);
        if (event.type === 'stream-end') {
          box.end(extractCommitMessage(answer));
          return event.outcome;
        }
        if (event.type !== 'text-delta' || answer.length > longestAnswer) continue;
        answer += event.text;
        // The user is typing a message instead.
        if (!box.show(() => extractCommitMessage(answer))) return undefined;
      }
    }
    return undefined;
  }

  async #tellFailure({ failure }: Extract<StreamOutcome, { kind: 'failed' }>): Promise<void> {
    this.#host.account.report(failure, this.#host.account.profile);
    const actions = failureTable[failure.code].actions.flatMap((action) =>
      isChatAction(action) ? [] : [failureAction(action)],
    );
    void showWithActions(showError, failure.message, actions);
  }

  #set(running: AbortController | undefined): void {
    this.#running = running;
    this.#keys.set('commitMessage.isRunning', running !== undefined);
  }
}

/** Maximum answer length in characters. A message is much shorter, so the rest is ignored. */
const longestAnswer = 50_000;

const nothingIn = ({ secretFiles }: Changes): string =>
  secretFiles > 0
    ? vscode.l10n.t('All changes are in files that may hold secrets, so nothing was sent.')
    : vscode.l10n.t('There are no changes to describe.');

const leftOut = (files: number): string =>
  files === 1
    ? vscode.l10n.t('1 file that may hold secrets was not sent.')
    : vscode.l10n.t('{0} files that may hold secrets were not sent.', files);

/** Notifies the user that the message replaced their text, with a button to restore it. */
async function offerBack(box: MessageBox): Promise<void> {
  const back = vscode.l10n.t('Restore My Text');
  const pressed = await showInformation(
    vscode.l10n.t('The message takes the place of what you had written.'),
    back,
  );
  if (pressed === back) box.restore();
}

function tell(message: string): void {
  void showInformation(message);
}
