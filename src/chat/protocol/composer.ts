import {
  array,
  type InferOutput,
  integer,
  literal,
  maxLength,
  minValue,
  number,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
} from 'valibot';

const requestSchema = pipe(number(), integer(), minValue(0));
const offerIdSchema = pipe(string(), regex(/^[A-Za-z0-9_-]{1,64}$/u));

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
  id: offerIdSchema,
  text: pipe(string(), maxLength(10_000)),
});

/** Files, folders or editors were dropped on the page. Addresses as they were given: the host judges them. */
export const contextDropSchema = strictObject({
  type: literal('context-drop'),
  uris: pipe(array(pipe(string(), maxLength(4_096))), maxLength(50)),
});

const offerSchema = strictObject({
  id: offerIdSchema,
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
