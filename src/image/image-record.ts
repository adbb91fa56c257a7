import {
  omitUndefined,
  isRecord,
  type JsonRecord,
  readNumberOr,
  readStringOr,
} from '../base/json.ts';
import { readImageOptions } from './image-options.ts';
import type {
  ImageFormat,
  ImageModeration,
  ImageRequest,
  StyleReference,
} from '../service/images/image-types.ts';
import type { Price } from '../service/model-types.ts';
import { isId } from '../base/ids.ts';

/** Image of the gallery, with all data needed to generate the image again. */
export interface ImageRecord {
  /**
   * Id that the extension assigns: `[A-Za-z0-9_-]{1,64}`. The image file in the gallery folder is named `<id>.<format's
   * extension>`.
   */
  readonly id: string;
  /** Time of creation in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly origin: ImageOrigin;
  /**
   * Description of the image content, taken from the source image or file. Absent if the description is unknown, and
   * for an image generated from a prompt, because the prompt describes it.
   */
  readonly subject?: string;
  readonly modelName?: string;
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  /** File size in bytes. */
  readonly bytes: number;
  readonly moderation: ImageModeration;
  /** Price of this image, computed from the prices of the model. */
  readonly price?: Price;
  /**
   * Prompt after prompt enhancement by the service, which costs extra. Absent if the request did not enable prompt
   * enhancement.
   */
  readonly enhancedPrompt?: string;
  /** Duration in milliseconds of the call that created the image. */
  readonly durationMs?: number;
  /** URIs of the files to which the user saved the image. */
  readonly saved: readonly string[];
}

/** Operation that created the image, with its request. */
export type ImageOrigin =
  | {
      readonly kind: 'generate';
      readonly request: ImageRequest;
      /** Index of the image in the response, from 0. The seed of the request applies only to index 0. */
      readonly variant: number;
      readonly variants: number;
    }
  | {
      readonly kind: 'edit' | 'combine';
      readonly model?: string;
      readonly prompt: string;
      readonly aspectRatio?: string;
      readonly resolution?: string;
      readonly sources: readonly ImageSourceReference[];
    }
  | {
      readonly kind: 'upscale';
      readonly scale: 2 | 4;
      readonly sources: readonly ImageSourceReference[];
    }
  | { readonly kind: 'remove-background'; readonly sources: readonly ImageSourceReference[] };

/** Source of an edited image: an image of the gallery or a file. */
export type ImageSourceReference =
  | { readonly type: 'gallery'; readonly id: string }
  | { readonly type: 'file'; readonly uri: string };

/**
 * Checks whether a stored file URI is safe to open. Allows local files, files on VS Code's own file systems, and files
 * on the file system of a workspace folder. Rejects other schemes, because they could run commands. Rejects network
 * shares, because they would receive the user's credentials.
 * @param folders URIs of the workspace folders
 */
export function isAllowedFileUri(uri: string, folders: readonly string[] = []): boolean {
  const location = parseFileUri(uri);
  if (location === undefined) return false;
  const isInWorkspace = folders.some((folder) => {
    const folderLocation = parseFileUri(folder);
    return (
      folderLocation?.scheme === location.scheme && folderLocation.authority === location.authority
    );
  });
  return (
    isInWorkspace ||
    (location.scheme === 'file' ? location.authority === '' : allowedSchemes.has(location.scheme))
  );
}

/** Schemes of VS Code's own file systems: remote machines, repositories and user data. */
const allowedSchemes = new Set(['vscode-remote', 'vscode-vfs', 'vscode-userdata']);

interface FileLocation {
  readonly scheme: string;
  readonly authority: string;
}

/** Parses the URI of a file. Returns `undefined` for other URIs and invalid values. */
function parseFileUri(uri: string): FileLocation | undefined {
  const match = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/\\?#]*))?(\/[^?#]*)$/iu.exec(uri);
  if (match === null) return undefined;
  const [, scheme = '', authority = '', path = ''] = match;
  try {
    // A path that starts with two separators is a network share.
    if (/^\/[/\\]/u.test(decodeURIComponent(path))) return undefined;
  } catch {
    return undefined;
  }
  return { scheme: scheme.toLowerCase(), authority: authority.toLowerCase() };
}

/**
 * Reads a stored {@link ImageRecord}, which another version of the extension or another program may have written.
 * Returns `undefined` if the id, format, size or origin is missing or invalid.
 * @param folders URIs of the workspace folders
 */
export function readImageRecord(
  value: unknown,
  folders: readonly string[] = [],
): ImageRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { id, saved } = value;
  const format = readFormat(value['format']);
  const origin = readOrigin(value['origin'], folders);
  const [width, height, bytes] = [
    readSideLength(value['width']),
    readSideLength(value['height']),
    value['bytes'],
  ];
  if (!isId(id) || format === undefined) return undefined;
  if (origin === undefined || width === undefined || height === undefined) return undefined;
  return omitUndefined({
    id,
    createdAt: readNumberInRange(value['createdAt'], { min: 0, max: maxTimestamp }) ?? 0,
    origin,
    subject: readStringOr(value['subject'], undefined),
    modelName: readStringOr(value['modelName'], undefined),
    format,
    width,
    height,
    bytes: Number.isSafeInteger(bytes) ? Math.max(0, Number(bytes)) : 0,
    moderation: readModeration(value['moderation']),
    price: readPrice(value['price']),
    enhancedPrompt: readStringOr(value['enhancedPrompt'], undefined),
    durationMs: readNumberOr(value['durationMs'], undefined),
    saved: Array.isArray(saved) ? saved.filter((uri) => isFileUri(uri, folders)) : [],
  });
}

function readOrigin(value: unknown, folders: readonly string[]): ImageOrigin | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, scale } = value;
  const sources = readSources(value['sources'], folders);
  switch (kind) {
    case 'generate': {
      const request = readRequest(value['request']);
      const variants = readNumberOr(value['variants'], 1);
      return request && { kind, request, variant: readNumberOr(value['variant'], 0), variants };
    }
    case 'edit':
    case 'combine':
      return omitUndefined({
        kind,
        model: readStringOr(value['model'], undefined),
        prompt: readStringOr(value['prompt'], ''),
        aspectRatio: readStringOr(value['aspectRatio'], undefined),
        resolution: readStringOr(value['resolution'], undefined),
        sources,
      });
    case 'upscale':
      return scale === 2 || scale === 4 ? { kind, scale, sources } : undefined;
    case 'remove-background':
      return { kind, sources };
    default:
      return undefined;
  }
}

/**
 * Reads a stored request and omits its invalid fields, because the user can send the request again without reviewing
 * it.
 */
function readRequest(value: unknown): ImageRequest | undefined {
  if (!isRecord(value)) return undefined;
  const { model, prompt } = value;
  if (typeof model !== 'string' || typeof prompt !== 'string') return undefined;
  const { webSearch: _, variants: __, ...options } = readImageOptions(value);
  const search = value['enableWebSearch'];
  return omitUndefined({
    model,
    prompt,
    ...options,
    enableWebSearch: typeof search === 'boolean' ? search : undefined,
    loraStrength: readNumberInRange(value['loraStrength'], { min: 0, max: 100 }),
    styleReferences: readStyleReferences(value['styleReferences']),
  });
}

/**
 * Reads style references that contain the image data. Omits references by URL, because the service would fetch these
 * URLs.
 */
function readStyleReferences(value: unknown): readonly StyleReference[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const references = value.flatMap((entry: unknown): StyleReference[] => {
    if (!isRecord(entry) || typeof entry['image'] !== 'string') return [];
    const { image } = entry;
    if (image.length > maxReferenceCharacters || !isBase64(image)) return [];
    return [
      omitUndefined({
        image,
        strength: readNumberInRange(entry['strength'], { min: 0.1, max: 1 }),
      }),
    ];
  });
  return references.length === 0 ? undefined : references.slice(0, maxStoredReferences);
}

const maxStoredReferences = 100;
/** Maximum length of a data URL in characters: 8 MB as base64, plus the prefix. */
const maxReferenceCharacters = 11_200_000;

const isBase64 = (image: string): boolean =>
  /^(?:data:image\/(?:png|jpeg|webp);base64,)?[A-Za-z0-9+/]+={0,2}$/u.test(image);

function readSources(value: unknown, folders: readonly string[]): readonly ImageSourceReference[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown): ImageSourceReference[] => {
    if (!isRecord(entry)) return [];
    const { type, id, uri } = entry;
    if (type === 'gallery' && typeof id === 'string') return [{ type, id }];
    return type === 'file' && isFileUri(uri, folders) ? [{ type, uri }] : [];
  });
}

function readModeration(value: unknown): ImageModeration {
  const record: JsonRecord = isRecord(value) ? value : {};
  const reasons = Array.isArray(record['reasons']) ? record['reasons'] : [];
  return {
    blurred: record['blurred'] === true,
    contentViolation: record['contentViolation'] === true,
    reasons: (['adult-content', 'minor'] as const).filter((reason) => reasons.includes(reason)),
  };
}

function readPrice(value: unknown): Price | undefined {
  if (!isRecord(value)) return undefined;
  return omitUndefined({
    usd: readNumberOr(value['usd'], undefined),
    diem: readNumberOr(value['diem'], undefined),
  });
}

const isFileUri = (uri: unknown, folders: readonly string[]): uri is string =>
  typeof uri === 'string' && isAllowedFileUri(uri, folders);

/** Maximum time that a `Date` can represent, in milliseconds since the epoch. */
const maxTimestamp = 8.64e15;

const readNumberInRange = (
  value: unknown,
  { min, max }: { min: number; max: number },
): number | undefined =>
  typeof value === 'number' && value >= min && value <= max ? value : undefined;

const readFormat = (value: unknown): ImageFormat | undefined =>
  (['png', 'jpeg', 'webp'] as const).find((format) => format === value);

const readSideLength = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_536
    ? value
    : undefined;
