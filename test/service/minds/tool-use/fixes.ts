import type { Failure } from './failure.ts';
import { calculationFix } from './fix-calculation.ts';
import { nameFix } from './fix-name.ts';
import { textFix } from './fix-text.ts';
import type { Fix, Source } from './fix.ts';

/** The first of the obvious fixes that explains the failure; none is made up. */
export const fixFor = (failure: Failure, sources: readonly Source[]): Fix | undefined =>
  nameFix(failure, sources) ?? calculationFix(failure, sources) ?? textFix(failure, sources);
