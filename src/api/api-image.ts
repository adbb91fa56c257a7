import { readFile } from 'node:fs/promises';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { isRecord } from '../base/json.ts';
import type { Lazy } from '../base/lazy.ts';
import type { Host } from '../host.ts';
import type { ImageFailure } from '../image/vscode/image-failure.ts';
import type { ImageServices } from '../image/vscode/image-services.ts';
import {
  ImageToolRequestError,
  planToolRequest,
  type PlannedGeneration,
  readToolRequest,
} from '../image/vscode/plan-image.ts';
import { getAccess, type Grant, invalidRequest, notAllowed, toApiProblem } from './access.ts';
import type { ApiImageResult } from './api-types.ts';
import { readCaller } from './api-chat.ts';

/**
 * Generates an image for another extension if the user allows the request, and adds the image to
 * the gallery. Never rejects.
 */
export async function generateImageForExtension(
  host: Host,
  images: Lazy<ImageServices>,
  input: unknown,
  grant?: Grant,
): Promise<ApiImageResult> {
  try {
    const fields = isRecord(input) ? input : {};
    const signal = fields['signal'];
    const caller = readCaller(input);
    const toolRequest = readToolRequest({ ...fields });
    const parts = await images.get();
    await parts.loadModels();
    const plan = planToolRequest(parts, toolRequest);
    const detail = formatDetail(plan);
    const request = { kind: 'image', caller, detail } as const;
    if (!(await getAccess(host).authorize(request, grant))) return notAllowed;
    const { records, failure } = await parts.run(plan.task, {
      signal: signal instanceof AbortSignal ? signal : new AbortController().signal,
      onProgress: () => {},
    });
    const [record] = records;
    if (record === undefined) return toApiFailure(failure);
    if (record.moderation.contentViolation)
      return invalidRequest('The service rejected the image because of its content.');
    const { format, width, height } = record;
    const bytes = new Uint8Array(await readFile(parts.gallery.imagePath(record)));
    const mediaType = `image/${format}`;
    const model = plan.request.model;
    return Object.freeze({ ok: true, bytes, mediaType, width, height, model });
  } catch (error) {
    if (error instanceof ImageToolRequestError) return invalidRequest(error.message);
    host.log.error('Could not create an image for another extension', error);
    return toApiProblem(error);
  }
}

const maxPromptLength = 500;

function formatDetail({ description, request }: PlannedGeneration): string {
  const prompt = stripHiddenCharacters(request.prompt).text;
  const end = prompt.length > maxPromptLength ? ' […]' : '';
  return `${description}\n\n${prompt.slice(0, maxPromptLength)}${end}`;
}

const toApiFailure = (failure: ImageFailure | undefined): Extract<ApiImageResult, { ok: false }> =>
  Object.freeze({
    ok: false,
    problem: failure?.service?.code ?? 'server-error',
    message: failure?.message ?? 'The service returned no image.',
  });
