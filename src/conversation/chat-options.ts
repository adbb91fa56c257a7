import * as l10n from '@vscode/l10n';
import {
  array,
  boolean,
  check,
  type GenericSchema,
  integer,
  literal,
  maxLength,
  maxValue,
  minLength,
  minValue,
  number,
  object,
  picklist,
  pipe,
  safeParse,
  string,
  variant,
} from 'valibot';
import { omitUndefined, isRecord, type JsonRecord, parseJson } from '../base/json.ts';
import { parseModelSuffix } from '../service/model-suffix.ts';
import type { ChatRequest, ServiceParameters } from '../service/chat/chat-types.ts';
import type { Model } from '../service/model-types.ts';

/** Options for the answers of one conversation (spec §2.3, §4.2). For an absent option, the model's default applies. */
export type ChatOptions = {
  readonly webSearch?: 'off' | 'on' | 'auto';
  /** True to fetch the pages whose URLs are in a message. */
  readonly webScraping?: boolean;
  /** False to request an answer without citation marks. */
  readonly webCitations?: boolean;
  readonly xSearch?: boolean;
  /** True to omit the model's reasoning from the answer. */
  readonly stripThinking?: boolean;
  readonly disableThinking?: boolean;
  /** True to include the service's own system prompt, about 1,700 tokens. */
  readonly servicePrompt?: boolean;
  readonly character?: ChatCharacter;
  /** Name of a custom agent in the workspace. The definition of the agent limits the available tools. */
  readonly agent?: string;
  /** Sampling temperature, from 0 to 2. */
  readonly temperature?: number;
  /** Probability mass for nucleus sampling, from 0 to 1. */
  readonly topP?: number;
  /** Maximum number of tokens of the whole answer, including its reasoning. */
  readonly maxTokens?: number;
  readonly seed?: number;
  /** One to four stop sequences. */
  readonly stop?: readonly string[];
  readonly reasoningEffort?: ReasoningEffort;
  readonly verbosity?: 'low' | 'medium' | 'high' | 'auto';
  readonly responseFormat?: ResponseFormat;
};

/** Persona of the service. The model answers in the character of the persona. */
export interface ChatCharacter {
  readonly slug: string;
  readonly name: string;
}

export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;

export type ReasoningEffort = (typeof reasoningEfforts)[number];

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  /** JSON Schema that the answer must match. `schema` is the schema as JSON text. */
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: string };

/** Fields of a chat request that the options can set. */
export type ChatParameters = Pick<
  ChatRequest,
  | 'temperature'
  | 'top_p'
  | 'max_completion_tokens'
  | 'seed'
  | 'stop'
  | 'reasoning_effort'
  | 'verbosity'
  | 'response_format'
  | 'parameters'
>;

/** Reads options from stored data, a page message or a setting. Drops invalid fields. */
export function readChatOptions(value: unknown): ChatOptions {
  if (!isRecord(value)) return {};
  const entries = Object.entries(optionSchemas).flatMap(([name, schema]) => {
    const result = safeParse(schema, value[name]);
    return result.success ? [[name, result.output] as const] : [];
  });
  return Object.fromEntries(entries) as ChatOptions;
}

/**
 * Converts options to request fields. Omits fields of features that the model record reports as unsupported, because
 * the service rejects these fields. For an unknown model, includes all fields, because the model may support them.
 */
export function toChatParameters(options: ChatOptions, model: Model | undefined): ChatParameters {
  const capabilities = model?.capabilities;
  const { temperature, topP, maxTokens, seed, stop, verbosity, responseFormat } = options;
  return omitUndefined({
    temperature,
    top_p: topP,
    max_completion_tokens: limitTokens(maxTokens, model?.maxCompletionTokens),
    seed,
    stop,
    verbosity,
    reasoning_effort: selectReasoningEffort(options, model),
    response_format:
      capabilities?.supportsResponseSchema === false ? undefined : toResponseFormat(responseFormat),
    parameters: omitIfEmpty(toServiceParameters(options, model)),
  });
}

function toServiceParameters(options: ChatOptions, model: Model | undefined): ServiceParameters {
  const capabilities = model?.capabilities;
  const searchMode = canSearchWeb(model) ? options.webSearch : undefined;
  const suffixParameters = parseModelSuffix(model?.id ?? '');
  const scrapingValue = suffixParameters['enable_web_scraping'] ?? String(options.webScraping);
  const isSearching =
    isSearchEnabled(suffixParameters['enable_web_search'] ?? searchMode) ||
    scrapingValue === 'true';
  const xSearch = canSearchX(model) ? options.xSearch : undefined;
  const hasReasoning = capabilities?.supportsReasoning !== false;
  return omitUndefined({
    enable_web_search: searchMode,
    enable_web_scraping: options.webScraping,
    enable_web_citations: isSearching ? (options.webCitations ?? true) : undefined,
    // The service includes sources in the stream only on request.
    include_search_results_in_stream: isSearching || xSearch === true ? true : undefined,
    enable_x_search: xSearch,
    strip_thinking_response: hasReasoning ? options.stripThinking : undefined,
    disable_thinking: hasReasoning ? options.disableThinking : undefined,
    include_system_prompt: options.servicePrompt,
    character_slug: options.character?.slug,
  });
}

/**
 * Checks whether a model may use web search. Returns false only if the model record reports no support. Returns true
 * for an unknown model.
 */
export const canSearchWeb = (model: Model | undefined): boolean =>
  model?.capabilities.supportsWebSearch !== false;

/**
 * Checks whether a model may search X, the social network. Returns false only if the model record reports no support.
 * Returns true for an unknown model.
 */
export const canSearchX = (model: Model | undefined): boolean =>
  model?.capabilities.supportsXSearch !== false;

const isSearchEnabled = (mode: string | undefined): boolean => mode === 'on' || mode === 'auto';

function selectReasoningEffort(
  { reasoningEffort }: ChatOptions,
  model: Model | undefined,
): ReasoningEffort | undefined {
  if (
    reasoningEffort === undefined ||
    !listSupportedReasoningEfforts(model).includes(reasoningEffort)
  )
    return undefined;
  return reasoningEffort;
}

/**
 * Returns the reasoning efforts that the model record does not rule out, lowest first. Empty if the model supports
 * none.
 */
export function listSupportedReasoningEfforts(
  model: Model | undefined,
): readonly ReasoningEffort[] {
  const {
    supportsReasoning,
    supportsReasoningEffort = supportsReasoning,
    reasoningEffortOptions: options,
  } = model?.capabilities ?? {};
  if (supportsReasoningEffort === false) return [];
  return reasoningEfforts.filter((effort) => options?.includes(effort) !== false);
}

/** Returns the display name of a reasoning effort. */
export function getReasoningEffortLabel(effort: ReasoningEffort): string {
  const labels: Record<ReasoningEffort, string> = {
    none: l10n.t('None'),
    minimal: l10n.t('Minimal'),
    low: l10n.t('Low'),
    medium: l10n.t('Medium'),
    high: l10n.t('High'),
    xhigh: l10n.t('Very high'),
    max: l10n.t('Highest'),
  };
  return labels[effort];
}

function toResponseFormat(format: ResponseFormat | undefined): ChatRequest['response_format'] {
  if (format?.type !== 'json_schema') return format;
  const schema = parseJson(format.schema) as NonNullable<ChatRequest['response_format']>;
  return { type: 'json_schema', json_schema: { name: format.name, strict: true, schema } };
}

const limitTokens = (
  requestedTokens: number | undefined,
  maxTokens: number | undefined,
): number | undefined =>
  requestedTokens === undefined
    ? undefined
    : Math.min(requestedTokens, maxTokens ?? requestedTokens);

const omitIfEmpty = (parameters: ServiceParameters): ServiceParameters | undefined =>
  Object.keys(parameters).length === 0 ? undefined : parameters;

const createRangeSchema = (min: number, max: number): GenericSchema<unknown, number> =>
  pipe(number(), minValue(min), maxValue(max));
const createPositiveIntegerSchema = (max: number): GenericSchema<unknown, number> =>
  pipe(number(), integer(), minValue(1), maxValue(max));
const createShortTextSchema = (maxCharacters: number): GenericSchema<unknown, string> =>
  pipe(string(), minLength(1), maxLength(maxCharacters));

/** Maximum length of a JSON Schema in characters. The schema is stored as the user entered it. */
export const maxSchemaLength = 50_000;

const isJsonObject = (text: string): boolean => isRecord(parseJson(text));

/** Validation schema of each option, by option name. No schema accepts `undefined`. */
const optionSchemas: { readonly [Name in keyof Required<ChatOptions>]: GenericSchema } = {
  webSearch: picklist(['off', 'on', 'auto']),
  webScraping: boolean(),
  webCitations: boolean(),
  xSearch: boolean(),
  stripThinking: boolean(),
  disableThinking: boolean(),
  servicePrompt: boolean(),
  character: object({ slug: createShortTextSchema(200), name: createShortTextSchema(200) }),
  agent: createShortTextSchema(64),
  temperature: createRangeSchema(0, 2),
  topP: createRangeSchema(0, 1),
  maxTokens: createPositiveIntegerSchema(10_000_000),
  seed: createPositiveIntegerSchema(Number.MAX_SAFE_INTEGER),
  stop: pipe(array(createShortTextSchema(100)), minLength(1), maxLength(4)),
  reasoningEffort: picklist(reasoningEfforts),
  verbosity: picklist(['low', 'medium', 'high', 'auto']),
  responseFormat: variant('type', [
    object({ type: literal('text') }),
    object({ type: literal('json_object') }),
    object({
      type: literal('json_schema'),
      name: createShortTextSchema(64),
      schema: pipe(string(), maxLength(maxSchemaLength), check(isJsonObject)),
    }),
  ]),
};

/** Options in the format of a stored conversation. Decode them with {@link readChatOptions}. */
export type StoredChatOptions = JsonRecord;
