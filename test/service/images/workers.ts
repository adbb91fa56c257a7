import { mediaModels } from '../catalogue/media-models.ts';
import { mediaRecord } from '../catalogue/media-record.ts';
import { micro } from '../money/amounts.ts';
import type { Worker } from './job.ts';

const enlarger = mediaModels.find(({ type }) => type === 'upscale');
if (enlarger === undefined) throw new Error('The catalogue has no upscaling model');

export const upscaler: Worker = { record: enlarger, proOnly: false, workMs: 1500 };

/** No model of the list: nobody chooses it. */
export const backgroundRemover: Worker = {
  record: mediaRecord({
    id: 'background-remover',
    type: 'inpaint',
    name: 'Background Remover',
    description: 'Makes the background transparent.',
  }),
  proOnly: false,
  workMs: 1000,
};

export const backgroundPrice = micro(0.02);
