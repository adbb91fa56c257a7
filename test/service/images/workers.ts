import { mediaModels } from '../catalog/media-models.ts';
import { createMediaRecord } from '../catalog/media-record.ts';
import { toMicro } from '../money/amounts.ts';
import type { ImageWorker } from './image-job.ts';

const upscalerRecord = mediaModels.find(({ type }) => type === 'upscale');
if (upscalerRecord === undefined) throw new Error('The catalog has no upscaling model');

export const upscaler: ImageWorker = { record: upscalerRecord, isProOnly: false, workMs: 1500 };

/** Model that removes backgrounds. Not in the model list, because requests cannot select it. */
export const backgroundRemover: ImageWorker = {
  record: createMediaRecord({
    id: 'background-remover',
    type: 'inpaint',
    name: 'Background Remover',
    description: 'Makes the background transparent.',
  }),
  isProOnly: false,
  workMs: 1000,
};

export const backgroundPrice = toMicro(0.02);
