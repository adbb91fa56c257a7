import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import sharp from 'sharp';
import * as vscode from 'vscode';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import { selectModelOfChat } from '../../src/models/vscode/selected-model.ts';
import { Control } from '../service/control.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signedInOptions = { environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } };
const pdfBytes = Buffer.from('%PDF-1.4\nhigh water at noon\n%%EOF');

suite('chat with attachments', () => {
  test('sends a pasted image and a document as content parts, and resends both on retry', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    const png = await createImage(120, 80);
    await attachFile(fixture, 'image.png', png);
    await attachFile(fixture, 'tides.pdf', pdfBytes);
    assert.deepEqual(
      chat.attachments.map(({ kind, label, media }) => [kind, label, media?.mediaType]),
      [
        ['image', 'image.png', 'image/png'],
        ['document', 'tides.pdf', 'application/pdf'],
      ],
    );
    await control.addScripts({ steps: [{ content: 'Red.' }] });
    await sendMessage(fixture, 'What is this?');
    await control.addScripts({ steps: [{ content: 'Red again.' }] });
    const answer = chat.session.conversation.head;
    await chat.session.retry(answer?.id ?? '');
    const contents = await readSentContents();
    assert.equal(contents.length, 2);
    assert.deepEqual(contents[0], contents[1]);
    assert.deepEqual(contents[0], [
      { type: 'text', text: '<attachment: image.png></attachment>' },
      {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${png.toString('base64')}` },
      },
      {
        type: 'file',
        file: {
          filename: 'tides.pdf',
          file_data: `data:application/pdf;base64,${pdfBytes.toString('base64')}`,
        },
      },
      { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral' } },
    ]);
    const lastChange = page.receivedMessages.findLast(
      (message) => message.type === 'message-put' && message.message.role === 'user',
    );
    assert.match(JSON.stringify(lastChange), /"thumbnail":"[0-9a-f]{64}\.png"/u);
  });

  test('sends an image without text to a vision model, but not to a model without vision', async () => {
    using fixture = await openChat();
    const { page, chat, host } = fixture;
    const { models } = host;
    const [textModel, visionModel] = [false, true].map((hasVision) =>
      models.models.find(
        ({ type, offline, capabilities }) =>
          type === 'text' && !offline && capabilities.supportsVision === hasVision,
      ),
    );
    assert.ok(textModel !== undefined && visionModel !== undefined);
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '' });
    await models.selectChatModel(textModel.id);
    await attachFile(fixture, 'image.png', await createImage(120, 80));
    await sendMessage(fixture, '');
    const refusedMessage = chat.session.conversation.head;
    assert.ok(refusedMessage?.role === 'assistant');
    assert.equal(refusedMessage.result.failure?.code, 'unsupported-feature');
    assert.match(refusedMessage.result.failure.message, /cannot see images/u);
    assert.equal(chat.session.conversation.title, 'image.png');
    await chat.session.edit(refusedMessage.parentId, 'What is this?');
    await chat.session.retry(chat.session.conversation.head?.id ?? '');
    assert.deepEqual(await readSentContents(), []);
    await selectModelOfChat(models, chat.session, visionModel.id);
    await control.addScripts({ steps: [{ content: 'Red.' }] });
    await chat.session.retry(refusedMessage.id);
    const [content] = await readSentContents();
    assert.ok(Array.isArray(content));
    assert.deepEqual(
      content.map(({ type }: { type: string }) => type),
      ['text', 'image_url'],
    );
  });

  test('detects an image by its bytes, and rejects damaged images and binary files', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    const rejectedFiles: readonly (readonly [string, Uint8Array, RegExp])[] = [
      ['tiny.png', await createImage(20, 20), /20 × 20 pixels/u],
      ['cut.png', (await createImage(100, 100)).subarray(0, 60), /damaged/u],
      ['moving.png', Buffer.from('GIF89a\x01\0\x01\0', 'latin1'), /damaged/u],
      ['program.png', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff]), /not a text file/u],
    ];
    for (const [name, bytes, reason] of rejectedFiles) {
      const noticePromise = page.waitForMessage('notice-show');
      postFile(fixture, name, bytes);
      assert.match(JSON.stringify(await noticePromise), reason);
    }
    assert.deepEqual(chat.attachments, []);
    await attachFile(fixture, 'evil.png', Buffer.from('<svg onload="steal()"/>'));
    const kinds = chat.attachments.map(({ kind, media }) => [kind, media]);
    assert.deepEqual(kinds, [['file', undefined]]);
  });

  test('rejects an eleventh image, and numbers images of the same name', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    for (let side = 64; side < 74; side++)
      await attachFile(fixture, 'image.png', await createImage(side, 64));
    assert.equal(chat.attachments.at(-1)?.label, 'image (10).png');
    const noticePromise = page.waitForMessage('notice-show');
    postFile(fixture, 'image.png', await createImage(90, 64));
    assert.match(JSON.stringify(await noticePromise), /at most 10 images/u);
    assert.equal(chat.attachments.length, 10);
  });

  test('lets the chat page scale down a large image from disk, and reads no file of an untrusted workspace', async () => {
    using fixture = await openChat();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder !== undefined);
    const outsideFolder = await mkdtemp(join(tmpdir(), 'attachments-'));
    const workspaceFile = vscode.Uri.joinPath(folder, 'attached-image.jpg');
    const jpeg = await sharp(await createImage(3_000, 100))
      .jpeg()
      .toBuffer();
    try {
      await vscode.workspace.fs.writeFile(workspaceFile, jpeg);
      await writeFile(join(outsideFolder, 'tides.pdf'), pdfBytes);
      const { page, chat } = fixture;
      const scaleRequestPromise = page.waitForMessage('media-scale');
      const attachmentPromise = fixture.attach.attachFile(workspaceFile, chat);
      const message = await scaleRequestPromise;
      assert.ok(message.type === 'media-scale' && message.bytes.length === jpeg.length);
      const bytes = new Uint8Array(await createImage(2_048, 68));
      page.sendToHost({ type: 'media-scaled', id: message.id, bytes, note: '' });
      assert.equal(await attachmentPromise, undefined);
      assert.equal(chat.attachments[0]?.media?.width, 2_048);
      using _ = simulateUntrustedWorkspace();
      assert.match(
        (await fixture.attach.attachFile(workspaceFile, chat)) ?? '',
        /until you trust/u,
      );
      assert.equal(chat.attachments.length, 1);
      // Workspace trust does not apply to files outside the workspace.
      await fixture.attach.attachFile(vscode.Uri.file(join(outsideFolder, 'tides.pdf')), chat);
      assert.equal(chat.attachments.length, 2);
    } finally {
      await vscode.workspace.fs.delete(workspaceFile);
      await rm(outsideFolder, { recursive: true });
    }
  });

  test('restores the attachments of the composer after a restart', async () => {
    using fixture = await openChat();
    await attachFile(fixture, 'image.png', await createImage(64, 64));
    await fixture.chats.close();
    const storage = fixture.host.context.globalStorageUri.fsPath;
    const names = await readdir(join(storage, 'attached'));
    assert.deepEqual(names, [fixture.chat.id]);
    const media = await readdir(join(storage, 'media'));
    assert.deepEqual(media, [fixture.chat.attachments[0]?.media?.file]);
  });
});

async function openChat(): Promise<ChatFixture> {
  await control.reset();
  await control.setResponsePace('instant');
  const fixture = createChatFixture(signedInOptions);
  fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  return fixture;
}

const createImage = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } })
    .png()
    .toBuffer();

function postFile({ page, chat }: ChatFixture, name: string, bytes: Uint8Array): void {
  page.sendToHost({
    type: 'media-add',
    conversationId: chat.id,
    name,
    bytes: new Uint8Array(bytes),
  });
}

/** Attaches a file. Resolves when the chat's list of attachments contains the file. */
async function attachFile(fixture: ChatFixture, name: string, bytes: Uint8Array): Promise<void> {
  const attachmentsChangePromise = fixture.page.waitForMessage('attachments-change');
  postFile(fixture, name, bytes);
  await attachmentsChangePromise;
}

function sendMessage({ page, chat }: ChatFixture, text: string): Promise<HostMessage> {
  const turnEndPromise = page.waitForMessage('turn-end');
  page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
  return turnEndPromise;
}

/** Returns the content of the last user message in each chat request, from the oldest request to the newest. */
async function readSentContents(): Promise<unknown[]> {
  const requests = await control.getRequests();
  return requests
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => {
      const { messages } = body as { messages: { role: string; content: unknown }[] };
      return messages.findLast(({ role }) => role === 'user')?.content;
    });
}
