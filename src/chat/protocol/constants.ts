import type { Mode } from '../../conversation/protocol.ts';

/**
 * Version of the messages between the host and the chat page. Must be increased when the meaning of a message
 * changes. The host reloads a page that reports another version.
 */
export const protocolVersion = 6;

/** Maximum length of a user message in characters. The composer rejects longer messages. */
export const maxPromptLength = 2_000_000;

const nextModes = { agent: 'ask', ask: 'plan', plan: 'agent' } as const;

/** Returns the mode that follows `mode` when the user switches modes with the keyboard shortcut. */
export const getNextMode = (mode: Mode): Mode => nextModes[mode];
