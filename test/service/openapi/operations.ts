import * as v from 'valibot';
import { speechBodySchema } from '../audio/speech.ts';
import { transcriptionBodySchema } from '../audio/transcription.ts';
import { usageHistoryQuerySchema } from '../billing/usage-page.ts';
import { characterQuerySchema } from '../characters/query.ts';
import { createChatBodySchema } from '../chat/body.ts';
import { completionBodySchema } from '../chat/completion-call.ts';
import { embeddingsBodySchema } from '../embeddings/body.ts';
import {
  backgroundBodySchema,
  editBodySchema,
  multiEditBodySchema,
  upscaleBodySchema,
} from '../images/edit-body.ts';
import { generateBodySchema } from '../images/generate-body.ts';
import { generationsBodySchema } from '../images/generations-body.ts';
import { createResponsesBodySchema } from '../responses/body.ts';
import { changeBodySchema, createKeyBodySchema } from '../routes/api-keys.ts';
import { scrapeBodySchema, searchBodySchema } from '../routes/augment.ts';
import { pageQuerySchema } from '../routes/x402.ts';
import type { VendorNaming } from '../vendor-naming.ts';
import { mintBodySchema } from '../web3/mint.ts';
import * as account from './account-replies.ts';
import * as chat from './chat-replies.ts';
import type { AnySchema } from './json-schema.ts';
import * as media from './media-replies.ts';
import * as models from './model-replies.ts';

/** Credentials that a route accepts. */
export type Access = 'none' | 'optional-key' | 'key' | 'admin-key' | 'key-or-wallet' | 'wallet';

/** Content of a successful reply: JSON, a stream of events with JSON data, or binary data. */
export type ReplyContent =
  | { readonly kind: 'json' | 'events'; readonly schema: AnySchema }
  | { readonly kind: 'bytes' };

/** One route of the API. */
export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Path below the base URL. Path parameters are in braces. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  readonly query?: AnySchema;
  readonly body?: RequestBody;
  /** Contents of replies with status 200, by media type. */
  readonly replies: Readonly<Record<string, ReplyContent>>;
  /** Error statuses other than those for credentials and for an invalid body. */
  readonly errorStatuses?: readonly number[];
}

interface RequestBody {
  readonly schema: AnySchema;
  /** True if the route rejects unknown fields in the body. */
  readonly isClosed: boolean;
  /** Media types of the body. Default: JSON. */
  readonly mediaTypes?: readonly string[];
  readonly isOptional?: boolean;
}

const toJsonContent = (schema: AnySchema) =>
  ({ 'application/json': { kind: 'json', schema } }) as const;
const toEventContent = (schema: AnySchema) =>
  ({ 'text/event-stream': { kind: 'events', schema } }) as const;
const toByteContent = (...types: readonly string[]): Operation['replies'] =>
  Object.fromEntries(types.map((type) => [type, { kind: 'bytes' }]));

const toClosedBody = (schema: AnySchema): RequestBody => ({ schema, isClosed: true });
const toOpenBody = (schema: AnySchema): RequestBody => ({ schema, isClosed: false });
const formMediaTypes = ['application/json', 'multipart/form-data'];

const inferenceErrorStatuses = [403, 404, 500, 503];
const imageContent = toByteContent('image/jpeg', 'image/png', 'image/webp');
const fileBodySchema = v.object({ file: transcriptionBodySchema.entries.file });

/** Returns the routes of a deployment. */
export const createOperations = (naming: VendorNaming): readonly Operation[] => [
  ...createChatOperations(naming),
  ...modelOperations,
  ...imageOperations,
  ...mediaOperations,
  ...keyOperations,
  ...walletOperations,
];

const createChatOperations = (naming: VendorNaming): readonly Operation[] => [
  {
    method: 'post',
    path: '/chat/completions',
    summary: 'Answer a chat, as a whole or as a stream',
    access: 'key-or-wallet',
    body: toClosedBody(createChatBodySchema(naming)),
    replies: {
      ...toJsonContent(chat.createChatReplySchema(naming)),
      ...toEventContent(chat.createChatEventSchema(naming)),
    },
    errorStatuses: inferenceErrorStatuses,
  },
  {
    method: 'post',
    path: '/completions',
    summary: 'Continue a text; not every deployment has this route',
    access: 'key-or-wallet',
    body: toOpenBody(completionBodySchema),
    replies: {
      ...toJsonContent(chat.completionReplySchema),
      ...toEventContent(chat.completionEventSchema),
    },
    errorStatuses: inferenceErrorStatuses,
  },
  {
    method: 'post',
    path: '/responses',
    summary: 'Answer a chat in the form of output items',
    access: 'key-or-wallet',
    body: toOpenBody(createResponsesBodySchema(naming)),
    replies: { ...toJsonContent(chat.responseSchema), ...toEventContent(chat.responseEventSchema) },
    errorStatuses: inferenceErrorStatuses,
  },
  {
    method: 'post',
    path: '/embeddings',
    summary: 'Convert texts to vectors',
    access: 'key-or-wallet',
    body: toClosedBody(embeddingsBodySchema),
    replies: toJsonContent(models.embeddingsSchema),
    errorStatuses: inferenceErrorStatuses,
  },
];

const modelOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/models',
    summary: 'List the models that the caller may use',
    access: 'optional-key',
    query: models.modelListQuerySchema,
    replies: toJsonContent(models.modelListSchema),
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/models/traits',
    summary: 'List the models with a trait, by trait',
    access: 'optional-key',
    query: models.modelNamesQuerySchema,
    replies: toJsonContent(models.modelNamesSchema),
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/models/compatibility_mapping',
    summary: 'List the models that replace models of other services',
    access: 'optional-key',
    query: models.modelNamesQuerySchema,
    replies: toJsonContent(models.modelNamesSchema),
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/tee/attestation',
    summary: 'Prove that a model runs in an enclave',
    access: 'optional-key',
    query: v.object({ model: v.string(), nonce: v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{64}$/)) }),
    replies: toJsonContent(models.attestationSchema),
    errorStatuses: [400, 404, 502],
  },
];

const imageOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/image/styles',
    summary: 'List the style presets',
    access: 'optional-key',
    replies: toJsonContent(media.styleListSchema),
  },
  {
    method: 'post',
    path: '/image/generate',
    summary: 'Generate images as base64 text, or one image as a file',
    access: 'key-or-wallet',
    body: toClosedBody(generateBodySchema),
    replies: { ...toJsonContent(media.imageReplySchema), ...imageContent },
    errorStatuses: inferenceErrorStatuses,
  },
  {
    method: 'post',
    path: '/images/generations',
    summary: 'Generate an image with fewer options',
    access: 'key-or-wallet',
    body: toClosedBody(generationsBodySchema),
    replies: toJsonContent(media.generationsReplySchema),
    errorStatuses: inferenceErrorStatuses,
  },
  {
    method: 'post',
    path: '/image/edit',
    summary: 'Edit an image by a prompt',
    access: 'key-or-wallet',
    body: { ...toClosedBody(editBodySchema), mediaTypes: formMediaTypes },
    replies: imageContent,
    errorStatuses: [...inferenceErrorStatuses, 422],
  },
  {
    method: 'post',
    path: '/image/multi-edit',
    summary: 'Combine several images by a prompt',
    access: 'key-or-wallet',
    body: { ...toClosedBody(multiEditBodySchema), mediaTypes: formMediaTypes },
    replies: imageContent,
    errorStatuses: [...inferenceErrorStatuses, 422],
  },
  {
    method: 'post',
    path: '/image/upscale',
    summary: 'Enlarge an image',
    access: 'key-or-wallet',
    body: { ...toOpenBody(upscaleBodySchema), mediaTypes: formMediaTypes },
    replies: toByteContent('image/png'),
    errorStatuses: [...inferenceErrorStatuses, 422],
  },
  {
    method: 'post',
    path: '/image/background-remove',
    summary: 'Make the background of an image transparent',
    access: 'key-or-wallet',
    body: { ...toClosedBody(backgroundBodySchema), mediaTypes: formMediaTypes },
    replies: toByteContent('image/png'),
    errorStatuses: [...inferenceErrorStatuses, 422],
  },
];

const speechTypes = ['mpeg', 'opus', 'aac', 'flac', 'wav', 'pcm'].map((name) => `audio/${name}`);

const mediaOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/audio/speech',
    summary: 'Speak a text',
    access: 'key-or-wallet',
    body: toClosedBody(speechBodySchema),
    replies: toByteContent(...speechTypes),
    errorStatuses: inferenceErrorStatuses,
  },
  {
    method: 'post',
    path: '/audio/transcriptions',
    summary: 'Transcribe a recording',
    access: 'key-or-wallet',
    body: { ...toClosedBody(transcriptionBodySchema), mediaTypes: ['multipart/form-data'] },
    replies: { ...toJsonContent(media.transcriptSchema), ...toByteContent('text/plain') },
    errorStatuses: [...inferenceErrorStatuses, 422],
  },
  {
    method: 'post',
    path: '/augment/search',
    summary: 'Search the web',
    access: 'key-or-wallet',
    body: toOpenBody(searchBodySchema),
    replies: toJsonContent(media.searchReplySchema),
  },
  {
    method: 'post',
    path: '/augment/scrape',
    summary: 'Read a page as Markdown',
    access: 'key-or-wallet',
    body: toOpenBody(scrapeBodySchema),
    replies: toJsonContent(media.scrapeReplySchema),
    errorStatuses: [422],
  },
  {
    method: 'post',
    path: '/augment/text-parser',
    summary: 'Extract the text of a file',
    access: 'key-or-wallet',
    body: { ...toOpenBody(fileBodySchema), mediaTypes: ['multipart/form-data'] },
    replies: toJsonContent(media.textReplySchema),
    errorStatuses: [422],
  },
  {
    method: 'get',
    path: '/characters',
    summary: 'List personas',
    access: 'key',
    query: characterQuerySchema,
    replies: toJsonContent(media.characterListSchema),
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/characters/{slug}',
    summary: 'Describe a persona',
    access: 'key',
    replies: toJsonContent(media.characterReplySchema),
    errorStatuses: [404],
  },
  {
    method: 'get',
    path: '/characters/{slug}/reviews',
    summary: 'List the reviews of a persona',
    access: 'key',
    replies: toJsonContent(media.reviewListSchema),
    errorStatuses: [404],
  },
  {
    method: 'get',
    path: '/photos/{slug}',
    summary: 'Image of a persona',
    access: 'none',
    replies: toByteContent('image/png'),
    errorStatuses: [404],
  },
];

const keyOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api_keys',
    summary: 'List the keys of the account',
    access: 'admin-key',
    replies: toJsonContent(account.keyListSchema),
  },
  {
    method: 'post',
    path: '/api_keys',
    summary: 'Get API Key with Wallet',
    access: 'admin-key',
    body: toClosedBody(createKeyBodySchema),
    replies: toJsonContent(account.newKeySchema),
  },
  {
    method: 'patch',
    path: '/api_keys',
    summary: 'Change a key',
    access: 'admin-key',
    body: toOpenBody(changeBodySchema),
    replies: toJsonContent(account.changedKeySchema),
  },
  {
    method: 'delete',
    path: '/api_keys',
    summary: 'Revoke a key, named in the query or in the body',
    access: 'admin-key',
    query: v.object({ id: v.optional(v.string()) }),
    body: { ...toOpenBody(v.object({ id: v.optional(v.string()) })), isOptional: true },
    replies: toJsonContent(account.deletedKeySchema),
  },
  {
    method: 'get',
    path: '/api_keys/{id}',
    summary: 'Describe a key',
    access: 'admin-key',
    replies: toJsonContent(account.keyReplySchema),
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/api_keys/rate_limits',
    summary: 'Balances, and the rate limits of each model',
    access: 'key',
    replies: toJsonContent(account.rateLimitsSchema),
  },
  {
    method: 'get',
    path: '/api_keys/rate_limits/log',
    summary: 'List the last requests that a rate limit rejected',
    access: 'admin-key',
    replies: toJsonContent(account.rejectionListSchema),
  },
  {
    method: 'get',
    path: '/api_keys/generate_web3_key',
    summary: 'Token that a wallet signs to mint a key',
    access: 'none',
    replies: toJsonContent(account.validationTokenSchema),
  },
  {
    method: 'post',
    path: '/api_keys/generate_web3_key',
    summary: 'Mint a key for a wallet with a stake',
    access: 'none',
    body: toClosedBody(mintBodySchema),
    replies: toJsonContent(account.mintedKeySchema),
    errorStatuses: [429, 500, 503],
  },
];

const walletOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/billing/balance',
    summary: 'Balances of the account',
    access: 'admin-key',
    replies: toJsonContent(account.balanceSchema),
  },
  {
    method: 'get',
    path: '/billing/usage-history',
    summary: 'List charges, newest first',
    access: 'admin-key',
    query: v.object({ ...usageHistoryQuerySchema.entries, cursor: v.optional(v.string()) }),
    replies: { ...toJsonContent(account.usageHistorySchema), ...toByteContent('text/csv') },
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/billing/usage-analytics',
    summary: 'Sums of charges by day, model and key',
    access: 'admin-key',
    query: v.object({
      lookback: v.optional(v.pipe(v.string(), v.regex(/^\d{1,4}d$/))),
      startDate: v.optional(v.string()),
      endDate: v.optional(v.string()),
    }),
    replies: toJsonContent(account.usageAnalyticsSchema),
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/billing/usage',
    summary: 'Retired; replaced by /billing/usage-history',
    access: 'admin-key',
    replies: {},
    errorStatuses: [410],
  },
  {
    method: 'post',
    path: '/x402/top-up',
    summary: 'Add to the balance of a wallet. Without a payment, the reply states what to pay',
    access: 'none',
    replies: toJsonContent(account.topUpSchema),
    errorStatuses: [400, 402, 409, 413, 415, 429, 503, 504],
  },
  {
    method: 'get',
    path: '/x402/balance/{wallet}',
    summary: 'Balance of a wallet',
    access: 'wallet',
    replies: toJsonContent(account.walletBalanceSchema),
    errorStatuses: [400],
  },
  {
    method: 'get',
    path: '/x402/transactions/{wallet}',
    summary: 'List the top-ups and charges of a wallet, newest first',
    access: 'wallet',
    query: pageQuerySchema,
    replies: toJsonContent(account.walletTransactionsSchema),
    errorStatuses: [400],
  },
];
