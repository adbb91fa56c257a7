import type { Clause } from './clauses.ts';
import { mark, valueOf } from './literals.ts';
import type { Outcome } from './outcome.ts';
import type { Context, Plan, Report } from './plan.ts';
import type { Wanted } from './toolbox.ts';

/** What a clause asks for: calls that can go together with those of its neighbours, or a plan of its own. */
export type Order = SimpleOrder | { readonly plan: () => Plan };

export interface SimpleOrder {
  readonly calls: readonly Wanted[];
  /** For outcomes that are done; what failed or was denied is told elsewhere. */
  readonly tell: (outcomes: readonly Outcome[]) => Report;
  /** What else can be tried for a call that failed. */
  readonly instead?: (failed: Outcome) => Plan<readonly Outcome[]> | undefined;
}

/** How one kind of wish is understood; undefined when the clause is none, or its tools were not sent. */
export type ReadOrder = (clause: Clause, context: Context) => Order | undefined;

/** The literal or word that the pattern's group of this name found. */
export function named(
  match: RegExpExecArray | null,
  group: string,
  { masked }: Clause,
): string | undefined {
  const token = match?.groups?.[group];
  return token === undefined ? undefined : valueOf(token, masked);
}

/** Matches a literal or a word. */
export const thing = `(?:${mark}|[^\\s,;]+)`;

/** A pattern in which `THING` is a literal or a word, and `LITERAL` something quoted. */
export const wish = (pattern: string): RegExp =>
  new RegExp(pattern.replaceAll('THING', thing).replaceAll('LITERAL', mark), 'i');

/** The first thing quoted in the clause that is no path. */
export function quotedIn({ text, masked, paths }: Clause): string | undefined {
  const tokens = text.match(new RegExp(mark, 'g')) ?? [];
  return tokens.map((token) => valueOf(token, masked)).find((value) => !paths.includes(value));
}

/** The paths of the clause; those spoken of before when it says "it" or "this file". */
export const pathsFor = (clause: Clause, context: Context): readonly string[] =>
  clause.paths.length === 0 && saysIt.test(clause.text) ? context.paths : clause.paths;

const saysIt =
  /\b(?:it|its|them|their|(?:that|this|these|those|the|each|every)(?: (?:new|same|changed|first))? (?:files?|results?|ones?|hits?)|these|those)\b/i;
