import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { toSingleLine } from '../../../base/hidden-characters.ts';
import { gatherCodebase, gatherSymbol } from './gather-code.ts';
import {
  findVisibleFileWithProblems,
  gatherAllProblems,
  gatherChanges,
  type GatherResult,
  gatherFolder,
  gatherCommitSubjects,
  explainUntrustedWorkspace,
} from './gather-workspace.ts';
import type { SuggestionTarget } from './mention-suggestions.ts';
import type { TerminalWatch } from './terminal-watch.ts';
import type { WorkspaceReader } from './workspace-reader.ts';
import type { AttachmentCommands } from '../../vscode/attach.ts';
import type { OpenChat } from '../../vscode/open-chat.ts';
import type { AutoAttachmentKind } from '../../../conversation/slash-commands.ts';
import { confirm } from '../../../platform/notifications.ts';
import { findActiveOrVisibleEditor } from '../../../platform/window.ts';
import { isInWorkspace } from '../../../workspace/vscode/labels.ts';
import { isOnDisk } from '../../../workspace/vscode/real-paths.ts';

export interface ContextAttacherPorts {
  readonly attachmentCommands: AttachmentCommands;
  readonly reader: WorkspaceReader;
  readonly terminals: TerminalWatch;
}

type AttachableTarget = Exclude<SuggestionTarget, { readonly kind: 'command' | 'prompt' }>;

/**
 * Time limit in milliseconds for reading a folder or searching. When the limit is reached, the text found so far is
 * attached.
 */
const gatherTimeoutMs = 20_000;

/**
 * Attaches context to a message, for a mention or a command. Unless its comment says otherwise, each method returns a
 * notice for the user, or `undefined` if there is nothing to report.
 */
export class ContextAttacher {
  readonly #ports: ContextAttacherPorts;

  constructor(ports: ContextAttacherPorts) {
    this.#ports = ports;
  }

  /**
   * Attaches the file, symbol or other content of a suggestion that the user accepted.
   * @param question Text of the composer. Used to search the workspace.
   */
  async attachTarget(
    target: AttachableTarget,
    chat: OpenChat,
    question: string,
  ): Promise<string | undefined> {
    const refusal = explainUntrustedWorkspace();
    if (refusal !== undefined) return refusal;
    const { attachmentCommands, reader } = this.#ports;
    switch (target.kind) {
      case 'file':
        return attachmentCommands.attachFile(target.uri, chat);
      case 'folder':
        return this.#addAttachment(gatherFolder(target.uri, reader, createTimeoutSignal()), chat);
      case 'symbol':
        return this.#addAttachment(gatherSymbol(target.symbol, reader), chat);
      case 'selection':
        return attachmentCommands.attachSource('selection', chat);
      case 'problems':
        return this.attachProblems(chat);
      case 'changes':
        return this.attachChanges(chat, { stagedOnly: false });
      case 'terminal':
        return this.attachTerminal(chat);
      case 'codebase':
        return this.attachCodebase(chat, question);
    }
  }

  /**
   * Attaches the selection of the visible editor. Returns the label of the attachment, or `undefined` if nothing was
   * attached.
   */
  async attachSelection(chat: OpenChat): Promise<string | undefined> {
    const previousAttachments = new Set(chat.attachments);
    await this.#ports.attachmentCommands.attachSource('selection', chat);
    return chat.attachments.find(
      (attachment) => attachment.kind === 'selection' && !previousAttachments.has(attachment),
    )?.label;
  }

  /**
   * Attaches the problems of the visible file. If this file has no problems, attaches the problems of the whole
   * workspace.
   */
  async attachProblems(chat: OpenChat): Promise<string | undefined> {
    const file = findVisibleFileWithProblems(findActiveOrVisibleEditor()?.document.uri);
    if (file !== undefined) return this.#ports.attachmentCommands.attachProblems(file, chat);
    return this.#addAttachment(gatherAllProblems(this.#ports.reader, createTimeoutSignal()), chat);
  }

  async attachChanges(
    chat: OpenChat,
    options: { readonly stagedOnly: boolean },
  ): Promise<string | undefined> {
    return this.#addAttachment(
      gatherChanges(findActiveOrVisibleEditor()?.document.uri, options),
      chat,
    );
  }

  /**
   * Attaches the last command of a terminal and its output.
   * @param terminal Terminal whose context menu the user opened. Default: the active terminal if it ran a command,
   * else the terminal that ran one most recently.
   */
  async attachTerminal(chat: OpenChat, terminal?: unknown): Promise<string | undefined> {
    return this.#addAttachment(this.#ports.terminals.gatherLastCommand(terminal), chat);
  }

  async attachCodebase(chat: OpenChat, question: string): Promise<string | undefined> {
    return this.#addAttachment(
      gatherCodebase(question, this.#ports.reader, createTimeoutSignal()),
      chat,
    );
  }

  /** Attaches a dropped file or folder. */
  async attachDroppedUri(uri: vscode.Uri, chat: OpenChat): Promise<string | undefined> {
    return (await isFolder(uri))
      ? this.#addAttachment(gatherFolder(uri, this.#ports.reader, createTimeoutSignal()), chat)
      : this.#ports.attachmentCommands.attachFile(uri, chat);
  }

  /**
   * Attaches the context that a slash command requires: from each of the `groups`, the first kind that is available.
   * Returns an error message if no kind of the first group is available. The other groups are optional.
   */
  async attachCommand(
    groups: readonly (readonly AutoAttachmentKind[])[],
    chat: OpenChat,
  ): Promise<string | undefined> {
    for (const [index, group] of groups.entries()) {
      let refusal: string | undefined;
      for (const kind of group) {
        refusal = await this.#attachContentOfKind(kind, chat);
        if (refusal === undefined) break;
      }
      // Only the first group is required. For example, a file may have no problems to attach.
      if (refusal !== undefined && index === 0) return refusal;
    }
    return undefined;
  }

  async #attachContentOfKind(
    kind: AutoAttachmentKind,
    chat: OpenChat,
  ): Promise<string | undefined> {
    const { attachmentCommands } = this.#ports;
    if (kind === 'changes') return this.#attachCommitContext(chat);
    const editor = findActiveOrVisibleEditor();
    if (editor === undefined) return vscode.l10n.t('Open a file first.');
    if (kind === 'selection') return attachmentCommands.attachSelection(editor, chat);
    const { uri } = editor.document;
    return kind === 'problems'
      ? attachmentCommands.attachProblems(uri, chat)
      : attachmentCommands.attachFile(uri, chat);
  }

  /** Attaches the staged changes and the subjects of the latest commits. */
  async #attachCommitContext(chat: OpenChat): Promise<string | undefined> {
    const notice = await this.attachChanges(chat, { stagedOnly: true });
    if (!chat.attachments.some(({ kind }) => kind === 'changes')) return notice;
    const subjects = await gatherCommitSubjects(findActiveOrVisibleEditor()?.document.uri);
    if (subjects !== undefined) await this.#addAttachment(subjects, chat);
    return notice;
  }

  async #addAttachment(
    pendingResult: GatherResult | Promise<GatherResult>,
    chat: OpenChat,
  ): Promise<string | undefined> {
    const result = await pendingResult;
    if ('refusal' in result) return result.refusal;
    const { note = '', ...attachment } = result;
    chat.attach({ id: randomBytes(9).toString('base64url'), ...attachment });
    return note === '' ? undefined : note;
  }
}

const createTimeoutSignal = (): AbortSignal => AbortSignal.timeout(gatherTimeoutMs);

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    return (type & vscode.FileType.Directory) !== 0;
  } catch {
    return false;
  }
}

/**
 * Returns the URIs of the dropped files and folders, or `undefined` if none of the texts is a valid URI. Requires a
 * confirmation for files outside the workspace, because a web page can put any URI into a drag operation.
 */
export async function getDroppedUris(
  uriTexts: readonly string[],
): Promise<readonly vscode.Uri[] | undefined> {
  const uris = uriTexts.flatMap((uriText) => parseDroppedUri(uriText) ?? []);
  if (uris.length === 0) return undefined;
  const outsideUris = uris.filter((uri) => !isInWorkspace(uri));
  return outsideUris.length === 0 || (await confirmFilesOutsideWorkspace(outsideUris))
    ? uris
    : uris.filter(isInWorkspace);
}

/**
 * Parses a dropped URI. Returns `undefined` unless the URI refers to a local file or has the URI scheme of a workspace
 * folder.
 */
function parseDroppedUri(uriText: string): vscode.Uri | undefined {
  try {
    const schemes = vscode.workspace.workspaceFolders?.map((folder) => folder.uri.scheme) ?? [];
    const uri = toLocalUri(vscode.Uri.parse(uriText.trim(), true), schemes);
    if (!isOnDisk(uri) && !schemes.includes(uri.scheme)) return undefined;
    // Normalize the path, because `..` segments could make an outside path look like a workspace path.
    return uri.with({ path: posix.normalize(uri.path) });
  } catch {
    return undefined;
  }
}

/**
 * Converts a `vscode-remote` URI to a file URI if the extension runs on the same kind of remote, such as
 * `ssh-remote`. Returns any other URI unchanged.
 */
function toLocalUri(uri: vscode.Uri, schemes: readonly string[]): vscode.Uri {
  const [kind] = uri.authority.split('+');
  const isCurrentRemote = kind === vscode.env.remoteName && !schemes.includes(remoteScheme);
  return uri.scheme === remoteScheme && isCurrentRemote
    ? uri.with({ scheme: 'file', authority: '' })
    : uri;
}

const remoteScheme = 'vscode-remote';

async function confirmFilesOutsideWorkspace(uris: readonly vscode.Uri[]): Promise<boolean> {
  const attachLabel = vscode.l10n.t('Attach');
  const question = vscode.l10n.t('Attach what lies outside of the workspace?');
  const detail = uris.map(formatDisplayPath).join('\n');
  return (await confirm({ question, detail }, attachLabel)) === attachLabel;
}

const formatDisplayPath = (uri: vscode.Uri): string =>
  toSingleLine(isOnDisk(uri) ? uri.fsPath : uri.toString(true));
