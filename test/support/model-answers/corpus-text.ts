import { readFileSync } from 'node:fs';

/** Edit that a user requests for some lines of a file. */
export interface CorpusEdit {
  readonly index: number;
  readonly language: string;
  readonly path: string;
  readonly instruction: string;
  readonly before: readonly string[];
  readonly original: readonly string[];
  readonly after: readonly string[];
  /** Lines that must replace the `original` lines. */
  readonly replacement: readonly string[];
  /** Texts that are correct: the intended lines, and variants with other blank lines at the start or end. */
  readonly acceptedTexts: readonly string[];
  readonly usesTabs: boolean;
  readonly tabSize: number;
  readonly usesCrlf: boolean;
  /** Hand-written answers that imitate the answers of models to this edit request. */
  readonly answers: readonly CorpusAnswer[];
}

/**
 * Expected result of an answer. `right`: the accepted text. `right-or-refused`: the accepted text or a refusal.
 * `refused`: a refusal, or a result that changes nothing.
 */
export type Expectation = 'right' | 'right-or-refused' | 'refused';

export interface CorpusAnswer {
  readonly expectation: Expectation;
  readonly name: string;
  readonly text: string;
  /** True if the service cut off the answer. */
  readonly isCutOff: boolean;
  /** Text after the opening fence of a code block, such as the language. */
  readonly info?: string;
  /** True if the unchanged text of the answer is also a correct result, for example the intended lines and a comment. */
  readonly isTextAccepted?: boolean;
}

/** Reads a corpus file. Converts line breaks to `\n`. */
export function readCorpusText(file: URL): string {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
}

/**
 * Parses edits with the sections `§edit language | path | instruction | options`, `§lines`, `§after`, `§new`, `§or` for
 * another accepted text, and `§answer mark | name | options`. The marks are `=` (right), `~` (right or refused), `*`
 * (right or refused, and the unchanged text of the answer is also accepted), and `!` (refused). In the texts, `→` is a
 * tab and `␠` is a space.
 */
export function parseEdits(text: string): readonly CorpusEdit[] {
  return text
    .split(/^§edit /mu)
    .slice(1)
    .map((part, index) => parseEdit(part, index));
}

function parseEdit(part: string, index: number): CorpusEdit {
  const sections = parseSections(`edit ${part}`);
  const find = (kind: string): readonly string[] =>
    sections.find((section) => section.kind === kind)?.lines ?? [];
  const [language = '', path = '', instruction = '', ...options] = (sections[0]?.title ?? '').split(
    ' | ',
  );
  const replacement = find('new');
  return {
    index,
    language,
    path,
    instruction,
    before: find('edit'),
    original: find('lines'),
    after: [...find('after'), ...(options.includes('noeol') ? [] : [''])],
    replacement,
    acceptedTexts: [
      replacement.join('\n'),
      ...sections.filter(({ kind }) => kind === 'or').map(({ lines }) => lines.join('\n')),
    ],
    usesTabs: options.includes('tabs'),
    tabSize: Number(options.find((option) => /^\d$/u.test(option)) ?? 4),
    usesCrlf: options.includes('crlf'),
    answers: sections.filter(({ kind }) => kind === 'answer').map(toAnswer),
  };
}

interface Section {
  readonly kind: string;
  readonly title: string;
  readonly lines: readonly string[];
}

function parseSections(text: string): readonly Section[] {
  return text.split(/^§/mu).map((section) => {
    const [headLine = '', ...lines] = section.replace(/\n$/u, '').split('\n');
    const [kind = '', ...titleWords] = headLine.split(' ');
    return {
      kind,
      title: titleWords.join(' '),
      lines: lines.map((line) => line.replaceAll('→', '\t').replaceAll('␠', ' ')),
    };
  });
}

function toAnswer({ title, lines }: Section): CorpusAnswer {
  const [expectationMark = '', name = '', ...options] = title.split(' | ');
  const expectations: Partial<Record<string, Expectation>> = {
    '=': 'right',
    '~': 'right-or-refused',
    '*': 'right-or-refused',
    '!': 'refused',
  };
  const expectation = expectations[expectationMark];
  if (expectation === undefined) throw new Error(`Unknown expectation: ${title}`);
  return {
    expectation,
    name,
    text: lines.join('\n'),
    isCutOff: options.includes('cut'),
    info: options[0] ?? '',
    isTextAccepted: expectationMark === '*',
  };
}
