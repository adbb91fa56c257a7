import * as vscode from 'vscode';
import { flagArgument, textArgument } from '../../arguments.ts';
import type { Tool, ToolArguments, ToolContext, ToolPlan, ToolResult } from '../../tool.ts';
import {
  type EditTools,
  isReadable,
  isRefused,
  noSuchPath,
  throwIfStopped,
  toolFailed,
} from './ports.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** As many as are looked at; nobody reads more. */
export const contentLimit = 2_000;

/** What lies in a folder and its folders, by path below it; links are not followed. At most {@link contentLimit}. */
export async function folderContent(folder: vscode.Uri): Promise<string[]> {
  const found: string[] = [];
  const pending = [''];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(folder, next));
    for (const [name, type] of entries) {
      if (found.length === contentLimit) return found;
      const path = next === '' ? name : `${next}/${name}`;
      if (type === vscode.FileType.Directory) pending.push(path);
      else found.push(path);
    }
  }
  return found.toSorted();
}

export function deleteFileTool(tools: EditTools): Tool {
  const deleting = new Deleting(tools);
  return {
    name: 'delete_file',
    kind: 'edit',
    description:
      'Deletes a file, or with recursive a folder and everything in it. It goes to the trash where there is one.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        recursive: { type: 'boolean', description: 'Needed for a folder. Default false.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    plan: (args) => deleting.plan(args),
    run: (args, context) => deleting.run(args, context),
  };
}

class Deleting {
  readonly #tools: EditTools;
  /** Calls of which the person was told that there is no trash. */
  readonly #forGood = new WeakSet<ToolArguments>();
  /** File systems whose trash did not work. */
  readonly #withoutTrash = new Set<string>();

  constructor(tools: EditTools) {
    this.#tools = tools;
  }

  async plan(args: ToolArguments): Promise<ToolPlan> {
    const path = textArgument(args, 'path');
    const [place] = await this.#tools.judged.resolve(args, [path]);
    if (place === undefined) throw noSuchPath(path);
    if (isReadable(place)) assertDeletable(place, args);
    const forGood = !this.#hasTrash(place.uri);
    if (forGood) this.#forGood.add(args);
    return {
      verb: vscode.l10n.t('Delete'),
      done: vscode.l10n.t('Deleted'),
      target: place.label,
      resources: [{ type: 'path', path, access: 'delete' }],
      preview: {
        language: 'plaintext',
        text: await shownDeletion(place, forGood),
        cwd: '',
        files: [place.label],
      },
    };
  }

  async run(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
    const { changes, judged } = this.#tools;
    const path = textArgument(args, 'path');
    const [place] = await judged.recheck(args, [path]);
    if (place === undefined) throw noSuchPath(path);
    assertDeletable(place, args);
    assertSaved(place);
    throwIfStopped(context.signal);
    await changes.willChange(context, place.uri);
    await judged.recheck(args, [path]);
    throwIfStopped(context.signal);
    await this.#delete(place, this.#forGood.has(args));
    await changes.didChange(context, { type: 'delete', uri: place.uri });
    return { output: `Deleted ${place.label}.` };
  }

  async #delete({ uri, label, facts }: ResolvedPath, forGood: boolean): Promise<void> {
    const recursive = facts.kind === 'directory';
    try {
      await vscode.workspace.fs.delete(uri, { recursive, useTrash: !forGood });
    } catch {
      if (forGood) throw toolFailed(`${label} could not be deleted.`);
      this.#withoutTrash.add(systemOf(uri));
      throw toolFailed(
        `${label} could not be moved to the trash and was not deleted. Call again: the person is then asked whether it may be deleted for good.`,
      );
    }
  }

  /** Remote machines and virtual file systems have none. */
  #hasTrash(uri: vscode.Uri): boolean {
    const isHere = uri.scheme === 'file' && vscode.env.remoteName === undefined;
    return isHere && !this.#withoutTrash.has(systemOf(uri));
  }
}

const systemOf = ({ scheme, authority }: vscode.Uri): string => `${scheme}://${authority}`;

async function shownDeletion(place: ResolvedPath, forGood: boolean): Promise<string> {
  const how = forGood
    ? vscode.l10n.t('Deletes for good, for there is no trash here:')
    : vscode.l10n.t('Moves to the trash:');
  const isFolder = place.facts.kind === 'directory' && !isRefused(place);
  const content = isFolder ? await folderContent(place.uri).catch(() => undefined) : [];
  if (content === undefined)
    return [how, place.label, vscode.l10n.t('What is in it cannot be listed.')].join('\n');
  const lines = content.map((path) => `${place.label}/${path}`);
  if (content.length === contentLimit) lines.push(vscode.l10n.t('… and more'));
  return [how, place.label, ...lines].join('\n');
}

function assertDeletable({ label, facts }: ResolvedPath, args: ToolArguments): void {
  if (facts.kind === 'missing') throw noSuchPath(label);
  if (facts.kind === 'directory' && !flagArgument(args, 'recursive')) {
    throw new ToolError('bad-arguments', `${label} is a folder. Set "recursive" to delete it.`);
  }
}

/** What was typed and not saved is in no trash. */
function assertSaved({ uri, label }: ResolvedPath): void {
  const name = uri.toString();
  const unsaved = vscode.workspace.textDocuments.find((document) => {
    const other = document.uri.toString();
    return document.isDirty && (other === name || other.startsWith(`${name}/`));
  });
  if (unsaved === undefined) return;
  throw toolFailed(`${label} has changes in an editor that are not saved. It was not deleted.`);
}
