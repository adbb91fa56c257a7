import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import type { CompletionScope } from '../answer/scope.ts';
import { selectContext } from '../context/select-context.ts';
import { languageOf } from '../language/language.ts';
import type { SuggestionRequest, CompletionTarget, ContextSnippet } from '../ports.ts';
import {
  charactersPerToken,
  trimPrefix,
  trimSuffix,
  type PromptBudget,
  promptBudget,
  estimateTokens,
} from './prompt-budget.ts';
import { promptFormatFor, type PromptFormat, escapeTokens } from './prompt-format.ts';
import type { Snapshot } from '../snapshot.ts';
import type { ChatRequestMessage } from '../../service/chat/chat-types.ts';

/**
 * Names a document to the service, so that requests about it reach a machine that remembers the last one. The name is
 * drawn by chance and not made from the path: who knows the name cannot find out whether a path is the right one. It is
 * the same until the process ends, or until many other documents were named.
 */
export const cacheKey = (document: string): string => keys.of(document);

/** The names of one process. */
export class DocumentCacheKeys {
  readonly #known = new Map<string, string>();
  readonly #draw: () => string;

  /** @param draw Another text with each call. */
  constructor(draw: () => string = () => crypto.randomUUID()) {
    this.#draw = draw;
  }

  of(document: string): string {
    const key = this.#known.get(document) ?? `completion-${this.#draw()}`;
    this.#known.delete(document);
    this.#known.set(document, key);
    if (this.#known.size > most) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return key;
  }
}

const most = 200;
const keys = new DocumentCacheKeys();

/** What makes a line a comment, before and behind it; both empty where there are no comments. */
export function commentDelimiters(languageId: string): readonly [before: string, after: string] {
  const mark = marks.get(languageId);
  if (mark !== undefined) return [`${mark} `, ''];
  const { lineComments, blockComments } = languageOf(languageId);
  const [line] = lineComments;
  if (line !== undefined) return [`${line} `, ''];
  const [block] = blockComments;
  return block === undefined ? ['', ''] : [`${block[0]} `, ` ${block[1]}`];
}

/** Languages whose scopes are like those of others, but not their comments. */
const marks = new Map(
  Object.entries({
    '#': 'ruby toml perl perl6 raku r julia elixir cmake dockerfile dockercompose powershell coffeescript nix gdscript graphql terraform properties crystal nim ignore',
    '--': 'sql lua haskell elm ada vhdl purescript applescript',
    ';': 'clojure lisp scheme racket ini asm',
    '%': 'latex tex erlang matlab prolog bibtex',
    "'": 'vb',
    '"': 'viml vim',
    '!': 'fortran FortranFreeForm',
    REM: 'bat',
  }).flatMap(([mark, languages]) =>
    languages.split(' ').map((language) => [language, mark] as const),
  ),
);

interface Parts {
  readonly snapshot: Snapshot;
  /** Best first. What fits is chosen from it. */
  readonly context: readonly ContextSnippet[];
  readonly target: CompletionTarget;
  readonly wanted: CompletionScope;
}

/** The request for what is missing at a cursor: about 2,000 tokens at most, the same for the same parts. */
export function buildRequest(parts: Parts): SuggestionRequest {
  const { snapshot, target, wanted } = parts;
  const budget = promptBudget(target.model, wanted);
  const hole = cutHole(snapshot, budget);
  const perLine =
    target.route === 'chat' ? 0 : commentDelimiters(snapshot.languageId).join('').length;
  const pieces = selectContext({
    parts: parts.context,
    around: hole,
    tokens: roomFor(budget, hole),
    perLine,
  }).map(pieceOf);
  const asked = { ...parts, hole, pieces, answerTokens: budget.answer };
  return target.route === 'chat' ? chatAsk(asked) : completionsAsk(asked);
}

interface Asked extends Parts {
  readonly hole: Hole;
  readonly pieces: readonly Piece[];
  readonly answerTokens: number;
}

interface Hole {
  readonly prefix: string;
  readonly suffix: string;
}

interface Piece {
  readonly path: string;
  readonly text: string;
}

/** The most likely text: an answer is shown once, and the same question should get the same. */
const temperature = 0;

/*
 * No effort of reasoning is asked for: thinking is switched off as a whole, an effort beside it would contradict that
 * on some models, and even the lowest would use up the few tokens that the answer has.
 */
const parameters = {
  disable_thinking: true,
  strip_thinking_response: true,
  include_system_prompt: false,
  enable_web_search: 'off',
} as const;

function chatAsk(asked: Asked): SuggestionRequest {
  const { snapshot, target, answerTokens } = asked;
  const format = promptFormatFor(target.model);
  return {
    route: 'chat',
    request: {
      model: target.model.id,
      messages: messagesOf(format, questionOf(format, asked)),
      temperature,
      max_completion_tokens: answerTokens,
      stop: format.stop,
      prompt_cache_key: cacheKey(snapshot.document),
      parameters,
    },
  };
}

function messagesOf(format: PromptFormat, question: string): ChatRequestMessage[] {
  const { instructions, system } = format;
  if (instructions === 'user') return [{ role: 'user', content: `${system}\n\n${question}` }];
  return [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
}

/** What changes least stands first: services need not read again what begins like the last request. */
function questionOf(format: PromptFormat, { snapshot, hole, pieces, wanted }: Asked): string {
  const { languageId } = snapshot;
  const { escape } = format;
  const path = escape(onOneLine(snapshot.path));
  const around = ([before, after]: readonly [string, string], text: string): string =>
    `${before}${wellFormed(escape(text))}${after}`;
  return [
    format.head({ languageId, path }),
    ...pieces.map((piece) =>
      format.file({ path: escape(piece.path), text: wellFormed(escape(piece.text)) }),
    ),
    format.here({ path }),
    around(format.prefix, hole.prefix),
    around(format.suffix, hole.suffix),
    wanted === 'line' ? format.onlyLine : '',
  ].join('');
}

function completionsAsk({
  snapshot,
  target,
  wanted,
  hole,
  pieces,
  ...rest
}: Asked): SuggestionRequest {
  const clean = (text: string): string => wellFormed(escapeTokens(text));
  const comments = pieces.map(({ path, text }) =>
    asComment(`${path}\n${text}`, snapshot.languageId),
  );
  return {
    route: 'completions',
    request: {
      model: target.model.id,
      prompt: clean(`${comments.join('')}${hole.prefix}`),
      suffix: clean(hole.suffix),
      max_tokens: rest.answerTokens,
      temperature,
      // Here nothing but the missing text comes: when it begins with a line feed, the line has no rest.
      ...(wanted === 'line' && { stop: ['\n'] }),
    },
  };
}

function cutHole({ prefix, suffix, position }: Snapshot, budget: PromptBudget): Hole {
  return {
    prefix: trimPrefix(
      prefix,
      Math.floor(budget.prefix * charactersPerToken(prefix)),
      position.line,
    ),
    suffix: trimSuffix(suffix, Math.floor(budget.suffix * charactersPerToken(suffix))),
  };
}

/** Steps in which room is given, in tokens: another choice with every key would make every request a new one. */
const roomStep = 200;

/** Pieces may have what the text around the cursor does not need. */
function roomFor(budget: PromptBudget, { prefix, suffix }: Hole): number {
  const unused = budget.prefix + budget.suffix - estimateTokens(prefix) - estimateTokens(suffix);
  return budget.context + Math.max(0, Math.floor(unused / roomStep) * roomStep);
}

/** Without the characters that a person cannot see: they are no part of what they work on. */
const pieceOf = ({ path, text }: ContextSnippet): Piece => ({
  path: onOneLine(path),
  text: stripHiddenCharacters(text).text.trimEnd(),
});

function asComment(text: string, languageId: string): string {
  const [before, after] = commentDelimiters(languageId);
  return text.replaceAll(/^.*/gmu, (line) => `${before}${line}${after}`).concat('\n');
}

const longestPath = 200;

const onOneLine = (path: string): string =>
  wellFormed(stripHiddenCharacters(path.slice(-longestPath)).text.replaceAll(/[\r\n\t"<>]/gu, ' '));

/** A half of a character has no form in UTF-8, and some services refuse the whole request for it. */
const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());
