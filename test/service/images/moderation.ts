import type { VendorNaming } from '../vendor-naming.ts';

/** Findings of the moderation about a prompt. */
export interface ModerationVerdict {
  /** True if the prompt is for adults. In safe mode, the service blurs the generated image. */
  readonly isAdult: boolean;
  /** True if the prompt violates the content rules. The service returns a black image free of charge. */
  readonly isViolation: boolean;
  readonly isAdultViolation: boolean;
  readonly containsMinor: boolean;
}

/** Words for adult content, in any letter case. */
const adultWordsPattern = /\b(?:nude|naked|nsfw)\b/i;
const violationWordsPattern = /\b(?:forbidden|hardcore|underage)\b/i;

export function moderatePrompt(prompt: string): ModerationVerdict {
  return {
    isAdult: adultWordsPattern.test(prompt),
    isViolation: violationWordsPattern.test(prompt),
    isAdultViolation: /\bhardcore\b/i.test(prompt),
    containsMinor: /\bunderage\b/i.test(prompt),
  };
}

/** Checks whether an image with these findings is blurred in safe mode. */
export const isBlurred = (
  { isAdult, isViolation }: ModerationVerdict,
  isSafeMode: boolean,
): boolean => isAdult && isSafeMode && !isViolation;

/** Returns the moderation headers, which are part of every image reply. */
export function createModerationHeaders(
  naming: VendorNaming,
  verdict: ModerationVerdict,
  isSafeMode: boolean,
): Record<string, string> {
  const headers = {
    'is-blurred': isBlurred(verdict, isSafeMode),
    'is-content-violation': verdict.isViolation,
    'is-adult-model-content-violation': verdict.isAdultViolation,
    'contains-minor': verdict.containsMinor,
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [naming.getHeaderName(name), String(value)]),
  );
}
