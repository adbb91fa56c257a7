import type { ContextSnippet } from '../../../src/completion/ports.ts';

/**
 * One user's edits in one document: its text, the known code, and the intended text. The keys
 * depend on the suggestions; `rhythm.ts` determines their times.
 */
export interface Trace {
  readonly name: string;
  readonly path: string;
  readonly indentUnit: string;
  /** Seed of the rhythm. */
  readonly seed: number;
  readonly before: string;
  readonly after: string;
  readonly neighbours: readonly ContextSnippet[];
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: 'type'; readonly text: string; readonly marks: readonly Mark[] }
  /**
   * `move`: moves the cursor after the text. `erase`: deletes the text before the cursor, key by
   * key.
   */
  | { readonly kind: 'move' | 'paste' | 'erase'; readonly text: string };

/** Actions of the user before the character at `at`. */
export interface Mark {
  readonly at: number;
  /**
   * `look`, `word`, `line`: hesitates, and accepts all or a part of a matching suggestion. `pause`:
   * hesitates and continues typing. `escape`: dismisses the suggestion. `slip`: types `text` and
   * deletes it.
   */
  readonly kind: 'look' | 'word' | 'line' | 'pause' | 'escape' | 'slip';
  readonly text: string;
}

/**
 * Parses a trace file: a header of `name value` lines, then blocks that start with `%% kind`.
 * Throws for invalid files.
 */
export function readTrace(source: string): Trace {
  const [head = '', ...blocks] = source.split(/^%% /mu);
  const fields = new Map(head.split('\n').map((line) => split(line, ' ')));
  const read = blocks.map(readBlock);
  const document = read.find(({ kind }) => kind === 'document')?.text ?? '';
  const [before, after] = split(document, '‸');
  return {
    name: fields.get('language') ?? '',
    path: fields.get('path') ?? '',
    indentUnit: fields.get('indent') === 'tab' ? '\t' : ' '.repeat(Number(fields.get('indent'))),
    seed: Number(fields.get('seed')),
    before,
    after,
    neighbours: read
      .filter(({ kind }) => kind === 'open')
      .map(({ about, text }) => ({ kind: 'similar', path: about, text })),
    steps: read.flatMap(stepOf),
  };
}

interface Block {
  readonly kind: string;
  readonly about: string;
  readonly text: string;
}

function readBlock(block: string): Block {
  const [first, text] = split(block, '\n');
  const [kind, argument] = split(first, ' ');
  return { kind, about: argument, text };
}

function stepOf({ kind, text }: Block): Step[] {
  // The line end before the next block belongs to the file format.
  const content = text.replace(/\n$/u, '');
  if (kind === 'open' || kind === 'document') return [];
  if (kind === 'type') return [{ kind, ...readMarks(content) }];
  if (kind === 'move' || kind === 'paste' || kind === 'erase') return [{ kind, text: content }];
  throw new Error(`A trace has no block "${kind}".`);
}

function readMarks(content: string): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  let text = '';
  let end = 0;
  for (const found of content.matchAll(/⟦(look|word|line|pause|escape|slip) ?([^⟧]*)⟧/gu)) {
    text += content.slice(end, found.index);
    end = found.index + found[0].length;
    marks.push({ at: text.length, kind: found[1] as Mark['kind'], text: found[2] ?? '' });
  }
  return { text: text + content.slice(end), marks };
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}
