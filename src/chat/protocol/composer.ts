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

/** What a search is for: everything that `#` can name, one kind of it, or what `/` can name. */
const searchKindSchema = picklist(['any', 'file', 'folder', 'symbol', 'command']);

/** The list below the caret wants what fits `query`: the host answers with `context-offers`. The latest one counts. */
export const contextSearchSchema = strictObject({
  type: literal('context-search'),
  request: requestSchema,
  kind: searchKindSchema,
  query: pipe(string(), maxLength(200)),
});

/** Something that was offered was chosen; `text` is what the composer holds. An offer of long ago is ignored. */
export const contextChooseSchema = strictObject({
  type: literal('context-choose'),
  id: idSchema,
  text: pipe(string(), maxLength(10_000)),
});

/** Files, folders or editors were dropped on the page. Addresses as they were given: the host judges them. */
export const contextDropSchema = strictObject({
  type: literal('context-drop'),
  uris: pipe(array(pipe(string(), maxLength(4_096))), maxLength(50)),
});

const offerSchema = strictObject({
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
  /** Takes the place of what was typed. One that ends with a colon narrows the search instead of choosing. */
  insert: pipe(string(), maxLength(300)),
  label: pipe(string(), maxLength(300)),
  detail: pipe(string(), maxLength(300)),
});

/** Answer to `context-search`. Of a `request` that is not the latest the page shows nothing. */
export const contextOffersSchema = strictObject({
  type: literal('context-offers'),
  request: requestSchema,
  offers: pipe(array(offerSchema), maxLength(100)),
  /** Why there are no more, or none, as a sentence; empty where there is nothing to say. */
  note: pipe(string(), maxLength(300)),
});

export type ContextSearch = InferOutput<typeof contextSearchSchema>;
export type ContextChoose = InferOutput<typeof contextChooseSchema>;
export type ContextDrop = InferOutput<typeof contextDropSchema>;
export type ContextOffers = InferOutput<typeof contextOffersSchema>;
export type ContextOffer = InferOutput<typeof offerSchema>;

const text = (longest: number) => pipe(string(), maxLength(longest));

/** What the composer shows of the conversation's options. */
export const optionsStateSchema = strictObject({
  /** Null when the model does not search the web. */
  webSearch: nullable(picklist(['off', 'on', 'auto'])),
  /** Why another choice of the search changes nothing, a sentence; empty where it does. */
  searchFixed: text(600),
  /** What the model's id sets by itself, a sentence a line; empty for nearly all. */
  suffix: text(2_000),
  /** Something besides it differs from what the model does by itself. */
  changed: boolean(),
});

/** One row of the options. Values are texts on both sides; the empty one leaves it to the model. */
const optionFieldSchema = strictObject({
  name: text(40),
  kind: picklist(['choice', 'text', 'long']),
  label: text(200),
  /** What it does, a sentence or two; empty where the label says it. */
  help: text(1_000),
  value: text(60_000),
  /** Of a `choice`; the first one's value is empty. */
  choices: array(strictObject({ value: text(40), label: text(200) })),
  /** What holds while it is empty. */
  placeholder: text(200),
  /** Why `value` does not count, as a sentence; empty when it does. */
  problem: text(400),
});

/** What the options are and can be: answer to each `options-act`. */
export const optionDetailsSchema = strictObject({
  type: literal('option-details'),
  fields: array(optionFieldSchema),
  presets: array(strictObject({ id: text(80), name: text(80), own: boolean() })),
  /** Id of the preset that the options are equal to; empty when there is none. */
  preset: text(80),
  /** What else to know, a sentence each. */
  notes: array(text(600)),
});

/** `show` answers alone; each of the others changes something, then answers. */
export const optionsActSchema = strictObject({
  type: literal('options-act'),
  /** `choose` and `remove` name a preset, `keep` its new name, `set` a field. */
  action: picklist(['show', 'set', 'choose', 'keep', 'remove', 'reset']),
  name: text(80),
  value: text(60_000),
});

export type OptionsState = InferOutput<typeof optionsStateSchema>;
export type OptionField = InferOutput<typeof optionFieldSchema>;
export type OptionDetails = InferOutput<typeof optionDetailsSchema>;
export type OptionsAct = InferOutput<typeof optionsActSchema>;
