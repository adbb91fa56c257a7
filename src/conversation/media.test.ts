import { expect, test } from 'vitest';
import { user } from '../../test/support/conversation-builder.ts';
import type { Media, UserMessage } from './conversation.ts';
import { loadMedia, countNewestImageCharacters } from './media.ts';

const media = (file: string, change: Partial<Media> = {}): Media => ({
  file,
  mediaType: 'image/png',
  bytes: 3,
  name: file,
  ...change,
});

const message = (id: string, ...files: readonly Media[]): UserMessage => ({
  ...user(id, null),
  attachments: files.map((item) => ({
    id: item.file,
    kind: 'image',
    label: item.name,
    language: '',
    text: '',
    media: item,
  })),
});

const load = async (
  path: readonly UserMessage[],
  vision = true,
  deletedFile = '',
): Promise<string[]> => {
  const readMedia = async (file: string): Promise<string | undefined> =>
    file === deletedFile ? undefined : 'AAAA';
  return [...(await loadMedia(path, { read: readMedia, vision })).keys()];
};

test('loadMedia returns each file as a data URL with its media type', async () => {
  const path = [
    message('u1', media('a')),
    message('u2', media('b', { mediaType: 'application/pdf' })),
  ];
  expect(await loadMedia(path, { read: async (file) => file, vision: true })).toEqual(
    new Map([
      ['b', 'data:application/pdf;base64,b'],
      ['a', 'data:image/png;base64,a'],
    ]),
  );
});

test('loadMedia includes all media of the newest message, and earlier media within the size limit', async () => {
  const [huge, large] = [{ bytes: 26_000_000 }, { bytes: 15_000_000 }];
  expect(await load([message('u1', media('a', huge)), message('u2', media('b', huge))])).toEqual([
    'b',
  ]);
  expect(await load([message('u1', media('a', large)), message('u2', media('b', large))])).toEqual([
    'b',
    'a',
  ]);
});

test('loadMedia omits earlier images, but no documents, for a model without vision', async () => {
  const document = media('pdf', { mediaType: 'application/pdf' });
  const path = [message('u1', media('old'), document), message('u2', media('new'))];
  expect(await load(path, false)).toEqual(['new', 'pdf']);
});

test('loadMedia omits deleted files', async () => {
  expect(await load([message('u1', media('a'), media('b'))], true, 'a')).toEqual(['b']);
});

test('countNewestImageCharacters counts the data URL characters of images in the newest message', async () => {
  const document = media('pdf', { mediaType: 'application/pdf' });
  const path = [message('u1', media('a')), message('u2', media('b', { bytes: 4 }), document)];
  const dataUrl = `data:image/png;base64,${Buffer.from('four').toString('base64')}`;
  expect(countNewestImageCharacters(path)).toBe(dataUrl.length);
  expect(countNewestImageCharacters([])).toBe(0);
});
