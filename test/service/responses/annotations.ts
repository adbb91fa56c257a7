import { isRecord, stringOr } from '../../../src/base/json.ts';
import type { Citation } from '../web/web.ts';
import type { Annotation } from './items.ts';

/** Where a text rests on which source: at its marks such as `^1,3^`, as a whole when it has none. */
export function citationAnnotations(
  text: string,
  citations: readonly Citation[],
): readonly Annotation[] {
  const marks = [...text.matchAll(/\^(\d+(?:,\d+)*)\^/g)];
  if (marks.length === 0) {
    return citations.flatMap((each) => annotation(each, 0, text.length));
  }
  return marks.flatMap(({ 0: mark, 1: numbers = '', index }) =>
    numbers
      .split(',')
      .flatMap((number) => annotation(citations[Number(number) - 1], index, index + mark.length)),
  );
}

function annotation(citation: unknown, start_index: number, end_index: number): Annotation[] {
  if (!isRecord(citation)) return [];
  const { url, title } = citation;
  const source = { url: stringOr(url, ''), title: stringOr(title, '') };
  return [{ type: 'url_citation', ...source, start_index, end_index }];
}
