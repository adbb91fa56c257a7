import { describe, expect, test } from 'vitest';
import { makePdf, makeZip } from './make-files.fixture.ts';
import { postChat, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

const pdfBytes = makePdf([
  'The harvest was poor in the north.\nIn the south, apples cost 42 cents.\nPears were not counted.',
]);

const createFilePart = (bytes: Buffer, filename?: string, type = 'application/pdf') => ({
  type: 'file',
  file: {
    file_data: `data:${type};base64,${bytes.toString('base64')}`,
    ...(filename !== undefined && { filename }),
  },
});

async function sendChat(service: LocalService, content: unknown[], model = 'default') {
  const reply = await postChat(service, { model, messages: [{ role: 'user', content }] });
  const body = (await reply.json()) as {
    choices?: { message: { content: string } }[];
    usage?: { prompt_tokens: number };
  };
  return { reply, body, text: body.choices?.[0]?.message.content ?? '' };
}

describe('file parts in a message', () => {
  test('are replaced with the text of the file, so that every model can quote the text', async () => {
    const service = await startTestService();
    const question = { type: 'text', text: 'What do apples cost?' };
    const { text, body } = await sendChat(
      service,
      [question, createFilePart(pdfBytes, 'harvest.pdf')],
      'compact-xs-3b',
    );
    expect(text).toContain('`harvest.pdf` says:\n\n');
    expect(text).toContain('> In the south, apples cost 42 cents.');
    expect(text).not.toContain('>\n> Pears');
    const { body: questionOnlyBody } = await sendChat(service, [question], 'compact-xs-3b');
    const addedTokenCount =
      (body.usage?.prompt_tokens ?? 0) - (questionOnlyBody.usage?.prompt_tokens ?? 0);
    expect(addedTokenCount).toBeGreaterThan(20);
    expect(addedTokenCount).toBeLessThan(100);
  });

  test('can be combined with other content parts', async () => {
    const service = await startTestService();
    const wordFile = makeZip({
      'word/document.xml': '<w:p><w:r><w:t>Apples are red.</w:t></w:r></w:p>',
    });
    const code = 'export function apples(count: number) {\n  return count;\n}';
    const { text } = await sendChat(service, [
      { type: 'text', text: 'What colour have apples?' },
      createFilePart(pdfBytes, 'harvest.pdf'),
      createFilePart(wordFile, 'colours.docx', 'application/octet-stream'),
    ]);
    expect(text).toContain('`colours.docx` says:\n\n> Apples are red.');
    const { text: unreadableReply } = await sendChat(service, [
      { type: 'text', text: 'Explain' },
      createFilePart(Buffer.from(code), 'apples.ts', 'text/plain'),
    ]);
    expect(unreadableReply).toContain('`apples.ts`');
  });

  test.each([
    ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff])],
    ['an archive', makeZip({ 'a.txt': 'apples' })],
  ])('are replaced with a note if the file contains %s', async (_, bytes) => {
    const service = await startTestService();
    const question = { type: 'text', text: 'Repeat this' };
    const { reply, text } = await sendChat(service, [
      question,
      createFilePart(bytes, 'odd\n``` name.bin'),
    ]);
    expect(reply.status).toBe(200);
    expect(text).toContain('[The file odd name.bin could not be read.]');
  });

  test('are downloaded only from this machine', async () => {
    const service = await startTestService();
    const origin = new URL(service.baseUrl).origin;
    const localUrl = `${origin}/pages/news.example.org/2026/comet`;
    const createFileUrlPart = (file_data: string) => ({
      type: 'file',
      file: { file_data, filename: 'page.txt' },
    });
    const question = { type: 'text', text: 'When is the comet visible?' };
    expect((await sendChat(service, [question, createFileUrlPart(localUrl)])).text).toContain(
      '`page.txt` says:',
    );
    const remoteReply = await sendChat(service, [
      question,
      createFileUrlPart('https://news.example.org/2026/comet'),
    ]);
    expect(remoteReply.text).toContain('[The file page.txt could not be read.]');
  });

  test('are limited to five in a message', async () => {
    const service = await startTestService();
    const files = Array.from({ length: 6 }, () => createFilePart(Buffer.from('a')));
    expect((await sendChat(service, files.slice(1))).reply.status).toBe(200);
    const { reply, body } = await sendChat(service, files);
    expect(reply.status).toBe(400);
    expect(body).toMatchObject({ issues: [{ message: 'At most 5 file parts are allowed' }] });
  });

  test('are limited to 25 MB per file', async () => {
    const service = await startTestService();
    const { reply, body } = await sendChat(service, [
      createFilePart(Buffer.alloc(25 * 1024 * 1024 + 1, 'a')),
    ]);
    expect(reply.status).toBe(413);
    expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('count toward the context length of the model', async () => {
    const service = await startTestService();
    const { reply, body } = await sendChat(
      service,
      [createFilePart(Buffer.from('word '.repeat(6000)))],
      'compact-xs-3b',
    );
    expect(reply.status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'context_length_exceeded' } });
  });
});
