import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { Json } from '../../src/base/json.ts';
import type { ApprovalAnswer, PendingApproval } from '../../src/agent/permissions/approval.ts';
import type { ToolRun } from '../../src/conversation/tool-run.ts';
import { undoLastTurn } from '../../src/chat/vscode/decide-turn.ts';
import { getGalleryFolder } from '../../src/image/vscode/gallery-folder.ts';
import { PastedImageProvider } from '../../src/image/vscode/pasted-image-provider.ts';
import type { ImageToolInput } from '../../src/image/vscode/image-lm-tool.ts';
import { readImageHeader } from '../../src/image/image-header.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import type { ToolDefinition } from '../../src/service/chat/chat-types.ts';
import { Control } from '../service/control.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { DataPart } from './data-part.ts';
import { readSuiteEnvironment } from './environment.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);

const [root] = vscode.workspace.workspaceFolders ?? [];
const pngBytes = createPng(64);
/** A PNG image that is large enough for the service to edit. */
const largePngBytes = createPng(512);
const imagesFolder = join(root?.uri.fsPath ?? '', 'images');

suite('the generate_image tool of the agent', () => {
  test('shows model, size, price and prompt in the approval, and costs nothing after a denial', async () => {
    using fixture = await openChat();
    const { approval, runs } = await callGenerateImage(
      fixture,
      { prompt: 'a red fox' },
      { answer: 'deny', reason: '' },
    );
    assert.ok(approval?.kind === 'approval');
    assert.equal(approval.verb, 'Generate');
    assert.match(approval.target, /^images\/a-red-fox-\d+\.webp$/u);
    assert.equal(approval.preview.text, 'Painter Turbo · 256 × 256 · $0.01\n\na red fox');
    assert.ok(approval.reasons.includes('It costs $0.01.'));
    assert.deepEqual(approval.remember, ['conversation']);
    assert.equal(approval.rememberWhat, 'calls of generate_image that cost $0.01 each');
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['denied'],
    );
    assert.deepEqual(await listImageRequests(), []);
    assert.equal(existsSync(imagesFolder), false);
  });

  test('saves the image, reports its path, adds its price to the costs, and removes the file when the turn is undone', async () => {
    using fixture = await openChat();
    const { runs } = await callGenerateImage(
      fixture,
      { prompt: 'a red fox', aspect_ratio: '1:1' },
      allowOnceAnswer,
    );
    const [run] = runs;
    assert.equal(run?.status, 'done');
    const [name = ''] = readdirSync(imagesFolder);
    assert.match(name, /^a-red-fox-\d+\.webp$/u);
    assert.match(
      run.output,
      new RegExp(
        `^Saved as images/${name} \\(1024 × 1024 pixels, seed \\d+, model painter-turbo\\)\\.`,
        'u',
      ),
    );
    assert.deepEqual(readImageHeader(readFileSync(join(imagesFolder, name))), {
      format: 'webp',
      width: 1_024,
      height: 1_024,
    });
    assert.equal(
      run.uri,
      vscode.Uri.joinPath(root?.uri ?? vscode.Uri.file('/'), 'images', name).toString(),
    );
    assert.ok((fixture.agents.getConversationAgent(fixture.chat.id).usage?.usd ?? 0) >= 0.01);
    assert.equal(
      await undoLastTurn({ agents: fixture.agents, session: fixture.chat.session }),
      undefined,
    );
    assert.equal(existsSync(imagesFolder), false, 'the folder was made by the turn');
  });

  test('returns the image to a vision model', async () => {
    using fixture = await openChat('vision-plain-32b');
    const { runs } = await callGenerateImage(fixture, { prompt: 'a red fox' }, allowOnceAnswer);
    const { images = [] } = runs[0] ?? {};
    assert.equal(images[0]?.mediaType, 'image/webp');
    const bytes = Buffer.from(images[0]?.data ?? '', 'base64');
    assert.deepEqual(readImageHeader(bytes), { format: 'webp', width: 256, height: 256 });
  });

  test('requests approval again if the price differs from the price permitted for the conversation', async () => {
    using fixture = await openChat();
    await callGenerateImage(fixture, { prompt: 'one' }, { answer: 'conversation' });
    const secondCall = await callGenerateImage(fixture, { prompt: 'two' }, undefined);
    assert.equal(secondCall.approval, undefined);
    assert.equal(secondCall.runs[0]?.status, 'done');
    const thirdCall = await callGenerateImage(
      fixture,
      { prompt: 'three', model: 'painter-studio' },
      { answer: 'deny', reason: '' },
    );
    assert.equal(thirdCall.approval?.kind, 'approval');
    assert.equal((await listImageRequests()).length, 2);
  });

  for (const [name, args, pattern] of [
    ['a name for the file', { prompt: 'x', path: '../../x.sh' }, /path/u],
    [
      'an unknown model',
      { prompt: 'x', model: 'nobody' },
      /no image model called "nobody".*painter-turbo \(\$0\.01\)/u,
    ],
    ['an empty prompt', { prompt: ' ' }, /prompt is empty/u],
    ['a prompt that is too long', { prompt: 'x'.repeat(7_501) }, /takes 7500/u],
  ] as const) {
    test(`refuses ${name} before approval`, async () => {
      using fixture = await openChat();
      const { approval, runs } = await callGenerateImage(fixture, args, undefined);
      assert.equal(approval, undefined);
      assert.equal(runs[0]?.status, 'failed');
      assert.match(runs[0].output, pattern);
      assert.deepEqual(await listImageRequests(), []);
    });
  }

  test('writes no file for blocked content, and reports that the request was free', async () => {
    using fixture = await openChat();
    const { runs } = await callGenerateImage(
      fixture,
      { prompt: 'something forbidden' },
      allowOnceAnswer,
    );
    assert.equal(runs[0]?.status, 'failed');
    assert.match(runs[0].output, /content rules.*Nothing was charged/u);
    assert.equal(existsSync(imagesFolder), false);
  });

  for (const [title, fault, isCounted] of [
    ['counts a reply that breaks off as paid', { kind: 'end', afterBytes: 500 }, true],
    ['counts a reply that is not an image as paid', { kind: 'html' }, true],
    [
      'counts no cost when the service reports an insufficient balance',
      { kind: 'status', status: 402, body: { error: 'Insufficient balance' } },
      false,
    ],
  ] as const) {
    test(title, async () => {
      using fixture = await openChat();
      await control.injectFault({ match: { path: '/image/generate' }, fault });
      const { runs } = await callGenerateImage(fixture, { prompt: 'a red fox' }, allowOnceAnswer);
      assert.equal(runs[0]?.status, 'failed');
      assert.match(runs[0].output, /^No image was made\./u);
      assert.equal(runs[0].output.endsWith('It may have been charged.'), isCounted);
      assert.equal(
        (fixture.agents.getConversationAgent(fixture.chat.id).usage?.usd ?? 0) >= 0.01,
        isCounted,
      );
    });
  }

  test('is not available to the model in Ask mode', async () => {
    using fixture = await openChat();
    await fixture.chat.session.setMode('ask');
    const { runs } = await callGenerateImage(fixture, { prompt: 'a red fox' }, undefined);
    assert.match(runs[0]?.output ?? '', /no tool called generate_image/u);
  });
});

suite('the agent tools that change images', () => {
  for (const [name, args, route, text] of [
    ['edit_image', { image: 'fox.png', prompt: 'at night' }, '/image/edit', /\$[\s\S]*at night/u],
    [
      'combine_images',
      { images: ['fox.png', 'fox.png'], prompt: 'two foxes' },
      '/image/multi-edit',
      /\$[\s\S]*two foxes/u,
    ],
    ['upscale_image', { image: 'fox.png', scale: 2 }, '/image/upscale', /\$[\s\S]*Upscale 2×/u],
    [
      'remove_background',
      { image: 'fox.png' },
      '/image/background-remove',
      /Remove Image Background/u,
    ],
  ] as const) {
    test(`include ${name}, which shows the price in the approval, saves a new file, and sends nothing after a denial`, async () => {
      using fixture = await openChat();
      const source = join(root?.uri.fsPath ?? '', 'fox.png');
      writeFileSync(source, largePngBytes);
      const countSentRequests = async () =>
        (await control.getRequests()).filter(({ path }) => path.endsWith(route)).length;
      const deniedCall = await callImageTool(fixture, name, args, { answer: 'deny', reason: '' });
      assert.ok(deniedCall.approval?.kind === 'approval');
      assert.match(deniedCall.approval.preview.text, text);
      assert.match(deniedCall.approval.preview.text, /fox\.png/u);
      assert.equal(await countSentRequests(), 0);
      const { runs } = await callImageTool(fixture, name, args, allowOnceAnswer);
      assert.match(runs[0]?.output ?? '', /^Saved as images\//u);
      assert.equal(await countSentRequests(), 1);
      assert.deepEqual(readFileSync(source), largePngBytes, 'the source stays');
      const undoProblem = await undoLastTurn({
        agents: fixture.agents,
        session: fixture.chat.session,
      });
      assert.equal(undoProblem, undefined);
      assert.equal(existsSync(imagesFolder), false);
      rmSync(source);
    });
  }

  test('send a secret file or a link to a file outside the workspace only after approval of the path', async () => {
    using fixture = await openChat();
    const outsideFolder = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outsideFolder, 'fox.png'), largePngBytes);
    const linkPath = join(root?.uri.fsPath ?? '', 'link.png');
    symlinkSync(join(outsideFolder, 'fox.png'), linkPath);
    const { approval, runs } = await callImageTool(
      fixture,
      'upscale_image',
      { image: 'link.png' },
      { answer: 'deny', reason: '' },
    );
    assert.ok(approval === undefined || approval.kind === 'approval');
    assert.notEqual(runs[0]?.status, 'done');
    rmSync(linkPath);
    rmSync(outsideFolder, { recursive: true });
  });
});

suite('the image tool for agents of other extensions', () => {
  test('is registered in VS Code, but not among the tools of the extension’s own agent', async () => {
    const toolInfo = vscode.lm.tools.find(({ name }) => name === 'inferenceService_generateImage');
    assert.match(toolInfo?.description ?? '', /^Creates an image from a prompt/u);
    using fixture = await openChat();
    await control.addScripts({ steps: [{ content: 'Hi.' }] });
    await fixture.chat.session.send('Hello', []);
    const requests = await control.getRequests();
    const body = requests.find(({ path }) => path.endsWith('/chat/completions'))?.body;
    const { tools } = body as { tools: readonly ToolDefinition[] };
    const names = tools.map((tool) => tool.function.name);
    assert.ok(names.includes('generate_image'));
    assert.ok(!names.includes('inferenceService_generateImage'));
  });

  test('shows model, price and prompt to the user, and uses exactly these values', async () => {
    using fixture = await openChat();
    const { tool, choice } = await fixture.images.get();
    const input = { prompt: 'a [red](command:x) fox\n```\n# Free', negativePrompt: 'snow' };
    const preparedInvocation = await tool.prepareInvocation({ input });
    const { title, message } = preparedInvocation.confirmationMessages ?? {};
    assert.equal(title, 'Generate an image for $0.01?');
    assert.ok(message instanceof vscode.MarkdownString);
    assert.equal(message.isTrusted ?? false, false);
    assert.match(message.value, /Painter&nbsp;Turbo/u);
    assert.match(message.value, /````+text\na \[red\]\(command:x\) fox\n```\n# Free\n````+/u);
    const otherModel = choice.models.find(({ id }) => id === 'painter-studio');
    assert.ok(otherModel);
    await choice.storeChoice(otherModel, {});
    await tool.invoke(createInvocation(input), new vscode.CancellationTokenSource().token);
    const [request] = await listImageRequests();
    const body = request?.body as Record<string, unknown> | undefined;
    assert.equal(body?.['model'], 'painter-turbo');
  });

  test('runs the same call once per confirmation, with the confirmed model', async () => {
    using fixture = await openChat();
    const { tool, choice } = await fixture.images.get();
    const input = { prompt: 'a red fox' };
    const { token } = new vscode.CancellationTokenSource();
    await tool.prepareInvocation({ input });
    await tool.prepareInvocation({ input });
    const otherModel = choice.models.find(({ id }) => id === 'painter-studio');
    assert.ok(otherModel);
    await choice.storeChoice(otherModel, {});
    await tool.invoke(createInvocation(input), token);
    await tool.invoke(createInvocation(input), token);
    await assert.rejects(tool.invoke(createInvocation(input), token), /Call the tool again/u);
    const usedModels = (await listImageRequests()).map(
      ({ body }) => (body as { model: string }).model,
    );
    assert.deepEqual(usedModels, ['painter-turbo', 'painter-turbo']);
  });

  test('requires another confirmation for the same call after the settings changed', async () => {
    using fixture = await openChat();
    const { tool, choice } = await fixture.images.get();
    const input = { prompt: 'a red fox' };
    const { token } = new vscode.CancellationTokenSource();
    await tool.prepareInvocation({ input });
    const otherModel = choice.models.find(({ id }) => id === 'painter-studio');
    assert.ok(otherModel);
    await choice.storeChoice(otherModel, {});
    await tool.prepareInvocation({ input });
    await assert.rejects(tool.invoke(createInvocation(input), token), /Call the tool again/u);
    assert.deepEqual(await listImageRequests(), []);
    await tool.prepareInvocation({ input });
    await tool.invoke(createInvocation(input), token);
    const [request] = await listImageRequests();
    const body = request?.body as Record<string, unknown> | undefined;
    assert.equal(body?.['model'], 'painter-studio');
  });

  test('returns path, size, seed and image', async () => {
    using fixture = await openChat();
    const { tool } = await fixture.images.get();
    const { token } = new vscode.CancellationTokenSource();
    const input = { prompt: 'a red fox' };
    await tool.prepareInvocation({ input });
    const { content } = await tool.invoke(createInvocation(input), token);
    const [text, data] = content;
    assert.ok(text instanceof vscode.LanguageModelTextPart);
    assert.match(text.value, /^Saved as images\/a-red-fox-\d+\.webp \(256 × 256 pixels, seed \d+/u);
    assert.ok(data instanceof DataPart);
    assert.equal(data.mimeType, 'image/webp');
    const [name = ''] = readdirSync(imagesFolder);
    assert.deepEqual(Buffer.from(data.data), readFileSync(join(imagesFolder, name)));
  });

  test('writes nothing after cancellation', async () => {
    using fixture = await openChat();
    const { tool } = await fixture.images.get();
    const cancellation = new vscode.CancellationTokenSource();
    cancellation.cancel();
    const input = { prompt: 'a red fox' };
    await tool.prepareInvocation({ input });
    await assert.rejects(
      tool.invoke(createInvocation(input), cancellation.token),
      vscode.CancellationError,
    );
    assert.equal(existsSync(imagesFolder), false);
    assert.deepEqual(await listImageRequests(), []);
  });

  test('rejects invalid input with a message for the requesting model', async () => {
    using fixture = await openChat();
    const { tool } = await fixture.images.get();
    for (const input of [{}, { prompt: 7 }, { prompt: '' }]) {
      await assert.rejects(tool.prepareInvocation({ input }), /prompt is empty/u);
    }
  });

  test('does nothing in an untrusted workspace', async () => {
    using fixture = await openChat();
    using _ = simulateUntrustedWorkspace();
    const { tool } = await fixture.images.get();
    const input = { prompt: 'a red fox' };
    await assert.rejects(tool.prepareInvocation({ input }), /does not trust/u);
    const { token } = new vscode.CancellationTokenSource();
    await assert.rejects(tool.invoke(createInvocation(input), token), /does not trust/u);
    assert.deepEqual(await listImageRequests(), []);
  });
});

suite('chat with images', () => {
  test('lets the chat page load images from the gallery', async () => {
    using fixture = await openChat();
    const { page, host } = fixture;
    const folder = getGalleryFolder(host);
    const roots = page.options.localResourceRoots ?? [];
    assert.ok(roots.some((root) => root.toString() === folder.toString()));
    const stateMessage = page.receivedMessages.find(({ type }) => type === 'state-set');
    assert.ok(stateMessage?.type === 'state-set');
    assert.equal(stateMessage.state.generatedImagesUrl, page.asWebviewUri(folder).toString());
  });

  test('runs an image action only if the image is in the message that the page specifies', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    const turnEndPromise = page.waitForMessage('turn-end');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/image a red fox' });
    await turnEndPromise;
    await chat.session.waitUntilSettled();
    const answer = chat.session.conversation.head;
    assert.ok(answer?.role === 'assistant');
    const [image] = answer.images ?? [];
    assert.match(image?.caption ?? '', /^Painter Turbo · 256 × 256 · \$0\.01$/u);
    const actionMessage = { type: 'image-act', imageId: image?.id, action: 'save-file' };
    page.sendToHost({ ...actionMessage, messageId: answer.parentId });
    page.sendToHost({ ...actionMessage, messageId: answer.id, imageId: 'another' });
    const noticePromise = page.waitForMessage('notice-show');
    page.sendToHost({ ...actionMessage, messageId: answer.id });
    assert.match(JSON.stringify(await noticePromise), /Saved as images\/a-red-fox-\d+\.webp/u);
    assert.equal(readdirSync(imagesFolder).length, 1);
    assert.equal((await listImageRequests()).length, 1);
  });

  for (const [name, text, pattern] of [
    ['no prompt', '/image', /Describe the image/u],
    ['a prompt that is too long', `/image ${'x'.repeat(7_501)}`, /7501 of 7500/u],
  ] as const) {
    test(`returns an /image message with ${name} to the composer`, async () => {
      using fixture = await openChat();
      const { page, chat } = fixture;
      const [draftPromise, noticePromise] = [
        page.waitForMessage('draft-set'),
        page.waitForMessage('notice-show'),
      ];
      page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
      assert.deepEqual(await draftPromise, { type: 'draft-set', text, replace: false });
      assert.match(JSON.stringify(await noticePromise), pattern);
      assert.equal(chat.session.conversation.isEmpty, true);
    });
  }
});

suite('images pasted into Markdown', () => {
  test('are saved and described after a paste', async () => {
    using fixture = await openChat();
    const provider = new PastedImageProvider(fixture.host);
    const document = await openMarkdown();
    const [edit] = await provider.provideDocumentPasteEdits(
      document,
      [],
      createDataTransfer(pngBytes),
    );
    assert.equal(edit?.title, 'Insert image with alt text');
    assert.deepEqual(await listChatRequests(), [], 'an offer costs nothing');
    await provider.resolveDocumentPasteEdit(edit, createNeverCanceledToken());
    assert.match(
      getText(edit),
      /^!\[The image is a square PNG of .*\]\(images\/the-image-is-a-square-png[\p{L}\d-]*\.png\)$/u,
    );
    assert.ok(edit.additionalEdit);
    assert.ok(await vscode.workspace.applyEdit(edit.additionalEdit));
    const [name = ''] = readdirSync(imagesFolder);
    assert.deepEqual(readFileSync(join(imagesFolder, name)), pngBytes);
    const [request] = await listChatRequests();
    assert.equal((request?.body as { model?: string } | undefined)?.model, 'vision-plain-32b');
  });

  test('are saved and described after a drop', async () => {
    using fixture = await openChat();
    const provider = new PastedImageProvider(fixture.host);
    const document = await openMarkdown();
    const start = new vscode.Position(0, 0);
    const [edit] = await provider.provideDocumentDropEdits(
      document,
      start,
      createDataTransfer(pngBytes),
    );
    assert.ok(edit);
    await provider.resolveDocumentDropEdit(edit, createNeverCanceledToken());
    assert.match(getText(edit), /^!\[The image/u);
  });

  test('have an empty alternative text if no model can describe them', async () => {
    using fixture = await openChat();
    await control.injectFault({
      match: { path: '/chat/completions' },
      times: 10,
      fault: { kind: 'status', status: 400, body: { error: 'No.' } },
    });
    const provider = new PastedImageProvider(fixture.host);
    const [edit] = await provider.provideDocumentPasteEdits(
      await openMarkdown(),
      [],
      createDataTransfer(pngBytes),
    );
    assert.ok(edit);
    await provider.resolveDocumentPasteEdit(edit, createNeverCanceledToken());
    assert.equal(edit.insertText, '![](images/image.png)');
  });

  test('are not inserted if the user cancels', async () => {
    using fixture = await openChat();
    await control.injectFault({
      match: { path: '/chat/completions' },
      fault: { kind: 'hold', name: 'eye' },
    });
    const provider = new PastedImageProvider(fixture.host);
    const [edit] = await provider.provideDocumentPasteEdits(
      await openMarkdown(),
      [],
      createDataTransfer(pngBytes),
    );
    assert.ok(edit);
    const cancellation = new vscode.CancellationTokenSource();
    const resolvedEditPromise = provider.resolveDocumentPasteEdit(edit, cancellation.token);
    await control.waitForRequest(({ path }) => path.endsWith('/chat/completions'));
    cancellation.cancel();
    await resolvedEditPromise;
    await control.releasePause('eye');
    assert.equal(edit.insertText, '');
    assert.equal(edit.additionalEdit, undefined);
  });

  for (const [name, bytes] of [
    [
      'a drawing with the media type of PNG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    ],
    ['an image that was cut off', () => pngBytes.subarray(0, pngBytes.length - 20)],
    ['empty data', Buffer.alloc(0)],
  ] as const) {
    test(`are not offered for insertion when the clipboard contains ${name}`, async () => {
      using fixture = await openChat();
      const provider = new PastedImageProvider(fixture.host);
      const data = createDataTransfer(typeof bytes === 'function' ? bytes() : bytes);
      assert.deepEqual(
        await provider.provideDocumentPasteEdits(await openMarkdown(), [], data),
        [],
      );
    });
  }

  test('are not saved in an untrusted workspace', async () => {
    using fixture = await openChat();
    using _ = simulateUntrustedWorkspace();
    const provider = new PastedImageProvider(fixture.host);
    const edits = await provider.provideDocumentPasteEdits(
      await openMarkdown(),
      [],
      createDataTransfer(pngBytes),
    );
    assert.deepEqual(edits, []);
  });
});

const allowOnceAnswer: ApprovalAnswer = { answer: 'once' };

const createInvocation = (
  input: ImageToolInput,
): vscode.LanguageModelToolInvocationOptions<ImageToolInput> => ({
  input,
  toolInvocationToken: undefined,
});

async function openChat(model = 'assistant-large-480b'): Promise<ChatFixture> {
  await control.reset();
  await control.setResponsePace('instant');
  rmSync(imagesFolder, { recursive: true, force: true });
  const fixture = createChatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
  fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  await fixture.host.models.selectChatModel(model);
  const { choice } = await fixture.images.get();
  const painterModel = choice.models.find(({ id }) => id === 'painter-turbo');
  assert.ok(painterModel);
  await choice.storeChoice(painterModel, { width: 256, height: 256 });
  return fixture;
}

/** Makes the model call `generate_image`. Answers the approval prompt if `answer` is set. */
const callGenerateImage = (
  fixture: ChatFixture,
  args: Readonly<Record<string, string>>,
  answer: ApprovalAnswer | undefined,
) => callImageTool(fixture, 'generate_image', args, answer);

async function callImageTool(
  { chat, agents }: ChatFixture,
  name: string,
  args: Readonly<Record<string, Json>>,
  answer: ApprovalAnswer | undefined,
): Promise<{ readonly approval: PendingApproval | undefined; readonly runs: readonly ToolRun[] }> {
  const call = { name, arguments: args };
  await control.addScripts({ steps: [{ call }] }, { steps: [{ content: 'Done.' }] });
  const { pendingRequests } = agents.getConversationAgent(chat.id);
  let approval: PendingApproval | undefined;
  const subscription = pendingRequests.onDidChange(() => {
    const [pendingRequest] = pendingRequests.items;
    if (pendingRequest === undefined || approval !== undefined) return;
    approval = pendingRequest;
    if (answer === undefined) void chat.session.stop();
    else pendingRequests.answerApproval(pendingRequest.id, answer);
  });
  const messagesBefore = new Set(chat.session.conversation.listPath());
  await chat.session.send('Make it', []);
  subscription.dispose();
  const runs = chat.session.conversation
    .listPath()
    .filter((message) => !messagesBefore.has(message))
    .flatMap((message) => (message.role === 'assistant' ? message.toolRuns : []));
  return { approval, runs };
}

const listImageRequests = async () =>
  (await control.getRequests()).filter(({ path }) => path.endsWith('/image/generate'));

const listChatRequests = async () =>
  (await control.getRequests()).filter(({ path }) => path.endsWith('/chat/completions'));

const createNeverCanceledToken = (): vscode.CancellationToken =>
  new vscode.CancellationTokenSource().token;

const openMarkdown = (): Thenable<vscode.TextDocument> =>
  vscode.workspace.openTextDocument(
    vscode.Uri.joinPath(root?.uri ?? vscode.Uri.file('/'), 'README.md'),
  );

/** Creates the data transfer that VS Code would pass for a pasted image. */
function createDataTransfer(bytes: Buffer): vscode.DataTransfer {
  const item = new vscode.DataTransferItem('');
  item.asFile = () => ({ name: 'evil.svg', data: () => Promise.resolve(bytes) });
  const data = new vscode.DataTransfer();
  data.set('image/png', item);
  return data;
}

/** Returns a gray square as a PNG image. */
function createPng(side: number): Buffer {
  const createChunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [lengthBytes, checkBytes] = [Buffer.alloc(4), Buffer.alloc(4)];
    lengthBytes.writeUInt32BE(data.length);
    checkBytes.writeUInt32BE(crc32(body));
    return Buffer.concat([lengthBytes, body, checkBytes]);
  };
  const headerBytes = Buffer.alloc(13);
  headerBytes.writeUInt32BE(side, 0);
  headerBytes.writeUInt32BE(side, 4);
  headerBytes[8] = 8;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    createChunk('IHDR', headerBytes),
    createChunk(
      'IDAT',
      deflateSync(
        Buffer.alloc(side * (side + 1), 128).map((item, index) => (index % (side + 1) ? item : 0)),
      ),
    ),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
}

function getText({ insertText }: vscode.DocumentPasteEdit | vscode.DocumentDropEdit): string {
  assert.ok(typeof insertText === 'string');
  return insertText;
}
