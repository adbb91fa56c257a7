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

/*
 * Pairing protocol between the host and every page in the user's browser: JSON over POST, sent by
 * the page. Browser extensions can interfere with the page, so the host treats messages of the page
 * as hostile. The page trusts only the host.
 */

/**
 * Request header that contains the link's token in the first `claim` call, and the secret of the paired page in all
 * later calls.
 */
export const secretHeader = 'x-session-token';

/** Format of tokens and secrets: 256 bits in base64url, which needs no encoding in a URL. */
export const secretPattern = /^[A-Za-z0-9_-]{43}$/u;

/** Maximum size of a request or response body in bytes. */
export const maxBodyBytes = 64 * 1_024;

/** Name of the response header with the server's random id. Other servers cannot guess this id. */
export const serverIdHeader = 'x-server-id';

/**
 * Names of the calls that every page can make. `claim` pairs a tab, `lost` reports a URL without a
 * token, `poll` waits for events, and `event` sends an event to the host.
 */
export const pairingCalls = ['claim', 'lost', 'poll', 'event'] as const;

const versionSchema = pipe(number(), integer());
const claimSchema = strictObject({ version: versionSchema });
/** Reply to a `claim` call. The secret authenticates all later calls of the tab. */
const claimReplySchema = strictObject({
  version: versionSchema,
  secret: pipe(string(), regex(secretPattern)),
});

/**
 * Creates a decoder for untrusted messages. The decoder returns `undefined` for a value that does
 * not match the schema.
 */
export function createReader<T>(
  schema: GenericSchema<unknown, T>,
): (value: unknown) => T | undefined {
  return (value) => {
    const result = safeParse(schema, value);
    return result.success ? result.output : undefined;
  };
}

export const readClaim = createReader(claimSchema);
export const readClaimReply = createReader(claimReplySchema);
