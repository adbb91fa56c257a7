import { expect, test } from 'vitest';
import { createUserMessage } from '../../test/support/conversation-builder.ts';
import type { Media, UserMessage } from './conversation.ts';
import { loadMedia, countNewestImageCharacters } from './media.ts';

const createMedia = (file: string, change: Partial<Media> = {}): Media => ({
  file,
  mediaType: 'image/png',
  bytes: 3,
  name: file,
  ...change,
});

const createMessage = (id: string, ...mediaFiles: readonly Media[]): UserMessage => ({
  ...createUserMessage(id, null),
  attachments: mediaFiles.map((media) => ({
    id: media.file,
    kind: 'image',
    label: media.name,
    language: '',
    text: '',
    media,
  })),
});

const loadMediaNames = async (
  path: readonly UserMessage[],
  supportsVision = true,
  deletedFile = '',
): Promise<string[]> => {
  const readMedia = async (file: string): Promise<string | undefined> =>
    file === deletedFile ? undefined : 'AAAA';
  return [...(await loadMedia(path, { read: readMedia, supportsVision })).keys()];
};

test('loadMedia returns each file as a data URL with its media type', async () => {
  const path = [
    createMessage('u1', createMedia('a')),
    createMessage('u2', createMedia('b', { mediaType: 'application/pdf' })),
  ];
  expect(await loadMedia(path, { read: async (file) => file, supportsVision: true })).toEqual(
    new Map([
      ['b', 'data:application/pdf;base64,b'],
      ['a', 'data:image/png;base64,a'],
    ]),
  );
});

test('loadMedia includes all media of the newest message, and earlier media within the size limit', async () => {
  const [hugeSize, largeSize] = [{ bytes: 26_000_000 }, { bytes: 15_000_000 }];
  expect(
    await loadMediaNames([
      createMessage('u1', createMedia('a', hugeSize)),
      createMessage('u2', createMedia('b', hugeSize)),
    ]),
  ).toEqual(['b']);
  expect(
    await loadMediaNames([
      createMessage('u1', createMedia('a', largeSize)),
      createMessage('u2', createMedia('b', largeSize)),
    ]),
  ).toEqual(['b', 'a']);
});

test('loadMedia omits images of earlier messages, but includes their documents, for a model without vision', async () => {
  const document = createMedia('pdf', { mediaType: 'application/pdf' });
  const path = [
    createMessage('u1', createMedia('old'), document),
    createMessage('u2', createMedia('new')),
  ];
  expect(await loadMediaNames(path, false)).toEqual(['new', 'pdf']);
});

test('loadMedia omits deleted files', async () => {
  expect(
    await loadMediaNames([createMessage('u1', createMedia('a'), createMedia('b'))], true, 'a'),
  ).toEqual(['b']);
});

test('countNewestImageCharacters counts the data URL characters of images in the newest message', async () => {
  const document = createMedia('pdf', { mediaType: 'application/pdf' });
  const path = [
    createMessage('u1', createMedia('a')),
    createMessage('u2', createMedia('b', { bytes: 4 }), document),
  ];
  const dataUrl = `data:image/png;base64,${Buffer.from('four').toString('base64')}`;
  expect(countNewestImageCharacters(path)).toBe(dataUrl.length);
  expect(countNewestImageCharacters([])).toBe(0);
});
