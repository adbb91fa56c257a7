import {
  charactersPerToken,
  trimPrefix,
  trimSuffix,
  estimateTokens,
} from '../prompt/prompt-budget.ts';
import type { ContextSnippet } from '../ports.ts';
import type { Snapshot } from '../snapshot.ts';

interface Options {
  /**
   * Candidates of all kinds, best first. Only the first 64 are used. Notebook cells are ordered by
   * distance, nearest first.
   */
  readonly candidates: readonly ContextSnippet[];
  /** Text around the cursor, which is always part of the request. */
  readonly surroundingText: Pick<Snapshot, 'prefix' | 'suffix'>;
  /** Token limit for all snippets with their paths. */
  readonly tokens: number;
  /** Extra characters per line, such as comment marks. */
  readonly charactersPerLine?: number;
}

/**
 * Selects the snippets to send. Omits duplicates and text near the cursor, limits each kind to its
 * quota, and truncates long snippets. Orders kinds by stability and snippets by path, so that
 * consecutive prompts share their start.
 */
export function selectContext({
  candidates,
  surroundingText,
  tokens,
  charactersPerLine = 0,
}: Options): readonly ContextSnippet[] {
  const remaining = new Map(kinds.map((kind) => [kind, tokens * quotas[kind]]));
  const selected: ContextSnippet[] = [];
  let remainingTotal = tokens;
  for (const snippet of candidates.slice(0, maxSnippets)) {
    const quota = Math.min(remainingTotal, remaining.get(snippet.kind) ?? 0);
    const fitted = cutToQuota(snippet, quota, charactersPerLine);
    if (fitted === undefined || isDuplicate(fitted.text, surroundingText, selected)) continue;
    const cost = tokenCost(fitted.text, charactersPerLine);
    remaining.set(snippet.kind, (remaining.get(snippet.kind) ?? 0) - cost);
    remainingTotal -= cost;
    selected.push(fitted);
  }
  return kinds.flatMap((kind) => sortKind(kind, selected));
}

/** Kinds, ordered from rarely changing to changing with every line. */
const kinds = ['import', 'cell', 'definition', 'similar', 'edit'] as const;

/** Maximum share of the budget per kind. The sum exceeds 1, since few documents have all kinds. */
const quotas: Readonly<Record<ContextSnippet['kind'], number>> = {
  import: 0.35,
  cell: 0.7,
  definition: 0.5,
  similar: 0.55,
  edit: 0.35,
};

const maxSnippets = 64;
/** Minimum number of tokens in a truncated snippet. */
const minTokens = 30;
/** Tokens of a snippet's path and tags. */
const overheadTokens = 20;

function tokenCost(text: string, charactersPerLine: number): number {
  const extra = charactersPerLine === 0 ? 0 : text.split('\n').length * charactersPerLine;
  return overheadTokens + estimateTokens(text) + Math.ceil(extra / 2);
}

/** Truncates a snippet to its quota; `undefined` if too little text would remain. */
function cutToQuota(
  snippet: ContextSnippet,
  quota: number,
  charactersPerLine: number,
): ContextSnippet | undefined {
  let text = cut(snippet, quota - overheadTokens);
  const cost = tokenCost(text, charactersPerLine);
  if (cost > quota)
    text = cut({ ...snippet, text }, ((quota - overheadTokens) / cost) * quota * 0.9);
  const isEnough = text.length === snippet.text.length || estimateTokens(text) >= minTokens;
  if (text.trim() === '' || !isEnough || tokenCost(text, charactersPerLine) > quota)
    return undefined;
  return { ...snippet, text };
}

/**
 * Truncates a snippet. Keeps the end of a cell, which is nearest to the cursor, and the beginning
 * of other kinds.
 */
function cut({ kind, text }: ContextSnippet, tokens: number): string {
  const maxLength = Math.floor(Math.max(0, tokens) * charactersPerToken(text));
  return kind === 'cell' ? trimPrefix(text, maxLength, 0) : trimSuffix(text, maxLength);
}

function isDuplicate(
  text: string,
  { prefix, suffix }: Options['surroundingText'],
  selected: readonly ContextSnippet[],
): boolean {
  const trimmed = text.trim();
  return [prefix, suffix, ...selected.map(({ text }) => text)].some((other) =>
    other.includes(trimmed),
  );
}

function sortKind(
  kind: ContextSnippet['kind'],
  selected: readonly ContextSnippet[],
): ContextSnippet[] {
  const kindSnippets = selected.filter((snippet) => snippet.kind === kind);
  // The nearest cell and the newest edit come first in the candidates, but belong next to the cursor.
  if (kind === 'cell' || kind === 'edit') return kindSnippets.reverse();
  return kindSnippets.sort((a, b) => compare(a.path, b.path) || compare(a.text, b.text));
}

/** Compares by code units, which is fast and independent of the locale. */
const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
