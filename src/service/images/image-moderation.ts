import type { ImageModeration, ModerationReason } from './image-types.ts';
import { ownHeader } from '../http/reply.ts';

type Headers = Readonly<Record<string, string>>;

/** What the headers say about the pictures (spec §4.5); their values are not specified, so any kind of yes counts. */
export function readModeration(headers: Headers, vendorWord: string): ImageModeration {
  const says = (name: string): boolean => isYes(ownHeader(headers, vendorWord, name));
  const reasons: ModerationReason[] = [];
  if (says('is-adult-model-content-violation')) reasons.push('adult-content');
  if (says('contains-minor')) reasons.push('minor');
  return {
    blurred: says('is-blurred'),
    contentViolation: says('is-content-violation'),
    reasons,
  };
}

/** A longer prompt is no prompt for any model. */
const longestPrompt = 32_768;

/** The prompt that the service made of ours, which comes percent-encoded. */
export function readEnhancedPrompt(headers: Headers, vendorWord: string): string | undefined {
  const text = ownHeader(headers, vendorWord, 'enhanced-prompt')?.trim() ?? '';
  return text === '' ? undefined : decoded(text).slice(0, longestPrompt);
}

/** Repeated headers are joined. */
const isYes = (value = ''): boolean => /(^|,)\s*(true|1|yes)\s*(,|$)/i.test(value);

/** What is encoded wrongly stays as it is. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
