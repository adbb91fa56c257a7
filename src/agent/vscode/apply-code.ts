import * as vscode from 'vscode';
import {
  applyBlock,
  type AppliedBlock,
  type BlockRefusal,
  type BlockRefusalReason,
  type CodeBlock,
} from '../answer/apply-block.ts';
import {
  type ApplyModel,
  applyModelEdits,
  buildApplyRequest,
  canRequestEdits,
  computeMaxApplyUsage,
} from '../answer/apply-request.ts';
import { findNamedFile } from '../answer/block-target.ts';
import { formatCause } from '../answer/answer-marks.ts';
import { createFileTextFromBlock } from '../answer/new-file-text.ts';
import type { ChangeRecorder, TurnRef } from '../changes/vscode/change-recorder.ts';
import type { Permissions } from '../permissions/approval.ts';
import type { Tool } from '../tool.ts';
import { createTextFile } from '../tools/vscode/create-file.ts';
import { isNotebookPath } from '../../workspace/vscode/documents.ts';
import { openTextFile, type TextFile } from '../tools/vscode/text-file.ts';
import { countChangedLines } from '../../base/line-diff.ts';
import type { ModelReference } from '../../models/vscode/selected-model.ts';
import { createId } from '../../base/ids.ts';
import type { Log } from '../../platform/log.ts';
import {
  confirm,
  escapeIcons,
  showCancellable,
  showWarning,
  showWithActions,
} from '../../platform/notifications.ts';
import { findActiveOrVisibleEditor } from '../../platform/window.ts';
import type { ChatCompletion } from '../../service/chat/chat.ts';
import type { ChatRequest } from '../../service/chat/chat-types.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { estimateCost, formatPrice } from '../../service/pricing.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { PathResolver, ResolvedPath } from '../../workspace/vscode/paths.ts';
import { confirmSendFile } from '../../workspace/vscode/send-consent.ts';

/** Access to the model that the user selected in the chat. */
export interface EditModel {
  /** Returns the selected model, with its properties if the service lists it. Rejects if no model is selected. */
  readonly selectModel: () => Promise<ModelReference & ApplyModel>;
  /**
   * Sends a request to the model and returns its complete answer.
   * @throws ServiceError if the request fails
   */
  readonly complete: (request: ChatRequest, signal: AbortSignal) => Promise<ChatCompletion>;
}

export interface ApplyPorts {
  readonly paths: PathResolver;
  readonly changes: ChangeRecorder;
  readonly permissions: Pick<Permissions, 'evaluateCall'>;
  /** Edit tool whose permission rules apply to the change; undefined if no folder is open. */
  readonly editTool: Tool | undefined;
  readonly model: EditModel;
  readonly log: Pick<Log, 'info'>;
}

/** A planned change of a file. */
interface PlannedFileChange {
  readonly resolvedPath: ResolvedPath;
  readonly before: string;
  readonly after: string;
  /** Edits of an existing file; absent for a new file. */
  readonly existingFile?: Pick<TextFile, 'isUnsaved'> &
    Pick<AppliedBlock, 'edits' | 'omittedLineCount'>;
}

/** Reason why a file stays unchanged, for the user. */
export interface ApplyFailure {
  readonly message: string;
  /** Lines of the code and of the file that show why the code cannot be applied. Can be empty. */
  readonly details: string;
}

/** Error whose message explains to the user why a file stays unchanged. */
class ApplyError extends Error {
  readonly details: string;

  constructor({ message, details }: ApplyFailure) {
    super(message);
    this.details = details;
  }
}

const createError = (message: string): ApplyError => new ApplyError({ message, details: '' });

/** Error for code that does not show where to change the file. A model may still be able to produce the edits. */
class UnclearCodeError extends ApplyError {
  readonly resolvedPath: ResolvedPath;
  readonly text: string;

  constructor(failure: ApplyFailure, resolvedPath: ResolvedPath, text: string) {
    super(failure);
    this.resolvedPath = resolvedPath;
    this.text = text;
  }
}

/**
 * Applies a code block to a file. Shows the file and the size of the change, asks for approval if the permission rules
 * require it, and records the change for review. If the code does not show where to change the file, the user can let a
 * model produce the edits.
 * @returns the reason why nothing was changed; undefined after a change, and if the user canceled
 */
export async function applyCode(
  block: CodeBlock,
  conversationId: string,
  ports: ApplyPorts,
): Promise<ApplyFailure | undefined> {
  try {
    await new CodeApplication(block, conversationId, ports).run();
    return undefined;
  } catch (error) {
    if (error instanceof ApplyError) return error;
    if (error instanceof ToolError) return { message: error.message, details: '' };
    if (error instanceof ServiceError)
      return error.failure.code === 'stopped'
        ? undefined
        : { message: error.failure.message, details: '' };
    throw error;
  }
}

/**
 * Shows a failure with details as a notification. A button of the notification shows the details.
 * @returns the message for the chat if the failure has no details; otherwise undefined
 */
export function showApplyFailure(failure: ApplyFailure | undefined): string | undefined {
  if (failure === undefined) return undefined;
  const { message, details: detail } = failure;
  if (detail === '') return message;
  const label = vscode.l10n.t('Details');
  const run = (): unknown => confirm({ question: message, detail, severity: 'information' });
  void showWithActions(showWarning, message, [{ label, run }]);
  return undefined;
}

class CodeApplication {
  readonly #block: CodeBlock;
  readonly #conversationId: string;
  readonly #ports: ApplyPorts;

  constructor(block: CodeBlock, conversationId: string, ports: ApplyPorts) {
    this.#block = block;
    this.#conversationId = conversationId;
    this.#ports = ports;
  }

  /**
   * Applies the code block.
   * @throws ApplyError or ToolError if the code block cannot be applied
   */
  async run(): Promise<void> {
    if (!vscode.workspace.isTrusted)
      throw createError(vscode.l10n.t('Trust this workspace first.'));
    if (this.#ports.editTool === undefined) throw createError(getOpenFolderMessage());
    const foundPath = await this.#findTarget();
    let path = foundPath ?? (await chooseFile());
    let isSuggested = foundPath !== undefined;
    while (path !== undefined && (await this.#applyToFile(path, isSuggested)) === 'other') {
      path = await chooseFile();
      isSuggested = false;
    }
  }

  /**
   * Applies the code block to a file if the user confirms it.
   * @param isSuggested False if the user chose the file in a dialog.
   * @returns the user's answer; `other` to choose another file
   */
  async #applyToFile(path: string, isSuggested: boolean): Promise<'apply' | 'cancel' | 'other'> {
    try {
      const plan = await this.#planChange(path);
      const answer = await this.#confirmChange(plan, isSuggested);
      if (answer === 'apply') await this.#writeChange(plan);
      return answer;
    } catch (error) {
      if (!(error instanceof UnclearCodeError)) throw error;
      return this.#applyWithModel(error);
    }
  }

  /** Lets a model produce the edits if the user agrees to the request and its price. */
  async #applyWithModel(unclearError: UnclearCodeError): Promise<'apply' | 'cancel' | 'other'> {
    const { message, details, resolvedPath, text } = unclearError;
    const { label } = resolvedPath;
    const { model: editModel } = this.#ports;
    const emptyChange: PlannedFileChange = { resolvedPath, before: text, after: text };
    if ((await this.#checkPermission(emptyChange)).decision === 'refuse') throw unclearError;
    // Without a model, shows the user why the text was not applied, so that the user can resolve the cause.
    const model = await editModel.selectModel().catch(() => undefined);
    if (model === undefined) throw unclearError;
    const request = buildApplyRequest({ model, path: label, text, block: this.#block });
    const cost = estimateCost(computeMaxApplyUsage(request), model.pricing);
    const price = formatPrice(cost);
    const letModelLabel = vscode.l10n.t('Let a Model Apply It');
    const otherLabel = vscode.l10n.t('Choose a file');
    const suggestion =
      price === ''
        ? vscode.l10n.t(
            '{0} can read the file and apply the code. Its price is unknown.',
            model.name,
          )
        : vscode.l10n.t(
            '{0} can read the file and apply the code for up to {1}.',
            model.name,
            price,
          );
    const detail = details === '' ? suggestion : `${details}\n\n${suggestion}`;
    const answer = await confirm({ question: message, detail }, letModelLabel, otherLabel);
    if (answer === otherLabel) return 'other';
    if (answer !== letModelLabel || !(await confirmSendFile(resolvedPath.uri, label)))
      return 'cancel';
    const title = vscode.l10n.t('{0} is applying the code to {1}', model.name, label);
    const completion = await showCancellable(title, (signal) =>
      editModel.complete(request, signal),
    );
    const appliedBlock = applyModelEdits(text, completion, label);
    if (appliedBlock.kind === 'refused')
      throw new ApplyError(this.#describeRefusal(appliedBlock, label));
    const { edits, omittedLineCount = 0 } = appliedBlock;
    const plan: PlannedFileChange = {
      resolvedPath,
      before: text,
      after: appliedBlock.text,
      existingFile: {
        isUnsaved: (await openTextFile(resolvedPath)).isUnsaved,
        edits,
        omittedLineCount,
      },
    };
    const decision = await this.#confirmChange(plan, true);
    if (decision === 'apply') await this.#writeChange(plan);
    return decision;
  }

  #describeRefusal(refusal: BlockRefusal, label: string): ApplyFailure {
    const { cause, reason } = refusal;
    this.#ports.log.info(`A code block was not applied: ${cause?.rule ?? reason}`);
    return { message: formatRefusal(refusal, label), details: formatDetails(refusal) };
  }

  /**
   * Returns the path of the file that the code block names, or else the path of the active file; undefined if there is
   * neither.
   */
  async #findTarget(): Promise<string | undefined> {
    const activePath = getActiveFilePath();
    const namedFile = findNamedFile(this.#block);
    if (namedFile === undefined) return activePath;
    const { path, isCertain } = namedFile;
    if (await this.#fileExists(path)) return path;
    if (activePath?.replaceAll('\\', '/').endsWith(`/${path}`) === true) return activePath;
    if (!path.startsWith('/') && !path.startsWith('..')) {
      const pattern = `**/${path.replaceAll(/[[\]{}*?]/gu, '[$&]')}`;
      const [onlyFile, otherFile] = await vscode.workspace.findFiles(pattern, undefined, 2);
      if (onlyFile !== undefined && otherFile === undefined) return toDisplayPath(onlyFile);
    }
    return isCertain ? path : activePath;
  }

  async #fileExists(path: string): Promise<boolean> {
    try {
      return (await this.#ports.paths.resolvePath(path)).facts.kind !== 'missing';
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  async #planChange(path: string): Promise<PlannedFileChange> {
    const resolvedPath = await this.#ports.paths.resolvePath(path);
    const { label, uri, facts } = resolvedPath;
    if (facts.kind === 'directory')
      throw createError(vscode.l10n.t('{0} is a folder. Choose a file.', label));
    if (isNotebookPath(uri))
      throw createError(
        vscode.l10n.t('{0} is a notebook. Insert the code into one of its cells.', label),
      );
    if (facts.kind === 'missing') {
      const newFile = createFileTextFromBlock(this.#block, label);
      if (newFile.kind === 'refused') throw new ApplyError(this.#describeRefusal(newFile, label));
      return { resolvedPath, before: '', after: newFile.text };
    }
    const file = await openTextFile(resolvedPath);
    const appliedBlock = applyBlock(file.text, this.#block, label);
    if (appliedBlock.kind === 'refused') {
      const failure = this.#describeRefusal(appliedBlock, label);
      const isUnclear =
        unclearReasons.has(appliedBlock.reason) && canRequestEdits(file.text, this.#block);
      throw isUnclear
        ? new UnclearCodeError(failure, resolvedPath, file.text)
        : new ApplyError(failure);
    }
    const { text, edits, omittedLineCount = 0 } = appliedBlock;
    return {
      resolvedPath,
      before: file.text,
      after: text,
      existingFile: { isUnsaved: file.isUnsaved, edits, omittedLineCount },
    };
  }

  /**
   * Asks the user to confirm the file. If the permission rules require approval, the same question asks for approval
   * too.
   * @param isSuggested False if the user chose the file in a dialog. A confirmation is then necessary only if the rules
   *   require approval or the code omits lines.
   */
  async #confirmChange(
    plan: PlannedFileChange,
    isSuggested: boolean,
  ): Promise<'apply' | 'cancel' | 'other'> {
    const { label } = plan.resolvedPath;
    const { decision, reasons } = await this.#checkPermission(plan);
    const verb = vscode.l10n.t('Apply');
    const reasonText = reasons.map(({ text }) => text).join(' ');
    if (decision === 'refuse') throw createError(vscode.l10n.t('Not allowed: {0}', reasonText));
    const size = formatChangeSize(plan);
    if (decision === 'ask') {
      const question = vscode.l10n.t('Apply the code to {0}?', label);
      const answer = await confirm({ question, detail: `${reasonText}\n\n${size}` }, verb);
      return answer === verb ? 'apply' : 'cancel';
    }
    if (!isSuggested && (plan.existingFile?.omittedLineCount ?? 0) === 0) return 'apply';
    const targetItem = { label: escapeIcons(label), description: size };
    const otherItem = { label: vscode.l10n.t('Choose a file') };
    const title = vscode.l10n.t('Apply');
    const chosenItem = await vscode.window.showQuickPick([targetItem, otherItem], { title });
    if (chosenItem === undefined) return 'cancel';
    return chosenItem === targetItem ? 'apply' : 'other';
  }

  #checkPermission({
    resolvedPath,
    before,
    after,
  }: PlannedFileChange): ReturnType<Permissions['evaluateCall']> {
    const { editTool, permissions } = this.#ports;
    if (editTool === undefined) throw createError(getOpenFolderMessage());
    const resource = {
      type: 'path' as const,
      path: toDisplayPath(resolvedPath.uri),
      access: 'write' as const,
      change: { before, after },
    };
    const verb = vscode.l10n.t('Apply');
    return permissions.evaluateCall(
      editTool,
      { verb, target: resolvedPath.label, resources: [resource] },
      // The user requested this change, so that ordinary files need no further question.
      { conversationId: this.#conversationId, level: 'applyEdits' },
    );
  }

  /**
   * Writes the change and records it as a separate turn, so that the user can review it independently of other turns.
   */
  async #writeChange({
    resolvedPath,
    before,
    after,
    existingFile,
  }: PlannedFileChange): Promise<void> {
    const { changes, paths } = this.#ports;
    const { uri } = resolvedPath;
    const turn: TurnRef = { conversationId: this.#conversationId, turnId: createId() };
    const recheck = (): Promise<void> => paths.checkPathUnchanged(resolvedPath);
    if (existingFile === undefined) {
      await createTextFile({ changes, recheck }, turn, { resolved: resolvedPath, content: after });
    } else {
      // VS Code may have saved the file while the question was open.
      const file = await openTextFile(resolvedPath);
      if (file.text !== before) throw createError(formatChangedMessage(resolvedPath.label));
      await file.saveChanges?.();
      await changes.recordBeforeChange(turn, uri);
      await recheck();
      await file.write(existingFile.edits);
      await changes.recordAfterChange(turn, { type: 'edit', uri });
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const position = document.positionAt(existingFile?.edits[0]?.start ?? 0);
    await vscode.window.showTextDocument(document, {
      preview: false,
      selection: new vscode.Range(position, position),
    });
  }
}

const getOpenFolderMessage = (): string => vscode.l10n.t('Open a folder first.');

/** Reasons why a code block cannot be applied directly, although a model may still be able to produce the edits. */
const unclearReasons: ReadonlySet<BlockRefusalReason> = new Set([
  'elision',
  'malformed',
  'no-match',
  'ambiguous',
  'overlap',
  'cuts-word',
  'no-place',
  'loses-content',
  'indentation',
]);

function getActiveFilePath(): string | undefined {
  const uri = findActiveOrVisibleEditor()?.document.uri;
  const isFile = uri !== undefined && vscode.workspace.fs.isWritableFileSystem(uri.scheme) === true;
  return isFile && uri.scheme !== 'untitled' ? toDisplayPath(uri) : undefined;
}

const toDisplayPath = (uri: vscode.Uri): string => (uri.scheme === 'file' ? uri.fsPath : uri.path);

async function chooseFile(): Promise<string | undefined> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Apply'),
      openLabel: vscode.l10n.t('Apply'),
      ...(defaultUri === undefined ? {} : { defaultUri }),
    })) ?? [];
  return uri === undefined ? undefined : toDisplayPath(uri);
}

/** Formats the number of changed lines, and notes unsaved changes that the write also saves. */
function formatChangeSize({ before, after, existingFile }: PlannedFileChange): string {
  const splitLines = (text: string): readonly string[] =>
    text.replace(/\r?\n$/u, '').split(/\r?\n/u);
  if (existingFile === undefined) {
    const lineCount = splitLines(after).length;
    return vscode.l10n.t('New file, +{0}', lineCount);
  }
  const { added, removed } = countChangedLines(splitLines(before), splitLines(after));
  const { omittedLineCount = 0 } = existingFile;
  const lineCounts = `+${added} −${removed}`;
  const omission = vscode.l10n.t('The code leaves out {0} lines of the file', omittedLineCount);
  const size = omittedLineCount > 0 ? `${lineCounts}. ${omission}` : lineCounts;
  if (!existingFile.isUnsaved) return size;
  const note = vscode.l10n.t('The file has unsaved changes, which will be saved with this edit.');
  return `${size}. ${note}`;
}

const formatChangedMessage = (label: string): string =>
  vscode.l10n.t('{0} was changed meanwhile. Apply the code again.', label);

function formatRefusal({ reason, cause, answer = '' }: BlockRefusal, label: string): string {
  const unchangedNote = vscode.l10n.t('{0} was not changed.', label);
  if (cause !== undefined) return `${unchangedNote} ${formatCause(cause)}`;
  return `${unchangedNote} ${refusalFormatters[reason](shortenText(answer))}`;
}

/** Formats the first line of a hunk that differs from the file, or the locations to which the hunk can refer. */
function formatDetails({ hunkNumber = 0, difference, candidates = [] }: BlockRefusal): string {
  if (difference === undefined)
    return candidates.map(({ line, text }) => `${line}: ${shortenText(text)}`).join('\n');
  const { code, file } = difference;
  const sentence = vscode.l10n.t(
    'Line {0} of change {1} differs from line {2} of the file:',
    code.line,
    hunkNumber,
    file.line,
  );
  return [sentence, shortenText(code.text), shortenText(file.text)].join('\n');
}

/** Maximum number of characters of a line or an answer in a message. */
const maxExcerptLength = 100;

/** Returns the beginning of a text on one line. */
function shortenText(text: string): string {
  const line = text
    .slice(0, 2 * maxExcerptLength)
    .trim()
    .replaceAll(/\s+/gu, ' ');
  return line.length <= maxExcerptLength ? line : `${line.slice(0, maxExcerptLength).trim()}…`;
}

const refusalFormatters: Readonly<Record<BlockRefusalReason, (answer: string) => string>> = {
  empty: () => vscode.l10n.t('The code block is empty.'),
  'too-long': () => vscode.l10n.t('The code block is too long.'),
  elision: () =>
    vscode.l10n.t('The code leaves out lines behind a comment. Ask the model for the whole code.'),
  'several-files': () =>
    vscode.l10n.t('The diff changes several files. Ask the model for one block per file.'),
  'deletes-file': () =>
    vscode.l10n.t('The code would leave nothing of the file. Delete it yourself.'),
  malformed: () => vscode.l10n.t('The diff is incomplete. Ask the model for it again.'),
  'no-edits': (answer) => vscode.l10n.t('The model answered without edits: {0}', answer),
  'no-file': () => vscode.l10n.t('The file does not exist, and the diff changes an existing file.'),
  'no-match': () => vscode.l10n.t('The code does not match the file.'),
  ambiguous: () =>
    vscode.l10n.t('The code matches several places. Ask the model for more lines around it.'),
  overlap: () => vscode.l10n.t('Two changes of the code overlap.'),
  'cuts-word': () => vscode.l10n.t('The code begins or ends inside a word of the file.'),
  'loses-content': () => vscode.l10n.t('The code would delete other parts of the file.'),
  'no-place': () =>
    vscode.l10n.t(
      'The first and the last line of the code must each occur exactly once in the file. Insert the code at the cursor instead.',
    ),
  indentation: () =>
    vscode.l10n.t(
      'The indentation of the code does not fit. Insert the code at the cursor instead.',
    ),
  'cut-off': () => vscode.l10n.t('The answer is incomplete.'),
  'no-change': () => vscode.l10n.t('The file already contains this code.'),
};
