import {
  array,
  boolean,
  type InferOutput,
  integer,
  literal,
  maxLength,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  strictObject,
  string,
} from 'valibot';
import { idSchema } from '../../base/schema.ts';

const requestNumberSchema = pipe(number(), integer(), minValue(0));

/** Search scope: all kinds of mentions (`any`), one kind of mention, or commands. */
const searchKindSchema = picklist(['any', 'file', 'folder', 'symbol', 'command']);

/**
 * Requests suggestions of mentions or commands that match `query`. The host replies with `context-suggestions`. A newer
 * request cancels the previous request.
 */
export const contextSearchSchema = strictObject({
  type: literal('context-search'),
  request: requestNumberSchema,
  kind: searchKindSchema,
  query: pipe(string(), maxLength(200)),
});

/**
 * Sent when the user accepts the suggestion `id`. `text` is the whole text of the composer. The host ignores expired
 * suggestions.
 */
export const contextChooseSchema = strictObject({
  type: literal('context-choose'),
  id: idSchema,
  text: pipe(string(), maxLength(10_000)),
});

/**
 * Sent when the user drops files, folders or editor tabs on the page. The host checks the URIs, because they are
 * untrusted.
 */
export const contextDropSchema = strictObject({
  type: literal('context-drop'),
  uris: pipe(array(pipe(string(), maxLength(4_096))), maxLength(50)),
});

const suggestionSchema = strictObject({
  id: idSchema,
  kind: picklist([
    'file',
    'folder',
    'selection',
    'problems',
    'changes',
    'terminal',
    'symbol',
    'codebase',
    'command',
    'prompt',
  ]),
  /**
   * Text that replaces the typed mention or command when the user accepts the suggestion. If the text ends with a
   * colon, such as `#file:`, the page then requests suggestions of that kind.
   */
  insert: pipe(string(), maxLength(300)),
  label: pipe(string(), maxLength(300)),
  detail: pipe(string(), maxLength(300)),
});

/** Reply to `context-search`. The page ignores replies to outdated requests. */
export const contextSuggestionsSchema = strictObject({
  type: literal('context-suggestions'),
  request: requestNumberSchema,
  suggestions: pipe(array(suggestionSchema), maxLength(100)),
  /** Reason why suggestions are missing or incomplete, as a sentence. Empty if the list is complete. */
  note: pipe(string(), maxLength(300)),
});

export type ContextSearch = InferOutput<typeof contextSearchSchema>;
export type ContextChoose = InferOutput<typeof contextChooseSchema>;
export type ContextDrop = InferOutput<typeof contextDropSchema>;
export type ContextSuggestions = InferOutput<typeof contextSuggestionsSchema>;
export type ContextSuggestion = InferOutput<typeof suggestionSchema>;

const createTextSchema = (maxTextLength: number) => pipe(string(), maxLength(maxTextLength));

/** Options of the conversation that the composer shows outside of the options popover, for example on buttons. */
export const optionsStateSchema = strictObject({
  /** Mode of web search. Null when the model does not support web search. */
  webSearch: nullable(picklist(['off', 'on', 'auto'])),
  /** Reason why the web search option has no effect, as a sentence. Empty if the option has an effect. */
  searchDisabledReason: createTextSchema(600),
  /**
   * Messages about request parameters that the suffix of the model id sets, one sentence per line. Usually empty,
   * because most model ids have no suffix.
   */
  suffix: createTextSchema(2_000),
  /** True if an option other than web search differs from the model's default. */
  changed: boolean(),
});

/**
 * Field of the options popover. The page and the host exchange its value as text. An empty value means the model's
 * default.
 */
const optionFieldSchema = strictObject({
  name: createTextSchema(40),
  kind: picklist(['choice', 'text', 'long']),
  label: createTextSchema(200),
  /** One or two sentences about the option. Empty when the label is enough. */
  help: createTextSchema(1_000),
  value: createTextSchema(60_000),
  /** Choices of a field of kind `choice`. The first choice is the default and has an empty value. */
  choices: array(strictObject({ value: createTextSchema(40), label: createTextSchema(200) })),
  /** Text that an empty field shows, such as the default value. */
  placeholder: createTextSchema(200),
  /** Reason why the value is invalid, as a sentence. Empty for a valid value. */
  problem: createTextSchema(400),
  /** True if the service rejected the value and the user agreed to omit it from requests. */
  isOmitted: boolean(),
});

/** All options and presets. The host sends them as reply to each `options-action`. */
export const optionDetailsSchema = strictObject({
  type: literal('option-details'),
  fields: array(optionFieldSchema),
  presets: array(
    strictObject({ id: createTextSchema(80), name: createTextSchema(80), own: boolean() }),
  ),
  /** Id of the preset whose options equal the current options. Empty if no preset matches. */
  preset: createTextSchema(80),
  /** Further notes about the options, one sentence each. */
  notes: array(createTextSchema(600)),
});

/**
 * Action of the user on the options or the presets. The action `show` changes nothing. The host replies to each
 * action with `option-details`.
 */
export const optionsActionSchema = strictObject({
  type: literal('options-action'),
  /**
   * Determines the meaning of `name`: for `choose` and `remove`, a preset id; for `keep`, the name of the new preset;
   * for `set` and `restore`, the name of a field. `restore` includes an omitted field in requests again.
   */
  action: picklist(['show', 'set', 'choose', 'keep', 'remove', 'reset', 'restore']),
  name: createTextSchema(80),
  value: createTextSchema(60_000),
});

export type OptionsState = InferOutput<typeof optionsStateSchema>;
export type OptionField = InferOutput<typeof optionFieldSchema>;
export type OptionDetails = InferOutput<typeof optionDetailsSchema>;
/** Action of the user in the options popover of the composer. */
export type OptionsAction = InferOutput<typeof optionsActionSchema>;
