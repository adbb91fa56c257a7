import { classifyProse } from '../../base/prose.ts';
import { EchoDetector, findEchoStarts } from './echo.ts';
import { FimTokenFilter } from './fim-tokens.ts';
import { type AnswerReader, nextLine, ScopeTracker, type CompletionScope } from './scope.ts';
import { indentationOf } from '../language/cursor-context.ts';
import type { FilterName } from '../reason.ts';
import { linePrefix, lineSuffix, type Snapshot } from '../snapshot.ts';

/** Where an answer is cut off. More than this is seldom wanted, and all of it is paid for. */
export const answerLimits = {
  /** Of a block. */
  lines: 24,
  /** Characters of an answer, of one line of it, and of all that came with marks, thoughts and talk. */
  characters: 4_000,
  line: 1_000,
  raw: 20_000,
  /** Characters of a line after which no more is decided before its end. */
  undecided: 200,
} as const;

/** Whether the lines end in the same line three times, or in the same few lines three times. */
export function endsInCycle(lines: readonly string[]): boolean {
  const last = lines.at(-1) ?? '';
  if (!/[\p{L}\p{N}]/u.test(last)) return false;
  for (let period = 1; period <= longestPeriod && period * 3 <= lines.length; period += 1)
    if (repeats(lines, period)) return true;
  return false;
}

const longestPeriod = 8;

function repeats(lines: readonly string[], period: number): boolean {
  for (let back = 1; back <= period * 2; back += 1)
    if (lines.at(-back) !== lines.at(-back - period)) return false;
  return true;
}

/** Reads the answer to what was asked at `snapshot`. */
export function createAnswerReader(snapshot: Snapshot, wanted: CompletionScope): AnswerReader {
  return new Reader(snapshot, wanted);
}

/** What becomes of a line: `take` it, `skip` it, `finish` in front of it, `last`: take it and finish behind it. */
type Verdict = 'take' | 'skip' | 'finish' | 'last';

class Reader implements AnswerReader {
  readonly #snapshot: Snapshot;
  readonly #wanted: CompletionScope;
  readonly #marks: FimTokenFilter;
  readonly #scope: ScopeTracker;
  readonly #linePrefix: string;
  /** The next line behind the cursor, when meeting it in an answer cannot be chance. */
  readonly #target: string | undefined;
  readonly #speaksProse: boolean;
  #text = '';
  #wholeLinesLength = 0;
  #isComplete = false;
  #removed: FilterName | undefined;
  #seen = 0;
  /** White space that is only written in front of something. */
  #pending = '';
  #line = '';
  /** Whether the line is more than white space. */
  #isFilled = false;
  #isTaken = false;
  /** Whole lines of the answer. */
  readonly #lines: string[] = [];
  #hasContent = false;
  #wasBlank = false;
  #leadingBreaks = 0;
  /** Blank lines stand between talk and the answer. */
  #isBehindTalk = false;
  #fence = '';
  #echo: EchoDetector | undefined;
  #echoStarts: readonly number[] | undefined;
  #echoed = '';
  #isEchoDone = false;

  constructor(snapshot: Snapshot, wanted: CompletionScope) {
    this.#snapshot = snapshot;
    this.#wanted = wanted;
    this.#marks = new FimTokenFilter(`${snapshot.prefix}\n${snapshot.suffix}`, {
      emit: (character) => this.#unechoed(character),
      hasContent: () => this.#hasContent || this.#isFilled,
    });
    this.#scope = new ScopeTracker(snapshot);
    this.#linePrefix = linePrefix(snapshot);
    this.#speaksProse = this.#scope.isText;
    const next = nextLine(snapshot.suffix)?.trim() ?? '';
    this.#target = isTelling(next) ? next : undefined;
  }

  get text(): string {
    return this.#text;
  }

  get wholeLinesLength(): number {
    return this.#wholeLinesLength;
  }

  get removed(): FilterName | undefined {
    return this.#removed;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length && !this.#isComplete; at += 1) {
      this.#seen += 1;
      this.#marks.push(piece[at] ?? '');
      if (this.#marks.isOver || this.#seen > answerLimits.raw) this.end();
    }
  }

  end(): void {
    if (this.#isComplete) return;
    this.#marks.end();
    this.#endEcho();
    if (this.#isComplete) return;
    if (this.#isFilled) this.#endLine();
    if (!this.#isComplete) this.#finish();
  }

  #finish(): void {
    this.#isComplete = true;
    if (isHighSurrogate(this.#pending)) this.#pending = '';
  }

  /** Lets characters through unless they are an echo. */
  #unechoed(character: string): void {
    if (this.#isComplete) return;
    if (this.#echo === undefined) {
      const isStart = !this.#hasContent && !this.#isEchoDone && !this.#isFilled;
      if (!isStart || /\s/u.test(character)) return this.#character(character);
      this.#echo = new EchoDetector(
        this.#snapshot,
        (this.#echoStarts ??= findEchoStarts(this.#snapshot)),
      );
      this.#echoed = '';
    }
    this.#echoed += character;
    const verdict = this.#echo.push(character);
    if (verdict !== 'maybe') this.#leaveEcho(verdict === 'no' ? 0 : verdict.length);
  }

  #endEcho(): void {
    const verdict = this.#echo?.end();
    if (verdict !== undefined) this.#leaveEcho(verdict === 'no' ? 0 : verdict.length);
  }

  #leaveEcho(length: number): void {
    const rest = this.#echoed.slice(length);
    this.#echo = undefined;
    this.#isEchoDone = true;
    if (length > 0) {
      this.#startAnew();
      this.#removed ??= 'echo';
    }
    for (let at = 0; at < rest.length && !this.#isComplete; at += 1)
      this.#character(rest[at] ?? '');
  }

  /** What came before was no part of the answer. */
  #startAnew(): void {
    this.#line = '';
    this.#isFilled = false;
    this.#leadingBreaks = 0;
    this.#isBehindTalk = false;
    this.#wasBlank = false;
  }

  #character(character: string): void {
    if (this.#isComplete) return;
    if (character === '\n') return this.#endLine();
    this.#line += character;
    this.#isFilled ||= !/\s/u.test(character);
    if (this.#isTaken) return this.#write(character);
    if (this.#line.length > answerLimits.undecided || !this.#isFilled) return;
    const verdict = this.#judge(this.#line, false);
    if (verdict !== undefined) this.#act(verdict);
  }

  #endLine(): void {
    const line = this.#line;
    if (!this.#isFilled) return this.#blankLine();
    this.#isFilled = false;
    if (!this.#isTaken) this.#act(this.#judge(line, true) ?? 'take');
    const wasTaken = this.#isTaken;
    this.#line = '';
    this.#isTaken = false;
    if (this.#isComplete || !wasTaken) return;
    this.#lines.push(this.#lines.length === 0 ? this.#inDocument(line) : line);
    this.#wasBlank = false;
    this.#wholeLinesLength = this.#text.length;
    this.#pending = '\n';
    if (this.#wanted === 'line' || this.#scope.endLine()) return this.#finish();
    if (this.#lines.length >= answerLimits.lines || endsInCycle(this.#lines)) this.#finish();
  }

  #blankLine(): void {
    this.#line = '';
    if (!this.#hasContent) {
      if (!this.#isBehindTalk) this.#leadingBreaks += 1;
      return;
    }
    this.#wasBlank = true;
    if (this.#scope.blankLine(this.#lines.at(-1) ?? '')) return this.#finish();
    if (this.#pending === '\n') this.#pending = '\n\n';
  }

  #act(verdict: Verdict): void {
    if (verdict === 'finish') return this.#finish();
    if (verdict === 'skip') return;
    if (verdict === 'last') this.#scope.close();
    this.#isTaken = true;
    const line = this.#hasContent ? this.#line : this.#firstLine(this.#line);
    this.#hasContent = true;
    for (let at = 0; at < line.length && !this.#isComplete; at += 1) this.#write(line[at] ?? '');
  }

  #write(character: string): void {
    if (!this.#scope.push(character)) {
      this.#wholeLinesLength = this.#text.length;
      this.#removed ??= 'repeats-suffix';
      return this.#finish();
    }
    this.#pending += character;
    if (/\s/u.test(character) || isHighSurrogate(character)) return;
    this.#text += this.#pending;
    this.#pending = '';
    if (this.#text.length >= answerLimits.characters || this.#line.length >= answerLimits.line)
      this.#finish();
  }

  /** `undefined` while it is not known. */
  #judge(line: string, isWhole: boolean): Verdict | undefined {
    const fence = this.#judgeFence(line.trim(), isWhole);
    if (fence !== 'take') return fence;
    const prose = this.#judgeProse(line, isWhole);
    if (prose !== 'take') return prose;
    if (!this.#hasContent) return 'take';
    const target = this.#judgeTarget(line, isWhole);
    if (target !== 'take') return target;
    const place = this.#scope.placementOf(line, isWhole);
    if (place === undefined) return undefined;
    return place === 'inside' ? 'take' : place === 'last' ? 'last' : 'finish';
  }

  #judgeFence(content: string, isWhole: boolean): Verdict | undefined {
    const isStart = isWhole
      ? /^(?:```|~~~)/u.test(content)
      : /^(?:`{1,2}$|~{1,2}$|```|~~~)/u.test(content);
    if (!isStart) return 'take';
    const word = /^[`~]+\s*(?<word>[^\s`]*)/u.exec(content)?.groups?.['word'] ?? '';
    const isOwn = this.#scope.language.scopes !== 'paragraphs' || ownFences.has(word);
    if (!isWhole) {
      const isClosed = this.#hasContent && this.#fence !== '' && content === this.#fence;
      return isClosed ? 'finish' : undefined;
    }
    if (this.#hasContent) {
      if (this.#fence !== '' && content.startsWith(this.#fence)) return 'finish';
      return this.#scope.language.scopes === 'paragraphs' ? 'take' : 'finish';
    }
    if (!isOwn) return 'take';
    // With nothing between them the second one closes the first.
    this.#fence = content === this.#fence ? '' : (/^[`~]+/u.exec(content)?.[0] ?? '');
    this.#startAnew();
    this.#isEchoDone = false;
    return 'skip';
  }

  #judgeProse(line: string, isWhole: boolean): Verdict | undefined {
    if (this.#speaksProse || this.#fence !== '') return 'take';
    if (this.#hasContent && !(this.#wasBlank && this.#scope.isFlat)) return 'take';
    // What goes on behind a word is no sentence of its own.
    if (!this.#hasContent && this.#leadingBreaks === 0 && /^\s/u.test(line)) return 'take';
    const verdict = classifyProse(line, isWhole);
    if (verdict === 'no') return 'take';
    if (verdict === 'maybe') return undefined;
    if (this.#hasContent) return 'finish';
    this.#startAnew();
    this.#isEchoDone = false;
    this.#isBehindTalk = true;
    this.#removed ??= 'prose';
    return 'skip';
  }

  #judgeTarget(line: string, isWhole: boolean): Verdict | undefined {
    const content = line.trim();
    if (this.#target === undefined || !this.#scope.isFlat) return 'take';
    if (isWhole) return content === this.#target ? 'finish' : 'take';
    return this.#target.startsWith(content) ? undefined : 'take';
  }

  /** The first line as it goes on at the cursor: its indentation may stand there already, and its line break may be missing. */
  #firstLine(line: string): string {
    const space = indentationOf(line);
    const rest = line.slice(space.length);
    if (this.#linePrefix.trim() === '') return space.slice(this.#linePrefix.length) + rest;
    if (this.#leadingBreaks > 0 && lineSuffix(this.#snapshot).trim() === '') return `\n${line}`;
    if (this.#wanted === 'block' && this.#wantsBreak(space, rest))
      return `\n${this.#bodyIndentation(space)}${rest}`;
    return /\s$/u.test(this.#linePrefix) ? rest : line;
  }

  /** The first line with what stands before it in the document. */
  #inDocument(line: string): string {
    const text = this.#firstLine(line);
    return text.startsWith('\n') ? text.slice(1) : this.#linePrefix + text;
  }

  #wantsBreak(space: string, rest: string): boolean {
    if (!this.#scope.language.breaksAfterOpening) return false;
    if (space !== '') return space !== ' ';
    return /[{:\w]\s*$/u.test(this.#linePrefix) && /^[\p{L}_$@"'#/]/u.test(rest);
  }

  #bodyIndentation(space: string): string {
    const outer = indentationOf(this.#linePrefix);
    return space.length > outer.length ? space : outer + this.#snapshot.indentUnit;
  }
}

/** A word, not only brackets. */
const isTelling = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && !endings.has(line);
const endings: ReadonlySet<string> = new Set([
  'end',
  'else:',
  'else',
  'fi',
  'done',
  'esac',
  'break;',
  'pass',
]);

/** Fences around a text that is itself the answer. */
const ownFences: ReadonlySet<string> = new Set(['markdown', 'md', 'text', 'txt', 'plaintext']);

const isHighSurrogate = (text: string): boolean => /[\uD800-\uDBFF]$/.test(text);
