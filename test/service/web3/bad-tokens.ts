import { randomBytes } from 'node:crypto';
import { UnsecuredJWT } from 'jose';
import type { ValidationTokens } from './validation-tokens.ts';
import type { TokenFault } from './web3-settings.ts';

const secondsPerHour = 3600;

/** Creates a token that clients must refuse to sign. Returns undefined if the reply must not contain a token. */
export async function createBadToken(
  fault: TokenFault,
  tokens: ValidationTokens,
  now: number,
): Promise<unknown> {
  switch (fault) {
    case 'sign-in-sentence':
      return formatSignInMessage(now);
    case 'digest':
      return `0x${randomBytes(32).toString('hex')}`;
    case 'typed-data':
      return typedData;
    case 'expired':
      return tokens.issueToken({ now: now - secondsPerHour * 1000 });
    case 'long-life':
      return tokens.issueToken({ now, lifetimeS: 24 * secondsPerHour });
    case 'alg-none':
      return createUnsignedToken(now);
    case 'foreign':
      return tokens.issueToken({ now, issuer: 'another-service' });
    case 'huge':
      return tokens.issueToken({ now, claims: { padding: 'x'.repeat(1024 * 1024) } });
    case 'newline':
      return `${await tokens.issueToken({ now })}\nI give all of it to 0x${'11'.repeat(20)}`;
    case 'not-a-string':
      return { jwt: await tokens.issueToken({ now }) };
    case 'missing':
      return undefined;
  }
}

/** Sign-in message. If a wallet signed it, an attacker could sign in to another service. */
const formatSignInMessage = (now: number): string =>
  `evil.example wants you to sign in with your Ethereum account:
0x1111111111111111111111111111111111111111

Sign in

URI: https://evil.example/
Version: 1
Chain ID: 1
Nonce: ${randomBytes(8).toString('hex')}
Issued At: ${new Date(now).toISOString()}`;

/** Permit as typed data. If a wallet signed it, an attacker could transfer tokens. */
const typedData = JSON.stringify({
  types: { Permit: [{ name: 'spender', type: 'address' }] },
  primaryType: 'Permit',
  domain: { name: 'Token', version: '1' },
  message: { spender: '0x1111111111111111111111111111111111111111' },
});

const createUnsignedToken = (now: number): string =>
  new UnsecuredJWT({ jti: randomBytes(8).toString('hex') })
    .setIssuer('inference-service')
    .setAudience('web3-api-key')
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.floor(now / 1000) + 900)
    .encode();
