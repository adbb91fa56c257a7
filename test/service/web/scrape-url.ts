import { convertHtmlToMarkdown } from './markup.ts';
import { findPage } from './built-in-web.ts';

/** Content of a page that the service read. */
export interface ScrapedPage {
  readonly title: string;
  /** Text of the page in Markdown. */
  readonly content: string;
  /** Publication date as `YYYY-MM-DD`. Empty if the page has no date. */
  readonly date: string;
}

const maxCharacters = 2_000_000;

/** Reads a built-in page or a page on this machine. Returns undefined for other URLs, or if the request fails. */
export async function scrapeUrl(url: string): Promise<ScrapedPage | undefined> {
  const builtInPage = findPage(url);
  if (builtInPage !== undefined) {
    const { title, text, date } = builtInPage;
    return { title, content: `# ${title}\n\n${text}`, date };
  }
  if (URL.parse(url)?.hostname !== '127.0.0.1') return undefined;
  const reply = await fetch(url, { redirect: 'error' }).catch(() => undefined);
  if (reply?.ok !== true) return undefined;
  const text = (await reply.text()).slice(0, maxCharacters);
  if (/\bhtml\b/.test(reply.headers.get('content-type') ?? ''))
    return convertHtmlToMarkdown(text, url);
  return { title: url, content: text, date: '' };
}
