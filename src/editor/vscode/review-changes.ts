import * as vscode from 'vscode';
import { reportAndShowFailure } from '../../account/vscode/show-failure.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { isCutOff } from '../../base/model-answer.ts';
import { revealHiddenCharacters } from '../../base/visible-text.ts';
import { requireSelectedModel } from '../../models/vscode/selected-model.ts';
import {
  getGitApi,
  type GitRepository,
  listChangedFiles,
  toRelativePath,
} from '../../platform/git.ts';
import { showCancellable, showInformation } from '../../platform/notifications.ts';
import { createChatCompletion } from '../../service/chat/chat.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { isLikelySecret } from '../../workspace/secret-file.ts';
import {
  buildReviewRequest,
  type ReviewFinding,
  findMatchStart,
  formatFixInstruction,
  locateFinding,
  addLineNumbers,
  formatNewFile,
  readDiff,
  readFindings,
  type ReviewedFile,
  selectFiles,
} from './change-review.ts';
import { type LineSpan, updateSpan } from '../line-span.ts';
import { formatNoChangesMessage, formatOmittedFiles, pickRepository } from './commit-messages.ts';
import { type EditDependencies, editTarget } from './edit-command.ts';
import { resolveTarget } from './editor-target.ts';

/**
 * Maximum size in bytes of a new file, and maximum length in characters of a diff. Larger files and longer diffs do not
 * fit into a request and are not read.
 */
const maxReadLength = 200_000;

/** Reviews the changes of the working tree with a model, and shows the findings as editor comments. */
export class ChangeReviews implements Disposable {
  readonly #dependencies: EditDependencies;
  readonly #disposables = new DisposableStore();
  readonly #threads = new Map<vscode.CommentThread, ThreadState>();
  #controller: vscode.CommentController | undefined;
  /** Aborts the current review. */
  #abortController = new AbortController();

  constructor(dependencies: EditDependencies) {
    this.#dependencies = dependencies;
    this.#disposables.add(
      vscode.workspace.onDidChangeTextDocument((event) => this.#updateThreads(event)),
    );
  }

  /** Comment threads of the last review, without those that the user has discarded. */
  get threads(): readonly vscode.CommentThread[] {
    return [...this.#threads.keys()];
  }

  /**
   * Reviews the changes since the last commit. Aborts a review that is still running, and replaces the findings of
   * earlier reviews.
   */
  async review(args: readonly unknown[]): Promise<void> {
    if (!vscode.workspace.isTrusted)
      return showMessage(
        vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.'),
      );
    const repository = await pickRepository(args);
    if (repository === undefined) return;
    if (repository === 'none')
      return showMessage(vscode.l10n.t('Open a folder with a Git repository.'));
    this.#abortController.abort();
    this.#abortController = new AbortController();
    const { signal } = this.#abortController;
    await showCancellable(vscode.l10n.t('Review Changes'), (cancelSignal) =>
      this.#runReview(repository, AbortSignal.any([signal, cancelSignal])),
    );
  }

  /** Starts an edit that fixes the finding of a comment thread. The user then accepts or rejects the edit. */
  async fixFinding(argument: unknown): Promise<void> {
    const [thread, state] = this.#findThread(argument) ?? [];
    if (thread === undefined || state === undefined) return;
    const document = await vscode.workspace.openTextDocument(thread.uri);
    await vscode.window.showTextDocument(document);
    const { start, end } = state.span;
    const firstLine = document.lineAt(start);
    const range =
      end - start > 1
        ? new vscode.Range(start, 0, end - 1, document.lineAt(end - 1).text.length)
        : new vscode.Range(
            firstLine.lineNumber,
            firstLine.firstNonWhitespaceCharacterIndex,
            start,
            firstLine.firstNonWhitespaceCharacterIndex,
          );
    const { clock } = this.#dependencies.host.service;
    const target = await resolveTarget([thread.uri, range], clock);
    if (target === undefined) return;
    await editTarget(this.#dependencies, target, () =>
      Promise.resolve(formatFixInstruction(state.message)),
    );
  }

  /** Removes the finding of a comment thread. */
  discardFinding(argument: unknown): void {
    const [thread] = this.#findThread(argument) ?? [];
    if (thread === undefined) return;
    thread.dispose();
    this.#threads.delete(thread);
    if (this.#threads.size === 0) this.#clearThreads();
  }

  dispose(): void {
    this.#abortController.abort();
    this.#clearThreads();
    this.#disposables.dispose();
  }

  async #runReview(repository: GitRepository, signal: AbortSignal): Promise<void> {
    const { account, models, service } = this.#dependencies.host;
    const changes = await readChangedFiles(repository, signal);
    if (signal.aborted) return;
    const { sentFiles, changedPaths, secretFileCount } = changes;
    if (changedPaths.length === secretFileCount)
      return showMessage(formatNoChangesMessage({ secretFileCount }));
    if (sentFiles.length === 0) return showMessage(formatCoverage(changes));
    const { profile } = account;
    try {
      const model = await requireSelectedModel(models, signal);
      const request = buildReviewRequest(model.id, sentFiles);
      const completion = await createChatCompletion(service, request, { signal });
      account.reportOutcome(completion.info, profile);
      const findings = readFindings(completion.text, sentFiles);
      if (signal.aborted) return;
      if (findings === undefined)
        return showMessage(
          isCutOff(completion.finishReason)
            ? vscode.l10n.t('The answer is incomplete.')
            : vscode.l10n.t('The model gave no usable answer. Retry, or choose another model.'),
        );
      const locatedFindings = await locateFindings(repository.rootUri, findings, sentFiles);
      if (signal.aborted) return;
      this.#clearThreads();
      if (findings.length === 0) showMessage(vscode.l10n.t('There are no problems.'));
      else await this.#showFindings(locatedFindings, model.id);
      if (sentFiles.length < changedPaths.length) showMessage(formatCoverage(changes));
    } catch (error) {
      if (signal.aborted) return;
      const { failure } = toServiceError(error);
      await reportAndShowFailure(
        { account, profile, failure },
        { retry: () => this.review([{ rootUri: repository.rootUri }]) },
      );
    }
  }

  async #showFindings(findings: readonly FindingInDocument[], modelId: string): Promise<void> {
    if (findings.length === 0)
      return showMessage(vscode.l10n.t('The lines have changed since the review.'));
    const { models } = this.#dependencies.host;
    const modelName = models.find(modelId)?.name ?? modelId;
    const controller = vscode.comments.createCommentController(
      'inferenceService.review',
      modelName,
    );
    this.#controller = controller;
    for (const { uri, span, lines, message, isCurrent } of findings) {
      const thread = controller.createCommentThread(uri, toRange(span), [
        // A string is shown without formatting, so that a hostile answer cannot load images or links.
        { body: message, mode: vscode.CommentMode.Preview, author: { name: modelName } },
      ]);
      thread.canReply = false;
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
      this.#threads.set(thread, { span, lines, message, author: modelName });
      updateThread(thread, modelName, isCurrent);
    }
    const [firstThread] = this.#threads.keys();
    if (firstThread !== undefined)
      await vscode.window.showTextDocument(firstThread.uri, {
        selection: toStartRange(firstThread.range),
      });
  }

  /**
   * Moves the findings when their lines move. If the lines of a finding change, its comment offers no fix until the
   * reviewed text of these lines is restored.
   */
  #updateThreads({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    for (const [thread, state] of this.#threads) {
      if (thread.uri.toString() !== document.uri.toString()) continue;
      const changes = contentChanges.map(({ range, text }) => ({
        start: range.start,
        end: range.end,
        text,
      }));
      const updatedSpan = updateSpan(state.span, changes)?.span ?? state.span;
      const span = locateLines(document, state.lines, updatedSpan);
      state.span = span ?? clampSpan(updatedSpan, document.lineCount);
      thread.range = toRange(state.span);
      updateThread(thread, state.author, span !== undefined);
    }
  }

  #findThread(argument: unknown): [vscode.CommentThread, ThreadState] | undefined {
    return [...this.#threads].find(([thread]) => thread === argument);
  }

  #clearThreads(): void {
    for (const thread of this.#threads.keys()) thread.dispose();
    this.#threads.clear();
    this.#controller?.dispose();
    this.#controller = undefined;
  }
}

interface ThreadState {
  span: LineSpan;
  /** Text of the reviewed lines. */
  readonly lines: readonly string[];
  readonly message: string;
  /** Name of the model that made the review. */
  readonly author: string;
}

/**
 * Updates a comment thread to show whether the document still contains the reviewed lines. Sets `contextValue`, which
 * determines the menu of the thread.
 */
function updateThread(thread: vscode.CommentThread, author: string, isCurrent: boolean): void {
  thread.contextValue = isCurrent ? 'open' : 'changed';
  thread.state = isCurrent
    ? vscode.CommentThreadState.Unresolved
    : vscode.CommentThreadState.Resolved;
  thread.label = isCurrent ? author : vscode.l10n.t('The lines have changed since the review.');
}

/** Finds the reviewed lines in the document. Returns undefined if these lines changed. */
function locateLines(
  document: vscode.TextDocument,
  lines: readonly string[],
  { start }: LineSpan,
): LineSpan | undefined {
  const newStart = findMatchStart(splitLines(document), lines, start);
  return newStart === undefined ? undefined : { start: newStart, end: newStart + lines.length };
}

const splitLines = (document: vscode.TextDocument): readonly string[] =>
  document.getText().split(/\r?\n/u);

function clampSpan({ start, end }: LineSpan, lineCount: number): LineSpan {
  const firstLine = Math.min(start, lineCount - 1);
  return { start: firstLine, end: Math.min(Math.max(firstLine + 1, end), lineCount) };
}

const toRange = ({ start, end }: LineSpan): vscode.Range =>
  new vscode.Range(start, 0, Math.max(start, end - 1), 0);

const toStartRange = (range: vscode.Range | undefined): vscode.Range => {
  const line = range?.start.line ?? 0;
  return new vscode.Range(line, 0, line, 0);
};

interface FindingInDocument {
  readonly uri: vscode.Uri;
  readonly span: LineSpan;
  /** Text of the reviewed lines. */
  readonly lines: readonly string[];
  readonly message: string;
  /** False if the document no longer contains the reviewed lines. */
  readonly isCurrent: boolean;
}

/** Finds the reviewed lines in the documents, which may have unsaved edits. Omits findings in deleted files. */
async function locateFindings(
  root: vscode.Uri,
  findings: readonly ReviewFinding[],
  files: readonly ReviewedFile[],
): Promise<readonly FindingInDocument[]> {
  const paths = [...new Set(findings.map(({ path }) => path))];
  const documents = new Map(
    await Promise.all(
      paths.map(
        async (path) => [path, await openDocument(vscode.Uri.joinPath(root, path))] as const,
      ),
    ),
  );
  return findings.flatMap((finding) => {
    const document = documents.get(finding.path);
    if (document === undefined) return [];
    const { lines, start } = locateFinding(splitLines(document), finding, files);
    const { uri, lineCount } = document;
    const span = {
      start: start ?? finding.line - 1,
      end: (start ?? finding.line - 1) + lines.length,
    };
    const { message } = finding;
    const isCurrent = start !== undefined;
    return [{ uri, span: clampSpan(span, lineCount), lines, message, isCurrent }];
  });
}

async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    // The file was deleted during the review.
    return undefined;
  }
}

/** Maximum number of files that are read at the same time. Limited, because each file needs a Git process. */
const maxParallelReads = 8;

interface ChangedFiles {
  /** Files that fit into one request. */
  readonly sentFiles: readonly ReviewedFile[];
  /** Paths of all changed files, relative to the repository root. */
  readonly changedPaths: readonly string[];
  readonly secretFileCount: number;
}

/**
 * Reads the changes since the last commit. Omits files without text, files that do not fit into a request, and files
 * for which Git fails. Also omits files whose name before or after a rename suggests secrets.
 */
async function readChangedFiles(
  repository: GitRepository,
  signal: AbortSignal,
): Promise<ChangedFiles> {
  const { rootUri } = repository;
  const changedFiles = listChangedFiles(repository);
  // A renamed file appears as a new file in the diff, with all of its text.
  const sendableFiles = changedFiles.filter(
    ({ locations }) => !locations.some((uri) => isLikelySecret(toRelativePath(rootUri, uri))),
  );
  const program = (await getGitApi())?.git.path;
  let sentFiles: readonly ReviewedFile[] = [];
  for (let start = 0; start < sendableFiles.length && !signal.aborted; start += maxParallelReads) {
    const filePromises = sendableFiles
      .slice(start, start + maxParallelReads)
      .map(async ({ uri }) => {
        const path = toRelativePath(rootUri, uri);
        if (program === undefined) return undefined;
        const diff = await readDiff({
          program,
          root: rootUri.fsPath,
          file: uri.fsPath,
          maxLength: maxReadLength,
          signal,
        });
        if (diff === undefined) return undefined;
        return diff === '' ? readNewFile(uri, path) : addLineNumbers(path, diff);
      });
    const files = (await Promise.all(filePromises)).filter((file) => file !== undefined);
    // Drops files that do not fit after each batch, so that a large change does not fill the memory.
    sentFiles = selectFiles([...sentFiles, ...files]);
  }
  return {
    sentFiles,
    changedPaths: changedFiles.map(({ uri }) => toRelativePath(rootUri, uri)),
    secretFileCount: changedFiles.length - sendableFiles.length,
  };
}

async function readNewFile(uri: vscode.Uri, path: string): Promise<ReviewedFile | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    // A symbolic link could lead to a file outside the repository.
    if (type !== vscode.FileType.File || size > maxReadLength) return undefined;
    return formatNewFile(path, new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  } catch {
    // The file was deleted.
    return undefined;
  }
}

/** Maximum number of omitted files that a message names. */
const maxNames = 5;

/** Formats the number of reviewed files, and the names of the omitted files. */
function formatCoverage({ sentFiles, changedPaths, secretFileCount }: ChangedFiles): string {
  const sentPaths = new Set(sentFiles.map(({ path }) => path));
  const omittedPaths = changedPaths.filter((path) => !sentPaths.has(path)).toSorted();
  const listedPaths =
    omittedPaths.length > maxNames ? [...omittedPaths.slice(0, maxNames), '…'] : omittedPaths;
  const coverageText = vscode.l10n.t(
    '{0} of {1} changed files were reviewed, without {2}.',
    sentFiles.length,
    changedPaths.length,
    listedPaths.map(revealHiddenCharacters).join(', '),
  );
  return secretFileCount === 0
    ? coverageText
    : `${coverageText} ${formatOmittedFiles(secretFileCount)}`;
}

function showMessage(message: string): void {
  void showInformation(message);
}
