import type { ContextSnippet } from '../../../src/completion/ports.ts';

/**
 * Edits of one simulated user in one document: the initial text, code of other documents, and the intended edits.
 * Suggestions change which keys the user presses, and `rhythm.ts` determines when.
 */
export interface Trace {
  readonly name: string;
  readonly path: string;
  readonly indentUnit: string;
  /** Seed of the simulated key timing. */
  readonly seed: number;
  readonly textBefore: string;
  readonly textAfter: string;
  readonly neighbors: readonly ContextSnippet[];
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: 'type'; readonly text: string; readonly marks: readonly ActionMark[] }
  /**
   * `move` moves the cursor to the end of `text` in the document. `paste` inserts `text`. `erase` deletes `text` before
   * the cursor, key by key.
   */
  | { readonly kind: 'move' | 'paste' | 'erase'; readonly text: string };

/** Mark for an action that the simulated user performs before typing the character at `offset`. */
export interface ActionMark {
  readonly offset: number;
  /**
   * Kind of action. `look`, `word` and `line` wait for a matching suggestion, and then accept all of it, a word or a
   * line. `pause` waits before the user continues to type. `escape` dismisses the suggestion. `slip` types `text` by
   * mistake and then deletes it.
   */
  readonly kind: 'look' | 'word' | 'line' | 'pause' | 'escape' | 'slip';
  readonly text: string;
}

/**
 * Parses a trace file. A header of `name value` lines is followed by blocks, each of which starts with `%% kind`.
 * @throws if the file is invalid
 */
export function readTrace(source: string): Trace {
  const [header = '', ...blocks] = source.split(/^%% /mu);
  const fields = new Map(header.split('\n').map((line) => splitAtFirst(line, ' ')));
  const parsedBlocks = blocks.map(readBlock);
  const document = parsedBlocks.find(({ kind }) => kind === 'document')?.text ?? '';
  const [before, after] = splitAtFirst(document, '‸');
  return {
    name: fields.get('language') ?? '',
    path: fields.get('path') ?? '',
    indentUnit: fields.get('indent') === 'tab' ? '\t' : ' '.repeat(Number(fields.get('indent'))),
    seed: Number(fields.get('seed')),
    textBefore: before,
    textAfter: after,
    neighbors: parsedBlocks
      .filter(({ kind }) => kind === 'open')
      .map(({ argument, text }) => ({ kind: 'similar', path: argument, text })),
    steps: parsedBlocks.flatMap(readStep),
  };
}

interface Block {
  readonly kind: string;
  readonly argument: string;
  readonly text: string;
}

function readBlock(block: string): Block {
  const [firstLine, text] = splitAtFirst(block, '\n');
  const [kind, argument] = splitAtFirst(firstLine, ' ');
  return { kind, argument, text };
}

function readStep({ kind, text }: Block): Step[] {
  // The line end before the next block is not part of the text.
  const content = text.replace(/\n$/u, '');
  if (kind === 'open' || kind === 'document') return [];
  if (kind === 'type') return [{ kind, ...readMarks(content) }];
  if (kind === 'move' || kind === 'paste' || kind === 'erase') return [{ kind, text: content }];
  throw new Error(`A trace has no block "${kind}".`);
}

function readMarks(content: string): { text: string; marks: ActionMark[] } {
  const marks: ActionMark[] = [];
  let text = '';
  let end = 0;
  for (const match of content.matchAll(/⟦(look|word|line|pause|escape|slip) ?([^⟧]*)⟧/gu)) {
    text += content.slice(end, match.index);
    end = match.index + match[0].length;
    marks.push({ offset: text.length, kind: match[1] as ActionMark['kind'], text: match[2] ?? '' });
  }
  return { text: text + content.slice(end), marks };
}

function splitAtFirst(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}
