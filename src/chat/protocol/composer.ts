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

const requestSchema = pipe(number(), integer(), minValue(0));

/** Kind of search: all mentions after `#`, one kind of mention, or the commands after `/`. */
const searchKindSchema = picklist(['any', 'file', 'folder', 'symbol', 'command']);

/**
 * Requests suggestions that match `query`. The host replies with `context-offers`. A request cancels the previous one.
 */
export const contextSearchSchema = strictObject({
  type: literal('context-search'),
  request: requestSchema,
  kind: searchKindSchema,
  query: pipe(string(), maxLength(200)),
});

/** The user accepted a suggestion. `text` is the composer's text. The host ignores expired suggestions. */
export const contextChooseSchema = strictObject({
  type: literal('context-choose'),
  id: idSchema,
  text: pipe(string(), maxLength(10_000)),
});

/** Files, folders or editors were dropped on the page. The URIs are untrusted; the host checks them. */
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
  /** Text that replaces the typed token. Text that ends with a colon narrows the search instead of accepting. */
  insert: pipe(string(), maxLength(300)),
  label: pipe(string(), maxLength(300)),
  detail: pipe(string(), maxLength(300)),
});

/** Reply to `context-search`. The page ignores replies to any request but the latest. */
export const contextSuggestionsSchema = strictObject({
  type: literal('context-offers'),
  request: requestSchema,
  offers: pipe(array(suggestionSchema), maxLength(100)),
  /** Reason for missing or incomplete suggestions, as a sentence. Empty otherwise. */
  note: pipe(string(), maxLength(300)),
});

export type ContextSearch = InferOutput<typeof contextSearchSchema>;
export type ContextChoose = InferOutput<typeof contextChooseSchema>;
export type ContextDrop = InferOutput<typeof contextDropSchema>;
export type ContextSuggestions = InferOutput<typeof contextSuggestionsSchema>;
export type ContextSuggestion = InferOutput<typeof suggestionSchema>;

const text = (maxTextLength: number) => pipe(string(), maxLength(maxTextLength));

/** The conversation's options as the composer shows them. */
export const optionsStateSchema = strictObject({
  /** Null when the model does not support web search. */
  webSearch: nullable(picklist(['off', 'on', 'auto'])),
  /** Reason why the search option has no effect, as a sentence. Empty when the option has an effect. */
  searchFixed: text(600),
  /** Parameters that the suffix of the model id sets, one sentence per line. Usually empty. */
  suffix: text(2_000),
  /** True when an option other than web search differs from the model's default. */
  changed: boolean(),
});

/** A row of the options popover. Values are strings in both directions; an empty value means the model's default. */
const optionFieldSchema = strictObject({
  name: text(40),
  kind: picklist(['choice', 'text', 'long']),
  label: text(200),
  /** One or two sentences about the option. Empty when the label is enough. */
  help: text(1_000),
  value: text(60_000),
  /** Choices of a field of kind `choice`. The first choice has an empty value. */
  choices: array(strictObject({ value: text(40), label: text(200) })),
  /** Text that shows the default while the field is empty. */
  placeholder: text(200),
  /** Reason why the value is invalid, as a sentence. Empty for a valid value. */
  problem: text(400),
});

/** All options and presets, sent as reply to each `options-act`. */
export const optionDetailsSchema = strictObject({
  type: literal('option-details'),
  fields: array(optionFieldSchema),
  presets: array(strictObject({ id: text(80), name: text(80), own: boolean() })),
  /** Id of the preset that equals the options. Empty if no preset matches. */
  preset: text(80),
  /** Additional notes, one sentence each. */
  notes: array(text(600)),
});

/** Changes options or presets; `show` changes nothing. The host replies to each action with `option-details`. */
export const optionsActSchema = strictObject({
  type: literal('options-act'),
  /** `name` is a preset id for `choose` and `remove`, a new preset's name for `keep`, a field name for `set`. */
  action: picklist(['show', 'set', 'choose', 'keep', 'remove', 'reset']),
  name: text(80),
  value: text(60_000),
});

export type OptionsState = InferOutput<typeof optionsStateSchema>;
export type OptionField = InferOutput<typeof optionFieldSchema>;
export type OptionDetails = InferOutput<typeof optionDetailsSchema>;
export type OptionsAct = InferOutput<typeof optionsActSchema>;
