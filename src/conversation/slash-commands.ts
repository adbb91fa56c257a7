import { expandCommitCommand, buildCommitPrompt } from './commit-prompt.ts';
import type { Message, UserMessage } from './conversation.ts';

/** What a command asks the model, and what of the editor goes along when the person attached nothing. */
export interface SlashCommand {
  readonly name: string;
  /** Of each group the first that there is. */
  readonly attaches: readonly (readonly AutoAttachmentKind[])[];
  /** What the model is told in place of the command's name. */
  readonly prompt: string;
}

export type AutoAttachmentKind = 'selection' | 'problems' | 'file' | 'changes';

const currentCode: readonly AutoAttachmentKind[] = ['selection', 'file'];

/** The commands that ask a text model. `/image` and `/compact` do something else and are not among them. */
export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'explain',
    attaches: [currentCode],
    prompt:
      'Explain the attached code: what it is for, how it works step by step, and what is easy to overlook in it. Begin with one sentence that sums it up.',
  },
  {
    name: 'fix',
    attaches: [currentCode, ['problems']],
    prompt:
      'Fix what is wrong in the attached code; where problems are attached, fix those. Say in one sentence what the cause was, then give the corrected code. Change nothing else.',
  },
  {
    name: 'tests',
    attaches: [currentCode],
    prompt:
      'Write tests for the attached code with the test framework and in the style that this project uses. Cover the usual case, the limits and the failures. Name each test after what it promises.',
  },
  {
    name: 'doc',
    attaches: [currentCode],
    prompt:
      'Write the documentation comments of the attached code, in the form its language uses: what each part promises, its units, limits and failures. Do not repeat what the names already say, and change no code.',
  },
  {
    name: 'commit',
    attaches: [['changes']],
    prompt: buildCommitPrompt({ diff: '', recentSubjects: [] }),
  },
];

/** A message that begins with a command of the table, and what follows it; undefined for every other message. */
export function parseSlashCommand(
  text: string,
): { readonly command: SlashCommand; readonly rest: string } | undefined {
  const match = /^\/(?<name>[a-z]+)(?:\s+(?<rest>[\s\S]*))?$/u.exec(text.trim());
  const command = slashCommands.find(({ name }) => name === match?.groups?.['name']);
  return command === undefined ? undefined : { command, rest: match?.groups?.['rest'] ?? '' };
}

/** The message as the model gets it: a command is told as what it asks for. */
export function expandSlashCommand(text: string): string {
  const parsed = parseSlashCommand(text);
  if (parsed === undefined) return text;
  return parsed.rest === '' ? parsed.command.prompt : `${parsed.command.prompt}\n\n${parsed.rest}`;
}

/** The message with its command told as what it asks for; the same object each time, and itself without a command. */
export function expandMessage(message: Message): Message {
  if (message.role !== 'user' || !message.text.startsWith('/')) return message;
  const cached = expandedMessages.get(message);
  if (cached !== undefined) return cached;
  const expanded = expandCommand(message);
  expandedMessages.set(message, expanded);
  return expanded;
}

function expandCommand(message: UserMessage): UserMessage {
  const parsed = parseSlashCommand(message.text);
  if (parsed === undefined) return message;
  if (parsed.command.name === 'commit') return expandCommitCommand(message, parsed.rest);
  return { ...message, text: expandSlashCommand(message.text) };
}

/** A message never changes, and is in request after request. */
const expandedMessages = new WeakMap<Message, Message>();

const codebaseMention = /(?<=^|\s)#(?=codebase\b)/gu;

/** Whether a message has the workspace searched for its words, and what is found sent along. */
export const mentionsCodebase = (text: string): boolean => text.search(codebaseMention) !== -1;

/** The same words, without that. */
export const removeCodebaseMention = (text: string): string => text.replaceAll(codebaseMention, '');
