import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { toSingleLine } from '../../../base/hidden-characters.ts';
import type { WorkspaceReader } from './workspace-reader.ts';
import type { Mode } from '../../../conversation/protocol.ts';
import {
  fillPromptVariables,
  type PromptFile,
  derivePromptName,
  type PromptVariable,
  parsePromptVariables,
  readPromptFile,
} from '../../../conversation/prompt-file.ts';
import {
  selectChatModels,
  findModelByIdOrTrait,
  isPrivate,
} from '../../../models/model-selection.ts';
import { getSelectedModel, findSelectedModel } from '../../../models/vscode/selected-model.ts';
import type { ModelCatalog } from '../../../models/vscode/model-catalog.ts';
import { findActiveOrVisibleEditor } from '../../../platform/window.ts';
import { getOfferedProtection } from '../../../privacy/vscode/privacy-settings.ts';
import { isWeaker } from '../../../service/chat/protection.ts';
import type { Model } from '../../../service/model-types.ts';
import { decodeText } from '../../../workspace/vscode/file-text.ts';

/** Prompt file of the workspace. The user invokes it as `/name`. */
export interface NamedPrompt extends PromptFile {
  readonly name: string;
}

const folder = '.github/prompts';
const maxFiles = 100;
/** Maximum size of a prompt file in bytes. */
const maxFileBytes = 64 * 1024;

/** Prompt files of the workspace folders, cached until a prompt file changes. Empty in an untrusted workspace. */
export class PromptFiles implements Disposable {
  readonly #reader: WorkspaceReader;
  readonly #disposables = new DisposableStore();
  #promptsPromise: Promise<readonly NamedPrompt[]> | undefined;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
    const clearCache = (): void => {
      this.#promptsPromise = undefined;
    };
    const watcher = this.#disposables.add(
      vscode.workspace.createFileSystemWatcher(`**/${folder}/*.prompt.md`),
    );
    this.#disposables.add(watcher.onDidCreate(clearCache));
    this.#disposables.add(watcher.onDidChange(clearCache));
    this.#disposables.add(watcher.onDidDelete(clearCache));
    // VS Code fires this event before the file watcher reports the change.
    this.#disposables.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.path.endsWith('.prompt.md')) clearCache();
      }),
    );
    this.#disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(clearCache));
    this.#disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(clearCache));
  }

  /**
   * Prompts sorted by name. If several folders contain prompts of the same name, includes only the prompt of the first
   * of these folders. Never rejects.
   */
  get prompts(): Promise<readonly NamedPrompt[]> {
    this.#promptsPromise ??= this.#readFiles();
    return this.#promptsPromise;
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #readFiles(): Promise<readonly NamedPrompt[]> {
    if (!vscode.workspace.isTrusted) return [];
    const readableUris = this.#reader.createReadableUriFilter();
    const prompts = new Map<string, NamedPrompt>();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const promptFolder = vscode.Uri.joinPath(uri, folder);
      for (const file of (await listPromptFileNames(promptFolder)).slice(0, maxFiles)) {
        const name = derivePromptName(file);
        if (name === undefined || prompts.has(name)) continue;
        const uri = vscode.Uri.joinPath(promptFolder, file);
        // A symbolic link could point outside the workspace.
        const prompt = (await readableUris.isReadable(uri)) ? await readPrompt(uri) : undefined;
        if (prompt !== undefined && prompt.body !== '') prompts.set(name, { name, ...prompt });
      }
    }
    return [...prompts.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  }
}

async function listPromptFileNames(promptFolder: vscode.Uri): Promise<readonly string[]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(promptFolder);
    return entries.filter(([, type]) => type === vscode.FileType.File).map(([name]) => name);
  } catch {
    return [];
  }
}

async function readPrompt(uri: vscode.Uri): Promise<PromptFile | undefined> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxFileBytes) return undefined;
    const { text } = await decodeText(uri, await vscode.workspace.fs.readFile(uri));
    return readPromptFile(text);
  } catch {
    return undefined;
  }
}

/** Prompt after the replacement of its variables. */
export interface FilledPrompt {
  readonly body: string;
  /** Text that the user typed after the prompt's name. Empty if this text became the value of an input. */
  readonly textAfterName: string;
  /** Names of the variables without a value. These variables remain unreplaced in the body. */
  readonly missingVariables: readonly string[];
  /** True if an input box took the focus. The caller must then return the focus to the composer. */
  readonly hasTakenFocus: boolean;
}

/**
 * Replaces the variables of a prompt: file, folder, selection, and inputs that the user enters.
 * @param textAfterName Text that the user typed after the prompt's name. Used as the value if the prompt has exactly
 * one input.
 * @param attachSelection Attaches the selection and returns its label.
 */
export async function fillPromptFromEditor(
  { name, body }: Pick<NamedPrompt, 'name' | 'body'>,
  textAfterName: string,
  attachSelection: () => Promise<string | undefined>,
): Promise<FilledPrompt> {
  const variables = parsePromptVariables(body);
  const inputs = variables.filter(isInput);
  const isAnswer = textAfterName !== '' && inputs.length === 1;
  const values = new Map(getEditorVariables());
  if (variables.some(({ key }) => selectionVariables.includes(key))) {
    const name = await attachSelection();
    if (name !== undefined) for (const key of selectionVariables) values.set(key, name);
  }
  for (const [index, { key, input }] of inputs.entries()) {
    const title = inputs.length > 1 ? `/${name} (${index + 1}/${inputs.length})` : `/${name}`;
    const value = isAnswer ? textAfterName : await promptForInput(title, input);
    // The user canceled an input box and can complete the prompt in the composer.
    if (value === undefined) break;
    if (value.trim() !== '') values.set(key, value.trim());
  }
  return {
    body: fillPromptVariables(body, values),
    textAfterName: isAnswer ? '' : textAfterName,
    missingVariables: variables.map(({ key }) => key).filter((key) => !values.has(key)),
    hasTakenFocus: inputs.length > 0 && !isAnswer,
  };
}

const selectionVariables: readonly string[] = ['selection', 'selectedText'];

type PromptInput = Required<PromptVariable>;

const isInput = (variable: PromptVariable): variable is PromptInput => variable.input !== undefined;

/**
 * Returns the values of the file and folder variables. Paths are relative to the workspace folder. For a file outside
 * the workspace, the value is only the file name.
 */
function getEditorVariables(): ReadonlyMap<string, string> {
  const { workspaceFolders: folders = [] } = vscode.workspace;
  const values: [string, string][] = [];
  const uri = findActiveOrVisibleEditor()?.document.uri;
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

const promptForInput = (
  title: string,
  { name, hint }: PromptInput['input'],
): Thenable<string | undefined> =>
  vscode.window.showInputBox({ title, prompt: name, placeHolder: hint });

/** Chat settings that a prompt file can change. */
export interface ChatSettings {
  readonly agents: { getMode(): Mode; setMode(mode: Mode): Promise<void> };
  /**
   * Returns the available models, the model selection of the visible chat, and a function that selects another model
   * for this chat.
   */
  readonly getModels: () => Pick<
    ModelCatalog,
    'models' | 'allModels' | 'chatModel' | 'selectedName' | 'selectChatModel'
  >;
}

/** Result of applying the mode and the model of a prompt file. */
export interface AppliedSettings {
  /** Display names of the mode and the model that the prompt file changed. */
  readonly changedNames: readonly string[];
  /** True if the prompt file requests Agent mode and Agent mode is off. */
  readonly needsAgentMode: boolean;
  /** Set if the prompt's model was rejected because it protects the chat less than the current model. */
  readonly rejectedModel?: { readonly requestedModel: string; readonly currentModel: string };
}

/**
 * Applies the mode and the model of a prompt file. Ignores unknown values, because prompt files may target other
 * editors. Never turns on Agent mode or selects a model with less protection, because a prompt file is untrusted
 * workspace content.
 */
export async function applyPromptSettings(
  { mode, model }: Pick<PromptFile, 'mode' | 'model'>,
  { agents, getModels }: ChatSettings,
): Promise<AppliedSettings> {
  const changedNames: string[] = [];
  const query = mode.toLowerCase();
  const needsAgentMode = query === 'agent' && agents.getMode() !== 'agent';
  if (query === 'ask' && agents.getMode() !== 'ask') {
    await agents.setMode('ask');
    changedNames.push(vscode.l10n.t('Ask'));
  }
  const models = getModels();
  const promptModel = findModel(model, models.models);
  const currentModel = findSelectedModel(models);
  if (promptModel === undefined || promptModel.id === currentModel?.id)
    return { changedNames, needsAgentMode };
  if (hasLessProtection(promptModel, currentModel)) {
    return {
      changedNames,
      needsAgentMode,
      rejectedModel: {
        requestedModel: promptModel.name,
        currentModel: getSelectedModel(models).name,
      },
    };
  }
  await models.selectChatModel(promptModel.id);
  changedNames.push(promptModel.name);
  return { changedNames, needsAgentMode };
}

/**
 * Checks whether the chosen model protects chats less than the current model. If the current model is unlisted,
 * assumes that it is encrypted.
 */
const hasLessProtection = (chosenModel: Model, currentModel: Model | undefined): boolean =>
  isWeaker(
    getOfferedProtection(chosenModel),
    currentModel ? getOfferedProtection(currentModel) : 'encrypted',
  ) ||
  (!isPrivate(chosenModel) && (currentModel === undefined || isPrivate(currentModel)));

/** Returns the available chat model with this id, trait or name. Undefined if there is no such model. */
function findModel(query: string, models: readonly Model[]): Model | undefined {
  const usableModels = selectChatModels(models).filter(({ offline }) => !offline);
  const name = query.toLowerCase();
  return (
    findModelByIdOrTrait(usableModels, query) ??
    usableModels.find((model) => model.name.toLowerCase() === name)
  );
}

/**
 * Returns the notice to show after a prompt was put into the composer.
 * @param name Name of the prompt, including the slash.
 * @param missingVariables Names of the variables without a value.
 */
export function formatPromptNotice(
  name: string,
  { changedNames, needsAgentMode, rejectedModel }: AppliedSettings,
  missingVariables: readonly string[],
): string {
  const sentences = [
    ...(rejectedModel === undefined ? [] : [formatModelUnchangedNotice(name, rejectedModel)]),
    ...(needsAgentMode ? [formatModeUnchangedNotice(name)] : []),
    ...(missingVariables.length === 0 ? [] : [formatMissingVariablesNotice(missingVariables)]),
    changedNames.length === 0
      ? vscode.l10n.t('Read the prompt, then send it.')
      : vscode.l10n.t(
          'Switched to {0}, as {1} asks. Read the prompt, then send it.',
          changedNames.join(', '),
          name,
        ),
  ];
  return sentences.join(' ');
}

const formatModelUnchangedNotice = (
  name: string,
  { requestedModel, currentModel }: NonNullable<AppliedSettings['rejectedModel']>,
): string =>
  vscode.l10n.t(
    '{0} asks for {1}, which protects less: {2} stays until you choose another model.',
    name,
    requestedModel,
    currentModel,
  );

const formatModeUnchangedNotice = (name: string): string =>
  vscode.l10n.t('{0} requires Agent mode, which only you can turn on.', name);

const formatMissingVariablesNotice = (missingVariables: readonly string[]): string =>
  vscode.l10n.t('Not filled in: {0}.', missingVariables.map((key) => `\${${key}}`).join(', '));
