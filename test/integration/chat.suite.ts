import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { parse } from 'valibot';
import { systemClock } from '../../src/base/clock.ts';
import { ChatSession } from '../../src/chat/chat-session.ts';
import { Chats } from '../../src/chat/vscode/chats.ts';
import { Conversation } from '../../src/conversation/conversation.ts';
import { SessionMessages } from '../../src/chat/vscode/session-messages.ts';
import { createWebviewHtml, createWebviewOptions } from '../../src/platform/webview-html.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import { type HostMessage, hostMessageSchema } from '../../src/chat/protocol/host-message.ts';
import type { ChatEvent } from '../../src/service/chat/chat-types.ts';
import { Control } from '../service/control.ts';
import { slowPath, startSlowRequest } from '../service/slow-request.ts';
import type { Fault } from '../service/control/faults.ts';
import { toBatches } from '../support/batches.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Dialogs } from './account-fixture.ts';
import { type ChatFixture, createChatFixture, FakePage } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signedInOptions = { environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } };

suite('chat', () => {
  test('has a content security policy that allows only scripts, styles and images of the extension', () => {
    const page = new FakePage();
    const extensionUri = vscode.Uri.file('/extension');
    const names = { title: 'Chat', script: 'main', style: 'style' };
    const render = (): string => createWebviewHtml(page, extensionUri, names);
    const [html, secondHtml] = [render(), render()];
    const { nonce = '', ...policy } = readPolicy(html);
    assert.deepEqual(policy, {
      'default-src': "'none'",
      'script-src': `'nonce-${nonce}'`,
      'style-src': page.cspSource,
      'font-src': page.cspSource,
      'img-src': `${page.cspSource} data: blob:`,
      'connect-src': "'none'",
      'frame-src': "'none'",
      'form-action': "'none'",
      'base-uri': "'none'",
    });
    const studioHtml = createWebviewHtml(page, extensionUri, { ...names, readsImages: true });
    assert.equal(
      readPolicy(studioHtml)['connect-src'],
      page.cspSource,
      'only for the image studio',
    );
    assert.ok(Buffer.from(nonce, 'base64url').length >= 16);
    assert.notEqual(readPolicy(secondHtml)['nonce'], nonce, 'a new one each time');
    const tags = [...html.matchAll(/<(?:script|link|img|iframe|style)\b[^>]*>/gu)].map(
      ([tag]) => tag,
    );
    assert.deepEqual(tags, [
      `<link rel="stylesheet" href="${page.cspSource}/extension/dist/webview/style.css">`,
      `<script type="module" nonce="${nonce}" src="${page.cspSource}/extension/dist/webview/main.js">`,
    ]);
    assert.match(html, /<meta http-equiv="x-dns-prefetch-control" content="off">/);
    assert.doesNotMatch(html, /\son\w+=|javascript:/i);
  });

  test('disables command links and forms on the page, and limits its file access to the extension’s web folders', () => {
    const { localResourceRoots = [], ...options } = createWebviewOptions(
      vscode.Uri.file('/extension'),
    );
    assert.deepEqual(options, {
      enableScripts: true,
      enableForms: false,
      enableCommandUris: false,
    });
    assert.deepEqual(
      localResourceRoots.map(({ path }) => path),
      ['/extension/dist/webview', '/extension/media'],
    );
  });

  test('drops and logs each malformed page message', async () => {
    using fixture = await openChat();
    using dialogs = new Dialogs();
    const { page, logLines } = fixture;
    const receivedCount = page.receivedMessages.length;
    const loggedCount = logLines.length;
    const hostileMessages: readonly unknown[] = [
      undefined,
      null,
      'turn-stop',
      [],
      { type: 'runCommand', command: 'workbench.action.terminal.new' },
      { type: 'approve', id: 'a1' },
      { type: 'constructor' },
      JSON.parse('{"type":"conversation-new","__proto__":{"admin":true}}'),
      JSON.parse('{"type":"conversation-new","constructor":{"prototype":{"admin":true}}}'),
      { type: 'action-run', messageId: null, action: 'workbench.action.quit' },
      { type: 'message-copy', messageId: '../../etc/passwd' },
      { type: 'attachment-add', source: '/etc/passwd' },
      { type: 'message-send', conversationId: 'c1', text: 'x'.repeat(2_000_001) },
    ];
    for (const message of hostileMessages) page.sendToHost(message);
    await fixture.chat.session.waitUntilSettled();
    assert.deepEqual([page.receivedMessages.length, dialogs.executedCommands], [receivedCount, []]);
    const droppedLines = logLines
      .slice(loggedCount)
      .filter((line) => line.includes('Could not read a message'));
    assert.equal(droppedLines.length, hostileMessages.length);
    assert.doesNotMatch(droppedLines.join(), /runCommand|passwd|xxx/);
    assert.equal(Reflect.get({}, 'admin'), undefined);
  });

  test('retries an answer with another model for this answer only, and keeps both answers', async () => {
    using fixture = await openChat();
    const { page, chat, host } = fixture;
    for (const content of ['One.', 'Two.', 'Three.'])
      await control.addScripts({ steps: [{ content }] });
    await sendMessage(fixture, 'Hello');
    const [, answer] = chat.session.conversation.listPath();
    const selectedId = host.models.chatModel?.id;
    const otherModel = host.models.models.find(
      ({ id, type }) => type === 'text' && id !== selectedId,
    );
    const turnEndPromise = page.waitForMessage('turn-end');
    page.sendToHost({ type: 'turn-retry', messageId: answer?.id, model: otherModel?.id });
    await turnEndPromise;
    await chat.session.waitUntilSettled();
    const retryMessage = page.receivedMessages.findLast(({ type }) => type === 'transcript-splice');
    assert.deepEqual(
      retryMessage?.type === 'transcript-splice' &&
        retryMessage.messages.map(({ model, branch }) => [model, branch]),
      [[otherModel?.name, { index: 1, count: 2 }]],
    );
    await sendMessage(fixture, 'And now?');
    const usedModels = (await listChatRequests()).map(
      ({ body }) => (body as { model: string }).model,
    );
    assert.deepEqual(usedModels, [selectedId, otherModel?.id, selectedId]);
  });

  test('keeps the model of each chat when the user selects models in other chats, and after a restart', async () => {
    using fixture = await openChat();
    await control.addScripts(
      { userMessage: 'One', steps: [{ content: 'First.' }, { hold: 'rest' }] },
      ...['Queued question', 'Three', 'Four'].map((userMessage) => ({
        userMessage,
        steps: [{ content: 'Done.' }],
      })),
    );
    const { page, chat, chats, chatWebview, host } = fixture;
    const [ownModel, otherModel] = host.models.models
      .filter(
        ({ id, type, offline }) =>
          type === 'text' && !offline && id !== getSelectedModelId(fixture),
      )
      .slice(0, 2);
    assert.ok(ownModel !== undefined && otherModel !== undefined);
    page.sendToHost({ type: 'model-select', id: ownModel.id });
    const answerStartPromise = page.waitForMessage('text-delta');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'One' });
    await answerStartPromise;
    const queueChangePromise = page.waitForMessage('queue-change');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'Queued question' });
    await queueChangePromise;
    const otherChat = chats.create();
    chatWebview.show(otherChat);
    page.sendToHost({ type: 'model-select', id: otherModel.id });
    await sendMessage({ page, chat: otherChat }, 'Three');
    await control.releasePause('rest');
    await control.waitForRequest(({ body }) =>
      (JSON.stringify(body) ?? '').includes('Queued question'),
    );
    await chat.session.waitUntilSettled();
    assert.deepEqual(await listRequestedModels(), [ownModel.id, otherModel.id, ownModel.id]);
    const statePromise = page.waitForMessage('state-set');
    chatWebview.show(chat);
    const state = await statePromise;
    assert.equal(state.type === 'state-set' && state.state.model?.id, ownModel.id);
    assert.equal(getSelectedModelId(fixture), otherModel.id);
    const restartedChats = new Chats(host, fixture.agents, fixture.images);
    const reopenedChat = await restartedChats.open(chat.id);
    await reopenedChat?.session.send('Four', []);
    assert.equal((await listRequestedModels()).at(-1), ownModel.id);
    await restartedChats.close();
  });

  test('ignores repeated page messages, and page messages about unknown items', async () => {
    using fixture = await openChat();
    await control.addScripts({ steps: [{ content: 'Once.' }] });
    await sendMessage(fixture, 'Hello');
    const { page, chat, host } = fixture;
    const [questionId, answerId] = chat.session.conversation.listPath().map(({ id }) => id);
    await vscode.env.clipboard.writeText('untouched');
    await control.reset();
    using dialogs = new Dialogs();
    const model = host.models.chatModel?.id;
    const pathBefore = JSON.stringify(chat.session.conversation.listPath());
    const { values } = fixture.context.globalState;
    const storedValues = [...values];
    const ignoredMessages = [
      { type: 'message-copy', messageId: 'nobody' },
      { type: 'message-edit', messageId: 'nobody', text: 'x' },
      { type: 'message-edit', messageId: answerId, text: 'x' },
      { type: 'turn-retry', messageId: 'nobody' },
      { type: 'turn-retry', messageId: questionId },
      { type: 'turn-retry', messageId: answerId, model: 'no-such-model' },
      { type: 'turn-continue', messageId: 'nobody' },
      { type: 'turn-continue', messageId: answerId },
      { type: 'branch-select', messageId: answerId, index: 7 },
      { type: 'attachment-remove', id: 'nobody' },
      { type: 'model-select', id: 'no-such-model' },
      { type: 'action-run', messageId: answerId, action: 'run-command' },
      { type: 'action-run', messageId: 'nobody', action: 'retry' },
    ];
    for (const message of [...ignoredMessages, ...ignoredMessages]) page.sendToHost(message);
    await chat.session.waitUntilSettled();
    assert.equal(JSON.stringify(chat.session.conversation.listPath()), pathBefore);
    assert.equal(await vscode.env.clipboard.readText(), 'untouched');
    assert.equal(host.models.chatModel?.id, model);
    assert.deepEqual([...values], storedValues);
    assert.deepEqual(dialogs.executedCommands, []);
    assert.deepEqual(await listChatRequests(), []);
  });

  test('opens a link on the page only if its target is a plain web address', async () => {
    using fixture = await openChat();
    const openedUrls: string[] = [];
    using _ = replaceProperty(vscode.env, 'openExternal', async (uri: vscode.Uri) => {
      openedUrls.push(uri.toString());
      return true;
    });
    const rejectedUrls = [
      'command:workbench.action.terminal.new',
      'vscode://x/y',
      'file:///etc/passwd',
      'javascript:alert(1)',
      '\\\\evil\\share',
      'https://service.test@evil.test/',
    ];
    for (const href of rejectedUrls) {
      const noticePromise = fixture.page.waitForMessage('notice-show');
      fixture.page.sendToHost({ type: 'link-open', href });
      await noticePromise;
    }
    assert.deepEqual(openedUrls, []);
    fixture.page.sendToHost({ type: 'link-open', href: 'https://docs.test/' });
    await Promise.resolve();
    assert.deepEqual(openedUrls, ['https://docs.test/']);
  });

  test('sends the messages one after the other if the page posts two messages at the same time', async () => {
    using fixture = await openChat();
    await control.addScripts(
      { userMessage: 'One', steps: [{ content: 'First.' }, { hold: 'rest' }] },
      { userMessage: 'Two', steps: [{ content: 'Second.' }] },
    );
    const { page, chat } = fixture;
    const queueChangePromise = page.waitForMessage('queue-change');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'One' });
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'Two' });
    assert.match(JSON.stringify(await queueChangePromise), /"text":"Two"/u);
    await control.waitForRequest(({ path }) => path.endsWith('/chat/completions'));
    assert.equal((await listChatRequests()).length, 1);
    const queueEmptyPromise = page.waitForMessage('queue-change');
    await control.releasePause('rest');
    await queueEmptyPromise;
    await page.waitForMessage('turn-end');
    const texts = chat.session.conversation.listPath().map(({ text }) => text);
    assert.deepEqual(texts, ['One', 'First.', 'Two', 'Second.']);
  });

  test('does not send queued messages after a stopped turn, and moves a queued message back to the composer on request', async () => {
    using fixture = await openChat();
    await control.addScripts({ steps: [{ content: 'First.' }, { hold: 'rest' }] });
    const { page, chat } = fixture;
    const answerStartPromise = page.waitForMessage('text-delta');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'One' });
    await answerStartPromise;
    const queueChangePromise = page.waitForMessage('queue-change');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'Two' });
    await queueChangePromise;
    await chat.session.stop();
    assert.equal((await listChatRequests()).length, 1);
    const [message] = chat.queue.messages;
    assert.equal(message?.text, 'Two');
    const draftPromise = page.waitForMessage('draft-set');
    page.sendToHost({ type: 'queue-act', id: message.id, action: 'edit' });
    assert.deepEqual(await draftPromise, { type: 'draft-set', text: 'Two', replace: false });
    assert.deepEqual(chat.queue.messages, []);
  });

  test('moves a queued message to the composer of a hidden page, and shows the message when the page loads again', async () => {
    using fixture = await openChat();
    const { page, chat, chatWebview } = fixture;
    chat.queue.addMessage({ id: 'q1', text: 'Two', attachments: [], isUrgent: false });
    chatWebview.onPageHidden();
    page.sendToHost({ type: 'queue-act', id: 'q1', action: 'edit' });
    assert.deepEqual(chat.queue.messages, []);
    const statePromise = page.waitForMessage('state-set');
    page.sendToHost({ type: 'ready', version: protocolVersion });
    const stateMessage = await statePromise;
    assert.ok(stateMessage.type === 'state-set');
    assert.equal(stateMessage.state.draft, 'Two');
  });

  test('ends the request when the user deletes the chat during an answer, and can restore the chat', async () => {
    using fixture = await openChat();
    await control.addScripts({ steps: [{ content: 'First words.' }, { hold: 'rest' }] });
    const { page, chat, chats } = fixture;
    const answerStartPromise = page.waitForMessage('text-delta');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'Hello' });
    await answerStartPromise;
    await startSlowRequest({ baseUrl: service.baseUrl, control });
    await chats.remove(chat.id);
    const request = await control.waitForRequest(
      ({ path, closedAt }) =>
        (path.endsWith('/chat/completions') || path.endsWith(slowPath)) && closedAt !== undefined,
    );
    assert.match(request.path, /\/chat\/completions$/u, 'the request for the answer closes first');
    assert.equal(request.abortedByClient, true, 'the held answer did not end by itself');
    assert.equal(await chats.open(chat.id), undefined);
    await chats.files.restore(chat.id);
    const reopenedChat = await chats.open(chat.id);
    const answer = reopenedChat?.session.conversation.head;
    assert.ok(answer?.role === 'assistant');
    assert.deepEqual([answer.text, answer.status], ['First words.', 'stopped']);
  });

  test('forwards an answer of 100,000 chunks to the page in few messages, which all match the message schema', async () => {
    const count = 100_000;
    const clock = new ManualClock();
    const hostMessages: HostMessage[] = [];
    const session = createSession(async function* () {
      for (let index = 0; index < count; index++) {
        yield { type: 'text-delta', text: 'word ' };
        if (index % 1_000 === 0) await clock.advance(17);
      }
      yield { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } };
    });
    const messages = new SessionMessages(session, clock, (message) => hostMessages.push(message));
    const startedAt = clock.now();
    await session.send('Go', []);
    const elapsedMs = clock.now() - startedAt;
    messages.dispose();
    const deltas = hostMessages.flatMap((message) =>
      message.type === 'text-delta' ? [message.text] : [],
    );
    assert.equal(deltas.join('').length, count * 5);
    assert.ok(deltas.length <= elapsedMs / 17 + 2, `${deltas.length} in ${elapsedMs} ms`);
    for (const message of hostMessages)
      assert.deepEqual(parse(hostMessageSchema, message), message);
  });

  const secret = `key ${service.apiKey}, Bearer ${service.apiKey}`;
  const createRefusalFault = (status: number): Fault => ({
    kind: 'status',
    status,
    body: { error: secret, request_id: service.apiKey },
    headers: { 'retry-after': '0.01', 'cf-ray': service.apiKey },
  });
  const page = { 'content-type': 'text/html' };
  const faults: readonly (readonly [string, Fault])[] = [
    ...[400, 401, 402, 403, 413, 415, 422, 429, 500, 503].map(
      (status) => [`status ${status}`, createRefusalFault(status)] as const,
    ),
    ['a refusal in plain text', { kind: 'status', status: 400, body: secret }],
    ['an HTML page', { kind: 'status', status: 200, body: `<p>${secret}</p>`, headers: page }],
    ['an error event with an object', { kind: 'error-event', shape: 'object', message: secret }],
    ['an error event with a string', { kind: 'error-event', shape: 'string', message: secret }],
    ['a named error event', { kind: 'error-event', shape: 'named', message: secret }],
    ['a redirect', { kind: 'redirect', to: `http://127.0.0.1:9/?${service.apiKey}` }],
    ['a connection reset', { kind: 'reset', afterBytes: 0 }],
  ];
  for (const [name, fault] of faults) {
    test(`does not expose the key in the page, the log or the storage after ${name}`, async () => {
      using fixture = await openChat();
      await control.injectFault({ match: { path: '/chat/completions' }, times: 3, fault });
      const endMessage = await sendMessage(fixture, 'Hello');
      assert.ok(endMessage.type === 'turn-end' && endMessage.failure !== null);
      await fixture.chats.close();
      const storedFiles = readFilesBelow(fixture.context.globalStorageUri.fsPath);
      assert.ok(storedFiles.some((text) => text.includes(endMessage.failure?.code ?? 'none')));
      const storedEntries = [...fixture.context.globalState.values];
      const texts = [
        ...fixture.page.receivedMessages,
        fixture.logLines,
        storedFiles,
        storedEntries,
      ].map((item) => JSON.stringify(item));
      for (const text of texts) assert.ok(!text.includes(service.apiKey), text);
      for (const message of fixture.page.receivedMessages) parse(hostMessageSchema, message);
    });
  }
});

/** Opens a chat. Resolves when its page has received the first `state-set` message. */
async function openChat(): Promise<ChatFixture> {
  await control.reset();
  await control.setResponsePace('instant');
  const fixture = createChatFixture(signedInOptions);
  fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  return fixture;
}

/** Sends the text as a message of the user. Resolves with the `turn-end` message that the page receives. */
function sendMessage(
  { page, chat }: Pick<ChatFixture, 'page' | 'chat'>,
  text: string,
): Promise<HostMessage> {
  const turnEndPromise = page.waitForMessage('turn-end');
  page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
  return turnEndPromise;
}

const listChatRequests = async () =>
  (await control.getRequests()).filter(({ path }) => path.endsWith('/chat/completions'));

const listRequestedModels = async (): Promise<readonly string[]> =>
  (await listChatRequests()).map(({ body }) => (body as { model: string }).model);

const getSelectedModelId = ({ host }: ChatFixture): string | undefined => host.models.chatModel?.id;

/** Returns the directives of the page's content security policy, and the nonce in it. */
function readPolicy(html: string): Record<string, string> {
  const policy = /Content-Security-Policy" content="(?<text>[^"]*)"/u.exec(html)?.groups?.['text'];
  const directives = (policy ?? '').split('; ').map((directive) => {
    const spaceIndex = directive.indexOf(' ');
    return [directive.slice(0, spaceIndex), directive.slice(spaceIndex + 1)];
  });
  const nonce = /'nonce-(?<nonce>[\w-]+)'/u.exec(policy ?? '')?.groups?.['nonce'] ?? '';
  return { ...Object.fromEntries(directives), nonce };
}

function createSession(stream: () => AsyncIterable<ChatEvent>): ChatSession {
  let idCount = 0;
  const start = { type: 'conversation-start', version: 1, id: 'c1', at: 0, folder: null } as const;
  return new ChatSession(new Conversation(start), {
    store: new MemoryStore(),
    clock: systemClock,
    createId: () => `m${++idCount}`,
    stream: async () => toBatches(stream()),
    getModel: () => ({ id: 'model-1', name: 'Model One' }),
    estimateCost: () => undefined,
    reportRequestOutcome: () => {},
    logError: () => {},
    onStoreFailure: () => {},
  });
}

function replaceProperty<T extends object>(owner: T, name: keyof T, value: unknown): Disposable {
  const originalValue = owner[name];
  Object.assign(owner, { [name]: value });
  return { [Symbol.dispose]: () => void Object.assign(owner, { [name]: originalValue }) };
}

const readFilesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));
