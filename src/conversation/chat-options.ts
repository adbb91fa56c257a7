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
import { defined, isRecord, type JsonRecord, parseJson } from '../base/json.ts';
import { suffixOf } from '../service/model-suffix.ts';
import type { ChatRequest, ServiceParameters } from '../service/chat/chat-types.ts';
import type { Model } from '../service/model-types.ts';

/** What a person wants of the answers of one conversation (spec §2.3, §4.2). What is absent is left to the model. */
export type ChatOptions = {
  readonly webSearch?: 'off' | 'on' | 'auto';
  /** Pages that a message names are read. */
  readonly webScraping?: boolean;
  /** Marks in the text say which source a statement is from; so unless it is false. */
  readonly webCitations?: boolean;
  readonly xSearch?: boolean;
  /** The model thinks, but its thoughts are not sent. */
  readonly stripThinking?: boolean;
  readonly disableThinking?: boolean;
  /** The service's own system prompt, of about 1,700 tokens, comes before ours. */
  readonly servicePrompt?: boolean;
  readonly character?: ChatCharacter;
  /** 0 to 2. */
  readonly temperature?: number;
  /** 0 to 1. */
  readonly topP?: number;
  /** Of the whole answer, with its thoughts. */
  readonly maxTokens?: number;
  readonly seed?: number;
  /** The answer ends before the first of these; 1 to 4. */
  readonly stop?: readonly string[];
  readonly reasoningEffort?: ReasoningEffort;
  readonly verbosity?: 'low' | 'medium' | 'high' | 'auto';
  readonly responseFormat?: ResponseFormat;
};

/** A persona that answers in place of the bare model. */
export interface ChatCharacter {
  readonly slug: string;
  /** For the person. */
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
  /** `schema` is the JSON text of a JSON schema. */
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: string };

/** What options come to in a request. */
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

/** The options in whatever a disk, a page or a setting holds: a field that cannot be is as if it were absent. */
export function readChatOptions(value: unknown): ChatOptions {
  if (!isRecord(value)) return {};
  const read = Object.entries(fields).flatMap(([name, schema]) => {
    const result = safeParse(schema, value[name]);
    return result.success ? [[name, result.output] as const] : [];
  });
  return Object.fromEntries(read) as ChatOptions;
}

/**
 * What is sent for the options: only what the model supports, since the service refuses the rest (service facts §1.2).
 * Of a model that is not known, only what every model takes.
 */
export function chatParameters(options: ChatOptions, model: Model | undefined): ChatParameters {
  const can = model?.capabilities;
  const { temperature, topP, maxTokens, seed, stop, verbosity, responseFormat } = options;
  return defined({
    temperature,
    top_p: topP,
    max_completion_tokens: atMost(maxTokens, model?.maxCompletionTokens),
    seed,
    stop,
    verbosity,
    reasoning_effort: effortOf(options, model),
    response_format: can?.supportsResponseSchema === true ? formatOf(responseFormat) : undefined,
    parameters: nonEmpty(serviceParameters(options, model)),
  });
}

function serviceParameters(options: ChatOptions, model: Model | undefined): ServiceParameters {
  const can = model?.capabilities;
  const search = can?.supportsWebSearch === true ? options.webSearch : undefined;
  const suffix = suffixOf(model?.id ?? '');
  const scraping = suffix['enable_web_scraping'] ?? String(options.webScraping);
  const searches = isSearch(suffix['enable_web_search'] ?? search) || scraping === 'true';
  const xSearch = can?.supportsXSearch === true ? options.xSearch : undefined;
  const thinks = can?.supportsReasoning === true;
  return defined({
    enable_web_search: search,
    enable_web_scraping: options.webScraping,
    enable_web_citations: searches ? (options.webCitations ?? true) : undefined,
    // The sources come with the stream only where this is asked for.
    include_search_results_in_stream: searches || xSearch === true ? true : undefined,
    enable_x_search: xSearch,
    strip_thinking_response: thinks ? options.stripThinking : undefined,
    disable_thinking: thinks ? options.disableThinking : undefined,
    include_system_prompt: options.servicePrompt,
    character_slug: options.character?.slug,
  });
}

const isSearch = (wanted: string | undefined): boolean => wanted === 'on' || wanted === 'auto';

function effortOf(
  { reasoningEffort }: ChatOptions,
  model: Model | undefined,
): ReasoningEffort | undefined {
  if (reasoningEffort === undefined || !effortsOf(model).includes(reasoningEffort))
    return undefined;
  return reasoningEffort;
}

/** The efforts that the model can be asked for, the least first; empty when it takes none. */
export function effortsOf(model: Model | undefined): readonly ReasoningEffort[] {
  if (model?.capabilities.supportsReasoningEffort !== true) return [];
  const { reasoningEffortOptions: told } = model.capabilities;
  return reasoningEfforts.filter((effort) => (told ?? usualEfforts).includes(effort));
}

const usualEfforts: readonly string[] = ['low', 'medium', 'high'];

function formatOf(format: ResponseFormat | undefined): ChatRequest['response_format'] {
  if (format?.type !== 'json_schema') return format;
  const schema = parseJson(format.schema) as NonNullable<ChatRequest['response_format']>;
  return { type: 'json_schema', json_schema: { name: format.name, strict: true, schema } };
}

const atMost = (wanted: number | undefined, most: number | undefined): number | undefined =>
  wanted === undefined ? undefined : Math.min(wanted, most ?? wanted);

const nonEmpty = (parameters: ServiceParameters): ServiceParameters | undefined =>
  Object.keys(parameters).length === 0 ? undefined : parameters;

const between = (least: number, most: number): GenericSchema<unknown, number> =>
  pipe(number(), minValue(least), maxValue(most));
const wholeUpTo = (most: number): GenericSchema<unknown, number> =>
  pipe(number(), integer(), minValue(1), maxValue(most));
const shortText = (longest: number): GenericSchema<unknown, string> =>
  pipe(string(), minLength(1), maxLength(longest));

/** The JSON text of a schema is kept as it was written. */
export const longestSchema = 50_000;

const isJsonObject = (text: string): boolean => isRecord(parseJson(text));

/** One for each field; none takes `undefined`. */
const fields: { readonly [Name in keyof Required<ChatOptions>]: GenericSchema } = {
  webSearch: picklist(['off', 'on', 'auto']),
  webScraping: boolean(),
  webCitations: boolean(),
  xSearch: boolean(),
  stripThinking: boolean(),
  disableThinking: boolean(),
  servicePrompt: boolean(),
  character: object({ slug: shortText(200), name: shortText(200) }),
  temperature: between(0, 2),
  topP: between(0, 1),
  maxTokens: wholeUpTo(10_000_000),
  seed: wholeUpTo(Number.MAX_SAFE_INTEGER),
  stop: pipe(array(shortText(100)), minLength(1), maxLength(4)),
  reasoningEffort: picklist(reasoningEfforts),
  verbosity: picklist(['low', 'medium', 'high', 'auto']),
  responseFormat: variant('type', [
    object({ type: literal('text') }),
    object({ type: literal('json_object') }),
    object({
      type: literal('json_schema'),
      name: shortText(64),
      schema: pipe(string(), maxLength(longestSchema), check(isJsonObject)),
    }),
  ]),
};

/** Options as a conversation keeps them; {@link readChatOptions} tells what of them counts. */
export type KeptOptions = JsonRecord;
