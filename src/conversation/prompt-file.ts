import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { removeCodebaseMention } from './slash-commands.ts';

/** A prompt that the workspace keeps in a file. */
export interface PromptFile {
  readonly description: string;
  /** What the file says it is written for, which may not be known here. Tools are chosen by the mode alone. */
  readonly mode: string;
  readonly model: string;
  /** Without its head, as it goes into the composer. */
  readonly body: string;
}

/** Longest body that goes into the composer, in characters. */
export const maxPromptLength = 30_000;

const maxValueLength = 200;
const promptExtension = '.prompt.md';

/**
 * Reads a prompt file: a head of `key: value` lines between two lines of three dashes, then the prompt. Hidden
 * characters are left out: a person reads the prompt before it is sent, and must see all of it.
 */
export function readPromptFile(text: string): PromptFile {
  const visibleText = stripHiddenCharacters(text.slice(0, maxPromptLength * 2)).text.replaceAll(
    '\r',
    '',
  );
  const header = /^---[ \t]*\n(?<lines>(?:.*\n)*?)---[ \t]*(?:\n|$)/u.exec(visibleText);
  const values = parseHeader(header?.groups?.['lines'] ?? '');
  const value = (key: string): string => values.get(key) ?? '';
  return {
    description: value('description'),
    mode: value('mode') || value('agent'),
    model: value('model'),
    body: visibleText
      .slice(header?.[0].length ?? 0)
      .trim()
      .slice(0, maxPromptLength),
  };
}

/**
 * A prompt as words alone: sent as it stands, a command at its beginning or a mention of the codebase would take along
 * what nobody has seen.
 */
export const stripPromptDirectives = (body: string): string =>
  removeCodebaseMention(body).replace(/^\/(?=[a-z]+(?:\s|$))/u, '');

/** The name of a prompt by the name of its file; undefined for other files, and for names that nobody can type. */
export function promptNameFromFile(file: string): string | undefined {
  if (!file.endsWith(promptExtension)) return undefined;
  const name = file.slice(0, -promptExtension.length);
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,59}$/u.test(name) ? name : undefined;
}

function parseHeader(lines: string): ReadonlyMap<string, string> {
  const matches = lines.matchAll(/^(?<key>[A-Za-z]+)[ \t]*:[ \t]*(?<value>.*)$/gmu);
  return new Map(
    [...matches].map(({ groups }) => [
      groups?.['key']?.toLowerCase() ?? '',
      unquote(groups?.['value']?.trim() ?? '').slice(0, maxValueLength),
    ]),
  );
}

const unquote = (value: string): string =>
  /^(?<quote>["'])(?<inner>.*)\k<quote>$/u.exec(value)?.groups?.['inner'] ?? value;

/** What stands as `${…}` in a prompt file, as VS Code's own prompt files have it. */
export interface PromptVariable {
  /** Without the hint, e.g. `file` or `input:topic`. */
  readonly key: string;
  /** Of an input: what it is called, and the words that help to fill it in, or nothing. */
  readonly input?: { readonly name: string; readonly hint: string };
}

const editorVariables = new Set([
  'file',
  'fileBasename',
  'fileBasenameNoExtension',
  'fileDirname',
  'selectedText',
  'selection',
  'workspaceFolder',
  'workspaceFolderBasename',
]);

const variablePattern =
  /\$\{(?:(?<place>[a-zA-Z]{4,23})|input:(?<name>[^:{}\n]{1,60})(?::(?<hint>[^{}\n]{0,200}))?)\}/gu;

/** The variables of a prompt, each once. What else stands between braces, as in code of a shell, is none. */
export function parsePromptVariables(body: string): readonly PromptVariable[] {
  const variables = new Map<string, PromptVariable>();
  for (const { groups = {} } of body.matchAll(variablePattern)) {
    const variable = toPromptVariable(groups);
    if (variable !== undefined && !variables.has(variable.key))
      variables.set(variable.key, variable);
  }
  return [...variables.values()];
}

/**
 * Puts values in the place of variables, by their keys. Those without one stay as they are written, and a variable
 * within a value is none.
 */
export const fillPromptVariables = (body: string, values: ReadonlyMap<string, string>): string =>
  body.replaceAll(variablePattern, (match, ...rest) => {
    const key = toPromptVariable(rest.at(-1) as Groups)?.key;
    return (key === undefined ? undefined : values.get(key)) ?? match;
  });

type Groups = Readonly<Record<string, string | undefined>>;

function toPromptVariable({ place, name, hint }: Groups): PromptVariable | undefined {
  if (place !== undefined) return editorVariables.has(place) ? { key: place } : undefined;
  const inputName = name?.trim() ?? '';
  if (inputName === '') return undefined;
  return { key: `input:${inputName}`, input: { name: inputName, hint: hint?.trim() ?? '' } };
}
