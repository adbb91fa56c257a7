import type { VendorNaming } from '../vendor-naming.ts';

/** Findings of the moderation of a prompt. */
export interface ModerationVerdict {
  /** The image is blurred in safe mode. */
  readonly isAdult: boolean;
  /** The image is not generated; a black one is returned free of charge. */
  readonly isViolation: boolean;
  readonly isAdultViolation: boolean;
  readonly containsMinor: boolean;
}

/** Whole words that trigger a finding, in any letter case. */
const adultWords = /\b(?:nude|naked|nsfw)\b/i;
const violationWords = /\b(?:forbidden|hardcore|underage)\b/i;

export function moderate(prompt: string): ModerationVerdict {
  return {
    isAdult: adultWords.test(prompt),
    isViolation: violationWords.test(prompt),
    isAdultViolation: /\bhardcore\b/i.test(prompt),
    containsMinor: /\bunderage\b/i.test(prompt),
  };
}

/** Checks whether an image with these findings is blurred. */
export const isBlurred = (
  { isAdult, isViolation }: ModerationVerdict,
  safeMode: boolean,
): boolean => isAdult && safeMode && !isViolation;

/** Returns the moderation headers, which every image reply has. */
export function moderationHeaders(
  naming: VendorNaming,
  verdict: ModerationVerdict,
  safeMode: boolean,
): Record<string, string> {
  const headers = {
    'is-blurred': isBlurred(verdict, safeMode),
    'is-content-violation': verdict.isViolation,
    'is-adult-model-content-violation': verdict.isAdultViolation,
    'contains-minor': verdict.containsMinor,
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [naming.header(name), String(value)]),
  );
}
