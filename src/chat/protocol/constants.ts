/**
 * Version of the messages between the host and the chat page. Increase it when a message changes its meaning. The host
 * reloads a page of another version.
 */
export const protocolVersion = 3;

/** Maximum length of a user message in characters. The composer reports a longer message before it is sent. */
export const maxPromptLength = 2_000_000;
