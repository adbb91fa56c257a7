import * as l10n from '@vscode/l10n';
import { citationMarkPattern, parseCitationMark } from '../base/citation-marks.ts';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import type { Answer, AnswerImage, Attachment, Conversation, Message } from './conversation.ts';
import { checkLink } from './link.ts';
import type { ToolRun, ToolRunStatus } from './tool-run.ts';
import type { Citation } from '../service/chat/chat-types.ts';
import type { AnswerProtection } from '../service/chat/protection.ts';

/**
 * Converts citation marks to Markdown footnotes (`[^1]`) and appends a list of all sources. Leaves
 * marks in code, and marks without a source, unchanged.
 * @param prefix Precedes each footnote number, to distinguish the footnotes of several answers in
 *   one document.
 */
export function addFootnotes(
  text: string,
  citations: readonly Citation[] | undefined,
  prefix = '',
): string {
  if (citations === undefined || citations.length === 0) return text;
  const footnotes = citations.map(
    (citation, index) => `[^${prefix}${index + 1}]: ${formatFootnote(citation)}`,
  );
  const markedText = replaceOutsideCode(text, (prose) =>
    prose.replaceAll(citationMarkPattern, (mark) => {
      const numbers = parseCitationMark(mark).filter(
        (number) => number >= 1 && number <= citations.length,
      );
      return numbers.length === 0
        ? mark
        : numbers.map((number) => `[^${prefix}${number}]`).join('');
    }),
  );
  return `${markedText}\n\n${footnotes.join('\n')}`;
}

/**
 * Formats a source as one line. Escapes all characters that could end the link or start another
 * link.
 */
function formatFootnote({ title, url = '', date = '' }: Citation): string {
  const link = checkLink(url);
  const name = escapeInlineText(title);
  const day = date === '' ? '' : `, ${escapeInlineText(date)}`;
  if (link.kind === 'refuse') return `${name}${day}`;
  const encodedUrl = link.url.replaceAll(/[<>]/gu, encodeURIComponent);
  return `[${name || link.host}](<${encodedUrl}>), ${link.host}${day}`;
}

const escapeInlineText = (text: string): string =>
  text
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(/[\\`*_[\]<>]/gu, String.raw`\$&`);

/**
 * Applies `replace` to text outside fenced code blocks and code spans. An unclosed fence extends to
 * the end of the text.
 */
function replaceOutsideCode(text: string, replace: (prose: string) => string): string {
  const outputLines: string[] = [];
  let openFence = '';
  let proseLines: string[] = [];
  const flushProse = (): void => {
    if (proseLines.length > 0)
      outputLines.push(replaceOutsideSpans(proseLines.join('\n'), replace));
    proseLines = [];
  };
  for (const line of text.split('\n')) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
    const isClosingFence = openFence !== '' && fence.startsWith(openFence) && info.trim() === '';
    if (openFence === '' && fence === '') {
      proseLines.push(line);
      continue;
    }
    flushProse();
    outputLines.push(line);
    if (isClosingFence) openFence = '';
    else if (openFence === '') openFence = fence;
  }
  flushProse();
  return outputLines.join('\n');
}

/** Applies `replace` to text outside code spans. A code span starts and ends with the same number of backticks. */
function replaceOutsideSpans(text: string, replace: (prose: string) => string): string {
  const segments = text.split(/(`+)/u);
  const lastIndexes = new Map<string, number>();
  for (const [index, segment] of segments.entries())
    if (segment.startsWith('`')) lastIndexes.set(segment, index);
  const outputSegments: string[] = [];
  let spanStart = 0;
  for (let index = 1; index < segments.length; index += 2) {
    if (index < spanStart) continue;
    const fence = segments[index] ?? '';
    if ((lastIndexes.get(fence) ?? 0) <= index) continue;
    const end = segments.indexOf(fence, index + 1);
    outputSegments.push(
      replace(segments.slice(spanStart, index).join('')),
      ...segments.slice(index, end + 1),
    );
    spanStart = end + 1;
  }
  outputSegments.push(replace(segments.slice(spanStart).join('')));
  return outputSegments.join('');
}

/** Exports the messages of the current path as a Markdown document. */
export function exportMarkdown(conversation: Conversation): string {
  const sections = [`# ${conversation.title.replaceAll(/\s+/gu, ' ')}`];
  for (const [index, message] of conversation.listPath().entries()) {
    sections.push(formatMessage(message, `${index + 1}-`));
  }
  return `${stripHiddenCharacters(sections.join('\n\n')).text}\n`;
}

/** Exports the messages of all branches as JSON, with the ids of messages and parents. */
export function exportJson(conversation: Conversation): string {
  const { id, title, createdAt, head } = conversation;
  const document = {
    format: 'inference-service-conversation',
    version: 1,
    id,
    title,
    createdAt: new Date(createdAt).toISOString(),
    head: head?.id ?? null,
    messages: [...conversation.messages].map((message) => ({
      ...message,
      createdAt: new Date(message.createdAt).toISOString(),
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * Formats a message as Markdown, with a heading for its role.
 * @param footnotePrefix Precedes each footnote number of the message.
 */
function formatMessage(message: Message, footnotePrefix: string): string {
  if (message.role === 'user') {
    const lines = message.attachments.map(formatAttachmentName);
    return [`## ${l10n.t('You')}`, ...lines, closeFence(message.text)].join('\n\n');
  }
  const parts = [`## ${l10n.t('Assistant ({0})', message.model.name)}`];
  if (message.reasoning !== '') parts.push(formatReasoning(message));
  const text = addFootnotes(closeFence(message.text), message.result.citations, footnotePrefix);
  parts.push(...(message.images ?? []).map(formatImage), text);
  if (message.toolRuns.length > 0) parts.push(message.toolRuns.map(formatToolRun).join('\n'));
  const { protection } = message.result;
  if (protection !== undefined) parts.push(`_${formatProtection(protection.kind)}_`);
  if (message.status !== 'complete') parts.push(`_${formatAnswerStatus(message.status)}_`);
  return parts.join('\n\n');
}

function formatAnswerStatus(status: Exclude<Answer['status'], 'complete'>): string {
  switch (status) {
    case 'stopped':
      return l10n.t('Stopped.');
    case 'streaming':
    case 'interrupted':
      return l10n.t('Interrupted before the end');
    case 'failed':
      return l10n.t('Failed');
  }
}

function formatProtection(kind: AnswerProtection['kind']): string {
  switch (kind) {
    case 'none':
      return l10n.t('The model offers more, but this was sent without: the service could read it.');
    case 'attested':
      return l10n.t('The model ran in a verified enclave; the messages were not encrypted.');
    case 'encrypted':
      return l10n.t('Encrypted end to end');
  }
}

const formatImage = ({ alt, caption }: AnswerImage): string =>
  `${l10n.t('Image')}: ${toInlineCode(alt.replaceAll(/\s+/gu, ' '))} (${caption})`;

const formatToolRun = ({ verb, target, status }: ToolRun): string =>
  `- ${verb} ${toInlineCode(target)}${status === 'done' ? '' : ` (${formatToolRunStatus(status)})`}`;

function formatToolRunStatus(status: Exclude<ToolRunStatus, 'done'>): string {
  switch (status) {
    case 'waiting':
      return l10n.t('Waiting for you');
    case 'running':
      return l10n.t('Running');
    case 'failed':
      return l10n.t('Failed');
    case 'denied':
      return l10n.t('Denied');
    case 'cancelled':
      return l10n.t('Canceled');
    case 'not-run':
      return l10n.t('Not run');
  }
}

/** Formats text as inline code. The delimiters are longer than every run of backticks in the text. */
function toInlineCode(text: string): string {
  const backtickRuns = text.match(/`+/gu) ?? [];
  const fence = '`'.repeat(
    backtickRuns.reduce((maxLength, backticks) => Math.max(maxLength, backticks.length), 0) + 1,
  );
  const padding = backtickRuns.length > 0 ? ' ' : '';
  return `${fence}${padding}${text}${padding}${fence}`;
}

const formatAttachmentName = ({ label }: Attachment): string =>
  l10n.t('{0}: {1}', l10n.t('Attached'), `\`${label}\``);

function formatReasoning({ reasoning }: Answer): string {
  return `<details><summary>${l10n.t('Reasoning')}</summary>\n\n${reasoning.trim()}\n\n</details>`;
}

/**
 * Appends a closing fence if a code fence is open, for example in a truncated answer. Otherwise, the following messages
 * would become part of the code.
 */
function closeFence(text: string): string {
  let openFence = '';
  for (const [, fence = '', info = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gmu)) {
    if (openFence === '') openFence = fence;
    else if (fence.startsWith(openFence) && info.trim() === '') openFence = '';
  }
  return openFence === '' ? text : `${text}\n${openFence}`;
}
