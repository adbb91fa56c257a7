/** The header that holds the token of the link, then the secret of the page that claimed it. */
export const secretHeader = 'x-session-token';

/** 256 bits in base64url: nothing in it that an editor or a browser would encode in an address. */
export const secretPattern = /^[A-Za-z0-9_-]{43}$/u;

/** Of a body, either way. */
export const maxBodyBytes = 64 * 1_024;

/** The header of every answer of the page's server; its value is random, so that only that server can give it. */
export const serverIdHeader = 'x-server-id';
