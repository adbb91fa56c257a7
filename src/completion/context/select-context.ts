import {
  charactersPerToken,
  trimPrefix,
  trimSuffix,
  estimateTokens,
} from '../prompt/prompt-budget.ts';
import type { ContextSnippet } from '../ports.ts';
import type { Snapshot } from '../snapshot.ts';

interface Options {
  /** Candidates of any kind, best first; notebook cells from the nearest up. Only the first 64 are used. */
  readonly candidates: readonly ContextSnippet[];
  /** Surrounding text that the request contains anyway. */
  readonly around: Pick<Snapshot, 'prefix' | 'suffix'>;
  /** Token limit for all snippets with their paths. */
  readonly tokens: number;
  /** Extra characters per line, such as comment marks. */
  readonly perLine?: number;
}

/**
 * Selects the snippets to send: without duplicates and text near the cursor, each kind within its quota, long ones
 * cut. Stable kinds come first, and snippets of a kind are sorted by path, so that the next prompt begins the same
 * way. Notebook cells keep their order.
 */
export function selectContext({
  candidates,
  around,
  tokens,
  perLine = 0,
}: Options): readonly ContextSnippet[] {
  const remaining = new Map(kinds.map((kind) => [kind, tokens * quotas[kind]]));
  const chosen: ContextSnippet[] = [];
  let remainingTotal = tokens;
  for (const snippet of candidates.slice(0, maxSnippets)) {
    const quota = Math.min(remainingTotal, remaining.get(snippet.kind) ?? 0);
    const fitted = cutToQuota(snippet, quota, perLine);
    if (fitted === undefined || isDuplicate(fitted.text, around, chosen)) continue;
    const cost = tokenCost(fitted.text, perLine);
    remaining.set(snippet.kind, (remaining.get(snippet.kind) ?? 0) - cost);
    remainingTotal -= cost;
    chosen.push(fitted);
  }
  return kinds.flatMap((kind) => sortKind(kind, chosen));
}

/** Kinds from the most stable to the one that changes with every line. */
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
/** Minimum tokens of a cut snippet. */
const minTokens = 30;
/** Tokens of a snippet's path and tags. */
const overheadTokens = 20;

function tokenCost(text: string, perLine: number): number {
  const extra = perLine === 0 ? 0 : text.split('\n').length * perLine;
  return overheadTokens + estimateTokens(text) + Math.ceil(extra / 2);
}

/** Cuts a snippet to its quota; `undefined` when too little would remain. */
function cutToQuota(
  snippet: ContextSnippet,
  quota: number,
  perLine: number,
): ContextSnippet | undefined {
  let text = cut(snippet, quota - overheadTokens);
  const cost = tokenCost(text, perLine);
  if (cost > quota)
    text = cut({ ...snippet, text }, ((quota - overheadTokens) / cost) * quota * 0.9);
  const isEnough = text.length === snippet.text.length || estimateTokens(text) >= minTokens;
  if (text.trim() === '' || !isEnough || tokenCost(text, perLine) > quota) return undefined;
  return { ...snippet, text };
}

/** Keeps the end of a cell, which is nearest to the cursor, and the beginning of other kinds. */
function cut({ kind, text }: ContextSnippet, tokens: number): string {
  const maxLength = Math.floor(Math.max(0, tokens) * charactersPerToken(text));
  return kind === 'cell' ? trimPrefix(text, maxLength, 0) : trimSuffix(text, maxLength);
}

function isDuplicate(
  text: string,
  { prefix, suffix }: Options['around'],
  chosen: readonly ContextSnippet[],
): boolean {
  const bare = text.trim();
  return [prefix, suffix, ...chosen.map(({ text }) => text)].some((other) => other.includes(bare));
}

function sortKind(
  kind: ContextSnippet['kind'],
  chosen: readonly ContextSnippet[],
): ContextSnippet[] {
  const ofKind = chosen.filter((snippet) => snippet.kind === kind);
  // The nearest cell and the newest edit come first in the candidates, but belong next to the cursor.
  if (kind === 'cell' || kind === 'edit') return ofKind.reverse();
  return ofKind.sort((a, b) => compare(a.path, b.path) || compare(a.text, b.text));
}

/** Compares by code units: the same on every machine, and fast. */
const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
