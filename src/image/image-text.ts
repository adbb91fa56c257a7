import type { ImageRecord } from './image-record.ts';

type Described = Pick<ImageRecord, 'origin' | 'subject'>;

/** What a picture shows, for its alternative text and for search; empty when nobody ever said. */
export function wordsOf({ origin, subject }: Described): string {
  switch (origin.kind) {
    case 'generate':
      return origin.request.prompt;
    case 'edit':
    case 'combine':
      // An instruction says what changed, not what there is to see.
      return subject ?? origin.prompt;
    default:
      return subject ?? '';
  }
}

/** What its file is called after: what it shows, and what was done to that. */
export function fileWordsOf({ origin, subject }: Described): string {
  const words = wordsOf({ origin, ...(subject === undefined ? {} : { subject }) });
  switch (origin.kind) {
    case 'upscale':
      return `${words} ${origin.scale}x`;
    case 'remove-background':
      return `${words} no background`;
    default:
      return words;
  }
}
