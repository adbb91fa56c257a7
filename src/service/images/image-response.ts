import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord, type JsonRecord, parseJson } from '../../base/json.ts';
import { redact } from '../../base/redact.ts';
import { readErrorJson, readStreamFailure } from '../http/read-failure.ts';
import { ServiceError } from '../http/failure.ts';
import { createAbortError, createInterruptedError } from '../http/network-failure.ts';
import {
  createUnrecognizedResponseError,
  readVendorHeader,
  readTextStart,
  createUnexpectedResponseError,
} from '../http/response.ts';
import { type ServiceResponse, listSecrets } from '../http/request.ts';
import { ImageJsonReader, type ImageLimits } from './base64-json.ts';
import type { ImageEvent, ImageModeration, ModerationReason } from './image-types.ts';
import { type ImageFileType, detectImageType } from '../../base/image-format.ts';

/** Content of an image response body: a binary image, JSON, or other data. */
export type ImageBodyKind = 'image' | 'json' | 'unknown';

/** Number of bytes that are sufficient to detect any image format. */
const headLength = 12;

/**
 * Detects the kind of a body from its first bytes, because the content type may be wrong. An empty body counts as JSON.
 * The returned `body` contains all bytes and throws as soon as `signal` is aborted.
 */
export async function detectBodyKind(
  response: ServiceResponse,
  signal: AbortSignal,
): Promise<{ kind: ImageBodyKind; body: AsyncIterable<Uint8Array> }> {
  const chunkIterator = response.body[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (head.length < headLength) {
    const next = await chunkIterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return { kind: detectHeadKind(head), body: concatenateChunks(head, chunkIterator, signal) };
}

function detectHeadKind(head: Uint8Array): ImageBodyKind {
  const headBytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headLength));
  const text = headBytes.toString('latin1');
  if (returnedFormats.has(detectImageType(headBytes))) return 'image';
  return /^(\xef\xbb\xbf)?[\t\n\r ]*([[{]|$)/.test(text) ? 'json' : 'unknown';
}

const returnedFormats = new Set<ImageFileType | undefined>(['png', 'jpeg', 'webp']);

async function* concatenateChunks(
  head: Uint8Array,
  chunkIterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (
      let next = await chunkIterator.next();
      next.done !== true;
      next = await chunkIterator.next()
    ) {
      if (signal.aborted) throw createAbortError(signal);
      yield next.value;
    }
  } finally {
    await chunkIterator.return?.();
  }
}

type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * Decodes the moderation headers (spec §4.5). The values `true`, `1` and `yes` count as true, because the specification
 * does not define the values.
 */
export function readModeration(headers: ResponseHeaders, vendorPrefix: string): ImageModeration {
  const hasFlag = (name: string): boolean =>
    isTrueHeader(readVendorHeader(headers, vendorPrefix, name));
  const reasons: ModerationReason[] = [];
  if (hasFlag('is-adult-model-content-violation')) reasons.push('adult-content');
  if (hasFlag('contains-minor')) reasons.push('minor');
  return {
    blurred: hasFlag('is-blurred'),
    contentViolation: hasFlag('is-content-violation'),
    reasons,
  };
}

/** Maximum length of a rewritten prompt in characters. No model accepts a longer prompt. */
const maxPromptLength = 32_768;

/** Decodes the percent-encoded header with the prompt as rewritten by the service. */
export function readEnhancedPrompt(
  headers: ResponseHeaders,
  vendorPrefix: string,
): string | undefined {
  const text = readVendorHeader(headers, vendorPrefix, 'enhanced-prompt')?.trim() ?? '';
  return text === '' ? undefined : decodePercent(text).slice(0, maxPromptLength);
}

/**
 * Checks whether any value of a header is `true`, `1` or `yes`. A repeated header has several values, separated by
 * commas.
 */
const isTrueHeader = (value = ''): boolean => /(^|,)\s*(true|1|yes)\s*(,|$)/i.test(value);

/** Decodes percent-encoded text. Leaves malformed sequences unchanged. */
const decodePercent = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (encodedText) => {
    try {
      return decodeURIComponent(encodedText);
    } catch {
      return encodedText;
    }
  });

/** Default maximum size of one image in bytes. */
const defaultMaxImageBytes = 64 * 1024 * 1024;

export interface ImageResponseOptions {
  /** Number of requested images. */
  readonly imageCount: number;
  readonly signal: AbortSignal;
  /** Maximum size of one image in bytes. Default: 64 MB. */
  readonly maxImageBytes?: number;
}

/**
 * Streams the events of an image response: either one binary image, or JSON with base64 images. Ignores images after
 * the first `imageCount` images.
 * @throws ServiceError if the response is invalid or incomplete
 */
export async function* readImageResponse(
  response: ServiceResponse,
  { imageCount, signal, maxImageBytes = defaultMaxImageBytes }: ImageResponseOptions,
): AsyncGenerator<ImageEvent> {
  const { headers, info, endpoint, omittedFields } = response;
  const enhancedPrompt = readEnhancedPrompt(headers, endpoint.vendorPrefix);
  yield {
    type: 'reply-start',
    moderation: readModeration(headers, endpoint.vendorPrefix),
    info,
    ...omitUndefined({ enhancedPrompt, omittedFields }),
  };
  const { kind, body } = await detectBodyKind(response, signal);
  const limits = { maxImages: imageCount, maxImageBytes };
  if (kind === 'image') yield* readBinaryImage(body, headers, maxImageBytes);
  else if (kind === 'json') yield* readJsonImages(body, listSecrets(endpoint), limits);
  else throw await createNotImageError(body, response);
}

async function* readBinaryImage(
  body: AsyncIterable<Uint8Array>,
  headers: ServiceResponse['headers'],
  maxImageBytes: number,
): AsyncGenerator<ImageEvent> {
  let size = 0;
  yield { type: 'image-start', index: 0 };
  for await (const bytes of body) {
    size += bytes.length;
    if (size > maxImageBytes) throw createTooLargeError();
    yield { type: 'image-bytes', index: 0, bytes };
  }
  if (size < getAnnouncedSize(headers)) throw createInterruptedError();
  yield { type: 'image-end', index: 0 };
  yield { type: 'reply-end' };
}

async function* readJsonImages(
  body: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
  limits: ImageLimits,
): AsyncGenerator<ImageEvent> {
  const maxBytes = getMaxJsonBytes(limits);
  const jsonReader = new ImageJsonReader(limits);
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > maxBytes) throw createTooLargeError();
    yield* jsonReader.feed(bytes);
    // The response contains more images than requested, so the rest of the body is not needed.
    if (jsonReader.hasMore) break;
  }
  if (jsonReader.hasMore) return yield { type: 'reply-end' };
  if (!jsonReader.isComplete) throw createInterruptedError();
  const otherFields = readNonImageFields(jsonReader.remainingJson, secrets);
  if (jsonReader.receivedImageCount === 0) throw createMissingImageError(otherFields, secrets);
  yield { type: 'reply-end' };
}

/** Returns the maximum size of a JSON response in bytes: the size of all requested images as base64, plus 1 MB. */
const getMaxJsonBytes = ({ maxImages, maxImageBytes }: ImageLimits): number =>
  maxImages * Math.ceil(maxImageBytes / 3) * 4 + 1024 * 1024;

/**
 * Parses a JSON response from which the images were removed. Returns an empty record if the text is undefined because
 * the response exceeded the size limit.
 * @throws ServiceError for invalid JSON or for an error object
 */
function readNonImageFields(text: string | undefined, secrets: readonly string[]): JsonRecord {
  if (text === undefined) return {};
  const json = parseJson(text);
  if (json === undefined) throw createUnrecognizedResponseError(text, secrets);
  if (!isRecord(json)) return {};
  // A response with an error can have status 200.
  if (json['error'] != null)
    throw new ServiceError(readStreamFailure(readErrorJson(json), secrets));
  return json;
}

/** Returns the size from `Content-Length` in bytes; 0 if unknown or if the response is compressed. */
function getAnnouncedSize(headers: ServiceResponse['headers']): number {
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  return isPlain ? Number(headers['content-length'] ?? 0) : 0;
}

async function createNotImageError(
  body: AsyncIterable<Uint8Array>,
  response: ServiceResponse,
): Promise<ServiceError> {
  const isText = /^\s*(text|application)\//i.test(response.headers['content-type'] ?? '');
  if (isText)
    return createUnrecognizedResponseError(
      await readTextStart(body, 4 * 1024),
      listSecrets(response.endpoint),
    );
  return createUnexpectedResponseError(
    l10n.t(
      'The service sent something that is no PNG, JPEG or WebP image. Retry, or choose another model.',
    ),
  );
}

const createMissingImageError = (
  replyFields: JsonRecord,
  secrets: readonly string[],
): ServiceError =>
  createUnexpectedResponseError(
    l10n.t('The service answered without an image. Retry, or choose another model.'),
    redact(readErrorJson(replyFields).text, secrets, 300),
  );

const createTooLargeError = (): ServiceError =>
  createUnexpectedResponseError(l10n.t('The reply is larger than expected.'));
