import * as vscode from 'vscode';
import { omitUndefined } from '../base/json.ts';
import type { Model } from '../service/model-types.ts';
import type { Host } from '../host.ts';
import { getAccess, type Grant, notAllowed } from './access.ts';
import type { ApiModel, ApiModels } from './api-types.ts';
import { readCaller } from './api-chat.ts';

/** Lists the active profile's models for another extension. */
export async function listModelsForExtension(
  host: Host,
  input: unknown,
  grant?: Grant,
): Promise<ApiModels> {
  const detail = vscode.l10n.t('It sees which models the service offers and what they cost.');
  const caller = readCaller(input);
  const request = { kind: 'models', caller, detail } as const;
  if (!(await getAccess(host).authorize(request, grant))) return notAllowed;
  await host.models.refresh();
  const { failure, models } = host.models;
  if (models.length === 0 && failure !== undefined)
    return Object.freeze({ ok: false, problem: failure.code, message: failure.message });
  return Object.freeze({ ok: true, models: Object.freeze(models.map(toApiModel)) });
}

/** Copies a model, so that other extensions cannot change the extension's own data. */
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
