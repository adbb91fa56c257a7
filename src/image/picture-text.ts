import type { ImageRecord } from './image-record.ts';
import type { Cost } from '../service/chat/chat-types.ts';

/** What a model is told of a picture that was made for it. */
export function pictureText(record: ImageRecord, path: string): string {
  const { width, height, origin, moderation } = record;
  const seed = origin.kind === 'generate' ? origin.request.seed : undefined;
  const facts = [
    `${width} × ${height} pixels`,
    ...(seed === undefined ? [] : [`seed ${seed}`]),
    ...(origin.kind === 'generate' ? [`model ${origin.request.model}`] : []),
  ];
  const blurred = moderation.blurred ? ' It was blurred by safe mode.' : '';
  return `Saved as ${path} (${facts.join(', ')}).${blurred}`;
}

/** What a model is told when the service refused the picture. */
export const refusedPictureText =
  'No picture was made: it is against the content rules of the service. Nothing was charged.';

/** What a picture costs, in the unit that the service charges in first. */
export const costOf = ({ price }: Pick<ImageRecord, 'price'>): Cost =>
  price?.usd !== undefined ? { usd: price.usd } : { diem: price?.diem ?? 0 };
