import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { toSingleLine } from '../../base/hidden-characters.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import { MediaAttacher, type FileBytes, isMedia } from './media-attacher.ts';
import type { OpenChat, PageHandlers } from './open-chat.ts';
import type { Attachment } from '../../conversation/conversation.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import { findActiveOrVisibleEditor } from '../../platform/window.ts';
import { isLikelySecret } from '../../workspace/secret-file.ts';
import { findCell, getPathForModel } from '../../workspace/vscode/documents.ts';
import { confirmSendSecret, mayContainSecrets } from '../../workspace/vscode/send-consent.ts';

/** Decodes the text of a file whose encoding is unknown. Returns `undefined` for binary content. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns the encoding: UTF-16 if the bytes start with its byte order mark, otherwise UTF-8. */
function detectEncoding([firstByte, secondByte]: Uint8Array): string {
  if (firstByte === 0xff && secondByte === 0xfe) return 'utf-16le';
  return firstByte === 0xfe && secondByte === 0xff ? 'utf-16be' : 'utf-8';
}

type AttachmentOpen = Extract<WebviewMessage, { type: 'attachment-open' }>;

export type AttachSource = 'pick' | 'selection' | 'file' | 'problems' | 'image' | 'document';

/** Maximum length of an attached text in characters. A longer text exceeds the context of every model. */
const maxTextLength = 1_000_000;

/** Attaches text, images and documents to a message. Never attaches files of an untrusted workspace. */
export class AttachmentCommands {
  readonly mediaAttacher: MediaAttacher;

  constructor(context: vscode.ExtensionContext) {
    this.mediaAttacher = new MediaAttacher(context);
  }

  /**
   * Attaches the selection or the problems of the active editor, or files that the user picks.
   * @returns an error message if nothing was attached; `undefined` after success or cancellation
   */
  async attachSource(source: AttachSource, chat: OpenChat): Promise<string | undefined> {
    if (source === 'pick') return this.#pickAttachment(chat);
    if (source === 'file') return this.#pickFiles(chat);
    if (source === 'image' || source === 'document') return this.#pickMedia(source, chat);
    const editor = findActiveOrVisibleEditor();
    if (editor === undefined) return vscode.l10n.t('Open a file first.');
    if (source === 'selection') return this.attachSelection(editor, chat);
    return this.attachProblems(editor.document.uri, chat);
  }

  /**
   * Attaches the content of the file `uri` that `kind` names: the whole text, the problems, or the selection in a
   * visible editor.
   */
  async attachByKind(
    kind: Attachment['kind'],
    uri: vscode.Uri,
    chat: OpenChat,
  ): Promise<string | undefined> {
    if (kind === 'file') return this.attachFile(uri, chat);
    if (kind === 'problems') return this.attachProblems(uri, chat);
    const visibleEditors = vscode.window.visibleTextEditors.filter(
      ({ document }) => document.uri.toString() === uri.toString(),
    );
    const editor = visibleEditors.find(({ selection }) => !selection.isEmpty) ?? visibleEditors[0];
    if (editor === undefined) return vscode.l10n.t('Open a file first.');
    return this.attachSelection(editor, chat);
  }

  readonly handlers: PageHandlers<'media-add' | 'media-scaled' | 'attachment-open'> = {
    // The page may already show another chat, but pasted content belongs to the chat in which it was pasted.
    'media-add': (message, chat) =>
      message.conversationId === chat.id ? this.attachPastedFile(message, chat) : undefined,
    'media-scaled': (message) => this.mediaAttacher.handleScaledMedia(message),
    'attachment-open': (message, chat) => this.#openAttachment(message, chat),
  };

  async attachSelection(editor: vscode.TextEditor, chat: OpenChat): Promise<string | undefined> {
    const { document, selection } = editor;
    if (selection.isEmpty) return vscode.l10n.t('Select some text first.');
    const [firstLine, lastLine] = [selection.start.line + 1, getLastLineNumber(selection)];
    const lineRange = firstLine === lastLine ? `${firstLine}` : `${firstLine}-${lastLine}`;
    return this.#attachVisibleText(chat, document, {
      kind: 'selection',
      label: `${formatAttachmentLabel(document.uri)}:${lineRange}`,
      text: document.getText(selection),
    });
  }

  /**
   * Attaches a text file, image, document or notebook cell. Uses the unsaved text if the file is open in an editor.
   */
  async attachFile(uri: vscode.Uri, chat: OpenChat): Promise<string | undefined> {
    const label = formatAttachmentLabel(uri);
    const isOpen = vscode.workspace.textDocuments.some(
      (textDocument) => textDocument.uri.toString() === uri.toString(),
    );
    // Check the permissions before reading the file.
    if (isInUntrustedWorkspace(uri)) return getUntrustedMessage();
    if (!(await confirmIfSecret(uri, label))) return undefined;
    const media = isOpen ? undefined : await this.mediaAttacher.readFile(uri);
    if (typeof media === 'string') return media;
    if (media !== undefined) return this.mediaAttacher.attachScaled(media, chat);
    let document: vscode.TextDocument;
    try {
      document = await vscode.workspace.openTextDocument(uri);
    } catch {
      return vscode.l10n.t('{0} is not a text file, or cannot be read.', label);
    }
    return attachText(chat, document, {
      kind: 'file',
      label,
      text: document.getText(),
    });
  }

  /** Attaches pasted or dropped content. Allowed in an untrusted workspace, because the content comes from the user. */
  async attachPastedFile({ name, bytes }: FileBytes, chat: OpenChat): Promise<string | undefined> {
    if (isLikelySecret(name) && !(await confirmAttach(name))) return undefined;
    if (isMedia(bytes)) return this.mediaAttacher.attachFile({ name, bytes }, chat);
    const text = decodeText(bytes);
    if (text === undefined) {
      return vscode.l10n.t('{0} is not a text file, or cannot be read.', name);
    }
    if (text.length > maxTextLength) return formatTooLongMessage(name);
    const id = randomBytes(9).toString('base64url');
    chat.attach({ id, kind: 'file', label: toSingleLine(name) || 'file', language: '', text });
    return undefined;
  }

  async attachProblems(uri: vscode.Uri, chat: OpenChat): Promise<string | undefined> {
    const diagnostics = vscode.languages.getDiagnostics(uri);
    if (diagnostics.length === 0) return vscode.l10n.t('There are no problems.');
    const document = await vscode.workspace.openTextDocument(uri);
    return this.#attachVisibleText(chat, document, {
      kind: 'problems',
      label: vscode.l10n.t('Problems of {0}', formatAttachmentLabel(uri)),
      text: diagnostics.map((problem) => formatProblem(problem, document)).join('\n\n'),
    });
  }

  async #pickAttachment(chat: OpenChat): Promise<string | undefined> {
    const source = await vscode.window.showQuickPick<
      vscode.QuickPickItem & { source: AttachSource }
    >(
      [
        { label: `$(selection) ${vscode.l10n.t('Selection')}`, source: 'selection' },
        { label: vscode.l10n.t('$(file) Files…'), source: 'file' },
        { label: `$(warning) ${vscode.l10n.t('Problems')}`, source: 'problems' },
        { label: `$(file-media) ${vscode.l10n.t('Images')}`, source: 'image' },
        { label: `$(file-pdf) ${vscode.l10n.t('Documents')}`, source: 'document' },
      ],
      { placeHolder: vscode.l10n.t('Attach') },
    );
    return source === undefined ? undefined : this.attachSource(source.source, chat);
  }

  async #pickFiles(chat: OpenChat): Promise<string | undefined> {
    const files = await vscode.workspace.findFiles('**/*', undefined, 5_000);
    if (files.length === 0) return vscode.l10n.t('Open a folder first.');
    const chosenItems = await vscode.window.showQuickPick(
      files
        .map((uri) => ({ label: escapeIcons(formatAttachmentLabel(uri)), uri }))
        .toSorted((a, b) => a.label.localeCompare(b.label)),
      { canPickMany: true, placeHolder: vscode.l10n.t('Attach') },
    );
    const refusals: string[] = [];
    for (const { uri } of chosenItems ?? []) {
      const refusal = await this.attachFile(uri, chat);
      if (refusal !== undefined) refusals.push(refusal);
    }
    return refusals.length === 0 ? undefined : refusals.join(' ');
  }

  async #openAttachment(
    { messageId, id }: AttachmentOpen,
    chat: OpenChat,
  ): Promise<string | undefined> {
    const message = messageId === null ? chat : chat.session.conversation.findMessage(messageId);
    const attachments =
      message !== undefined && 'attachments' in message ? message.attachments : [];
    const media = attachments.find((attachment) => attachment.id === id)?.media;
    return media === undefined ? undefined : this.mediaAttacher.openImage(media);
  }

  async #pickMedia(kind: 'image' | 'document', chat: OpenChat): Promise<string | undefined> {
    const isImage = kind === 'image';
    const chosenUris = await vscode.window.showOpenDialog({
      canSelectMany: true,
      openLabel: vscode.l10n.t('Attach'),
      filters: isImage
        ? { [vscode.l10n.t('Images')]: ['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif', 'bmp'] }
        : { [vscode.l10n.t('Documents')]: ['pdf', 'epub', 'docx', 'pptx', 'xlsx', 'xls'] },
    });
    const refusals: string[] = [];
    for (const uri of chosenUris ?? []) {
      const refusal = await this.attachFile(uri, chat);
      if (refusal !== undefined) refusals.push(refusal);
    }
    return refusals.length === 0 ? undefined : refusals.join(' ');
  }

  async #attachVisibleText(
    chat: OpenChat,
    document: vscode.TextDocument,
    textKind: TextPart,
  ): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) return getUntrustedMessage();
    if (!(await confirmIfSecret(document.uri, textKind.label))) return undefined;
    return attachText(chat, document, textKind);
  }
}

type TextPart = Pick<Attachment, 'kind' | 'label' | 'text'>;

function attachText(
  chat: OpenChat,
  { languageId }: vscode.TextDocument,
  textKind: TextPart,
): string | undefined {
  if (!vscode.workspace.isTrusted) return getUntrustedMessage();
  if (textKind.text.length > maxTextLength) return formatTooLongMessage(textKind.label);
  chat.attach({ id: randomBytes(9).toString('base64url'), language: languageId, ...textKind });
  return undefined;
}

/** Checks whether the file is part of an untrusted workspace. Such files are not sent. */
const isInUntrustedWorkspace = (uri: vscode.Uri): boolean =>
  !vscode.workspace.isTrusted && vscode.workspace.getWorkspaceFolder(uri) !== undefined;

const getUntrustedMessage = (): string =>
  vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.');

const formatTooLongMessage = (label: string): string =>
  vscode.l10n.t('{0} is too long to attach. Select the part that matters.', label);

/**
 * Returns the path relative to the workspace folder, or only the file name for a file outside the workspace. For a
 * notebook cell, also includes the number of the cell.
 */
function formatAttachmentLabel(uri: vscode.Uri): string {
  if (findCell({ uri }) !== undefined) return getPathForModel({ uri });
  const label = vscode.workspace.asRelativePath(uri);
  return vscode.workspace.getWorkspaceFolder(uri) === undefined
    ? (uri.path.split('/').at(-1) ?? label)
    : label;
}

/**
 * Returns the 1-based number of the last line in the selection. If the selection ends at the start of a line, this
 * line does not count.
 */
function getLastLineNumber({ start, end }: vscode.Selection): number {
  return end.character === 0 && end.line > start.line ? end.line : end.line + 1;
}

function formatProblem(problem: vscode.Diagnostic, document: vscode.TextDocument): string {
  const { line } = problem.range.start;
  const source = line < document.lineCount ? document.lineAt(line).text.trim() : '';
  const severity = vscode.DiagnosticSeverity[problem.severity];
  return `${severity} at line ${line + 1}: ${problem.message}\n  ${source}`;
}

/** Returns true if the file may be attached. Requires a confirmation if the file may contain secrets. */
const confirmIfSecret = async (uri: vscode.Uri, label: string): Promise<boolean> =>
  !(await mayContainSecrets(uri)) || confirmAttach(label);

const confirmAttach = (label: string): Promise<boolean> =>
  confirmSendSecret(label, vscode.l10n.t('Send Anyway'));
