import { isRecord, type JsonRecord } from '../../../src/base/json.ts';
import type { ModelCatalog } from '../catalog/model-catalog.ts';
import type { TextModel } from '../catalog/model.ts';
import type { CodeModelMisbehavior } from '../models/completion/misbehavior.ts';
import { ApiError } from '../api-error.ts';
import {
  createInvalidRequestError,
  parseClosed,
  requireModelName,
  createUnrecognizedKeyIssue,
} from '../validation.ts';
import type { VendorNaming } from '../vendor-naming.ts';
import { BuiltInWeb } from '../web/built-in-web.ts';
import { type ChatBody, createChatBodySchema, type RequestedParameters } from './body.ts';
import { getMessageText } from './messages.ts';

/** A parsed chat request: model, body and effective parameters. */
export interface ChatCall {
  readonly model: TextModel;
  readonly body: ChatBody;
  readonly settings: EffectiveParameters;
  readonly serviceSeed: number;
  /** Misbehavior of code models that the test has set. */
  readonly misbehavior: CodeModelMisbehavior;
  readonly web: BuiltInWeb;
  /** Converts field and header names between the prefix `service` and the prefix of the deployment. */
  readonly naming: VendorNaming;
}

/**
 * Values of `service_parameters` after applying the defaults and the parameters in the suffix of the model name.
 * Replies contain these values.
 */
export type EffectiveParameters = {
  [Name in Exclude<keyof RequestedParameters, 'character_slug'>]-?: NonNullable<
    RequestedParameters[Name]
  >;
} & Pick<RequestedParameters, 'character_slug'>;

const defaultParameters = {
  enable_web_search: 'off',
  enable_web_scraping: false,
  enable_web_citations: false,
  strip_thinking_response: false,
  disable_thinking: false,
  include_service_system_prompt: true,
  include_search_results_in_stream: false,
  return_search_results_as_documents: false,
  enable_x_search: false,
  enable_e2ee: true,
} as const satisfies EffectiveParameters;

/**
 * Parses the body of a chat request: converts alternative names and formats of fields, validates the body, and then
 * resolves the model name and its suffix. Rejects unknown top-level keys.
 */
export function parseChatCall(
  rawBody: unknown,
  state: {
    naming: VendorNaming;
    catalog: ModelCatalog;
    seed: number;
    misbehavior?: CodeModelMisbehavior;
    web?: BuiltInWeb;
  },
): ChatCall {
  if (!isRecord(rawBody)) throw new ApiError(400, 'Invalid JSON request');
  const { naming } = state;
  const resolvedBody = resolveAliases(rawBody, naming);
  requireModelName(resolvedBody['model']);
  rejectNeutralName(resolvedBody, naming);
  const parsedBody = naming.convertToNeutral(
    parseClosed(createChatBodySchema(naming), resolvedBody),
  );
  const body = dropEmptyAnswers(parsedBody as ChatBody);
  const { name, suffixParameters } = splitSuffix(body.model, naming);
  const model = state.catalog.findTextModel(name);
  // Optional parameters are absent instead of `undefined`, so they do not overwrite the defaults.
  const settings = {
    ...defaultParameters,
    ...body.service_parameters,
    ...suffixParameters,
  } as EffectiveParameters;
  const { seed: serviceSeed, misbehavior = {}, web = new BuiltInWeb() } = state;
  return { model, body, settings, serviceSeed, misbehavior, web, naming };
}

/**
 * Rejects the field `include_service_system_prompt` on a deployment with another prefix than `service`. Other unknown
 * parameters are ignored.
 */
function rejectNeutralName(body: JsonRecord, naming: VendorNaming): void {
  const name = 'include_service_system_prompt';
  const parametersName = naming.getFieldName('service_parameters');
  const parameters = body[parametersName];
  if (
    naming.getFieldName(name) === name ||
    !isRecord(parameters) ||
    !Object.hasOwn(parameters, name)
  )
    return;
  throw createInvalidRequestError([createUnrecognizedKeyIssue([name], [parametersName])]);
}

/** Drops assistant messages that contain neither text nor tool calls, as the real service does. */
function dropEmptyAnswers(body: ChatBody): ChatBody {
  const messages = body.messages.filter(
    (message) =>
      message.role !== 'assistant' || getMessageText(message) !== '' || message.tool_calls?.length,
  );
  return { ...body, messages };
}

const fieldAliases = [
  ['input', 'messages'],
  ['max_output_tokens', 'max_tokens'],
  ['promptCacheKey', 'prompt_cache_key'],
] as const;

function resolveAliases(body: JsonRecord, naming: VendorNaming): JsonRecord {
  const resolvedBody: Record<string, unknown> = { ...body };
  for (const [alias, name] of fieldAliases) {
    if (!(alias in resolvedBody)) continue;
    resolvedBody[name] ??= resolvedBody[alias];
    delete resolvedBody[alias];
  }
  if (typeof resolvedBody['messages'] === 'string') {
    resolvedBody['messages'] = [{ role: 'user', content: resolvedBody['messages'] }];
  }
  if (typeof resolvedBody['web_search'] === 'boolean') {
    resolveWebSearch(resolvedBody, naming.getFieldName('service_parameters'));
  }
  if (Array.isArray(resolvedBody['tools']))
    resolvedBody['tools'] = resolvedBody['tools'].map(toNestedTool);
  if (isRecord(resolvedBody['tool_choice']))
    resolvedBody['tool_choice'] = resolveToolChoice(resolvedBody['tool_choice']);
  return resolvedBody;
}

function resolveWebSearch(body: Record<string, unknown>, parametersName: string): void {
  const enable_web_search = body['web_search'] === true ? 'on' : 'off';
  delete body['web_search'];
  const parameters = body[parametersName];
  body[parametersName] = { enable_web_search, ...(isRecord(parameters) && parameters) };
}

const toolChoices: Readonly<Record<string, string>> = {
  auto: 'auto',
  none: 'none',
  required: 'required',
  any: 'required',
};

/**
 * Converts a tool choice in the format of another chat API, such as `{type: 'auto'}` or `{type, name}`, to the format
 * of the service. Returns other values unchanged.
 */
function resolveToolChoice(choice: JsonRecord): unknown {
  const { type, name } = choice;
  if (typeof type === 'string' && Object.hasOwn(toolChoices, type)) return toolChoices[type];
  const isNamed = (type === 'tool' || type === 'function') && typeof name === 'string';
  return isNamed ? { type: 'function', function: { name } } : choice;
}

/**
 * Converts a tool definition without nesting to the nested form `{type, function}`. Such a definition may contain
 * `input_schema` in place of `parameters`.
 */
function toNestedTool(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  if (isRecord(tool['function'])) return { type: 'function', ...tool };
  const { name, description, parameters, input_schema } = tool;
  if (typeof name !== 'string') return tool;
  return {
    type: 'function',
    function: { name, description, parameters: parameters ?? input_schema },
  };
}

const booleanParameters = [
  'enable_web_citations',
  'enable_web_scraping',
  'include_service_system_prompt',
  'include_search_results_in_stream',
  'return_search_results_as_documents',
  'strip_thinking_response',
  'disable_thinking',
] as const;

/** Splits `<model>:<key>=<value>&…` into the model name and the parameters. Ignores unknown keys and values. */
function splitSuffix(
  model: string,
  naming: VendorNaming,
): { name: string; suffixParameters: Partial<EffectiveParameters> } {
  // A colon without `=` belongs to the name, as in `name:7b`.
  const [, name = model, query = ''] = /^(.+?):([^:]*=.*|web)$/s.exec(model) ?? [];
  const queryValues: JsonRecord = Object.fromEntries(new URLSearchParams(query));
  const flagEntries = booleanParameters
    .map((key) => [key, queryValues[naming.getFieldName(key)]] as const)
    .filter(([, value]) => value === 'true' || value === 'false')
    .map(([key, value]) => [key, value === 'true'] as const);
  const suffixParameters: Partial<EffectiveParameters> = Object.fromEntries(flagEntries);
  const searchMode = queryValues['enable_web_search'] ?? (query === 'web' ? 'on' : undefined);
  if (searchMode === 'on' || searchMode === 'off' || searchMode === 'auto')
    suffixParameters.enable_web_search = searchMode;
  const characterSlug = queryValues['character_slug'];
  if (typeof characterSlug === 'string') suffixParameters.character_slug = characterSlug;
  return { name, suffixParameters };
}
