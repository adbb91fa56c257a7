import type { FilterName } from '../reason.ts';
import type { Snapshot } from '../snapshot.ts';
import { balanceBrackets } from './brackets.ts';
import { closeBlock } from './close-block.ts';
import { repairIndentation } from './repair-indentation.ts';
import { withoutRepetition } from './repetition.ts';
import { isEcho, repeatsPrevious } from './repeats-previous.ts';
import { withoutSuffix } from './repeats-suffix.ts';
import { resemblesErased } from './resembles-erased.ts';
import { hasUnseenCharacters } from './unseen-characters.ts';
import { withoutFences, withoutTrailingSpace } from './without-fences.ts';
import { withoutWideGaps } from './without-wide-gaps.ts';

export interface RefineContext {
  readonly snapshot: Snapshot;
  /** What the person deleted just now at this place. */
  readonly erased?: string;
  /** The model has said all; else the text is made of the lines that are whole so far. */
  readonly isWhole: boolean;
  /** What the reader left out before. */
  readonly removed?: FilterName | undefined;
}

export type Refined = { readonly text: string } | { readonly filter: FilterName };

/** What of an answer is fit to be shown, or the first filter that left nothing of it. Takes linear time. */
export function refine(text: string, about: RefineContext): Refined {
  let kept = text;
  for (const { filter, apply } of steps) {
    kept = apply(kept, about);
    if (text.trim() === '') return { filter: about.removed ?? 'blank' };
    if (kept.trim() === '') return { filter };
  }
  return { text: kept };
}

interface Step {
  /** Is said when nothing is left. */
  readonly filter: FilterName;
  readonly apply: (text: string, about: RefineContext) => string;
}

const dropIf = (drops: (text: string, about: RefineContext) => boolean): Step['apply'] => {
  return (text, about) => (drops(text, about) ? '' : text);
};

/*
 * The order matters. What hides something is judged before any of it is cut, so that no cut makes it look clean. Fences
 * and repetitions go before lines are compared with the document, since they stand at the end, where the comparison
 * begins. Brackets are counted when all lines have gone that the document has already, and indentation is repaired when
 * the lines are final. What the person deleted is compared with what would be shown. A block is closed last, since all
 * that counts brackets would take its end away.
 */
const steps: readonly Step[] = [
  {
    filter: 'control-characters',
    apply: dropIf((text, { snapshot }) => hasUnseenCharacters(text, snapshot)),
  },
  { filter: 'control-characters', apply: (text, { snapshot }) => withoutWideGaps(text, snapshot) },
  { filter: 'prose', apply: (text, { snapshot }) => withoutFences(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => withoutTrailingSpace(text, snapshot) },
  { filter: 'echo', apply: dropIf((text, { snapshot }) => isEcho(text, snapshot)) },
  { filter: 'repeats-itself', apply: (text, { snapshot }) => withoutRepetition(text, snapshot) },
  { filter: 'repeats-suffix', apply: (text, { snapshot }) => withoutSuffix(text, snapshot) },
  {
    filter: 'repeats-previous-lines',
    apply: dropIf((text, { snapshot }) => repeatsPrevious(text, snapshot)),
  },
  { filter: 'unbalanced', apply: (text, { snapshot }) => balanceBrackets(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => repairIndentation(text, snapshot) },
  {
    filter: 'erased-just-now',
    apply: dropIf((text, { erased }) => erased !== undefined && resemblesErased(text, erased)),
  },
  { filter: 'blank', apply: (text, { snapshot }) => closeBlock(text, snapshot) },
];
