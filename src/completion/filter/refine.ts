import type { FilterName } from '../reason.ts';
import type { Snapshot } from '../snapshot.ts';

export interface RefineContext {
  readonly snapshot: Snapshot;
  /** What the person deleted just now at this place. */
  readonly erased?: string;
  /** The model has said all; else the text is made of the lines that are whole so far. */
  readonly isWhole: boolean;
}

export type Refined = { readonly text: string } | { readonly filter: FilterName };

/** What of an answer is fit to be shown. */
export function refine(text: string, _about: RefineContext): Refined {
  const kept = text.trimEnd();
  return kept === '' ? { filter: 'blank' } : { text: kept };
}
