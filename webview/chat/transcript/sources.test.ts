// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { CitationView } from '../../../src/chat/protocol/view-state.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import type { MarkdownStream } from '../../markdown/markdown-stream.ts';
import { renderMarkdown } from '../../markdown/render.fixture.ts';
import { SourceList } from './sources.ts';

const createSource = (change: Partial<CitationView> = {}): CitationView => ({
  title: 'Reference',
  url: 'https://docs.test/a',
  host: 'docs.test',
  quote: 'The words.',
  date: '2026-10-01',
  ...change,
});

let postedMessages: WebviewMessage[];
let openedUrls: string[];
let textElement: HTMLElement;

beforeEach(() => {
  postedMessages = [];
  openedUrls = [];
  textElement = document.createElement('div');
});

function streamMarkdown(markdown: string): MarkdownStream {
  return renderMarkdown(textElement, markdown, {
    openLink: (href) => openedUrls.push(href),
    code: { copy: () => {}, insert: () => {}, openNewFile: () => {}, apply: () => {} },
    schedule: (run) => run(),
  });
}

const showSources = (...citations: CitationView[]): SourceList => {
  const sources = new SourceList(textElement, (message) => postedMessages.push(message));
  sources.update(createShownSources(citations));
  return sources;
};

const createShownSources = (citations: readonly CitationView[]) => ({
  citations,
  numbers: citations.map((_, index) => index + 1),
  listedSources: citations,
});

const listChips = (): string[] =>
  [...textElement.querySelectorAll('.source-chip')].map((chip) => chip.textContent);

test.each<[markdown: string, chips: readonly string[], left: string]>([
  ['So.^1^', ['1'], 'So.1'],
  ['So.^1,2^ And[REF]1[/REF]', ['1', '2', '2'], 'So.12 And2'],
  ['None^3^ x^0^ y^1,9^', ['1'], 'None3 x0 y1'],
  ['`a^1^` **b^2^**', ['2'], 'a^1^ b2'],
  ['- x^1^\n\n| a |\n|---|\n| b^2^ |', ['1', '2'], ''],
  ['```\nx^1^\n```', [], ''],
  ['[x^1^](https://a.test/)', [], 'x1'],
])(
  'SourceList replaces source references with numbered chips in %j',
  (markdown, expected, expectedRest) => {
    streamMarkdown(markdown);
    showSources(createSource(), createSource({ title: 'Other' }));
    expect(listChips()).toEqual(expected);
    if (expectedRest !== '') expect(textElement.textContent).toBe(expectedRest);
  },
);

test('SourceList describes the source in its numbered chip, and opens the source on a click', () => {
  streamMarkdown('So.^1^');
  showSources(createSource());
  const chip = textElement.querySelector<HTMLElement>('.source-chip');
  expect(chip?.getAttribute('aria-label')).toBe('Source 1: Reference, docs.test');
  expect(chip?.title).toBe('Reference, docs.test\nThe words.');
  chip?.click();
  expect(openedUrls).toEqual(['https://docs.test/a']);
});

test('SourceList renders a source with a blocked URL without a link, and names a source that has no title', () => {
  streamMarkdown('So.^1,2^');
  const { element } = showSources(createSource({ url: '', host: '' }), createSource({ title: '' }));
  expect(textElement.querySelectorAll('a')).toHaveLength(1);
  expect(textElement.querySelector('[role=img]')?.getAttribute('aria-label')).toBe(
    'Source 1: Reference',
  );
  expect([...element.querySelectorAll('li')].map((line) => line.textContent)).toEqual([
    'Reference2026-10-01',
    'docs.testdocs.test · 2026-10-01',
  ]);
});

test('SourceList opens a listed source through the host', () => {
  const { element } = showSources(createSource());
  expect(element.querySelector('summary')?.firstChild?.textContent).toBe('1 source');
  element.querySelector('a')?.click();
  expect(postedMessages).toEqual([{ type: 'link-open', href: 'https://docs.test/a' }]);
});

test('SourceList collapses the list of sources, and shows their number and hosts', () => {
  const { element } = showSources(
    createSource(),
    createSource({ url: 'https://b.test/', host: 'b.test' }),
  );
  expect(element.open).toBe(false);
  const { childNodes } = element.querySelector('summary')!;
  expect([...childNodes].map((node) => node.textContent)).toEqual([
    '2 sources',
    'docs.test · b.test',
  ]);
});

test('SourceList shows the source numbers of the whole turn, and lists no sources below an earlier answer', () => {
  streamMarkdown('So.^1,2^');
  const sources = showSources();
  const citations = [createSource(), createSource({ title: 'Other' })];
  sources.update({ citations, numbers: [3, 1], listedSources: [] });
  expect(listChips()).toEqual(['3', '1']);
  expect(sources.element.querySelectorAll('li')).toHaveLength(0);
  expect(textElement.querySelector('.source-chip')?.getAttribute('aria-label')).toMatch(
    /^Source 3: /u,
  );
});

test('SourceList shows markup in the title of a source as text', () => {
  const { element } = showSources(createSource({ title: '<img src=x onerror=steal()>' }));
  expect(element.querySelector('img')).toBeNull();
  expect(element.querySelector('a')?.textContent).toBe('<img src=x onerror=steal()>');
});

test('SourceList adds citation numbers to streaming text if the sources are known', async () => {
  const stream = streamMarkdown('');
  stream.dispose();
  const { MarkdownStream } = await import('../../markdown/markdown-stream.ts');
  textElement = document.createElement('div');
  const growingStream = new MarkdownStream(textElement, {
    openLink: () => {},
    code: { copy: () => {}, insert: () => {}, openNewFile: () => {}, apply: () => {} },
  });
  showSources(createSource(), createSource());
  for (const chunk of ['So.^', '1^ and more of it', ', which^2^', ' goes on.\n\nThe', ' end^1^.']) {
    growingStream.append(chunk);
    growingStream.renderPendingText();
    await Promise.resolve();
  }
  growingStream.closeStream();
  await Promise.resolve();
  expect(listChips()).toEqual(['1', '2', '1']);
  expect(textElement.textContent).toBe('So.1 and more of it, which2 goes on.The end1.');
});

test('SourceList updates the citation numbers and the list when more sources arrive', () => {
  streamMarkdown('So.^1,2^');
  const sources = showSources(createSource());
  expect(listChips()).toEqual(['1']);
  sources.update(createShownSources([createSource(), createSource({ title: 'Other' })]));
  expect(listChips()).toEqual(['1', '2']);
});

test.each([
  ['High water is at noon.^1,2^', '1,2'],
  ['High water is at noon.[REF]0[/REF]', '1'],
])(
  'the numbers of the citation mark in “%s” become superscript text if the answer has no sources',
  (markdown, numbers) => {
    streamMarkdown(markdown);
    expect(textElement.textContent.trim()).toBe(`High water is at noon.${numbers}`);
    expect(textElement.querySelector('sup')?.textContent).toBe(numbers);
  },
);
