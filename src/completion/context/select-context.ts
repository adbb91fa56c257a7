import {
  estimateCharactersPerToken,
  trimPrefix,
  trimSuffix,
  estimateTokens,
} from '../prompt/prompt-budget.ts';
import type { ContextSnippet } from '../ports.ts';
import type { Snapshot } from '../snapshot.ts';

interface ContextSelectionOptions {
  /**
   * Candidates of all kinds, best first. Among notebook cells, the nearest cell is the best. Only the first 64
   * candidates are used.
   */
  readonly candidates: readonly ContextSnippet[];
  /** Text around the cursor, which every request contains. Snippets from this text are omitted. */
  readonly surroundingText: Pick<Snapshot, 'prefix' | 'suffix'>;
  /** Maximum number of tokens for all snippets and their paths. */
  readonly maxTokens: number;
  /** Number of characters that the prompt adds to each line, for example for comment delimiters. Default: 0. */
  readonly charactersPerLine?: number;
}

/**
 * Selects the snippets for a prompt. Omits duplicates and text near the cursor, and truncates snippets to the quota of
 * their kind. Sorts the snippets by kind in the order {@link snippetKindOrder}, and within a kind by path, so that
 * consecutive prompts begin with the same text.
 */
export function selectContext({
  candidates,
  surroundingText,
  maxTokens,
  charactersPerLine = 0,
}: ContextSelectionOptions): readonly ContextSnippet[] {
  const remainingTokensByKind = new Map(
    snippetKindOrder.map((kind) => [kind, maxTokens * tokenQuotaByKind[kind]]),
  );
  const selectedSnippets: ContextSnippet[] = [];
  let remainingTokens = maxTokens;
  for (const snippet of candidates.slice(0, maxSnippets)) {
    const tokenQuota = Math.min(remainingTokens, remainingTokensByKind.get(snippet.kind) ?? 0);
    const fittedSnippet = cutToQuota(snippet, tokenQuota, charactersPerLine);
    if (
      fittedSnippet === undefined ||
      isDuplicateSnippet(fittedSnippet.text, surroundingText, selectedSnippets)
    )
      continue;
    const tokenCost = estimateTokenCost(fittedSnippet.text, charactersPerLine);
    remainingTokensByKind.set(
      snippet.kind,
      (remainingTokensByKind.get(snippet.kind) ?? 0) - tokenCost,
    );
    remainingTokens -= tokenCost;
    selectedSnippets.push(fittedSnippet);
  }
  return snippetKindOrder.flatMap((kind) => sortSnippetsOfKind(kind, selectedSnippets));
}

/**
 * Snippet kinds in the order of the prompt. The text of the first kinds changes rarely, the text of
 * the last kinds often.
 */
const snippetKindOrder = ['import', 'cell', 'definition', 'similar', 'edit'] as const;

/**
 * Fraction of the token limit that all snippets of one kind together may use. The fractions add up to more than 1,
 * because few documents have snippets of all kinds.
 */
const tokenQuotaByKind: Readonly<Record<ContextSnippet['kind'], number>> = {
  import: 0.35,
  cell: 0.7,
  definition: 0.5,
  similar: 0.55,
  edit: 0.35,
};

const maxSnippets = 64;
/** Minimum number of tokens that a truncated snippet must have to be useful. */
const minSnippetTokens = 30;
/** Number of tokens that the path and the tags of a snippet need in the prompt. */
const snippetOverheadTokens = 20;

function estimateTokenCost(text: string, charactersPerLine: number): number {
  const extraCharacters = charactersPerLine === 0 ? 0 : text.split('\n').length * charactersPerLine;
  return snippetOverheadTokens + estimateTokens(text) + Math.ceil(extraCharacters / 2);
}

/**
 * Truncates a snippet to the token quota of its kind. Returns `undefined` if the remaining text is
 * too short.
 */
function cutToQuota(
  snippet: ContextSnippet,
  quota: number,
  charactersPerLine: number,
): ContextSnippet | undefined {
  let text = truncateSnippet(snippet, quota - snippetOverheadTokens);
  const cost = estimateTokenCost(text, charactersPerLine);
  if (cost > quota)
    text = truncateSnippet(
      { ...snippet, text },
      ((quota - snippetOverheadTokens) / cost) * quota * 0.9,
    );
  const isEnough = text.length === snippet.text.length || estimateTokens(text) >= minSnippetTokens;
  if (text.trim() === '' || !isEnough || estimateTokenCost(text, charactersPerLine) > quota)
    return undefined;
  return { ...snippet, text };
}

/**
 * Truncates the text of a snippet. Keeps the end of a notebook cell, which is closest to the cursor, and the beginning
 * of other snippets.
 */
function truncateSnippet({ kind, text }: ContextSnippet, tokens: number): string {
  const maxLength = Math.floor(Math.max(0, tokens) * estimateCharactersPerToken(text));
  return kind === 'cell' ? trimPrefix(text, maxLength, 0) : trimSuffix(text, maxLength);
}

function isDuplicateSnippet(
  text: string,
  { prefix, suffix }: ContextSelectionOptions['surroundingText'],
  selectedSnippets: readonly ContextSnippet[],
): boolean {
  const trimmedText = text.trim();
  return [prefix, suffix, ...selectedSnippets.map(({ text }) => text)].some((existingText) =>
    existingText.includes(trimmedText),
  );
}

function sortSnippetsOfKind(
  kind: ContextSnippet['kind'],
  selectedSnippets: readonly ContextSnippet[],
): ContextSnippet[] {
  const kindSnippets = selectedSnippets.filter((snippet) => snippet.kind === kind);
  // In the prompt, the nearest cell and the newest edit must be last, close to the cursor.
  if (kind === 'cell' || kind === 'edit') return kindSnippets.reverse();
  return kindSnippets.sort(
    (a, b) => compareCodeUnits(a.path, b.path) || compareCodeUnits(a.text, b.text),
  );
}

/** Compares strings by UTF-16 code units. This order is fast and independent of the locale. */
const compareCodeUnits = (a: string, b: string): number => Number(a > b) - Number(a < b);
