import { expect, test } from 'vitest';
import { createTextAnswer, createUserMessage } from '../../test/support/conversation-builder.ts';
import { decodeAttachments } from './attachments.ts';
import type { Attachment } from './conversation.ts';
import { decodeJournal, encodeRecords } from './journal.ts';

const mediaHash = 'a0'.repeat(32);

const textAttachment: Attachment = {
  id: 't1',
  kind: 'file',
  label: 'a.ts',
  language: 'ts',
  text: 'x',
};
const media = {
  file: `${mediaHash}.png`,
  mediaType: 'image/png',
  bytes: 70,
  width: 64,
  height: 64,
  name: 'shot.png',
};
const imageAttachment: Attachment = {
  id: 'p1',
  kind: 'image',
  label: 'shot.png',
  language: '',
  text: '',
  media,
};
const documentAttachment: Attachment = {
  ...imageAttachment,
  id: 'd1',
  kind: 'document',
  media: { file: `${mediaHash}.pdf`, mediaType: 'application/pdf', bytes: 70, name: 'tides.pdf' },
};

const allAttachments = [textAttachment, imageAttachment, documentAttachment];

test('decodeAttachments decodes the JSON text of valid attachments', () => {
  expect(decodeAttachments(JSON.stringify(allAttachments))).toEqual(allAttachments);
});

test.each(['', 'null', '{}', '"x"', '[', '[[]]', '[null, 1, "x"]', '{"length":1}'])(
  'decodeAttachments returns no attachments for the JSON text %j',
  (text) => expect(decodeAttachments(text)).toEqual([]),
);

const createMediaAttachment = (changes: object): object => ({
  ...imageAttachment,
  media: { ...media, ...changes },
});
const { media: _media, ...attachmentWithoutMedia } = imageAttachment;

const hostileAttachments: readonly (readonly [name: string, attachment: unknown])[] = [
  ['a file outside the attachment folder', createMediaAttachment({ file: '../../.ssh/id_rsa' })],
  ['a file in a subfolder', createMediaAttachment({ file: `x/${mediaHash}.png` })],
  ['a file name with a line break', createMediaAttachment({ file: `${mediaHash}.png\n` })],
  ['a file of another format', createMediaAttachment({ file: `${mediaHash}.svg` })],
  ['an image with a document file', createMediaAttachment({ file: `${mediaHash}.pdf` })],
  [
    'a media type that contains data',
    createMediaAttachment({ mediaType: 'image/png;base64,AAAA#' }),
  ],
  ['an executable media type', createMediaAttachment({ mediaType: 'text/html' })],
  ['a GIF', createMediaAttachment({ mediaType: 'image/gif' })],
  ['a negative byte count', createMediaAttachment({ bytes: -1 })],
  ['a fractional byte count', createMediaAttachment({ bytes: 0.5 })],
  ['an oversized byte count', createMediaAttachment({ bytes: 1e300 })],
  ['a width of zero', createMediaAttachment({ width: 0 })],
  ['an excessive width', createMediaAttachment({ width: 1e300 })],
  ['an excessively long name', createMediaAttachment({ name: 'x'.repeat(301) })],
  ['an image without media', attachmentWithoutMedia],
  ['document media on an image', { ...imageAttachment, media: documentAttachment.media }],
  ['media on a text attachment', { ...textAttachment, media }],
  ['an unknown kind', { ...textAttachment, kind: 'hologram' }],
  ['an ID that is a path', { ...textAttachment, id: '../x' }],
  ['an empty ID', { ...textAttachment, id: '' }],
  ['text that is not a string', { ...textAttachment, text: 7 }],
  ['a list as media', { ...imageAttachment, media: [media] }],
];

test.each(hostileAttachments)(
  'decodeAttachments drops an invalid attachment from a list and keeps the others: %s',
  (_, attachment) => {
    expect(decodeAttachments(JSON.stringify([attachment, textAttachment]))).toEqual([
      textAttachment,
    ]);
  },
);

test.each(hostileAttachments)(
  'decodeAttachments drops an invalid attachment from a stored message and keeps the message: %s',
  (_, attachment) => {
    const start = {
      type: 'conversation-start',
      version: 1,
      id: 'c1',
      at: 5,
      folder: null,
    } as const;
    const message = {
      ...createUserMessage('u1', null, 'Look'),
      attachments: [attachment as Attachment, imageAttachment],
    };
    const journal = encodeRecords([
      start,
      { type: 'message-add', message },
      { type: 'message-add', message: createTextAnswer('a1', 'u1') },
    ]);
    const path = decodeJournal(journal)?.listPath();
    expect(path).toEqual([
      { ...message, attachments: [imageAttachment] },
      createTextAnswer('a1', 'u1'),
    ]);
  },
);

test('decodeAttachments drops a stored GIF from a tool run and keeps the tool run', () => {
  const startRecord = {
    type: 'conversation-start',
    version: 1,
    id: 'c1',
    at: 5,
    folder: null,
  } as const;
  const toolRun = {
    callId: 'k1',
    status: 'done',
    verb: 'Read',
    target: 'a.gif',
    readOnly: true,
    output: 'a.gif is an image',
    startedAt: 5,
  } as const;
  const supportedImage = { mediaType: 'image/webp', data: 'UklG' };
  const storedRun = {
    ...toolRun,
    images: [{ mediaType: 'image/gif', data: 'R0lG' }, supportedImage],
  };
  const records = [
    startRecord,
    { type: 'message-add', message: createUserMessage('u1', null) },
    { type: 'message-add', message: createTextAnswer('a1', 'u1') },
    { type: 'tool-run', id: 'a1', run: storedRun },
  ];
  const journal = records.map((record) => JSON.stringify(record)).join('\n');
  const storedAnswer = decodeJournal(journal)?.findMessage('a1');
  expect(storedAnswer?.role === 'assistant' && storedAnswer.toolRuns).toEqual([
    { ...toolRun, images: [supportedImage] },
  ]);
});
