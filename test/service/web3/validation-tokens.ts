import { randomUUID } from 'node:crypto';
import { errors, type GenerateKeyPairResult, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { type RejectionReason, mintRejection } from './rejections.ts';

const alg = 'ES256';
const lifetimeS = 15 * 60;
const issuer = 'inference-service';
const audience = 'web3-api-key';
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

interface TokenOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly lifetimeS?: number;
  readonly issuer?: string;
  /** Further claims. */
  readonly claims?: Readonly<Record<string, string>>;
}

/** The tokens that wallets sign: ES256 JWTs, by a key that is made when the first one is asked for. */
export class ValidationTokens {
  #keys: Promise<GenerateKeyPairResult> | undefined;
  readonly #used = new Set<string>();

  /** A token is good for 15 minutes (spec §8). */
  async issue({ now, claims = {}, ...wish }: TokenOptions): Promise<string> {
    const { privateKey } = await this.#keyPair();
    const issuedAt = Math.floor(now / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg, typ: 'JWT' })
      .setIssuer(wish.issuer ?? issuer)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + (wish.lifetimeS ?? lifetimeS))
      .setJti(randomUUID())
      .sign(privateKey);
  }

  /**
   * The id of a token that is good at `now`.
   * @throws ApiError 400 for what is wrong first: its form, its signature, issuer and audience, its age.
   */
  async verify(token: string, now: number): Promise<string> {
    // The parser passes over white space, which nobody who signs the exact text does.
    if (!compactForm.test(token)) throw mintRejection('token-malformed');
    const { publicKey } = await this.#keyPair();
    const rules = { algorithms: [alg], issuer, audience, requiredClaims: ['exp', 'jti'] };
    try {
      const currentDate = new Date(now);
      const { payload } = await jwtVerify(token, publicKey, { ...rules, currentDate });
      return String(payload.jti);
    } catch (error) {
      throw mintRejection(rejectionReason(error));
    }
  }

  /** Whether nobody used the token of that id before; from now on somebody has. */
  markUsed(id: string): boolean {
    const isNew = !this.#used.has(id);
    this.#used.add(id);
    return isNew;
  }

  #keyPair(): Promise<GenerateKeyPairResult> {
    return (this.#keys ??= generateKeyPair(alg));
  }
}

function rejectionReason(error: unknown): RejectionReason {
  if (error instanceof errors.JWTExpired) return 'token-expired';
  if (error instanceof errors.JWTClaimValidationFailed) return 'token-claims';
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return 'token-malformed';
  }
  // A wrong signature, and no signature: `alg` is `none`, or another one than ours.
  return 'token-signature';
}
