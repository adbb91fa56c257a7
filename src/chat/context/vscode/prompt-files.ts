import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { toSingleLine } from '../../../base/hidden-characters.ts';
import type { WorkspaceReader } from './workspace-reader.ts';
import type { Mode } from '../../../agent/protocol.ts';
import {
  fillPromptVariables,
  type PromptFile,
  promptNameFromFile,
  type PromptVariable,
  parsePromptVariables,
  readPromptFile,
} from '../../../conversation/prompt-file.ts';
import { chatModels, findByIdOrTrait, isPrivate } from '../../../models/model-selection.ts';
import { selectedModel, findSelectedModel } from '../../../models/vscode/selected-model.ts';
import type { ModelCatalog } from '../../../models/vscode/model-catalog.ts';
import { activeOrVisibleEditor } from '../../../platform/window.ts';
import { offeredProtection } from '../../../privacy/vscode/privacy-settings.ts';
import { isWeaker } from '../../../service/chat/protection.ts';
import type { Model } from '../../../service/model-types.ts';
import { decodedText } from '../../../workspace/vscode/file-text.ts';

/** A prompt of the workspace, under the name that follows the slash. */
export interface NamedPrompt extends PromptFile {
  readonly name: string;
}

const folder = '.github/prompts';
const mostFiles = 100;
/** Bytes; a longer file is no prompt. */
const largestFile = 64 * 1024;

/** The prompt files of the open folders, read once until one of them changes. None in an untrusted workspace. */
export class PromptFiles implements Disposable {
  readonly #reader: WorkspaceReader;
  readonly #owned = new DisposableStore();
  #prompts: Promise<readonly NamedPrompt[]> | undefined;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
    const forget = (): void => {
      this.#prompts = undefined;
    };
    const watcher = this.#owned.add(
      vscode.workspace.createFileSystemWatcher(`**/${folder}/*.prompt.md`),
    );
    this.#owned.add(watcher.onDidCreate(forget));
    this.#owned.add(watcher.onDidChange(forget));
    this.#owned.add(watcher.onDidDelete(forget));
    // Sooner than the watcher tells it.
    this.#owned.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.path.endsWith('.prompt.md')) forget();
      }),
    );
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(forget));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(forget));
  }

  /** By name; of two with one name the first folder's. Never rejects. */
  get all(): Promise<readonly NamedPrompt[]> {
    this.#prompts ??= this.#read();
    return this.#prompts;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #read(): Promise<readonly NamedPrompt[]> {
    if (!vscode.workspace.isTrusted) return [];
    const readable = this.#reader.readable();
    const prompts = new Map<string, NamedPrompt>();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const place = vscode.Uri.joinPath(uri, folder);
      for (const file of (await namesIn(place)).slice(0, mostFiles)) {
        const name = promptNameFromFile(file);
        if (name === undefined || prompts.has(name)) continue;
        const at = vscode.Uri.joinPath(place, file);
        // A link could bring in a file from outside the workspace.
        const prompt = (await readable.has(at)) ? await read(at) : undefined;
        if (prompt !== undefined && prompt.body !== '') prompts.set(name, { name, ...prompt });
      }
    }
    return [...prompts.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  }
}

async function namesIn(place: vscode.Uri): Promise<readonly string[]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(place);
    return entries.filter(([, type]) => type === vscode.FileType.File).map(([name]) => name);
  } catch {
    return [];
  }
}

async function read(uri: vscode.Uri): Promise<PromptFile | undefined> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > largestFile) return undefined;
    const { text } = await decodedText(uri, await vscode.workspace.fs.readFile(uri));
    return readPromptFile(text);
  } catch {
    return undefined;
  }
}

/** A prompt whose variables have their values. */
export interface FilledPrompt {
  readonly body: string;
  /** What was typed behind the name of the prompt and is no answer to what the prompt asks. */
  readonly rest: string;
  /** The variables that have no value, and stand in the body as they are written. */
  readonly unfilled: readonly string[];
  /** The person was asked, in a box that took the focus. */
  readonly wasAsked: boolean;
}

/**
 * Fills in what a prompt leaves open: the shown file, the selection, and what the person is asked for.
 * @param rest What was typed behind the name of the prompt: the answer where the prompt asks for one thing.
 * @param attachSelection Takes the selection along, and resolves to its name among what goes along.
 */
export async function fillFromEditor(
  { name, body }: Pick<NamedPrompt, 'name' | 'body'>,
  rest: string,
  attachSelection: () => Promise<string | undefined>,
): Promise<FilledPrompt> {
  const variables = parsePromptVariables(body);
  const asked = variables.filter(isInput);
  const isAnswer = rest !== '' && asked.length === 1;
  const values = new Map(shownPlaces());
  if (variables.some(({ key }) => selections.includes(key))) {
    const name = await attachSelection();
    if (name !== undefined) for (const key of selections) values.set(key, name);
  }
  for (const [index, { key, input }] of asked.entries()) {
    const title = asked.length > 1 ? `/${name} (${index + 1}/${asked.length})` : `/${name}`;
    const value = isAnswer ? rest : await askFor(title, input);
    // Who leaves a question fills in the rest in the composer.
    if (value === undefined) break;
    if (value.trim() !== '') values.set(key, value.trim());
  }
  return {
    body: fillPromptVariables(body, values),
    rest: isAnswer ? '' : rest,
    unfilled: variables.map(({ key }) => key).filter((key) => !values.has(key)),
    wasAsked: asked.length > 0 && !isAnswer,
  };
}

const selections: readonly string[] = ['selection', 'selectedText'];

type Input = Required<PromptVariable>;

const isInput = (variable: PromptVariable): variable is Input => variable.input !== undefined;

/** Names and paths as tools and chips have them: from the folder on, and of what lies elsewhere the name alone. */
function shownPlaces(): ReadonlyMap<string, string> {
  const { workspaceFolders: folders = [] } = vscode.workspace;
  const values: [string, string][] = [];
  const uri = activeOrVisibleEditor()?.document.uri;
  const folder = (uri && vscode.workspace.getWorkspaceFolder(uri)) ?? folders[0];
  if (folder !== undefined) {
    values.push(['workspaceFolder', folders.length > 1 ? folder.name : '.']);
    values.push(['workspaceFolderBasename', folder.name]);
  }
  if (uri !== undefined) {
    const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    const path = isInside
      ? vscode.workspace.asRelativePath(uri).replaceAll('\\', '/')
      : posix.basename(uri.path);
    values.push(['file', path]);
    values.push(['fileBasename', posix.basename(path)]);
    values.push(['fileBasenameNoExtension', posix.parse(path).name]);
    if (isInside) values.push(['fileDirname', posix.dirname(path)]);
  }
  return new Map(values.map(([key, value]) => [key, toSingleLine(value)]));
}

const askFor = (title: string, { name, hint }: Input['input']): Thenable<string | undefined> =>
  vscode.window.showInputBox({ title, prompt: name, placeHolder: hint });

/** What of a chat a prompt can choose. */
export interface Followers {
  readonly agents: { readonly mode: Mode; setMode(mode: Mode): Promise<void> };
  readonly models: Pick<
    ModelCatalog,
    'models' | 'allModels' | 'chatModel' | 'selectedName' | 'selectChatModel'
  >;
}

/** What became of what a prompt is written for. */
export interface Followed {
  /** What is another one now, by its name. */
  readonly changed: readonly string[];
  /** It is for Agent mode, which is off and stays so. */
  readonly wantsAgent: boolean;
  /** It is for a model that protects less than the one that stays. */
  readonly weaker?: { readonly wanted: string; readonly stays: string };
}

/**
 * Switches to the mode and the model that a prompt is written for, as far as there are such; prompts are also written
 * for other editors, with other modes and models. A prompt is of the workspace: what lets a model act, or protects less,
 * only the person switches to.
 */
export async function followPrompt(
  { mode, model }: Pick<PromptFile, 'mode' | 'model'>,
  { agents, models }: Followers,
): Promise<Followed> {
  const changed: string[] = [];
  const wanted = mode.toLowerCase();
  const wantsAgent = wanted === 'agent' && agents.mode !== 'agent';
  if (wanted === 'ask' && agents.mode !== 'ask') {
    await agents.setMode('ask');
    changed.push(vscode.l10n.t('Ask'));
  }
  const chosen = modelCalled(model, models.models);
  const current = findSelectedModel(models);
  if (chosen === undefined || chosen.id === current?.id) return { changed, wantsAgent };
  if (protectsLess(chosen, current)) {
    return {
      changed,
      wantsAgent,
      weaker: { wanted: chosen.name, stays: selectedModel(models).name },
    };
  }
  await models.selectChatModel(chosen.id);
  changed.push(chosen.name);
  return { changed, wantsAgent };
}

/** A model that is gone may have protected as much as there is. */
const protectsLess = (chosen: Model, current: Model | undefined): boolean =>
  isWeaker(offeredProtection(chosen), current ? offeredProtection(current) : 'encrypted') ||
  (!isPrivate(chosen) && (current === undefined || isPrivate(current)));

/** By id, trait or name. */
function modelCalled(wanted: string, models: readonly Model[]): Model | undefined {
  const usable = chatModels(models).filter(({ offline }) => !offline);
  const name = wanted.toLowerCase();
  return findByIdOrTrait(usable, wanted) ?? usable.find((each) => each.name.toLowerCase() === name);
}

/**
 * What the person is told of a prompt that is in the composer.
 * @param name With its slash.
 * @param unfilled The variables that it has no value for.
 */
export function promptNotice(
  name: string,
  { changed, wantsAgent, weaker }: Followed,
  unfilled: readonly string[],
): string {
  const sentences = [
    ...(weaker === undefined ? [] : [keptModel(name, weaker)]),
    ...(wantsAgent ? [keptMode(name)] : []),
    ...(unfilled.length === 0 ? [] : [toFillIn(unfilled)]),
    changed.length === 0
      ? vscode.l10n.t('Read the prompt, then send it.')
      : vscode.l10n.t(
          'Switched to {0}, as {1} asks. Read the prompt, then send it.',
          changed.join(', '),
          name,
        ),
  ];
  return sentences.join(' ');
}

const keptModel = (name: string, { wanted, stays }: NonNullable<Followed['weaker']>): string =>
  vscode.l10n.t(
    '{0} asks for {1}, which protects less: {2} stays until you choose another model.',
    name,
    wanted,
    stays,
  );

const keptMode = (name: string): string =>
  vscode.l10n.t('{0} is for Agent mode, which only you switch to.', name);

const toFillIn = (unfilled: readonly string[]): string =>
  vscode.l10n.t('Not filled in: {0}.', unfilled.map((key) => `\${${key}}`).join(', '));
