import {
  charactersPerToken,
  trimPrefix,
  trimSuffix,
  estimateTokens,
} from '../prompt/prompt-budget.ts';
import type { ContextSnippet } from '../ports.ts';
import type { Snapshot } from '../snapshot.ts';

interface Options {
  /** Best first, of any kinds; cells of a notebook from the nearest up. No more than 64 are looked at. */
  readonly parts: readonly ContextSnippet[];
  /** What is sent besides. */
  readonly around: Pick<Snapshot, 'prefix' | 'suffix'>;
  /** How many all parts may take together, with their names. */
  readonly tokens: number;
  /** Characters that each line takes besides its own. */
  readonly perLine?: number;
}

/**
 * The parts that are sent: none twice, none that stands around the cursor already, of each kind no more than its quota;
 * what is too long is cut to it. What changes least comes first and parts of a kind come by their path, so that the
 * next request begins like this one whatever the ranking said. Cells come as they stand in the notebook.
 */
export function selectContext({
  parts,
  around,
  tokens,
  perLine = 0,
}: Options): readonly ContextSnippet[] {
  const left = new Map(kinds.map((kind) => [kind, tokens * quotas[kind]]));
  const chosen: ContextSnippet[] = [];
  let all = tokens;
  for (const part of parts.slice(0, mostParts)) {
    const quota = Math.min(all, left.get(part.kind) ?? 0);
    const fitting = fit(part, quota, perLine);
    if (fitting === undefined || isKnown(fitting.text, around, chosen)) continue;
    const cost = costOf(fitting.text, perLine);
    left.set(part.kind, (left.get(part.kind) ?? 0) - cost);
    all -= cost;
    chosen.push(fitting);
  }
  return kinds.flatMap((kind) => inOrder(kind, chosen));
}

/** From what changes least to what changes with every line. */
const kinds = ['import', 'cell', 'definition', 'similar', 'edit'] as const;

/** How much of the whole a kind may take; more than one together, since seldom all are there. */
const quotas: Readonly<Record<ContextSnippet['kind'], number>> = {
  import: 0.35,
  cell: 0.7,
  definition: 0.5,
  similar: 0.55,
  edit: 0.35,
};

const mostParts = 64;
/** What is left of a cut part must say something. */
const leastPart = 30;
/** For its name and its marks, in tokens. */
const partOverhead = 20;

function costOf(text: string, perLine: number): number {
  const extra = perLine === 0 ? 0 : text.split('\n').length * perLine;
  return partOverhead + estimateTokens(text) + Math.ceil(extra / 2);
}

/** The part within its quota; `undefined` when too little would be left of it. */
function fit(part: ContextSnippet, quota: number, perLine: number): ContextSnippet | undefined {
  let text = cut(part, quota - partOverhead);
  const cost = costOf(text, perLine);
  if (cost > quota) text = cut({ ...part, text }, ((quota - partOverhead) / cost) * quota * 0.9);
  const isEnough = text.length === part.text.length || estimateTokens(text) >= leastPart;
  if (text.trim() === '' || !isEnough || costOf(text, perLine) > quota) return undefined;
  return { ...part, text };
}

/** Of a cell the end is nearest to the cursor; of others the beginning says what they are. */
function cut({ kind, text }: ContextSnippet, tokens: number): string {
  const most = Math.floor(Math.max(0, tokens) * charactersPerToken(text));
  return kind === 'cell' ? trimPrefix(text, most, 0) : trimSuffix(text, most);
}

function isKnown(
  text: string,
  { prefix, suffix }: Options['around'],
  chosen: readonly ContextSnippet[],
): boolean {
  const bare = text.trim();
  return [prefix, suffix, ...chosen.map(({ text }) => text)].some((other) => other.includes(bare));
}

function inOrder(
  kind: ContextSnippet['kind'],
  chosen: readonly ContextSnippet[],
): ContextSnippet[] {
  const ofKind = chosen.filter((part) => part.kind === kind);
  // The nearest cell and the newest edit were given first, and belong next to the cursor.
  if (kind === 'cell' || kind === 'edit') return ofKind.reverse();
  return ofKind.sort((a, b) => compare(a.path, b.path) || compare(a.text, b.text));
}

/** By code units: the same on every machine, and fast. */
const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
