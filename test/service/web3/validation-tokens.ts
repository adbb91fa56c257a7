import { randomUUID } from 'node:crypto';
import { errors, type GenerateKeyPairResult, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { type RejectionReason, createMintRejection } from './rejections.ts';

const signatureAlgorithm = 'ES256';
const tokenLifetimeSeconds = 15 * 60;
const tokenIssuer = 'inference-service';
const tokenAudience = 'web3-api-key';
const compactFormPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;

interface TokenOptions {
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: number;
  readonly lifetimeS?: number;
  readonly issuer?: string;
  /** Claims to add to the standard claims of the token. */
  readonly claims?: Readonly<Record<string, string>>;
}

/** Issues and verifies validation tokens (JWTs with ES256 signatures). Generates the signing key pair on first use. */
export class ValidationTokens {
  #keyPairPromise: Promise<GenerateKeyPairResult> | undefined;
  readonly #usedTokens = new Set<string>();

  /** Issues a token that is valid for 15 minutes (spec §8). */
  async issueToken({ now, claims = {}, ...options }: TokenOptions): Promise<string> {
    const { privateKey } = await this.#getKeyPair();
    const issuedAt = Math.floor(now / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: signatureAlgorithm, typ: 'JWT' })
      .setIssuer(options.issuer ?? tokenIssuer)
      .setAudience(tokenAudience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + (options.lifetimeS ?? tokenLifetimeSeconds))
      .setJti(randomUUID())
      .sign(privateKey);
  }

  /**
   * Verifies a token at the time `now`, and returns its id.
   * @throws ApiError 400 if a check fails. Checks the format first, then the signature, the issuer and audience, and
   * the age.
   */
  async verifyToken(token: string, now: number): Promise<string> {
    // The JWT parser ignores white space, but the wallet's signature covers the exact text.
    if (!compactFormPattern.test(token)) throw createMintRejection('token-malformed');
    const { publicKey } = await this.#getKeyPair();
    const rules = {
      algorithms: [signatureAlgorithm],
      issuer: tokenIssuer,
      audience: tokenAudience,
      requiredClaims: ['exp', 'jti'],
    };
    try {
      const currentDate = new Date(now);
      const { payload } = await jwtVerify(token, publicKey, { ...rules, currentDate });
      return String(payload.jti);
    } catch (error) {
      throw createMintRejection(getRejectionReason(error));
    }
  }

  /** Marks a token as used. Returns true if the token was unused. */
  tryMarkUsed(id: string): boolean {
    const isNew = !this.#usedTokens.has(id);
    this.#usedTokens.add(id);
    return isNew;
  }

  #getKeyPair(): Promise<GenerateKeyPairResult> {
    return (this.#keyPairPromise ??= generateKeyPair(signatureAlgorithm));
  }
}

function getRejectionReason(error: unknown): RejectionReason {
  if (error instanceof errors.JWTExpired) return 'token-expired';
  if (error instanceof errors.JWTClaimValidationFailed) return 'token-claims';
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return 'token-malformed';
  }
  // Other errors are invalid or missing signatures, such as the algorithm `none` or another
  // algorithm than ES256.
  return 'token-signature';
}
