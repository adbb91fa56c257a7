import type { ChatBody, Message } from '../../chat/body.ts';
import { lastUserText, textOf } from '../../chat/messages.ts';
import { objectOf, type Outcome } from './outcome.ts';

const asked = /^\s*summari[sz]e the conversation so far/i;

/** Whether the last message asks for a summary that will stand for the whole conversation. */
export const asksForRecap = (body: ChatBody): boolean => asked.test(lastUserText(body));

const latest = 'Latest request: ';

/** What the person asked, what was done for it and what was said last: facts in a few lines. */
export function recap(body: ChatBody, outcomes: readonly Outcome[]): string {
  const earlier = body.messages.slice(0, -1);
  const requests = earlier.filter(({ role }) => role === 'user').map(requestOf);
  const last = requests.findLast((text) => text !== '') ?? 'nothing yet';
  const said = earlier.findLast(
    (message) => message.role === 'assistant' && textOf(message) !== '',
  );
  return [
    `The person made ${requests.length === 1 ? 'one request' : `${requests.length} requests`}.`,
    ...requests.slice(-6, -1).map((text) => `- Asked before: ${oneLine(text, 160)}`),
    ...deeds(outcomes),
    ...(said === undefined ? [] : [`- I said last: ${oneLine(textOf(said), 240)}`]),
    `${latest}${oneLine(last, 600)}`,
  ].join('\n');
}

/** The request that a summary of {@link recap} passes on; undefined when the text is none. */
export function latestRequestIn(text: string): string | undefined {
  if (!/^what came before, in a summary/i.test(text)) return undefined;
  const at = text.lastIndexOf(latest);
  return at < 0 ? undefined : text.slice(at + latest.length).split('\n', 1)[0];
}

/** Of a request that was itself a summary, what it passed on. */
function requestOf(message: Message): string {
  const text = textOf(message);
  return (
    latestRequestIn(text) ??
    text.replaceAll(/<attachment: ([^>\n]+)>[\s\S]*?<\/attachment>/g, '(attached $1)').trim()
  );
}

const kinds = [
  { label: 'Read', names: ['read_file', 'open_file'] },
  { label: 'Changed', names: ['edit_file'] },
  { label: 'Created', names: ['create_file'] },
  { label: 'Deleted', names: ['delete_file'] },
  { label: 'Renamed', names: ['rename_file'] },
  { label: 'Ran', names: ['run_command'] },
  { label: 'Searched for', names: ['search_text', 'find_files', 'find_symbols'] },
] as const;

function deeds(outcomes: readonly Outcome[]): string[] {
  const done = kinds.flatMap(({ label, names }) => {
    const fitting = outcomes.filter(
      ({ name, kind }) => kind === 'done' && (names as readonly string[]).includes(name),
    );
    const objects = new Set(fitting.map((each) => oneLine(objectOf(each), 80)));
    return objects.size === 0 ? [] : [`- ${label}: ${[...objects].slice(0, 12).join(', ')}`];
  });
  const refused = outcomes.filter(({ kind }) => kind === 'denied');
  const denied = refused.map(
    (each) => `- The person denied \`${each.name}\` on ${oneLine(objectOf(each), 80)}`,
  );
  return [...done, ...denied];
}

function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
