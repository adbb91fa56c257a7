import { expandCommitCommand, buildCommitPrompt } from './commit-prompt.ts';
import type { Message, UserMessage } from './conversation.ts';

/** A slash command: its prompt, and the context to attach if the message has no attachment. */
export interface SlashCommand {
  readonly name: string;
  /** Groups of attachment kinds. The first available kind of each group is attached. */
  readonly attachmentGroups: readonly (readonly AutoAttachmentKind[])[];
  /** Prompt that replaces the command name. */
  readonly prompt: string;
}

export type AutoAttachmentKind = 'selection' | 'problems' | 'file' | 'changes';

const currentCodeKinds: readonly AutoAttachmentKind[] = ['selection', 'file'];

/**
 * Slash commands that send a prompt to a text model. Excludes `/image`, `/compact` and `/persona`, which are handled in
 * `image-turn.ts`, `context-messages.ts` and `composer-messages.ts`.
 */
export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'explain',
    attachmentGroups: [currentCodeKinds],
    prompt:
      'Explain the attached code: what it is for, how it works step by step, and what is easy to overlook in it. Begin with one sentence that sums it up.',
  },
  {
    name: 'fix',
    attachmentGroups: [currentCodeKinds, ['problems']],
    prompt:
      'Fix what is wrong in the attached code; where problems are attached, fix those. Say in one sentence what the cause was, then give the corrected code. Change nothing else.',
  },
  {
    name: 'tests',
    attachmentGroups: [currentCodeKinds],
    prompt:
      'Write tests for the attached code with the test framework and in the style that this project uses. Cover the usual case, the limits and the failures. Name each test after the behavior that it checks.',
  },
  {
    name: 'doc',
    attachmentGroups: [currentCodeKinds],
    prompt:
      'Write the documentation comments of the attached code, in the form its language uses: what each part guarantees, its units, limits and failures. Do not repeat what the names already say, and change no code.',
  },
  {
    name: 'commit',
    attachmentGroups: [['changes']],
    prompt: buildCommitPrompt({ diff: '', recentSubjects: [] }),
  },
];

/**
 * Parses a leading slash command and the text that follows. Returns undefined for messages without
 * a slash command.
 */
export function parseSlashCommand(
  text: string,
): { readonly command: SlashCommand; readonly rest: string } | undefined {
  const match = /^\/(?<name>[a-z]+)(?:\s+(?<rest>[\s\S]*))?$/u.exec(text.trim());
  const command = slashCommands.find(({ name }) => name === match?.groups?.['name']);
  return command === undefined ? undefined : { command, rest: match?.groups?.['rest'] ?? '' };
}

/** Replaces a slash command at the start of `text` with its prompt, followed by the rest of the text. */
export function expandSlashCommand(text: string): string {
  const parsedCommand = parseSlashCommand(text);
  if (parsedCommand === undefined) return text;
  return parsedCommand.rest === ''
    ? parsedCommand.command.prompt
    : `${parsedCommand.command.prompt}\n\n${parsedCommand.rest}`;
}

/**
 * Replaces the slash command of a message with its prompt. Returns a message without a slash command unchanged.
 * Repeated calls with the same message return the same object.
 */
export function expandMessage(message: Message): Message {
  if (message.role !== 'user' || !message.text.startsWith('/')) return message;
  const cachedMessage = expandedMessages.get(message);
  if (cachedMessage !== undefined) return cachedMessage;
  const expandedMessage = expandCommand(message);
  expandedMessages.set(message, expandedMessage);
  return expandedMessage;
}

function expandCommand(message: UserMessage): UserMessage {
  const parsedCommand = parseSlashCommand(message.text);
  if (parsedCommand === undefined) return message;
  if (parsedCommand.command.name === 'commit')
    return expandCommitCommand(message, parsedCommand.rest);
  return { ...message, text: expandSlashCommand(message.text) };
}

/** Cache of expanded messages. Messages are immutable and part of many requests. */
const expandedMessages = new WeakMap<Message, Message>();

const codebaseMentionPattern = /(?<=^|\s)#(?=codebase\b)/gu;

/** Checks whether a message requests a workspace search with `#codebase`. */
export const mentionsCodebase = (text: string): boolean =>
  text.search(codebaseMentionPattern) !== -1;

/** Removes the `#` of `#codebase` mentions, so that they do not start a workspace search. */
export const removeCodebaseMention = (text: string): string =>
  text.replaceAll(codebaseMentionPattern, '');
