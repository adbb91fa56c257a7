import { htmlToMarkdown } from './markup.ts';
import { findPage } from './web.ts';

/** What stands on a page. */
export interface ScrapedPage {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  /** `YYYY-MM-DD`; empty when the page does not say. */
  readonly date: string;
}

const maxCharacters = 2_000_000;

/** Reads a page that the service knows, or one of this machine; `undefined` for any other, and when nothing answers. */
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
