import {
  type GenericSchema,
  integer,
  number,
  pipe,
  regex,
  safeParse,
  strictObject,
  string,
} from 'valibot';

/**
 * What every page in the user's browser and the host tell each other to pair: JSON over POST, from the page's side only.
 * The page runs beside extensions of the browser and counts as hostile; so does, to the page, whatever is not the host.
 */

/** The header that holds the token of the link, then the secret of the page that claimed it. */
export const secretHeader = 'x-session-token';

/** 256 bits in base64url: nothing in it that an editor or a browser would encode in an address. */
export const secretPattern = /^[A-Za-z0-9_-]{43}$/u;

/** Of a body, either way. */
export const maxBodyBytes = 64 * 1_024;

/** The header of every answer of the page's server; its value is random, so that only that server can give it. */
export const serverIdHeader = 'x-server-id';

/**
 * The calls of every page: `claim` takes the page over for a tab, `lost` says that the address had no token, `poll` waits
 * for news, `event` tells the host something. A page adds its own.
 */
export const pairingCalls = ['claim', 'lost', 'poll', 'event'] as const;

const version = pipe(number(), integer());
const claimSchema = strictObject({ version });
/** The secret is for everything after the claim, and works in one tab only. */
const claimReplySchema = strictObject({ version, secret: pipe(string(), regex(secretPattern)) });

/** Makes a function that reads what came from the other side: `undefined` for anything that is not of the kind. */
export function reader<T>(schema: GenericSchema<unknown, T>): (value: unknown) => T | undefined {
  return (value) => {
    const result = safeParse(schema, value);
    return result.success ? result.output : undefined;
  };
}

export const readClaim = reader(claimSchema);
export const readClaimReply = reader(claimReplySchema);
