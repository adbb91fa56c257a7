import { defined } from '../base/json.ts';
import type { ImageEditRequest, ImageFormat } from '../service/images/image-types.ts';
import type { EditModel } from './image-model.ts';

/** What a person chose for a picture that is changed, whatever the model. Absent means the model's own default. */
export interface EditOptions {
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly enhancePrompt?: boolean;
}

/** An {@link ImageEditRequest} for one picture or several, which come with the call. */
export type EditRequest = Omit<ImageEditRequest, 'image' | 'model'> & { readonly model: string };

/**
 * What the service is asked for. It holds only what the model offers: choices outlive the model that they were made
 * for, and the service refuses a ratio or a resolution that a model does not have. Prompts go as they are.
 */
export function editRequest(model: EditModel, prompt: string, options: EditOptions): EditRequest {
  return defined({
    model: model.id,
    prompt,
    aspectRatio: model.ratios.find((ratio) => ratio === options.aspectRatio),
    resolution: model.resolutions.find((resolution) => resolution === options.resolution),
    format: options.format,
    safeMode: options.safeMode,
    enhancePrompt: options.enhancePrompt,
  });
}
