import { hashSecret } from './money/api-keys.ts';
import { ApiError } from './api-error.ts';

/** Maximum number of requests and tokens per minute. */
export interface Rate {
  readonly rpm: number;
  readonly tpm: number;
}

/** Default rate limits for each tier of text models, for image and audio models, and for other routes. */
export const defaultRates = {
  XS: { rpm: 500, tpm: 1_000_000 },
  S: { rpm: 75, tpm: 750_000 },
  M: { rpm: 50, tpm: 750_000 },
  L: { rpm: 20, tpm: 500_000 },
  image: { rpm: 20, tpm: 1_000_000 },
  audio: { rpm: 60, tpm: 1_000_000 },
  augment: { rpm: 20, tpm: 1_000_000 },
  embedding: { rpm: 500, tpm: 1_000_000 },
  topUp: { rpm: 10, tpm: 1_000_000 },
  walletBalance: { rpm: 30, tpm: 1_000_000 },
  walletHistory: { rpm: 20, tpm: 1_000_000 },
} as const satisfies Record<string, Rate>;

export type Tier = keyof typeof defaultRates;

/**
 * Rate limits per key and model. Each limit is a token bucket that is initially full and refills evenly within one
 * minute.
 */
export class RateLimits {
  /** Rates that replace the rate of a model's tier, by model id. `*` applies to all models. */
  readonly rateOverrides = new Map<string, Rate>();
  readonly #buckets = new Map<string, RateBucket>();
  #rejections: Rejection[] = [];

  reset(): void {
    this.rateOverrides.clear();
    this.#rejections = [];
    this.#buckets.clear();
  }

  getRate(model: string, tier: Tier): Rate {
    return this.rateOverrides.get(model) ?? this.rateOverrides.get('*') ?? defaultRates[tier];
  }

  /**
   * Counts one request, and returns the rate limit headers.
   * @throws ApiError 429 with `Retry-After` if the key exceeds a limit of the model
   */
  countRequest(call: {
    keyId: string;
    model: string;
    tier: Tier;
    now: number;
  }): Record<string, string> {
    const rate = this.getRate(call.model, call.tier);
    const bucket = this.#getBucket(`${call.keyId} ${call.model}`, rate, call.now);
    const requestWaitMs = computeWaitMs(bucket.requestBudget, rate.rpm);
    const waitMs = Math.max(requestWaitMs, computeWaitMs(bucket.tokenBudget, rate.tpm));
    if (waitMs > 0) {
      this.#addRejection({
        apiKeyId: call.keyId,
        modelId: call.model,
        rateLimitTier: call.tier,
        rateLimitType: requestWaitMs > 0 ? 'RPM' : 'TPM',
        timestamp: new Date(call.now).toISOString(),
      });
      throw createRateLimitError(waitMs, createRateLimitHeaders(bucket, call.now));
    }
    bucket.requestBudget -= 1;
    return createRateLimitHeaders(bucket, call.now);
  }

  /** Returns the latest rejected requests of these keys, at most 50, newest first. */
  listRejections(keyIds: readonly string[]): readonly Rejection[] {
    return this.#rejections.filter(({ apiKeyId }) => keyIds.includes(apiKeyId)).slice(0, 50);
  }

  /** Records that a caller with this key is blocked after too many failed requests. */
  recordBlock(keyId: string, now: number): void {
    this.#addRejection({
      apiKeyId: keyId,
      modelId: null,
      rateLimitTier: null,
      rateLimitType: 'FAILED_REQUESTS',
      timestamp: new Date(now).toISOString(),
    });
  }

  #addRejection(rejection: Rejection): void {
    this.#rejections = [rejection, ...this.#rejections].slice(0, 1000);
  }

  /** Subtracts the tokens of a reply from the remaining tokens of the key and model, which can become negative. */
  spendTokens(keyId: string, model: string, tokenCount: number): void {
    const bucket = this.#buckets.get(`${keyId} ${model}`);
    if (bucket !== undefined) bucket.tokenBudget -= tokenCount;
  }

  #getBucket(id: string, rate: Rate, now: number): RateBucket {
    const existingBucket = this.#buckets.get(id);
    const bucket =
      existingBucket?.rate === rate
        ? existingBucket
        : { rate, requestBudget: rate.rpm, tokenBudget: rate.tpm, refilledAt: now };
    const elapsedMinutes = Math.max(0, now - bucket.refilledAt) / 60_000;
    bucket.requestBudget = Math.min(rate.rpm, bucket.requestBudget + elapsedMinutes * rate.rpm);
    bucket.tokenBudget = Math.min(rate.tpm, bucket.tokenBudget + elapsedMinutes * rate.tpm);
    bucket.refilledAt = now;
    this.#buckets.set(id, bucket);
    return bucket;
  }
}

interface Rejection {
  readonly apiKeyId: string;
  /** Model that the rejected request named. Null if the rejection applies to all models. */
  readonly modelId: string | null;
  readonly rateLimitTier: Tier | null;
  readonly rateLimitType: 'RPM' | 'TPM' | 'FAILED_REQUESTS';
  readonly timestamp: string;
}

interface RateBucket {
  readonly rate: Rate;
  requestBudget: number;
  tokenBudget: number;
  refilledAt: number;
}

/** Returns the milliseconds until at least one request, or one token, is available in the bucket. */
const computeWaitMs = (budget: number, ratePerMinute: number): number =>
  budget >= 1 ? 0 : Math.ceil(((1 - budget) * 60_000) / ratePerMinute);

function createRateLimitHeaders(bucket: RateBucket, now: number): Record<string, string> {
  const { rpm, tpm } = bucket.rate;
  const formatResetTime = (missingBudget: number, ratePerMinute: number): string =>
    String(Math.ceil(now + (missingBudget * 60_000) / ratePerMinute));
  return {
    'x-ratelimit-limit-requests': String(rpm),
    'x-ratelimit-remaining-requests': String(Math.max(0, Math.floor(bucket.requestBudget))),
    'x-ratelimit-reset-requests': formatResetTime(rpm - bucket.requestBudget, rpm),
    'x-ratelimit-limit-tokens': String(tpm),
    'x-ratelimit-remaining-tokens': String(Math.max(0, Math.floor(bucket.tokenBudget))),
    'x-ratelimit-reset-tokens': formatResetTime(tpm - bucket.tokenBudget, tpm),
  };
}

function createRateLimitError(waitMs: number, headers: Record<string, string>): ApiError {
  return new ApiError(429, 'Rate limit exceeded', {
    ...headers,
    'x-ratelimit-type': 'api_key',
    'retry-after': String(Math.ceil(waitMs / 1000)),
  });
}

const maxFailures = 50;
const failureWindowMs = 30_000;

/** Blocks a caller for 30 seconds when more than 50 of its requests fail within 30 seconds. */
export class FailureBudget {
  readonly #failureTimes = new Map<string, number[]>();
  readonly #blockEndTimes = new Map<string, number>();

  reset(): void {
    this.#failureTimes.clear();
    this.#blockEndTimes.clear();
  }

  /** Records a failed request. Returns true if the caller is blocked because of this failure. */
  recordFailure(callerToken: string, now: number): boolean {
    const id = hashSecret(callerToken);
    const recentTimes = (this.#failureTimes.get(id) ?? []).filter(
      (time) => time > now - failureWindowMs,
    );
    recentTimes.push(now);
    this.#failureTimes.set(id, recentTimes);
    if (recentTimes.length <= maxFailures) return false;
    this.#blockEndTimes.set(id, now + failureWindowMs);
    this.#failureTimes.delete(id);
    return true;
  }

  /**
   * Checks that the caller is not blocked.
   * @throws ApiError 429 if the caller is blocked
   */
  requireNotBlocked(callerToken: string, now: number): void {
    const blockEndTime = this.#blockEndTimes.get(hashSecret(callerToken)) ?? 0;
    if (blockEndTime <= now) return;
    throw new ApiError(
      429,
      `Too many failed attempts (> ${maxFailures}) resulting in a non-success status code. Please wait 30s and try again.`,
      {
        'x-ratelimit-type': 'user',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-resets': String(blockEndTime),
        'retry-after': String(Math.ceil((blockEndTime - now) / 1000)),
      },
    );
  }
}
