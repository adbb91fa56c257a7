import { expect, test } from 'vitest';
import { answer, user } from '../../test/support/conversation-builder.ts';
import { decodeAttachments } from './attachments.ts';
import type { Attachment } from './conversation.ts';
import { decodeJournal, encodeRecords } from './journal.ts';

const hash = 'a0'.repeat(32);

const text: Attachment = { id: 't1', kind: 'file', label: 'a.ts', language: 'ts', text: 'x' };
const media = {
  file: `${hash}.png`,
  mediaType: 'image/png',
  bytes: 70,
  width: 64,
  height: 64,
  name: 'shot.png',
};
const picture: Attachment = {
  id: 'p1',
  kind: 'image',
  label: 'shot.png',
  language: '',
  text: '',
  media,
};
const document: Attachment = {
  ...picture,
  id: 'd1',
  kind: 'document',
  media: { file: `${hash}.pdf`, mediaType: 'application/pdf', bytes: 70, name: 'tides.pdf' },
};

const whole = [text, picture, document];

test('decodes stored attachments', () => {
  expect(decodeAttachments(JSON.stringify(whole))).toEqual(whole);
});

test.each(['', 'null', '{}', '"x"', '[', '[[]]', '[null, 1, "x"]', '{"length":1}'])(
  'decodes no attachments from %j',
  (written) => expect(decodeAttachments(written)).toEqual([]),
);

const withMedia = (changes: object): object => ({ ...picture, media: { ...media, ...changes } });
const { media: _media, ...bare } = picture;

const hostile: readonly (readonly [name: string, attachment: unknown])[] = [
  ['a file outside the folder', withMedia({ file: '../../.ssh/id_rsa' })],
  ['a file in a folder', withMedia({ file: `x/${hash}.png` })],
  ['a file name with a line break', withMedia({ file: `${hash}.png\n` })],
  ['a file of another format', withMedia({ file: `${hash}.svg` })],
  ['a picture whose file is a document', withMedia({ file: `${hash}.pdf` })],
  ['a media type that ends its address', withMedia({ mediaType: 'image/png;base64,AAAA#' })],
  ['a media type that is run', withMedia({ mediaType: 'text/html' })],
  ['a GIF', withMedia({ mediaType: 'image/gif' })],
  ['less than no bytes', withMedia({ bytes: -1 })],
  ['half a byte', withMedia({ bytes: 0.5 })],
  ['more bytes than are ever kept', withMedia({ bytes: 1e300 })],
  ['no width', withMedia({ width: 0 })],
  ['a width without end', withMedia({ width: 1e300 })],
  ['a name as long as a book', withMedia({ name: 'x'.repeat(301) })],
  ['a picture without media', bare],
  ['media of a document on a picture', { ...picture, media: document.media }],
  ['media on a text', { ...text, media }],
  ['a kind of tomorrow', { ...text, kind: 'hologram' }],
  ['an id that is a path', { ...text, id: '../x' }],
  ['an empty id', { ...text, id: '' }],
  ['a text that is none', { ...text, text: 7 }],
  ['media that are a list', { ...picture, media: [media] }],
];

test.each(hostile)('drops %s and keeps the other attachments', (_, attachment) => {
  expect(decodeAttachments(JSON.stringify([attachment, text]))).toEqual([text]);
});

test.each(hostile)('keeps a message with %s', (_, attachment) => {
  const start = { type: 'conversation-start', version: 1, id: 'c1', at: 5, folder: null } as const;
  const message = { ...user('u1', null, 'Look'), attachments: [attachment as Attachment, picture] };
  const journal = encodeRecords([
    start,
    { type: 'message-add', message },
    { type: 'message-add', message: answer('a1', 'u1') },
  ]);
  const path = decodeJournal(journal)?.path();
  expect(path).toEqual([{ ...message, attachments: [picture] }, answer('a1', 'u1')]);
});

test('drops a GIF of an earlier version and keeps its tool run', () => {
  const start = { type: 'conversation-start', version: 1, id: 'c1', at: 5, folder: null } as const;
  const run = {
    callId: 'k1',
    status: 'done',
    verb: 'Read',
    target: 'a.gif',
    readOnly: true,
    output: 'a.gif is a picture',
    startedAt: 5,
  } as const;
  const kept = { mediaType: 'image/webp', data: 'UklG' };
  const written = { ...run, images: [{ mediaType: 'image/gif', data: 'R0lG' }, kept] };
  const records = [
    start,
    { type: 'message-add', message: user('u1', null) },
    { type: 'message-add', message: answer('a1', 'u1') },
    { type: 'tool-run', id: 'a1', run: written },
  ];
  const journal = records.map((record) => JSON.stringify(record)).join('\n');
  const found = decodeJournal(journal)?.find('a1');
  expect(found?.role === 'assistant' && found.toolRuns).toEqual([{ ...run, images: [kept] }]);
});
