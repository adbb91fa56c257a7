import type { ContextSnippet } from '../../../src/completion/ports.ts';

/**
 * One person's work in one document, written down once: what stands there, what other code is known, and what the
 * person heads for. Which keys that takes depends on what is suggested; when they come is said by `rhythm.ts`.
 */
export interface Trace {
  readonly name: string;
  readonly path: string;
  readonly indentUnit: string;
  /** Of the rhythm. */
  readonly seed: number;
  readonly before: string;
  readonly after: string;
  readonly neighbours: readonly ContextSnippet[];
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: 'type'; readonly text: string; readonly marks: readonly Mark[] }
  /** `move`: the cursor goes behind the text. `erase`: the text before the cursor goes, key by key. */
  | { readonly kind: 'move' | 'paste' | 'erase'; readonly text: string };

/** What the person does on the way, before the character at `at`. */
export interface Mark {
  readonly at: number;
  /**
   * `look`, `word`, `line`: hesitates, and takes what is shown, all or a part of it, when it is what was meant.
   * `pause`: hesitates and types on whatever is shown. `escape`: dismisses it. `slip`: types `text` and erases it again.
   */
  readonly kind: 'look' | 'word' | 'line' | 'pause' | 'escape' | 'slip';
  readonly text: string;
}

/** Reads a trace file: a head of `name value` lines, then blocks that begin with `%% kind`. Throws when it is none. */
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
  const [kind, about] = split(first, ' ');
  return { kind, about, text };
}

function stepOf({ kind, text }: Block): Step[] {
  // The line end before the next block is the file's.
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
