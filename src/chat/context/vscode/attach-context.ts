import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { toSingleLine } from '../../../base/hidden-characters.ts';
import { gatherCodebase, gatherSymbol } from './gather-code.ts';
import {
  fileWithProblems,
  gatherAllProblems,
  gatherChanges,
  type Gathered,
  gatherFolder,
  gatherSubjects,
  trustRefusal,
} from './gather-workspace.ts';
import type { OfferTarget } from './mention-offers.ts';
import type { TerminalWatch } from './terminal-watch.ts';
import type { WorkspaceReader } from './workspace-reader.ts';
import type { Attach } from '../../vscode/attach.ts';
import type { OpenChat } from '../../vscode/open-chat.ts';
import type { AutoAttachmentKind } from '../../../conversation/slash-commands.ts';
import { confirm } from '../../../platform/notifications.ts';
import { activeOrVisibleEditor } from '../../../platform/window.ts';
import { isInWorkspace } from '../../../workspace/vscode/labels.ts';
import { isOnDisk } from '../../../workspace/vscode/real-paths.ts';

export interface AttachContextPorts {
  readonly attach: Attach;
  readonly reader: WorkspaceReader;
  readonly terminals: TerminalWatch;
}

type Attachable = Exclude<OfferTarget, { readonly kind: 'command' | 'prompt' }>;

/** Milliseconds after which a folder or a search goes along as far as it was read. */
const longestReading = 20_000;

/** Takes what a mention or a command names into the composer. Every method resolves to a sentence for the person, if there is one. */
export class AttachContext {
  readonly #ports: AttachContextPorts;

  constructor(ports: AttachContextPorts) {
    this.#ports = ports;
  }

  /** @param question What the composer holds: a search of the workspace looks for its words. */
  async target(target: Attachable, chat: OpenChat, question: string): Promise<string | undefined> {
    const refusal = trustRefusal();
    if (refusal !== undefined) return refusal;
    const { attach, reader, terminals } = this.#ports;
    switch (target.kind) {
      case 'file':
        return attach.file(target.uri, chat);
      case 'folder':
        return this.#add(gatherFolder(target.uri, reader, inTime()), chat);
      case 'symbol':
        return this.#add(gatherSymbol(target.symbol, reader), chat);
      case 'selection':
        return attach.from('selection', chat);
      case 'problems':
        return this.problems(chat);
      case 'changes':
        return this.changes(chat, { stagedOnly: false });
      case 'terminal':
        return this.#add(terminals.gather(), chat);
      case 'codebase':
        return this.codebase(chat, question);
    }
  }

  /** What is selected in the shown editor. Resolves to its label; to undefined when it does not go along. */
  async selection(chat: OpenChat): Promise<string | undefined> {
    const before = new Set(chat.attachments);
    await this.#ports.attach.from('selection', chat);
    return chat.attachments.find((each) => each.kind === 'selection' && !before.has(each))?.label;
  }

  /** Of the shown file, or of all files where that has none. */
  async problems(chat: OpenChat): Promise<string | undefined> {
    const file = fileWithProblems(activeOrVisibleEditor()?.document.uri);
    if (file !== undefined) return this.#ports.attach.problems(file, chat);
    return this.#add(gatherAllProblems(this.#ports.reader, inTime()), chat);
  }

  async changes(
    chat: OpenChat,
    options: { readonly stagedOnly: boolean },
  ): Promise<string | undefined> {
    return this.#add(gatherChanges(activeOrVisibleEditor()?.document.uri, options), chat);
  }

  async codebase(chat: OpenChat, question: string): Promise<string | undefined> {
    return this.#add(gatherCodebase(question, this.#ports.reader, inTime()), chat);
  }

  /** A file or folder that was dropped. */
  async place(uri: vscode.Uri, chat: OpenChat): Promise<string | undefined> {
    return (await isFolder(uri))
      ? this.#add(gatherFolder(uri, this.#ports.reader, inTime()), chat)
      : this.#ports.attach.file(uri, chat);
  }

  /** What a command needs; of each group the first that there is. Resolves to why nothing of a group is there. */
  async forCommand(
    groups: readonly (readonly AutoAttachmentKind[])[],
    chat: OpenChat,
  ): Promise<string | undefined> {
    for (const [index, group] of groups.entries()) {
      let refusal: string | undefined;
      for (const kind of group) {
        refusal = await this.#kind(kind, chat);
        if (refusal === undefined) break;
      }
      // What comes after the first group only helps, like the problems of a file that may have none.
      if (refusal !== undefined && index === 0) return refusal;
    }
    return undefined;
  }

  async #kind(kind: AutoAttachmentKind, chat: OpenChat): Promise<string | undefined> {
    const { attach } = this.#ports;
    if (kind === 'changes') return this.#commit(chat);
    const editor = activeOrVisibleEditor();
    if (editor === undefined) return vscode.l10n.t('Open a file first.');
    if (kind === 'selection') return attach.selection(editor, chat);
    const { uri } = editor.document;
    return kind === 'problems' ? attach.problems(uri, chat) : attach.file(uri, chat);
  }

  /** What the next commit holds, and how the last ones were written. */
  async #commit(chat: OpenChat): Promise<string | undefined> {
    const told = await this.changes(chat, { stagedOnly: true });
    if (!chat.attachments.some(({ kind }) => kind === 'changes')) return told;
    const subjects = await gatherSubjects(activeOrVisibleEditor()?.document.uri);
    if (subjects !== undefined) await this.#add(subjects, chat);
    return told;
  }

  async #add(found: Gathered | Promise<Gathered>, chat: OpenChat): Promise<string | undefined> {
    const gathered = await found;
    if ('refusal' in gathered) return gathered.refusal;
    const { note = '', ...attachment } = gathered;
    chat.attach({ id: randomBytes(9).toString('base64url'), ...attachment });
    return note === '' ? undefined : note;
  }
}

const inTime = (): AbortSignal => AbortSignal.timeout(longestReading);

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    return (type & vscode.FileType.Directory) !== 0;
  } catch {
    return false;
  }
}

/**
 * The files and folders among the addresses that were dropped. Those outside of the workspace only when the person says
 * so, before anything looks at them: a page of the web can put any address on a drag. Undefined where there are none.
 */
export async function droppedPlaces(
  addresses: readonly string[],
): Promise<readonly vscode.Uri[] | undefined> {
  const places = addresses.flatMap((address) => placeOf(address) ?? []);
  if (places.length === 0) return undefined;
  const outside = places.filter((place) => !isInWorkspace(place));
  return outside.length === 0 || (await confirmOutside(outside))
    ? places
    : places.filter(isInWorkspace);
}

/** Undefined for what is no address of a file system of the workspace, or of the disk. */
function placeOf(address: string): vscode.Uri | undefined {
  try {
    const schemes = vscode.workspace.workspaceFolders?.map((folder) => folder.uri.scheme) ?? [];
    const uri = asSeenHere(vscode.Uri.parse(address.trim(), true), schemes);
    if (!isOnDisk(uri) && !schemes.includes(uri.scheme)) return undefined;
    // By its dots it could be named as one of the workspace, and lie outside.
    return uri.with({ path: posix.normalize(uri.path) });
  } catch {
    return undefined;
  }
}

/**
 * Where this runs on another machine than the window, the window names the files there by that machine. Of the name
 * only the kind is known here; a file of another kind of machine is none of this one.
 */
function asSeenHere(uri: vscode.Uri, schemes: readonly string[]): vscode.Uri {
  const [kind] = uri.authority.split('+');
  const isHere = kind === vscode.env.remoteName && !schemes.includes(remote);
  return uri.scheme === remote && isHere ? uri.with({ scheme: 'file', authority: '' }) : uri;
}

const remote = 'vscode-remote';

async function confirmOutside(places: readonly vscode.Uri[]): Promise<boolean> {
  const attach = vscode.l10n.t('Attach');
  const question = vscode.l10n.t('Attach what lies outside of the workspace?');
  const detail = places.map(displayPath).join('\n');
  return (await confirm({ question, detail }, attach)) === attach;
}

const displayPath = (uri: vscode.Uri): string =>
  toSingleLine(isOnDisk(uri) ? uri.fsPath : uri.toString(true));
