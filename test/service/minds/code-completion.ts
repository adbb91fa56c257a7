import type { ChatBody } from '../chat/body.ts';
import { lastUserMessage, lastUserText, textOf } from '../chat/messages.ts';

/** Ways a prompt marks where the cursor is. */
const markers = [
  { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', end: '<|fim_middle|>' },
  { prefix: '<prefix>', suffix: '<suffix>', end: '</suffix>' },
] as const;
const cursor = /<\|cursor\|>|<cursor\s*\/?>/i;

const maxLines = 12;
/** Fewer equal characters than this are chance. */
const minimumMatch = 3;

export const isCompletionPrompt = (text: string): boolean =>
  cursor.test(text) ||
  markers.some(({ prefix, suffix }) => text.includes(prefix) && text.includes(suffix));

/**
 * Continues the prefix the way the context continues the longest copy of the prefix's tail.
 * Nothing when no copy exists.
 */
export function completeCode(body: ChatBody): string {
  const { before, prefix, suffix } = readPrompt(body);
  const context = `${before}\n${suffix}\n`;
  const copy = longestCopy(prefix, context);
  if (copy === undefined) return '';
  return upToSuffix(block(copy.continuation), suffix);
}

interface Prompt {
  readonly before: string;
  readonly prefix: string;
  readonly suffix: string;
}

function readPrompt(body: ChatBody): Prompt {
  const text = lastUserText(body);
  const last = lastUserMessage(body);
  const earlier = body.messages.filter((message) => message !== last).map(textOf);
  const { before, prefix, suffix } = splitAtCursor(text);
  return { before: [...earlier, before].join('\n'), prefix, suffix };
}

function splitAtCursor(text: string): Prompt {
  for (const { prefix, suffix, end } of markers) {
    const start = text.indexOf(prefix);
    const middle = text.indexOf(suffix, start);
    if (start < 0 || middle < 0) continue;
    const [after = ''] = text.slice(middle + suffix.length).split(end);
    const written = text.slice(start + prefix.length, middle).replace(/<\/prefix>\s*$/, '');
    return { before: text.slice(0, start), prefix: written, suffix: after };
  }
  const [prefix = '', suffix = ''] = text.split(cursor);
  return { before: '', prefix, suffix };
}

function longestCopy(prefix: string, context: string): { continuation: string } | undefined {
  // The prefix itself is context too, except for the copy that ends at the cursor.
  const text = `${context}\n${prefix.slice(0, -1)}`;
  let low = 0;
  let high = Math.min(prefix.length, 400);
  // A longer tail occurs only where the shorter one does, so the length can be bisected.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (text.includes(prefix.slice(-middle))) low = middle;
    else high = middle - 1;
  }
  if (prefix.slice(-low).trim().length < minimumMatch) return undefined;
  const at = text.indexOf(prefix.slice(-low));
  return { continuation: text.slice(at + low) };
}

/** The rest of the line and the lines that belong to it: up to a blank line or one indented less. */
function block(text: string): string {
  const [rest = '', ...lines] = text.split('\n');
  const indent = /^\s*/.exec(lines[0] ?? '')?.[0].length ?? 0;
  const end = lines.findIndex(
    (line) => line.trim() === '' || /^\s*/.exec(line)![0].length < indent,
  );
  const body = lines.slice(0, Math.min(end < 0 ? lines.length : end, maxLines));
  const opens = /[{([:]\s*$/.test(rest);
  if (!opens) return rest;
  const closer = lines[body.length];
  const closes = closer !== undefined && /^\s*[})\]]/.test(closer) && body.length < maxLines;
  return [rest, ...body, ...(closes ? [closer] : [])].join('\n');
}

/** Leaves out what stands after the cursor already. */
function upToSuffix(text: string, suffix: string): string {
  const next = suffix
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (next === undefined || next.length < 2) return text;
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() === next);
  return at < 0 ? text : lines.slice(0, at).join('\n');
}
