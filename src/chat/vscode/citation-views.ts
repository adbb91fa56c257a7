import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { checkLink } from '../../conversation/link.ts';
import type { CitationView } from '../protocol/view-state.ts';
import type { Citation } from '../../service/chat/chat-types.ts';

/** The sources of an answer as the page shows them; one that may not be opened keeps its place and its title. */
export const citationViews = (citations: readonly Citation[] = []): CitationView[] =>
  citations.slice(0, 50).map(({ title, url = '', content = '', date = '' }) => {
    const link = checkLink(url);
    const [address, host] = link.kind === 'open' ? [link.url, link.host] : ['', ''];
    return {
      title: clean(title, 300),
      url: address,
      host: host.slice(0, 300),
      quote: clean(content, 1_000),
      date: clean(date, 40),
    };
  });

/** As it stands in one line. */
const clean = (text: string, longest: number): string =>
  stripHiddenCharacters(text).text.replaceAll(/\s+/gu, ' ').trim().slice(0, longest);
