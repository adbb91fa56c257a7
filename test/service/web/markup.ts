import type { ScrapedPage } from './scrape-url.ts';

/** Converts the main text of an HTML page to Markdown. */
export function convertHtmlToMarkdown(html: string, url: string): ScrapedPage {
  const title = convertHtmlToText(/<title[^>]*>([^<]*)/i.exec(html)?.[1] ?? '') || url;
  const date = /<time[^>]*\bdatetime="(\d{4}-\d{2}-\d{2})/i.exec(html)?.[1] ?? '';
  const body = html
    .replace(/<!--.*?-->/gs, '')
    .replace(/<(head|script|style|template|noscript|nav)\b.*?<\/\1\s*>/gis, '')
    .replace(/\s+/g, ' ')
    .replace(/<h([1-6])[^>]*>/gi, (_, level: string) => `\n\n${'#'.repeat(Number(level))} `)
    .replace(/<li[^>]*>/gi, '\n- ')
    .replace(/<br[^>]*>/gi, '\n')
    .replace(
      /<\/?(?:p|div|section|article|ul|ol|table|tr|header|footer|main|h[1-6])\b[^>]*>/gi,
      '\n\n',
    );
  const content = convertHtmlToText(body)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { title, content, date };
}

const entityCharacters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Removes HTML tags and decodes entities. */
export const convertHtmlToText = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi,
      (entity, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return entityCharacters[name.toLowerCase()] ?? entity;
        const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
      },
    )
    .trim();
