import * as vscode from 'vscode';
import { omitUndefined, isRecord } from '../base/json.ts';
import type { Model } from '../service/model-types.ts';
import type { Host } from '../host.ts';
import {
  getAccess,
  type ApiGrant,
  notAllowedProblem,
  createInvalidRequestProblem,
  toApiProblem,
} from './access.ts';
import type { ApiModel, ApiModels, ApiImageResult } from './api-types.ts';
import { readCaller } from './api-chat.ts';
import { readFile } from 'node:fs/promises';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import type { Lazy } from '../base/lazy.ts';
import type { ImageFailure } from '../image/vscode/image-failure.ts';
import type { ImageServices } from '../image/vscode/image-services.ts';
import {
  ImageToolRequestError,
  planToolRequest,
  type PlannedGeneration,
  readToolRequest,
} from '../image/vscode/plan-image.ts';

/** Lists the active profile's models for another extension. */
export async function listModelsForExtension(
  host: Host,
  input: unknown,
  grant?: ApiGrant,
): Promise<ApiModels> {
  const detail = vscode.l10n.t('It sees the list of models.');
  const caller = readCaller(input);
  const request = { kind: 'models', caller, detail } as const;
  if (!(await getAccess(host).authorize(request, grant))) return notAllowedProblem;
  await host.models.refresh();
  const { failure, models } = host.models;
  if (models.length === 0 && failure !== undefined)
    return Object.freeze({ ok: false, problem: failure.code, message: failure.message });
  return Object.freeze({ ok: true, models: Object.freeze(models.map(toApiModel)) });
}

/** Copies a model, so that the other extension cannot change the data of this extension. */
function toApiModel(model: Model): ApiModel {
  const { id, name, type, traits, pricing } = model;
  return Object.freeze({
    id,
    name,
    type,
    traits: Object.freeze([...traits]),
    capabilities: Object.freeze(listCapabilities(model)),
    ...omitUndefined({
      description: model.description,
      contextTokens: model.contextTokens,
      maxCompletionTokens: model.maxCompletionTokens,
      privacy: model.privacy,
      inputPrice: pricing.input?.usd,
      outputPrice: pricing.output?.usd,
    }),
  });
}

function listCapabilities({ capabilities }: Model): string[] {
  const capabilityEntries = [
    ['vision', capabilities.supportsVision],
    ['tools', capabilities.supportsFunctionCalling],
    ['reasoning', capabilities.supportsReasoning],
    ['web-search', capabilities.supportsWebSearch],
    ['code', capabilities.optimizedForCode],
  ] as const;
  return capabilityEntries.filter(([, isSupported]) => isSupported).map(([name]) => name);
}

/**
 * Generates an image for another extension if the user allows the request, and adds the image to
 * the gallery. Never rejects.
 */
export async function generateImageForExtension(
  host: Host,
  images: Lazy<ImageServices>,
  input: unknown,
  grant?: ApiGrant,
): Promise<ApiImageResult> {
  try {
    const fields = isRecord(input) ? input : {};
    const signal = fields['signal'];
    const caller = readCaller(input);
    const toolRequest = readToolRequest({ ...fields });
    const imageServices = await images.get();
    await imageServices.loadModels();
    const plan = planToolRequest(imageServices, toolRequest);
    const detail = formatConfirmationDetail(plan);
    const request = { kind: 'image', caller, detail } as const;
    if (!(await getAccess(host).authorize(request, grant))) return notAllowedProblem;
    const { records, failure } = await imageServices.run(plan.task, {
      signal: signal instanceof AbortSignal ? signal : new AbortController().signal,
      onProgress: () => {},
    });
    const [record] = records;
    if (record === undefined) return toApiFailure(failure);
    if (record.moderation.contentViolation)
      return createInvalidRequestProblem('The service rejected the image because of its content.');
    const { format, width, height } = record;
    const bytes = new Uint8Array(await readFile(imageServices.gallery.getImagePath(record)));
    const mediaType = `image/${format}`;
    const model = plan.request.model;
    return Object.freeze({ ok: true, bytes, mediaType, width, height, model });
  } catch (error) {
    if (error instanceof ImageToolRequestError) return createInvalidRequestProblem(error.message);
    host.log.error('Could not create an image for another extension', error);
    return toApiProblem(error);
  }
}

const maxPromptLength = 500;

function formatConfirmationDetail({ description, request }: PlannedGeneration): string {
  const prompt = stripHiddenCharacters(request.prompt).text;
  const ellipsis = prompt.length > maxPromptLength ? ' […]' : '';
  return `${description}\n\n${prompt.slice(0, maxPromptLength)}${ellipsis}`;
}

const toApiFailure = (failure: ImageFailure | undefined): Extract<ApiImageResult, { ok: false }> =>
  Object.freeze({
    ok: false,
    problem: failure?.service?.code ?? 'server-error',
    message: failure?.message ?? 'The service returned no image.',
  });
