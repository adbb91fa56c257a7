import type { ChatCall } from '../chat/call.ts';
import { lastImages } from '../chat/messages.ts';
import { hashOf } from '../random.ts';
import { questionOf } from './question.ts';

export interface Citation {
  readonly title: string;
  readonly url: string;
  readonly content: string;
  readonly date: string;
}

const timely =
  /\b(?:today|latest|current(?:ly)?|news|now|recent(?:ly)?|this (?:week|month|year)|202\d|weather|price|release[ds]?)\b/i;
const maxScraped = 5;

/** The web results this call is answered from; none when search is off or has nothing to do. */
export function searchFor({ body, settings, model }: ChatCall): Citation[] {
  const question = questionOf(body);
  if (settings.enable_web_scraping) {
    const urls = question.match(/https?:\/\/[^\s)>"'`]+/g) ?? [];
    if (urls.length > 0) return urls.slice(0, maxScraped).map(scraped);
  }
  const wanted =
    settings.enable_web_search === 'on' ||
    (settings.enable_web_search === 'auto' && timely.test(question));
  if (!wanted || !model.capabilities.supportsWebSearch || lastImages(body).length > 0) return [];
  return results(question);
}

const sites = [
  { host: 'news.example.org', title: 'What is new' },
  { host: 'docs.example.com', title: 'Reference' },
  { host: 'forum.example.net', title: 'Discussion' },
] as const;

function results(question: string): Citation[] {
  const topic = topicOf(question);
  const slug = topic
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return sites.map(({ host, title }, index) => {
    const day = 1 + (hashOf(`${topic}${index}`) % 28);
    return {
      title: `${title}: ${topic}`,
      url: `https://${host}/${slug || 'home'}`,
      content: `${title} about ${topic}, with the details people ask for most.`,
      date: `2026-10-${String(day).padStart(2, '0')}`,
    };
  });
}

function scraped(url: string): Citation {
  const { hostname, pathname } = new URL(url);
  const content = `The page at ${hostname}${pathname}.`;
  return { title: `${hostname}${pathname}`, url, content, date: '2026-10-01' };
}

const topicOf = (question: string): string =>
  question
    .replace(/^(?:what(?:'s| is| are)?|who is|tell me about|search(?: the web)? for|find)\s+/i, '')
    .replace(/[?!.\s]+$/, '')
    .slice(0, 60);

/** An answer that says where each statement is from, marked `^1^` when marks are wanted. */
export function answerFromWeb(
  question: string,
  citations: readonly Citation[],
  marked: boolean,
): string {
  const points = citations.map(({ title, date }, index) => {
    const mark = marked ? `^${index + 1}^` : '';
    return `- **${title}** (${date}) covers this in detail.${mark}`;
  });
  const all = marked ? `^${citations.map((_, index) => index + 1).join(',')}^` : '';
  return [
    `Here is what the web says about *${topicOf(question)}*:`,
    points.join('\n'),
    `The sources agree on the essentials; the first one is the most recent.${all}`,
  ].join('\n\n');
}
