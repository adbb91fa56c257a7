import type { VendorNaming } from '../vendor-naming.ts';

/** Findings of the moderation of a prompt. */
export interface ModerationVerdict {
  /** The image is blurred in safe mode. */
  readonly adult: boolean;
  /** The image is not generated; a black one is returned free of charge. */
  readonly violation: boolean;
  readonly adultViolation: boolean;
  readonly minor: boolean;
}

/** Words that trigger a finding; whole words, in any case. */
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

/** Checks whether this image is blurred. */
export const isBlurred = ({ adult, violation }: ModerationVerdict, safeMode: boolean): boolean =>
  adult && safeMode && !violation;

/** Returns the moderation headers, which every image reply has. */
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
