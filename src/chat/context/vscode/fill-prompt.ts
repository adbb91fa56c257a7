import { posix } from 'node:path';
import * as vscode from 'vscode';
import {
  fillPrompt,
  type PromptVariable,
  promptVariables,
} from '../../../conversation/prompt-file.ts';
import { oneLine } from '../../../base/hidden-characters.ts';
import { shownEditor } from '../../../platform/window.ts';
import type { NamedPrompt } from './prompt-files.ts';

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
  const variables = promptVariables(body);
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
    body: fillPrompt(body, values),
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
  const uri = shownEditor()?.document.uri;
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
  return new Map(values.map(([key, value]) => [key, oneLine(value)]));
}

const askFor = (title: string, { name, hint }: Input['input']): Thenable<string | undefined> =>
  vscode.window.showInputBox({ title, prompt: name, placeHolder: hint });
