import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { removeCodebaseMention } from './slash-commands.ts';

/** A prompt stored in a file of the workspace. */
export interface PromptFile {
  readonly description: string;
  /**
   * Name of the mode to select, as written in the file. May be the name of an unknown mode. Tools named in the file
   * have no effect, because the mode determines the tools.
   */
  readonly mode: string;
  readonly model: string;
  /** Prompt text without the header. This text is inserted into the composer. */
  readonly body: string;
}

/** Maximum length of the prompt text in characters. */
export const maxPromptLength = 30_000;

const maxValueLength = 200;
const promptExtension = '.prompt.md';

/**
 * Parses a prompt file: `key: value` lines between two lines of three dashes, followed by the
 * prompt. Removes hidden characters, because the user must see the whole prompt before it is sent.
 */
export function readPromptFile(text: string): PromptFile {
  const visibleText = stripHiddenCharacters(text.slice(0, maxPromptLength * 2)).text.replaceAll(
    '\r',
    '',
  );
  const headerMatch = /^---[ \t]*\n(?<lines>(?:.*\n)*?)---[ \t]*(?:\n|$)/u.exec(visibleText);
  const values = parseHeader(headerMatch?.groups?.['lines'] ?? '');
  const getValue = (key: string): string => values.get(key) ?? '';
  return {
    description: getValue('description'),
    mode: getValue('mode') || getValue('agent'),
    model: getValue('model'),
    body: visibleText
      .slice(headerMatch?.[0].length ?? 0)
      .trim()
      .slice(0, maxPromptLength),
  };
}

/**
 * Removes the `/` of a slash command at the start of a prompt, and the `#` of all `#codebase` mentions. Otherwise, they
 * would attach content that the user has not seen. The slash command may be built-in or from a prompt file.
 */
export const stripPromptDirectives = (body: string): string =>
  removeCodebaseMention(body).replace(/^\/(?=[\p{L}\p{N}][\p{L}\p{N}._-]*(?:\s|$))/u, '');

/**
 * Derives the name of a prompt from the name of its file. Returns undefined for a file that is not a prompt file, and
 * for a name that users cannot type as a slash command.
 */
export function derivePromptName(fileName: string): string | undefined {
  if (!fileName.endsWith(promptExtension)) return undefined;
  const name = fileName.slice(0, -promptExtension.length);
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,59}$/u.test(name) ? name : undefined;
}

function parseHeader(headerText: string): ReadonlyMap<string, string> {
  const matches = headerText.matchAll(/^(?<key>[A-Za-z]+)[ \t]*:[ \t]*(?<value>.*)$/gmu);
  return new Map(
    [...matches].map(({ groups }) => [
      groups?.['key']?.toLowerCase() ?? '',
      unquote(groups?.['value']?.trim() ?? '').slice(0, maxValueLength),
    ]),
  );
}

const unquote = (value: string): string =>
  /^(?<quote>["'])(?<inner>.*)\k<quote>$/u.exec(value)?.groups?.['inner'] ?? value;

/** A `${…}` variable in a prompt file, in VS Code's syntax. */
export interface PromptVariable {
  /** Variable without its braces and its hint, such as `file` or `input:topic`. */
  readonly key: string;
  /** Name and hint of an `input` variable. The hint tells the user what to enter, and may be empty. */
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
  /\$\{(?:(?<editorVariable>[a-zA-Z]{4,23})|input:(?<name>[^:{}\n]{1,60})(?::(?<hint>[^{}\n]{0,200}))?)\}/gu;

/** Returns the variables of a prompt, without duplicates. Ignores other braces, such as those in shell code. */
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
 * Replaces variables with their values. `values` contains each value by the key of its variable. Leaves variables
 * without a value unchanged. Does not expand variables inside values.
 */
export const fillPromptVariables = (body: string, values: ReadonlyMap<string, string>): string =>
  body.replaceAll(variablePattern, (match, ...rest) => {
    const key = toPromptVariable(rest.at(-1) as MatchGroups)?.key;
    return (key === undefined ? undefined : values.get(key)) ?? match;
  });

type MatchGroups = Readonly<Record<string, string | undefined>>;

function toPromptVariable({ editorVariable, name, hint }: MatchGroups): PromptVariable | undefined {
  if (editorVariable !== undefined)
    return editorVariables.has(editorVariable) ? { key: editorVariable } : undefined;
  const inputName = name?.trim() ?? '';
  if (inputName === '') return undefined;
  return { key: `input:${inputName}`, input: { name: inputName, hint: hint?.trim() ?? '' } };
}
