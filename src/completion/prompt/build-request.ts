import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import type { CompletionScope } from '../answer/scope.ts';
import { selectContext } from '../context/select-context.ts';
import { getLanguage } from '../language/language.ts';
import type { SuggestionRequest, CompletionTarget, ContextSnippet } from '../ports.ts';
import {
  estimateCharactersPerToken,
  trimPrefix,
  trimSuffix,
  type PromptBudget,
  computePromptBudget,
  estimateTokens,
} from './prompt-budget.ts';
import {
  findFimFormat,
  findPromptFormat,
  type PromptFormat,
  escapeTokens,
} from './prompt-format.ts';
import type { Snapshot } from '../snapshot.ts';
import type { ChatRequestMessage } from '../../service/chat/chat-types.ts';

/**
 * Returns a cache key for the requests of a document. The service can send requests with the same key to a server that
 * has cached the prompt. Keys are random, so they do not reveal the path.
 */
export const getDocumentCacheKey = (documentUri: string): string =>
  documentCacheKeys.getCacheKey(documentUri);

/** Random cache keys by document URI. Stores the 200 most recently used keys. */
export class DocumentCacheKeys {
  readonly #keys = new Map<string, string>();
  readonly #createId: () => string;

  /** @param createId returns a unique text for each call */
  constructor(createId: () => string = () => crypto.randomUUID()) {
    this.#createId = createId;
  }

  getCacheKey(documentUri: string): string {
    const key = this.#keys.get(documentUri) ?? `completion-${this.#createId()}`;
    this.#keys.delete(documentUri);
    this.#keys.set(documentUri, key);
    if (this.#keys.size > maxKeys) {
      const [oldestUri] = this.#keys.keys();
      if (oldestUri !== undefined) this.#keys.delete(oldestUri);
    }
    return key;
  }
}

const maxKeys = 200;
const documentCacheKeys = new DocumentCacheKeys();

/** Returns the delimiters before and after a one-line comment. Both are empty if the language has no comments. */
export function getCommentDelimiters(languageId: string): readonly [before: string, after: string] {
  const delimiter = commentDelimiters.get(languageId);
  if (delimiter !== undefined) return [`${delimiter} `, ''];
  const { lineComments, blockComments } = getLanguage(languageId);
  const [lineComment] = lineComments;
  if (lineComment !== undefined) return [`${lineComment} `, ''];
  const [blockComment] = blockComments;
  return blockComment === undefined ? ['', ''] : [`${blockComment[0]} `, ` ${blockComment[1]}`];
}

/**
 * Line comment delimiters by language id. They replace the delimiter in the `Language` record, which does not apply to
 * these languages.
 */
const commentDelimiters = new Map(
  Object.entries({
    '#': 'ruby toml perl perl6 raku r julia elixir cmake dockerfile dockercompose powershell coffeescript nix gdscript graphql terraform properties crystal nim ignore',
    '--': 'sql lua haskell elm ada vhdl purescript applescript',
    ';': 'clojure lisp scheme racket ini asm',
    '%': 'latex tex erlang matlab prolog bibtex',
    "'": 'vb',
    '"': 'viml vim',
    '!': 'fortran FortranFreeForm',
    REM: 'bat',
  }).flatMap(([delimiter, languageIds]) =>
    languageIds.split(' ').map((languageId) => [languageId, delimiter] as const),
  ),
);

interface PromptInput {
  readonly snapshot: Snapshot;
  /** Candidates for context snippets, best first. Only candidates that fit the token limit are sent. */
  readonly context: readonly ContextSnippet[];
  readonly target: CompletionTarget;
  readonly scope: CompletionScope;
}

/**
 * Builds the request for a completion at the cursor. The prompt has about 2,000 tokens at most. Equal input results in
 * an equal request.
 */
export function buildRequest(input: PromptInput): SuggestionRequest {
  const { snapshot, target, scope } = input;
  const budget = computePromptBudget(target.model, scope);
  const text = trimSurroundingText(snapshot, budget);
  const charactersPerLine =
    target.route === 'chat' || target.route === 'infill'
      ? 0
      : getCommentDelimiters(snapshot.languageId).join('').length;
  const snippets = selectContext({
    candidates: input.context,
    surroundingText: text,
    maxTokens: computeContextBudget(budget, text),
    charactersPerLine,
  }).map(toPromptSnippet);
  const prompt = { ...input, text, snippets, answerTokens: budget.answerTokens };
  if (target.route === 'chat') return buildChatRequest(prompt);
  return target.route === 'infill'
    ? buildInfillRequest(prompt)
    : buildCompletionsRequest(prompt, target.route);
}

interface PromptParts extends PromptInput {
  readonly text: SurroundingText;
  readonly snippets: readonly PromptSnippet[];
  readonly answerTokens: number;
}

interface SurroundingText {
  readonly prefix: string;
  readonly suffix: string;
}

interface PromptSnippet {
  readonly path: string;
  readonly text: string;
}

/** Temperature 0 makes answers to equal requests as similar as possible. */
const temperature = 0;

/*
 * No reasoning effort is set: reasoning is turned off, and some models reject both settings together. Even the lowest
 * effort would use up the few tokens of the answer.
 */
const parameters = {
  disable_thinking: true,
  strip_thinking_response: true,
  include_system_prompt: false,
  enable_web_search: 'off',
} as const;

function buildChatRequest(parts: PromptParts): SuggestionRequest {
  const { snapshot, target, answerTokens } = parts;
  const format = findPromptFormat(target.model);
  return {
    route: 'chat',
    request: {
      model: target.model.id,
      messages: createMessages(format, formatPrompt(format, parts)),
      temperature,
      max_completion_tokens: answerTokens,
      stop: format.stopSequences,
      prompt_cache_key: getDocumentCacheKey(snapshot.documentUri),
      parameters,
    },
  };
}

function createMessages(format: PromptFormat, prompt: string): ChatRequestMessage[] {
  const { instructionRole, systemText } = format;
  if (instructionRole === 'user') return [{ role: 'user', content: `${systemText}\n\n${prompt}` }];
  return [
    { role: 'system', content: systemText },
    { role: 'user', content: prompt },
  ];
}

/** Builds the prompt. The most stable parts come first, so that services can reuse a cached prompt. */
function formatPrompt(
  format: PromptFormat,
  { snapshot, text, snippets, scope }: PromptParts,
): string {
  const { languageId } = snapshot;
  const { escape } = format;
  const path = escape(formatOnOneLine(snapshot.path));
  const wrapInTags = ([startTag, endTag]: readonly [string, string], text: string): string =>
    `${startTag}${toWellFormed(escape(text))}${endTag}`;
  return [
    format.formatPreamble({ languageId, path }),
    ...snippets.map((snippet) =>
      format.formatSnippet({
        path: escape(snippet.path),
        text: toWellFormed(escape(snippet.text)),
      }),
    ),
    format.formatPrefixHeader({ path }),
    wrapInTags(format.prefix, text.prefix),
    wrapInTags(format.suffix, text.suffix),
    scope === 'line' ? format.lineInstruction : '',
  ].join('');
}

function buildCompletionsRequest(
  { snapshot, target, scope, text, snippets, ...rest }: PromptParts,
  route: 'completions' | 'fim',
): SuggestionRequest {
  const format = route === 'fim' ? findFimFormat(target.model) : undefined;
  const escape = format?.escape ?? escapeTokens;
  const sanitizeText = (text: string): string => toWellFormed(escape(text));
  const comments = snippets.map(({ path, text }) =>
    toComment(`${path}\n${text}`, snapshot.languageId),
  );
  const prefix = sanitizeText(`${comments.join('')}${text.prefix}`);
  const suffix = sanitizeText(text.suffix);
  const stop = [...getStopSequences(scope), ...(format?.stopSequences ?? [])];
  return {
    route,
    request: {
      model: target.model.id,
      ...(format === undefined
        ? { prompt: prefix, suffix }
        : { prompt: format.formatPrompt({ prefix, suffix }) }),
      max_tokens: rest.answerTokens,
      temperature,
      ...(stop.length > 0 && { stop }),
    },
  };
}

/** Builds a request for llama.cpp, which inserts the FIM tokens itself. */
function buildInfillRequest({
  target,
  scope,
  text,
  snippets,
  ...rest
}: PromptParts): SuggestionRequest {
  const sanitize = (text: string): string => toWellFormed(escapeTokens(text));
  return {
    route: 'infill',
    request: {
      model: target.model.id,
      input_prefix: sanitize(text.prefix),
      input_suffix: sanitize(text.suffix),
      input_extra: snippets.map(({ path, text }) => ({
        filename: sanitize(path),
        text: sanitize(text),
      })),
      prompt: '',
      n_predict: rest.answerTokens,
      temperature,
      ...(scope === 'line' && { stop: getStopSequences(scope) }),
    },
  };
}

/**
 * Returns the stop sequences for the routes other than `chat`: a line feed for the rest of a line, none for a block.
 * These routes return only the missing text. A line feed at the start of the answer therefore means that the line is
 * already complete.
 */
const getStopSequences = (scope: CompletionScope): readonly string[] =>
  scope === 'line' ? ['\n'] : [];

function trimSurroundingText(
  { prefix, suffix, position }: Snapshot,
  budget: PromptBudget,
): SurroundingText {
  return {
    prefix: trimPrefix(
      prefix,
      Math.floor(budget.prefixTokens * estimateCharactersPerToken(prefix)),
      position.line,
    ),
    suffix: trimSuffix(
      suffix,
      Math.floor(budget.suffixTokens * estimateCharactersPerToken(suffix)),
    ),
  };
}

/**
 * Rounding step in tokens. Context snippets may use the tokens that the prefix and suffix leave unused, rounded down to
 * this step. Without rounding, each key press would change the selection of snippets, and the service could not reuse
 * its prompt cache.
 */
const budgetStep = 200;

/**
 * Returns the token limit for the context snippets. Includes the tokens that the prefix and suffix do not use, rounded
 * down to {@link budgetStep}.
 */
function computeContextBudget(budget: PromptBudget, { prefix, suffix }: SurroundingText): number {
  const unusedTokens =
    budget.prefixTokens + budget.suffixTokens - estimateTokens(prefix) - estimateTokens(suffix);
  return budget.contextTokens + Math.max(0, Math.floor(unusedTokens / budgetStep) * budgetStep);
}

/** Prepares a snippet for the prompt: one-line path, and text without invisible characters. */
const toPromptSnippet = ({ path, text }: ContextSnippet): PromptSnippet => ({
  path: formatOnOneLine(path),
  text: stripHiddenCharacters(text).text.trimEnd(),
});

function toComment(text: string, languageId: string): string {
  const [openingDelimiter, closingDelimiter] = getCommentDelimiters(languageId);
  return text
    .replaceAll(/^.*/gmu, (line) => `${openingDelimiter}${line}${closingDelimiter}`)
    .concat('\n');
}

const maxPathLength = 200;

const formatOnOneLine = (path: string): string =>
  toWellFormed(
    stripHiddenCharacters(path.slice(-maxPathLength)).text.replaceAll(/[\r\n\t"<>]/gu, ' '),
  );

/** Replaces lone surrogates, because UTF-8 cannot encode them and some services reject such requests. */
const toWellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());
