import type { ChatBody } from '../../chat/body.ts';
import { lastUserText, textOf } from '../../chat/messages.ts';
import { objectOf, type Outcome } from './outcome.ts';

const asked = /^\s*summari[sz]e the conversation so far/i;

/** Whether the last message asks for a summary that will stand for the whole conversation. */
export const asksForRecap = (body: ChatBody): boolean => asked.test(lastUserText(body));

const latest = 'Latest request: ';

/** What the person asked, what was done for it and what was said last: facts in a few lines. */
export function recap(body: ChatBody, outcomes: readonly Outcome[]): string {
  const written = /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(lastUserText(body))?.[1];
  return written === undefined ? recapOf(...told(body, outcomes)) : recapOf(...readAloud(written));
}

type Facts = [requests: readonly string[], deeds: readonly string[], said: string | undefined];

function recapOf(...[requests, deeds, said]: Facts): string {
  const last = requests.findLast((text) => text !== '') ?? 'nothing yet';
  return [
    `The person made ${requests.length === 1 ? 'one request' : `${requests.length} requests`}.`,
    ...requests.slice(-6, -1).map((text) => `- Asked before: ${oneLine(text, 160)}`),
    ...deeds,
    ...(said === undefined ? [] : [`- I said last: ${oneLine(said, 240)}`]),
    `${latest}${oneLine(last, 600)}`,
  ].join('\n');
}

function told(body: ChatBody, outcomes: readonly Outcome[]): Facts {
  const earlier = body.messages.slice(0, -1);
  const said = earlier.findLast(
    (message) => message.role === 'assistant' && textOf(message) !== '',
  );
  const requests = earlier
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .map(requestOf);
  return [requests, deeds(outcomes), said && textOf(said)];
}

/** A conversation that was written out: `Person: …`, `Assistant: …` and `Tool: …` paragraphs. */
function readAloud(text: string): Facts {
  const parts = text.split(/\n\n(?=(?:Person|Assistant): )/);
  const spoken = (who: string): string[] =>
    parts.flatMap((part) => (part.startsWith(`${who}: `) ? [part.slice(who.length + 2)] : []));
  const done = [...text.matchAll(/^Tool: (.+) \(([a-z-]+)\)$/gm)];
  const deeds = done.map(([, what = '', how = '']) => `- ${oneLine(what, 120)} (${how})`);
  const said = spoken('Assistant').map((part) => part.split(/^Tool: /m, 1)[0]?.trim() ?? '');
  const before = latestRequestIn(text);
  return [
    [...(before === undefined ? [] : [before]), ...spoken('Person').map(requestOf)],
    [...new Set(deeds)].slice(-40),
    said.findLast((part) => part !== ''),
  ];
}

/** The request that a summary passes on; undefined when the text is none, or passes none on. */
export function latestRequestIn(text: string): string | undefined {
  if (!/^(?:what came|before that,?|earlier)\b[^\n]*\bsummary\b/i.test(text)) return undefined;
  const at = text.lastIndexOf(latest);
  if (at >= 0) return text.slice(at + latest.length).split('\n', 1)[0];
  const asked = /\bThe person asked, oldest first:\n((?:- .*\n?)+)/.exec(text)?.[1];
  return asked?.trim().split('\n').at(-1)?.slice(2);
}

/** What a message asks for: of a summary what it passes on, of any other its words without what is attached. */
const requestOf = (text: string): string =>
  latestRequestIn(text) ??
  text.replaceAll(/<attachment: ([^>\n]+)>[\s\S]*?<\/attachment>/g, '(attached $1)').trim();

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
