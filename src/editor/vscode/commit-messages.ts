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

/** In milliseconds: more often nobody sees it. */
const betweenWrites = 60;

/** The input for a commit message while one is written into it. What the person types there meanwhile wins. */
export class MessageBox {
  /** What stood there before. */
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

  /** The person changed the text: nothing is written any more. */
  get isTaken(): boolean {
    this.#isTaken ||= this.#input.value !== this.#shown;
    return this.#isTaken;
  }

  /** Nothing was written into it. */
  get isEmpty(): boolean {
    return this.#written === 0;
  }

  /** Shows the message so far, now and then. False when the person writes there themselves. */
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
 * The repository that a command means: the one whose title bar was pressed, else the only one, else that of the file in
 * front, else the one that the person picks.
 * @returns `none` where there is no repository; undefined when the person changed their mind
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

/** Writes commit messages into the input of Source Control, one at a time. */
export class CommitMessages implements Disposable {
  readonly #host: Host;
  readonly #keys = new ContextKeys();
  #running: AbortController | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Pressed again while a message is written, it stops that. */
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
        // The user writes the message instead.
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

/** A message is much shorter; what comes behind is not looked at. */
const longestAnswer = 50_000;

const nothingIn = ({ secretFiles }: Changes): string =>
  secretFiles > 0
    ? vscode.l10n.t('All changes are in files that may hold secrets, so nothing was sent.')
    : vscode.l10n.t('There are no changes to describe.');

const leftOut = (files: number): string =>
  files === 1
    ? vscode.l10n.t('1 file that may hold secrets was not sent.')
    : vscode.l10n.t('{0} files that may hold secrets were not sent.', files);

/** What the person had written went into the message, and can come back. */
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
