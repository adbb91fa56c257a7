import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { withoutMention } from './codebase-mention.ts';

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
export const maxPromptFile = 30_000;

const longestValue = 200;
const endings = '.prompt.md';

/**
 * Reads a prompt file: a head of `key: value` lines between two lines of three dashes, then the prompt. Hidden
 * characters are left out: a person reads the prompt before it is sent, and must see all of it.
 */
export function readPromptFile(text: string): PromptFile {
  const clean = stripHiddenCharacters(text.slice(0, maxPromptFile * 2)).text.replaceAll('\r', '');
  const head = /^---[ \t]*\n(?<lines>(?:.*\n)*?)---[ \t]*(?:\n|$)/u.exec(clean);
  const values = headValues(head?.groups?.['lines'] ?? '');
  const value = (key: string): string => values.get(key) ?? '';
  return {
    description: value('description'),
    mode: value('mode') || value('agent'),
    model: value('model'),
    body: clean
      .slice(head?.[0].length ?? 0)
      .trim()
      .slice(0, maxPromptFile),
  };
}

/**
 * A prompt as words alone: sent as it stands, a command at its beginning or a mention of the codebase would take along
 * what nobody has seen.
 */
export const plainPrompt = (body: string): string =>
  withoutMention(body).replace(/^\/(?=[a-z]+(?:\s|$))/u, '');

/** The name of a prompt by the name of its file; undefined for other files, and for names that nobody can type. */
export function promptName(file: string): string | undefined {
  if (!file.endsWith(endings)) return undefined;
  const name = file.slice(0, -endings.length);
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,59}$/u.test(name) ? name : undefined;
}

function headValues(lines: string): ReadonlyMap<string, string> {
  const found = lines.matchAll(/^(?<key>[A-Za-z]+)[ \t]*:[ \t]*(?<value>.*)$/gmu);
  return new Map(
    [...found].map(({ groups }) => [
      groups?.['key']?.toLowerCase() ?? '',
      unquoted(groups?.['value']?.trim() ?? '').slice(0, longestValue),
    ]),
  );
}

const unquoted = (value: string): string =>
  /^(?<quote>["'])(?<inner>.*)\k<quote>$/u.exec(value)?.groups?.['inner'] ?? value;
