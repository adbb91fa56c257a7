import type { VendorNaming } from '../vendor-naming.ts';

/** What was found wrong with a prompt. */
export interface ModerationVerdict {
  /** To be blurred in safe mode. */
  readonly adult: boolean;
  /** Not to be made at all; a black image comes instead, free of charge. */
  readonly violation: boolean;
  readonly adultViolation: boolean;
  readonly minor: boolean;
}

/** Words that stand for what would be found; they count as whole words in any case. */
const adultWords = /\b(?:nude|naked|nsfw)\b/i;
const violationWords = /\b(?:forbidden|hardcore|underage)\b/i;

export function moderate(prompt: string): ModerationVerdict {
  return {
    adult: adultWords.test(prompt),
    violation: violationWords.test(prompt),
    adultViolation: /\bhardcore\b/i.test(prompt),
    minor: /\bunderage\b/i.test(prompt),
  };
}

/** Whether this image is blurred. */
export const isBlurred = ({ adult, violation }: ModerationVerdict, safeMode: boolean): boolean =>
  adult && safeMode && !violation;

/** Sent with every image reply. */
export function moderationHeaders(
  naming: VendorNaming,
  verdict: ModerationVerdict,
  safeMode: boolean,
): Record<string, string> {
  const facts = {
    'is-blurred': isBlurred(verdict, safeMode),
    'is-content-violation': verdict.violation,
    'is-adult-model-content-violation': verdict.adultViolation,
    'contains-minor': verdict.minor,
  };
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [naming.header(name), String(value)]),
  );
}
