import { convertHtmlToText, convertHtmlToMarkdown } from '../web/markup.ts';
import type { Zip } from './zip.ts';

/** Extracts the text of a DOCX, PPTX, XLSX or EPUB file. Returns `undefined` for other archives. */
export function extractOfficeText(zip: Zip): string | undefined {
  const hasEntry = (name: string): boolean => zip.names.includes(name);
  if (hasEntry('word/document.xml')) return readWordText(zip.readText('word/document.xml') ?? '');
  if (hasEntry('ppt/presentation.xml')) return readSlidesText(zip);
  if (hasEntry('xl/workbook.xml')) return readSheetsText(zip);
  if (hasEntry('META-INF/container.xml')) return readBookText(zip);
  return undefined;
}

function readWordText(xml: string): string {
  const paragraphs = [...xml.matchAll(/<w:p[ >].*?<\/w:p>/gs)].map(([paragraph]) => {
    const headingLevel = /<w:pStyle w:val="Heading([1-6])"/.exec(paragraph)?.[1];
    const text = readRunText(paragraph, 'w');
    return headingLevel === undefined || text === ''
      ? text
      : `${'#'.repeat(Number(headingLevel))} ${text}`;
  });
  return paragraphs.filter(Boolean).join('\n\n');
}

function readSlidesText(zip: Zip): string {
  const slideEntries = readNumberedEntries(zip, /^ppt\/slides\/slide(\d+)\.xml$/);
  return slideEntries
    .map(([number, xml]) => {
      const paragraphs = [...xml.matchAll(/<a:p[ >].*?<\/a:p>/gs)].map(([paragraph]) =>
        readRunText(paragraph, 'a'),
      );
      return [`## Slide ${number}`, ...paragraphs.filter(Boolean)].join('\n\n');
    })
    .join('\n\n');
}

function readSheetsText(zip: Zip): string {
  const stringMatches = [
    ...(zip.readText('xl/sharedStrings.xml') ?? '').matchAll(/<si[ >].*?<\/si>/gs),
  ];
  const sharedTexts = stringMatches.map(([stringXml]) => readRunText(stringXml, ''));
  const nameMatches = [
    ...(zip.readText('xl/workbook.xml') ?? '').matchAll(/<sheet [^>]*name="([^"]*)"/g),
  ];
  return readNumberedEntries(zip, /^xl\/worksheets\/sheet(\d+)\.xml$/)
    .map(([number, xml], index) => {
      const name = convertHtmlToText(nameMatches[index]?.[1] ?? `Sheet ${number}`);
      const rows = [...xml.matchAll(/<row[ >].*?<\/row>/gs)].map(([row]) =>
        readRowText(row, sharedTexts),
      );
      return [`## ${name}`, rows.join('\n')].join('\n\n');
    })
    .join('\n\n');
}

const readRowText = (row: string, sharedTexts: readonly string[]): string =>
  [...row.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)]
    .map(([, attributes = '', content = '']) => {
      if (/\bt="inlineStr"/.test(attributes)) return readRunText(content, '');
      const value = convertHtmlToText(/<v>(.*?)<\/v>/s.exec(content)?.[1] ?? '');
      return /\bt="s"/.test(attributes) ? (sharedTexts[Number(value)] ?? '') : value;
    })
    .join('\t');

/** Extracts the text of an EPUB file's chapters in reading order. */
function readBookText(zip: Zip): string {
  const containerXml = zip.readText('META-INF/container.xml') ?? '';
  const path = /full-path="([^"]+)"/.exec(containerXml)?.[1] ?? '';
  const packageXml = zip.readText(path) ?? '';
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const itemEntries = [...packageXml.matchAll(/<item\b[^>]*>/g)].map(
    ([itemTag]) => [readAttribute(itemTag, 'id'), readAttribute(itemTag, 'href')] as const,
  );
  const pathsById = new Map(itemEntries);
  return [...packageXml.matchAll(/<itemref\b[^>]*>/g)]
    .map(
      ([itemTag]) =>
        zip.readText(`${folder}${pathsById.get(readAttribute(itemTag, 'idref')) ?? ''}`) ?? '',
    )
    .map((chapterHtml) => convertHtmlToMarkdown(chapterHtml, path).content)
    .filter(Boolean)
    .join('\n\n');
}

const readAttribute = (tag: string, name: string): string =>
  convertHtmlToText(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');

/** Extracts the text of all runs in a paragraph. A run is text with uniform formatting. */
function readRunText(xml: string, prefix: string): string {
  const namespacePrefix = prefix === '' ? '' : `${prefix}:`;
  const runPattern = new RegExp(
    `<${namespacePrefix}t(?: [^>]*)?>([^<]*)</${namespacePrefix}t>|<${namespacePrefix}(tab|br)\\b[^>]*/>`,
    'g',
  );
  return [...xml.matchAll(runPattern)]
    .map(([, text, emptyElement]) =>
      text === undefined ? (emptyElement === 'tab' ? '\t' : '\n') : unescapeText(text),
    )
    .join('')
    .trim();
}

/** Decodes the XML entities of a run. Keeps the spaces at its start and end. */
const unescapeText = (text: string): string => {
  const [, leadingSpace = '', trailingSpace = ''] = /^(\s*).*?(\s*)$/s.exec(text) ?? [];
  return text.trim() === '' ? text : `${leadingSpace}${convertHtmlToText(text)}${trailingSpace}`;
};

/** Returns number and text of each archive entry whose name matches, sorted by the number in its name. */
const readNumberedEntries = (zip: Zip, pattern: RegExp): (readonly [number, string])[] =>
  zip.names
    .flatMap((name) => {
      const number = pattern.exec(name)?.[1];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    })
    .sort((a, b) => a.number - b.number)
    .map(({ name, number }) => [number, zip.readText(name) ?? ''] as const);
