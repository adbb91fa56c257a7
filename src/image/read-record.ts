import { defined } from '../base/defined.ts';
import { isRecord, type JsonRecord, numberOr, stringOr } from '../base/json.ts';
import type { ImageFormat, ImageModeration, ImageRequest } from '../service/image-types.ts';
import type { Price } from '../service/model-types.ts';
import type { ImageOrigin, ImageRecord, ImageSourceName } from './image-record.ts';
import { readImageOptions } from './read-options.ts';

/**
 * An {@link ImageRecord} from our own disk, where another version or another program may have written it. `undefined`
 * when it does not say which picture it is, of what shape, and what it was made from.
 */
export function readImageRecord(value: unknown): ImageRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { id, saved } = value;
  const format = formatOf(value['format']);
  const origin = readOrigin(value['origin']);
  const [width, height, bytes] = [sideOf(value['width']), sideOf(value['height']), value['bytes']];
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/u.test(id) || format === undefined)
    return undefined;
  if (origin === undefined || width === undefined || height === undefined) return undefined;
  return defined({
    id,
    createdAt: Math.max(0, numberOr(value['createdAt'], 0)),
    origin,
    subject: stringOr(value['subject'], undefined),
    modelName: stringOr(value['modelName'], undefined),
    format,
    width,
    height,
    bytes: Number.isSafeInteger(bytes) ? Math.max(0, Number(bytes)) : 0,
    moderation: readModeration(value['moderation']),
    price: readPrice(value['price']),
    durationMs: numberOr(value['durationMs'], undefined),
    saved: Array.isArray(saved) ? saved.filter((uri) => typeof uri === 'string') : [],
  });
}

function readOrigin(value: unknown): ImageOrigin | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, scale } = value;
  const sources = readSources(value['sources']);
  switch (kind) {
    case 'generate': {
      const request = readRequest(value['request']);
      const variants = numberOr(value['variants'], 1);
      return request && { kind, request, variant: numberOr(value['variant'], 0), variants };
    }
    case 'edit':
    case 'combine':
      return defined({
        kind,
        model: stringOr(value['model'], undefined),
        prompt: stringOr(value['prompt'], ''),
        aspectRatio: stringOr(value['aspectRatio'], undefined),
        resolution: stringOr(value['resolution'], undefined),
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

/** Only what the form can choose: it may be sent again as it is. */
function readRequest(value: unknown): ImageRequest | undefined {
  if (!isRecord(value)) return undefined;
  const { model, prompt } = value;
  if (typeof model !== 'string' || typeof prompt !== 'string') return undefined;
  const { webSearch: _, variants: __, ...options } = readImageOptions(value);
  const enableWebSearch = value['enableWebSearch'] === true ? true : undefined;
  return defined({ model, prompt, ...options, enableWebSearch });
}

function readSources(value: unknown): readonly ImageSourceName[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): ImageSourceName[] => {
    if (!isRecord(each)) return [];
    const { type, id, uri } = each;
    if (type === 'gallery' && typeof id === 'string') return [{ type, id }];
    return type === 'file' && typeof uri === 'string' ? [{ type, uri }] : [];
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
  return defined({
    usd: numberOr(value['usd'], undefined),
    diem: numberOr(value['diem'], undefined),
  });
}

const formatOf = (value: unknown): ImageFormat | undefined =>
  (['png', 'jpeg', 'webp'] as const).find((format) => format === value);

const sideOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_536
    ? value
    : undefined;
