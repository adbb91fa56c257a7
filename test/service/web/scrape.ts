import { htmlToMarkdown } from './markup.ts';
import { findPage } from './web.ts';

/** The content of a page. */
export interface ScrapedPage {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  /** `YYYY-MM-DD`; empty when the page has no date. */
  readonly date: string;
}

const maxCharacters = 2_000_000;

/** Reads a built-in page, or a page of this machine; `undefined` for any other URL, and when the request fails. */
export async function scrape(address: string): Promise<ScrapedPage | undefined> {
  const known = findPage(address);
  if (known !== undefined) {
    const { title, text, date } = known;
    return { title, content: `# ${title}\n\n${text}`, date };
  }
  if (URL.parse(address)?.hostname !== '127.0.0.1') return undefined;
  const reply = await fetch(address, { redirect: 'error' }).catch(() => undefined);
  if (reply?.ok !== true) return undefined;
  const text = (await reply.text()).slice(0, maxCharacters);
  if (/\bhtml\b/.test(reply.headers.get('content-type') ?? ''))
    return htmlToMarkdown(text, address);
  return { title: address, content: text, date: '' };
}
