import * as l10n from '@vscode/l10n';
import {
  type HiddenContent,
  hasHiddenCharacters,
  splitHiddenText,
} from '../../../src/base/visible-text.ts';
import { formatCount } from '../../../src/base/amounts.ts';
import type { PreviewView } from '../../../src/agent/protocol.ts';

/**
 * Maximum indentation of a line of code, in spaces and tabs. Deeper indentation counts as hidden content, because it
 * can move text out of the visible area.
 */
export const codeHiddenTextOptions = { maxIndentation: 40 };

type HiddenTextOptions = Parameters<typeof splitHiddenText>[1];

/** Returns the text as content for a lit template. Replaces hidden characters with visible marks. */
export function markHiddenCharacters(
  text: string,
  options?: HiddenTextOptions,
): string | (string | HTMLElement)[] {
  if (!hasHiddenCharacters(text, options)) return text;
  return splitHiddenText(text, options).map((segment) =>
    segment.hiddenContent === undefined ? segment.text : createHiddenMark(segment.hiddenContent),
  );
}

/** Returns the text as a string and replaces hidden characters with visible marks. Use this for labels and tooltips. */
export function showInvisibleCharacters(text: string): string {
  if (!hasHiddenCharacters(text)) return text;
  return splitHiddenText(text)
    .map(({ text: part, hiddenContent }) =>
      hiddenContent === undefined ? part : `[${formatHiddenContent(hiddenContent)}]`,
    )
    .join('');
}

/** Appends the text to an element that was created without lit. Replaces hidden characters with visible marks. */
export function appendVisibleText(parent: Node, text: string, options?: HiddenTextOptions): void {
  for (const { text: part, hiddenContent } of splitHiddenText(text, options)) {
    parent.appendChild(
      hiddenContent === undefined ? document.createTextNode(part) : createHiddenMark(hiddenContent),
    );
  }
}

function createHiddenMark(hiddenContent: HiddenContent): HTMLElement {
  const element = document.createElement('span');
  const label = formatHiddenContent(hiddenContent);
  element.className = 'hidden-character';
  element.title = label;
  element.textContent = label;
  return element;
}

/** Describes hidden content: `U+202E`, `U+200B ×3`, `3,000 spaces`, `12 blank lines`. */
function formatHiddenContent({ kind, count, codes }: HiddenContent): string {
  const formattedCount = formatCount(count);
  switch (kind) {
    case 'blank-lines':
      return l10n.t('{0} blank lines', formattedCount);
    case 'spaces':
      return l10n.t('{0} spaces and tabs', formattedCount);
    case 'tabs':
      return l10n.t('{0} spaces and tabs', formattedCount);
    case 'spaces-and-tabs':
      return l10n.t('{0} spaces and tabs', formattedCount);
    case 'characters':
      if (count === codes.length) return codes.join(' ');
      if (codes.length === 1) return `${codes[0]} ×${formattedCount}`;
      return l10n.t('{0} and {1} more', codes.join(' '), formatCount(count - codes.length));
  }
}

/** Number of lines per group. The browser skips the layout of groups outside of the visible area. */
const linesPerGroup = 64;
/**
 * Number of lines from which the preview is divided into groups, so that the browser can skip the layout of groups
 * outside of the visible area. A shorter preview is laid out completely.
 */
const lazyLineCount = 200;
/**
 * Maximum number of lines of a text that a panel of typical size shows without scrolling. {@link shortTextLength} is
 * the corresponding number of characters.
 */
const shortLineCount = 8;
const shortTextLength = 400;

/**
 * Complete preview of a tool call. Long lines wrap, so that vertical scrolling reveals all content, including hidden
 * content.
 */
export interface PreviewBlock {
  readonly element: HTMLElement;
  readonly lineCount: number;
  /** True if the text contains hidden characters. The preview marks them. */
  readonly hasHiddenCharacters: boolean;
  /** True if the text is too long to be visible without scrolling. */
  readonly isLong: boolean;
}

export function createPreview(preview: PreviewView): PreviewBlock {
  const { language, text } = preview;
  const lines = splitLines(preview);
  const element = createScroller(language);
  const code = element.appendChild(document.createElement('code'));
  for (let index = 0; index < lines.length; index += linesPerGroup) {
    const group = code.appendChild(document.createElement('span'));
    group.className = lines.length > lazyLineCount ? 'preview-lines lazy' : 'preview-lines';
    group.append(
      ...lines.slice(index, index + linesPerGroup).map((line) => createLineElement(line, language)),
    );
  }
  // Marks replace long runs of spaces, so the visible text can be shorter.
  const isLong = lines.length > shortLineCount || element.textContent.length > shortTextLength;
  element.classList.toggle('short', !isLong);
  return {
    element,
    lineCount: lines.length,
    hasHiddenCharacters: hasHiddenCharacters(text, getIndentationLimit(language)),
    isLong,
  };
}

/** Checks whether the preview shows a command line. */
export const isCommand = ({ language }: PreviewView): boolean =>
  language === 'shellscript' || language === 'powershell';

function createScroller(language: PreviewView['language']): HTMLElement {
  const element = document.createElement('pre');
  element.className = `preview ${language}`;
  element.dir = 'ltr';
  element.tabIndex = 0;
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', groupLabels[language]);
  return element;
}

const groupLabels = {
  shellscript: l10n.t('Command'),
  powershell: l10n.t('Command'),
  diff: l10n.t('Changes'),
  json: l10n.t('Arguments'),
  plaintext: l10n.t('Details'),
} as const;

/**
 * Returns the maximum indentation of a line in the given language. Deeper indentation counts as hidden content. For
 * shell commands, returns no maximum, so the lower default of the check for hidden text applies.
 */
const getIndentationLimit = (language: PreviewView['language']): { maxIndentation?: number } =>
  language === 'shellscript' || language === 'powershell' ? {} : codeHiddenTextOptions;

/**
 * Splits the text into lines. Replaces a long run of blank lines with one marked line, because blank lines can move
 * content out of the visible area. Does not replace blank lines in a diff, because every line of a diff starts with a
 * visible sign.
 */
function splitLines({ language, text }: PreviewView): string[][] {
  if (language === 'diff')
    return removeFinalLineBreak(text)
      .split('\n')
      .map((line) => [line]);
  const lines: string[][] = [[]];
  for (const { text: part, hiddenContent } of splitHiddenText(
    removeFinalLineBreak(text),
    getIndentationLimit(language),
  )) {
    const fragments = hiddenContent === undefined ? part.split('\n') : [part];
    for (const [index, fragment] of fragments.entries()) {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push(fragment);
    }
    if (hiddenContent?.kind === 'blank-lines') lines.push([]);
  }
  return lines;
}

const removeFinalLineBreak = (text: string): string => text.replace(/\r?\n$/u, '');

function createLineElement(
  parts: readonly string[],
  language: PreviewView['language'],
): HTMLElement {
  const line = document.createElement('span');
  const [firstPart = ''] = parts;
  const sign = language === 'diff' ? signClasses[firstPart[0] ?? ''] : undefined;
  line.className = sign === undefined ? 'preview-line' : `preview-line ${sign}`;
  for (const part of parts) appendVisibleText(line, part, getIndentationLimit(language));
  line.append('\n');
  return line;
}

const signClasses: Readonly<Record<string, string>> = {
  '+': 'added',
  '-': 'removed',
  '@': 'place',
};
