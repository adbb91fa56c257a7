import type { Outcome } from './outcome.ts';
import type { Report } from './plan.ts';
import { quoteResults } from './quote-results.ts';
import { pathsIn } from './search-hits.ts';

/** A report that shows what came back, and takes the files in it for what "it" means next. */
export const told = (outcomes: readonly Outcome[]): Report => ({
  text: quoteResults(outcomes),
  paths: outcomes.flatMap(({ args, name, text }) =>
    name === 'read_file' || name === 'open_file'
      ? [String(args['path'])]
      : pathsIn(text).slice(0, 5),
  ),
});
