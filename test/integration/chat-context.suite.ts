import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import type { ContextSuggestion, ContextSearch } from '../../src/chat/protocol/composer.ts';
import {
  type TerminalEvents,
  TerminalWatch,
} from '../../src/chat/context/vscode/terminal-watch.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import { Control } from '../service/control.ts';
import { waitUntil, waitForEvent } from '../support/eventually.ts';
import { Dialogs } from './account-fixture.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signedInOptions = { environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } };

suite('chat with context', () => {
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of ['context', '.github'])
      rmSync(getAbsolutePath(name), { recursive: true, force: true });
  });

  test('suggests files, folders and attachment kinds that match the typed text', async () => {
    using fixture = await openChat({
      'context/alpha/quixotic-one.ts': 'export const one = 1;',
      'context/alpha/other.ts': 'export const other = 2;',
    });
    const kindSuggestions = await requestSuggestions(fixture, 'any', '');
    assert.ok(kindSuggestions.some(({ insert }) => insert === '#file:'));
    assert.ok(kindSuggestions.some(({ insert }) => insert === '#codebase'));
    const files = await requestSuggestions(fixture, 'file', 'quixo');
    assert.deepEqual(
      files.map(({ insert, detail }) => [insert, detail]),
      [['#file:quixotic-one.ts', 'context/alpha']],
    );
    const folderSuggestions = await requestSuggestions(fixture, 'folder', 'alpha');
    assert.equal(folderSuggestions[0]?.insert, '#folder:alpha');
    assert.deepEqual(
      await requestSuggestions(fixture, 'any', '314159265358979'),
      [],
      'a number is no mention',
    );
  });

  test('suggests an attachment kind that has no content only by its full name, and reports the missing content on selection', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.deepEqual(await requestSuggestions(fixture, 'any', 'selectio'), []);
    const [selectionSuggestion] = await requestSuggestions(fixture, 'any', 'Selection');
    const messagePromise = page.waitForMessage('notice-show');
    page.sendToHost({
      type: 'context-choose',
      id: selectionSuggestion?.id ?? '',
      text: '#selection',
    });
    assert.match(JSON.stringify(await messagePromise), /first\./u);
    assert.deepEqual(chat.attachments, []);
  });

  test('offers the active file as an attachment, unless it is secret, outside the workspace or untrusted', async () => {
    using fixture = await openChat({
      'context/tide.ts': 'export const tide = 1;',
      'context/other.ts': 'export const other = 2;',
      'context/.env': 'TOKEN=1',
    });
    const { page, chat } = fixture;
    const outsideFolder = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outsideFolder, 'outside.ts'), 'export {};');
    symlinkSync(join(outsideFolder, 'outside.ts'), getAbsolutePath('context/link.ts'));
    const readOfferedText = async (open: () => Thenable<unknown>): Promise<string | null> => {
      const changePromise = page.waitForMessage('active-file-change');
      await open();
      const message = await changePromise;
      return message.type === 'active-file-change' ? message.activeFile : 'none';
    };
    assert.equal(await readOfferedText(() => showFile('context/tide.ts')), 'context/tide.ts');
    assert.equal(await readOfferedText(() => showFile('context/.env')), null);
    assert.equal(await readOfferedText(() => showFile('context/other.ts')), 'context/other.ts');
    const outsideUri = vscode.Uri.file(join(outsideFolder, 'outside.ts'));
    assert.equal(await readOfferedText(() => vscode.window.showTextDocument(outsideUri)), null);
    assert.equal(await readOfferedText(() => showFile('context/tide.ts')), 'context/tide.ts');
    assert.equal(
      await readOfferedText(() => showFile('context/link.ts')),
      null,
      'a link out of the workspace',
    );
    assert.equal(await readOfferedText(() => showFile('context/tide.ts')), 'context/tide.ts');
    page.sendToHost({ type: 'active-file-attach', label: 'context/other.ts' });
    const attachmentsChangePromise = page.waitForMessage('attachments-change');
    page.sendToHost({ type: 'active-file-attach', label: 'context/tide.ts' });
    await attachmentsChangePromise;
    assert.deepEqual(
      chat.attachments.map(({ kind, label, text }) => [kind, label, text]),
      [['file', 'context/tide.ts', 'export const tide = 1;']],
    );
    using _ = simulateUntrustedWorkspace();
    assert.equal(await readOfferedText(() => showFile('context/other.ts')), null);
    rmSync(outsideFolder, { recursive: true });
  });

  test('suggests open editors first', async () => {
    using fixture = await openChat({
      'context/a/same.ts': 'a',
      'context/b/same.ts': 'b',
      'context/c/same.ts': 'c',
    });
    await showFile('context/b/same.ts');
    const [firstSuggestion] = await requestSuggestions(fixture, 'any', 'same');
    assert.equal(firstSuggestion?.detail, 'context/b');
  });

  test('returns suggestions only for the most recently typed text', async () => {
    using fixture = await openChat({ 'context/quixotic.ts': 'x' });
    const { page } = fixture;
    const receivedCount = page.receivedMessages.length;
    const suggestionsPromise = page.waitForMessage(
      'context-suggestions',
      (message) => message.type === 'context-suggestions' && message.request === 12,
    );
    for (const requestNumber of [10, 11, 12])
      page.sendToHost({
        type: 'context-search',
        request: requestNumber,
        kind: 'file',
        query: 'quixotic',
      });
    await suggestionsPromise;
    const requestNumbers = page.receivedMessages
      .slice(receivedCount)
      .flatMap((item) => (item.type === 'context-suggestions' ? [item.request] : []));
    assert.deepEqual(requestNumbers, [12]);
  });

  test('attaches the file names and texts of a folder, without secret and ignored files', async () => {
    using fixture = await openChat({
      'context/pack/read.ts': 'export const told = 1;',
      'context/pack/deep/more.ts': 'export const deeper = 2;',
      'context/pack/.env': 'TOKEN=verysecret',
      'context/pack/binary.bin': 'a\0b',
      'context/pack/.ignore': 'ignored.ts\n',
      'context/pack/ignored.ts': 'hidden by a rule',
    });
    const attachment = await chooseItem(fixture, 'folder', 'pack');
    assert.deepEqual([attachment.kind, attachment.label], ['folder', 'context/pack/']);
    for (const part of ['context/pack/read.ts', 'told = 1', 'deeper = 2'])
      assert.ok(attachment.text.includes(part), part);
    for (const part of ['verysecret', '.env', 'hidden by a rule', '\0'])
      assert.ok(!attachment.text.includes(part), part);
    assert.ok(listNotices(fixture).some((text) => text.includes('may hold secrets: 1')));
  });

  test('attaches the workspace lines that match the question', async () => {
    using fixture = await openChat({
      'context/retry.ts': '// first\nexport const quuxDelay = 5;\n// quux retries\n',
      'context/noise.ts': 'export const nothing = 0;\n',
      'context/.env': 'quuxDelay=verysecret',
    });
    const attachment = await chooseItem(
      fixture,
      'any',
      'codebase',
      'Where is quuxDelay set? #codebase',
    );
    assert.equal(attachment.kind, 'search');
    assert.ok(attachment.text.includes('context/retry.ts\n1: // first\n2: export const quuxDelay'));
    assert.ok(!attachment.text.includes('noise.ts') && !attachment.text.includes('verysecret'));
  });

  test('searches the workspace for the text after `#codebase` in a message', async () => {
    using fixture = await openChat({ 'context/late.ts': 'export const lateQuux = 1;\n' });
    const { page, chat } = fixture;
    const turnEndPromise = page.waitForMessage('turn-end');
    page.sendToHost({
      type: 'message-send',
      conversationId: chat.id,
      text: '#codebase what is lateQuux',
    });
    await turnEndPromise;
    assert.match(await getLastRequestText(), /lateQuux = 1/u);
  });

  test('attaches all lines of a symbol', async () => {
    using fixture = await openChat({
      // VS Code has no language service for text files that would delay the test.
      'context/symbol.txt':
        'export function quuxSum(): number {\n  return 41 + 1;\n}\nconst rest = 0;\n',
    });
    await showFile('context/symbol.txt');
    using _outline = registerOutline('quuxSum', new vscode.Range(0, 0, 2, 1));
    const attachment = await chooseItem(fixture, 'symbol', 'quuxSum');
    assert.deepEqual([attachment.kind, attachment.label], ['symbol', 'context/symbol.txt#quuxSum']);
    assert.ok(attachment.text.includes('return 41 + 1;\n}') && !attachment.text.includes('rest'));
  });

  test('attaches the problems of all files if the visible file has no problems', async () => {
    using fixture = await openChat({ 'context/bad.ts': 'let x = 1;' });
    using _problems = addProblem('context/bad.ts', 'x is never used');
    const attachment = await chooseItem(fixture, 'any', 'problems');
    assert.equal(attachment.kind, 'problems');
    assert.match(attachment.text, /context\/bad\.ts:1:5 error.*x is never used/u);
  });

  test('attaches the selection for /fix, and states the task to the model', async () => {
    using fixture = await openChat({ 'context/fix.ts': 'const wrong = 1;\nconst rest = 2;\n' });
    const editor = await showFile('context/fix.ts');
    editor.selection = new vscode.Selection(0, 0, 0, 16);
    const { page, chat } = fixture;
    const [fixSuggestion] = await requestSuggestions(fixture, 'command', 'fix');
    const attachment = await attachSuggestion(fixture, fixSuggestion?.id ?? '');
    assert.deepEqual([attachment.kind, attachment.text], ['selection', 'const wrong = 1;']);
    const turnEndPromise = page.waitForMessage('turn-end');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/fix quickly' });
    await turnEndPromise;
    const text = await getLastRequestText();
    assert.match(text, /Fix what is wrong in the attached code/u);
    assert.match(text, /const wrong = 1;/u);
    assert.match(text, /quickly/u);
    assert.equal(chat.session.conversation.listPath()[0]?.text, '/fix quickly');
  });

  test('returns a slash command without code to the composer, and shows the reason', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    const returnedDraftPromise = page.waitForMessage('draft-set');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/explain' });
    assert.deepEqual(await returnedDraftPromise, {
      type: 'draft-set',
      text: '/explain',
      replace: false,
    });
    assert.ok(chat.session.conversation.isEmpty);
  });

  test('shows the text of a workspace prompt to the user before sending', async () => {
    using fixture = await openChat({
      '.github/prompts/audit.prompt.md':
        '---\ndescription: Looks for holes\nmode: ask\n---\nAudit ${input:what}.\u200B',
      '.github/prompts/not a name.prompt.md': 'x',
    });
    const { page, chat } = fixture;
    const matches = await requestSuggestions(fixture, 'command', 'au');
    assert.deepEqual(
      matches.map(({ kind, label, detail }) => [kind, label, detail]),
      [['prompt', '/audit', 'Looks for holes']],
    );
    const draftPromise = page.waitForMessage('draft-set');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/audit the parser' });
    const text = 'Audit the parser.';
    assert.deepEqual(await draftPromise, { type: 'draft-set', text, replace: true });
    assert.ok(chat.session.conversation.isEmpty, 'nothing is sent');
  });

  test('fills a prompt file with the visible file, the selection and the user’s answers', async () => {
    using fixture = await openChat({
      '.github/prompts/port.prompt.md':
        'Port ${selection} of ${file} in ${fileDirname} (${fileBasenameNoExtension}, ${fileBasename}) ' +
        'from ${input:old} to ${input:new:a language}. ${HOME}',
      'context/deep/quay.test.ts': 'const quay = 1;\n',
    });
    const editor = await showFile('context/deep/quay.test.ts');
    editor.selection = new vscode.Selection(0, 0, 0, 15);
    const { page, chat } = fixture;
    using dialogs = new Dialogs('Perl', 'Rust');
    const draftPromise = page.waitForMessage('draft-set');
    const messagePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/port Keep names.' });
    const text =
      'Port context/deep/quay.test.ts:1 of context/deep/quay.test.ts in context/deep (quay.test, quay.test.ts) ' +
      'from Perl to Rust. ${HOME}\n\nKeep names.';
    assert.deepEqual(await draftPromise, { type: 'draft-set', text, replace: true });
    assert.deepEqual(
      dialogs.shownInputs.map(({ title, prompt, placeHolder }) => [title, prompt, placeHolder]),
      [
        ['/port (1/2)', 'old', ''],
        ['/port (2/2)', 'new', 'a language'],
      ],
    );
    assert.equal(chat.attachments[0]?.text, 'const quay = 1;');
    assert.doesNotMatch(JSON.stringify(await messagePromise), /Not filled in/u);
  });

  test('reports the variables of a prompt file that have no value, and lets the user fill them in', async () => {
    using fixture = await openChat({
      '.github/prompts/port.prompt.md':
        'Port ${selectedText} of ${file} from ${input:old} to ${input:new}.',
    });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const { page, chat } = fixture;
    using _dialogs = new Dialogs('Perl', undefined);
    const draftPromise = page.waitForMessage('draft-set');
    const messagePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/port' });
    const text = 'Port ${selectedText} of ${file} from Perl to ${input:new}.';
    assert.deepEqual(await draftPromise, { type: 'draft-set', text, replace: true });
    const missingVariables = '${selectedText}, ${file}, ${input:new}';
    assert.ok(JSON.stringify(await messagePromise).includes(`Not filled in: ${missingVariables}.`));
    assert.deepEqual(chat.attachments, []);
  });

  test('inserts only the current selection into a prompt file, not a previously attached selection', async () => {
    using fixture = await openChat({
      '.github/prompts/port.prompt.md': 'Port ${selection}.',
      'context/one.ts': 'const one = 1;\n',
    });
    const editor = await showFile('context/one.ts');
    editor.selection = new vscode.Selection(0, 0, 0, 14);
    const { page, chat, attach } = fixture;
    await attach.attachSource('selection', chat);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    const draftPromise = page.waitForMessage('draft-set');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/port' });
    const text = 'Port ${selection}.';
    assert.deepEqual(await draftPromise, { type: 'draft-set', text, replace: true });
  });

  test('inserts the name of a file outside the workspace into a prompt, but not its content', async () => {
    using fixture = await openChat({
      '.github/prompts/look.prompt.md': 'Look at ${file} in ${fileDirname}.',
    });
    const outsideFolder = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outsideFolder, 'notes.md'), 'x');
    await vscode.window.showTextDocument(vscode.Uri.file(join(outsideFolder, 'notes.md')));
    const { page, chat } = fixture;
    const draftPromise = page.waitForMessage('draft-set');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/look' });
    const text = 'Look at notes.md in ${fileDirname}.';
    assert.deepEqual(await draftPromise, { type: 'draft-set', text, replace: true });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(outsideFolder, { recursive: true });
  });

  test('does not attach the codebase if `#codebase` occurs only in a file name inserted by a prompt file', async () => {
    using fixture = await openChat({
      '.github/prompts/look.prompt.md': 'Look at #${fileBasename} please.',
      'context/codebase': 'x',
    });
    await showFile('context/codebase');
    const { page, chat } = fixture;
    const draftPromise = page.waitForMessage('draft-set');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/look' });
    const text = 'Look at codebase please.';
    assert.deepEqual(await draftPromise, { type: 'draft-set', text, replace: true });
  });

  test('switches to the mode and the model that a prompt file names', async () => {
    using fixture = await openChat({
      '.github/prompts/think.prompt.md': '---\nmode: ask\nmodel: reasoner-think-70b\n---\nThink.',
    });
    const { page, chat, host, agents } = fixture;
    assert.equal(agents.mode, 'agent');
    const messagePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/think' });
    assert.match(JSON.stringify(await messagePromise), /Switched to Ask, \S.*, as \/think asks/u);
    assert.equal(chat.session.conversation.mode, 'ask');
    assert.equal(host.models.chatModel?.id, 'reasoner-think-70b');
    assert.ok(chat.session.conversation.isEmpty, 'nothing is sent');
  });

  test('attaches the results for `#codebase` in an unsent prompt file, and does not send the results after the user detaches them', async () => {
    using fixture = await openChat({
      '.github/prompts/keys.prompt.md': '#codebase Where is quuxToken set?',
      'context/token.ts': 'export const quuxToken = 1;',
    });
    const { page, chat } = fixture;
    const attachmentsChangePromise = page.waitForMessage('attachments-change');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/keys' });
    await attachmentsChangePromise;
    assert.match(chat.attachments[0]?.text ?? '', /quuxToken = 1/u);
    assert.ok(chat.session.conversation.isEmpty, 'nothing is sent');
    chat.detach(chat.attachments[0]?.id ?? '');
    await sendText(fixture, 'codebase Where is quuxToken set?');
    assert.ok(
      !(await getLastRequestText()).includes('quuxToken = 1'),
      'what was taken away is not sent',
    );
  });

  test('attaches a secret file through a symbolic link only after confirmation', async () => {
    using fixture = await openChat({ 'context/.env': 'TOKEN=verysecret' });
    const { chat, attach } = fixture;
    symlinkSync(getAbsolutePath('context/.env'), getAbsolutePath('context/quixotic.txt'));
    const linkUri = vscode.Uri.file(getAbsolutePath('context/quixotic.txt'));
    using dialogs = new Dialogs();
    const [suggestion] = await requestSuggestions(fixture, 'file', 'quixotic.txt');
    assert.equal(suggestion, undefined, 'no list has links');
    const editor = await vscode.window.showTextDocument(linkUri);
    editor.selection = new vscode.Selection(0, 0, 0, 5);
    using _problems = addProblem('context/quixotic.txt', 'No value');
    for (const kind of ['file', 'selection', 'problems'] as const)
      assert.equal(await attach.attachByKind(kind, linkUri, chat), undefined);
    assert.equal(chat.attachments.length, 0);
    assert.equal(dialogs.shownMessages.length, 3);
    for (const message of dialogs.shownMessages) assert.match(message, /may hold secrets/u);
    dialogs.buttonsToPress.push('Send Anyway');
    await attach.attachByKind('file', linkUri, chat);
    assert.equal(chat.attachments[0]?.text, 'TOKEN=verysecret');
  });

  test('does not attach file names from a folder outside the workspace', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outsideFolder, 'outside-name.txt'), 'x');
    using fixture = await openChat({ 'context/in.ts': 'x' });
    symlinkSync(outsideFolder, getAbsolutePath('context/linked'));
    const { page, chat } = fixture;
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Attach');
    for (const path of [outsideFolder, getAbsolutePath('context/linked')]) {
      const rejectionNoticePromise = page.waitForMessage('notice-show');
      page.sendToHost({ type: 'context-drop', uris: [vscode.Uri.file(path).toString()] });
      assert.match(JSON.stringify(await rejectionNoticePromise), /no files that may be sent/u);
    }
    assert.deepEqual(chat.attachments, []);
    assert.equal(dialogs.shownMessages.length, 1, 'the link is one of the workspace by its name');
    rmSync(outsideFolder, { recursive: true });
  });

  test('does not suggest a prompt file that is a symbolic link', async () => {
    const outsideFile = join(tmpdir(), `outside-${process.pid}.prompt.md`);
    writeFileSync(outsideFile, 'Do what the outside says.');
    using fixture = await openChat({ '.github/prompts/own.prompt.md': 'Own.' });
    symlinkSync(outsideFile, getAbsolutePath('.github/prompts/evil.prompt.md'));
    const names = (await requestSuggestions(fixture, 'command', '')).map(({ label }) => label);
    assert.ok(names.includes('/own') && !names.includes('/evil'), names.join());
    rmSync(outsideFile);
  });

  test('compacts the chat on request', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    await sendText(fixture, 'First question');
    const firstNoticePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/compact' });
    assert.match(JSON.stringify(await firstNoticePromise), /nothing to summarize/u);
    await sendText(fixture, 'Second question');
    const messagePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/compact' });
    assert.match(JSON.stringify(await messagePromise), /gets a summary/u);
    const { conversation } = chat.session;
    const secondQuestion = conversation.listPath().find(({ text }) => text === 'Second question');
    assert.ok(conversation.findSummaryBefore(secondQuestion?.id ?? '') !== undefined);
    await sendText(fixture, 'Third question');
    const text = await getLastRequestText();
    assert.match(text, /in a summary that you wrote yourself/u);
    assert.ok(!text.includes('"content":"First question"'));
  });

  test('lists the parts of the context, and omits a removed file from requests until the user undoes the removal', async () => {
    using fixture = await openChat({
      'context/sea.ts': `export const seaDepth = 42;\n${'// deep\n'.repeat(400)}`,
    });
    const { page, chat } = fixture;
    const requestContextView = async (message: object) => {
      const replyPromise = page.waitForMessage('context-view');
      page.sendToHost(message);
      const view = await replyPromise;
      assert.ok(view.type === 'context-view');
      return view;
    };
    page.sendToHost({
      type: 'context-drop',
      uris: [vscode.Uri.file(getAbsolutePath('context/sea.ts')).toString()],
    });
    await waitUntil(() => chat.attachments.length === 1);
    await sendText(fixture, 'How deep is it?');
    const viewBefore = await requestContextView({ type: 'context-view-request' });
    const [largestItem] = viewBefore.items;
    assert.equal(largestItem?.label, 'context/sea.ts');
    assert.ok(
      viewBefore.parts.files > 400 && viewBefore.parts.system > 0 && viewBefore.parts.tools > 0,
    );
    const removeMessage = {
      ...{ type: 'context-remove', messageId: largestItem.messageId, item: largestItem.id },
    };
    const viewAfter = await requestContextView({ ...removeMessage, isRemoved: true });
    assert.ok(viewAfter.parts.files < 100);
    assert.deepEqual(viewAfter.items.at(-1), {
      ...viewAfter.items.at(-1),
      ...{ label: 'context/sea.ts', isRemoved: true },
    });
    await sendText(fixture, 'And without it?');
    assert.doesNotMatch(await getLastRequestText(), /seaDepth/u);
    assert.match(await getLastRequestText(), /The user removed this attachment/u);
    const restoredView = await requestContextView({ ...removeMessage, isRemoved: false });
    assert.ok(restoredView.parts.files > 400);
    await sendText(fixture, 'And with it?');
    assert.match(await getLastRequestText(), /seaDepth/u);
  });

  test('attaches a dropped file as a file and a dropped folder as a folder', async () => {
    using fixture = await openChat({ 'context/drop/in.ts': 'export const dropped = 1;' });
    const { page, chat } = fixture;
    const uris = ['context/drop', 'context/drop/in.ts'].map((path) =>
      vscode.Uri.file(getAbsolutePath(path)).toString(),
    );
    const ignoredTexts = ['not an address', 'https://x.example/'];
    const messagePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'context-drop', uris: ignoredTexts });
    assert.match(JSON.stringify(await messagePromise), /Only files and folders/u);
    page.sendToHost({ type: 'context-drop', uris: [...uris, ...ignoredTexts] });
    await waitForEvent(() => chat.attachments.length === 2, chat.onDidChangeAttachments);
    assert.deepEqual(chat.attachments.map(({ kind }) => kind).toSorted(), ['file', 'folder']);
  });

  test('attaches items dropped from outside the workspace only after confirmation', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'outside-'));
    for (const name of ['plain.txt', 'id_rsa']) writeFileSync(join(outsideFolder, name), name);
    using fixture = await openChat({ 'context/in.ts': 'export const inside = 1;' });
    const { page, chat } = fixture;
    const listLabels = (): string[] => chat.attachments.map(({ label }) => label);
    const uris = [
      vscode.Uri.file(join(outsideFolder, 'plain.txt')).toString(),
      // This path looks like a workspace path.
      `file://${getAbsolutePath('')}/${relative(getAbsolutePath(''), join(outsideFolder, 'id_rsa'))}`,
      vscode.Uri.file(getAbsolutePath('context/in.ts')).toString(),
    ];
    const dropFiles = async (): Promise<void> => {
      page.sendToHost({ type: 'context-drop', uris });
      await waitForEvent(() => listLabels().includes('context/in.ts'), chat.onDidChangeAttachments);
    };
    using dialogs = new Dialogs();
    await dropFiles();
    assert.deepEqual(listLabels(), ['context/in.ts']);
    chat.takeAttachments();
    dialogs.buttonsToPress.push('Attach');
    await dropFiles();
    assert.deepEqual(listLabels(), ['plain.txt', 'context/in.ts']);
    const question = 'Attach what lies outside of the workspace?';
    const secret = 'id_rsa may hold secrets. It would be sent to the service.';
    assert.deepEqual(dialogs.shownMessages, [question, question, secret]);
    rmSync(outsideFolder, { recursive: true });
  });

  test('attaches the changes of a repository, except for changes in secret files', async () => {
    using fixture = await openChat({ 'context/repo/kept.ts': 'const before = 1;\n' });
    using _dialogs = new Dialogs();
    const repository = await openRepository('context/repo');
    writeWorkspaceFile('context/repo/kept.ts', 'const after = 2;\n');
    writeWorkspaceFile('context/repo/.env', 'TOKEN=verysecret\n');
    runGit('context/repo', 'add', '-A');
    await repository.status();
    await showFile('context/repo/kept.ts');
    const attachment = await chooseItem(fixture, 'any', 'changes');
    assert.equal(attachment.kind, 'changes');
    assert.match(attachment.text, /\+const after = 2;/u);
    assert.ok(!attachment.text.includes('verysecret'));
  });

  test('attaches the staged changes for /commit, and copies the answer into the commit message box', async () => {
    using fixture = await openChat({ 'context/repo2/kept.ts': 'const before = 1;\n' });
    const repository = await openRepository('context/repo2');
    writeWorkspaceFile('context/repo2/kept.ts', 'const after = 2;\n');
    await showFile('context/repo2/kept.ts');
    const { page, chat } = fixture;
    const noticePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: '/commit' });
    assert.match(JSON.stringify(await noticePromise), /Nothing is staged/u);
    runGit('context/repo2', 'add', '-A');
    await repository.status();
    await control.addScripts({ steps: [{ content: 'Here it is:\n```\nSay after\n```' }] });
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Use as Commit Message');
    await sendText(fixture, '/commit');
    const sentRequest = await getLastRequestText();
    assert.match(sentRequest, /\+const after = 2;/u);
    // The prompt equals the prompt of the commit message button and includes the repository's
    // style.
    assert.match(sentRequest, /style of the last commits[\s\S]*First/u);
    await waitUntil(() => repository.inputBox.value === 'Say after');
  });

  test('attaches the last terminal command without control sequences and up to a size limit', async () => {
    const terminals = new FakeTerminals();
    using watch = toDisposable(new TerminalWatch(terminals));
    assert.ok('refusal' in watch.gatherLastCommand());
    const buildCommand = terminals.runCommand('npm run build', [
      '\u001B[31mred\u001B[0m\u200B',
      '\u0007 end',
    ]);
    await waitUntil(() => getTerminalText(watch.gatherLastCommand()).includes('end'));
    assert.match(getTerminalText(watch.gatherLastCommand()), /still runs/u);
    buildCommand.end(2);
    assert.equal(
      getTerminalText(watch.gatherLastCommand()),
      '$ npm run build\nred end\n[It ended with exit code 2.]',
    );
    const longCommand = terminals.runCommand(
      'yes',
      Array.from({ length: 400 }, () => 'y'.repeat(1_000)),
    );
    await waitUntil(() => getTerminalText(watch.gatherLastCommand()).includes('left out'));
    assert.ok(getTerminalText(watch.gatherLastCommand()).length < 31_000);
    terminals.closeTerminal(longCommand.terminal);
    assert.ok('refusal' in watch.gatherLastCommand(), 'what was closed is forgotten');
    using _ = simulateUntrustedWorkspace();
    terminals.runCommand('env', ['SECRET']);
    assert.ok('refusal' in watch.gatherLastCommand());
  });

  test('suggests and attaches no workspace content in an untrusted workspace', async () => {
    using fixture = await openChat({
      'context/some.ts': 'x',
      '.github/prompts/own.prompt.md': 'Own.',
    });
    const [file] = await requestSuggestions(fixture, 'file', 'some');
    using _ = simulateUntrustedWorkspace();
    const { page, chat } = fixture;
    const suggestionsMessagePromise = page.waitForMessage('context-suggestions');
    assert.deepEqual(await requestSuggestions(fixture, 'any', ''), []);
    assert.match(JSON.stringify(await suggestionsMessagePromise), /until you trust the workspace/u);
    const commands = await requestSuggestions(fixture, 'command', '');
    const names = commands.map(({ label }) => label);
    assert.ok(names.includes('/compact'));
    for (const name of ['/explain', '/fix', '/tests', '/doc', '/commit', '/own'])
      assert.ok(!names.includes(name), name);
    const rejectionNoticePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'context-choose', id: file?.id ?? '', text: '' });
    assert.match(JSON.stringify(await rejectionNoticePromise), /until you trust the workspace/u);
    const dropNoticePromise = page.waitForMessage('notice-show');
    page.sendToHost({
      type: 'context-drop',
      uris: [vscode.Uri.file(getAbsolutePath('context/some.ts')).toString()],
    });
    assert.match(JSON.stringify(await dropNoticePromise), /until you trust the workspace/u);
    assert.deepEqual(chat.attachments, []);
  });

  test('sends no workspace content with a message in an untrusted workspace', async () => {
    using fixture = await openChat({
      'context/some.ts': 'export const quuxSome = 1;',
      '.github/prompts/own.prompt.md': 'Own words.',
    });
    using _ = simulateUntrustedWorkspace();
    const { page, chat } = fixture;
    const editor = await showFile('context/some.ts');
    editor.selection = new vscode.Selection(0, 0, 0, 12);
    for (const text of ['/explain', '/fix', '/commit']) {
      const returnedDraftPromise = page.waitForMessage('draft-set');
      page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
      assert.deepEqual(await returnedDraftPromise, { type: 'draft-set', text, replace: false });
    }
    for (const text of ['/own', '/doc of this', '#codebase What is quuxSome?']) {
      await sendText(fixture, text);
      assert.doesNotMatch(await getLastRequestText(), /export const|Own words/u, text);
    }
  });
});

async function openChat(files: Readonly<Record<string, string>> = {}): Promise<ChatFixture> {
  for (const [path, text] of Object.entries(files)) writeWorkspaceFile(path, text);
  await control.reset();
  await control.setResponsePace('instant');
  const fixture = createChatFixture(signedInOptions);
  fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  return fixture;
}

const getAbsolutePath = (path: string): string =>
  join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', path);

function writeWorkspaceFile(path: string, text: string): void {
  mkdirSync(dirname(getAbsolutePath(path)), { recursive: true });
  writeFileSync(getAbsolutePath(path), text);
}

const showFile = (path: string): Thenable<vscode.TextEditor> =>
  vscode.window.showTextDocument(vscode.Uri.file(getAbsolutePath(path)));

let lastRequestNumber = 100;

async function requestSuggestions(
  { page }: ChatFixture,
  kind: ContextSearch['kind'],
  query: string,
): Promise<readonly ContextSuggestion[]> {
  lastRequestNumber += 1;
  const requestId = lastRequestNumber;
  const suggestionsPromise = page.waitForMessage(
    'context-suggestions',
    (item) => item.type === 'context-suggestions' && item.request === requestId,
  );
  page.sendToHost({ type: 'context-search', request: requestId, kind, query });
  const message = await suggestionsPromise;
  return message.type === 'context-suggestions' ? message.suggestions : [];
}

/** Selects the first item in the list of suggested attachments. Returns the attachment that this selection adds. */
async function chooseItem(
  fixture: ChatFixture,
  kind: ContextSearch['kind'],
  query: string,
  text = '',
): Promise<ChatFixture['chat']['attachments'][number]> {
  const [firstSuggestion] = await requestSuggestions(fixture, kind, query);
  assert.ok(firstSuggestion, `${kind} ${query} is offered`);
  return attachSuggestion(fixture, firstSuggestion.id, text);
}

async function attachSuggestion(
  { page, chat }: ChatFixture,
  id: string,
  text = '',
): Promise<ChatFixture['chat']['attachments'][number]> {
  const attachmentsChangePromise = page.waitForMessage('attachments-change');
  page.sendToHost({ type: 'context-choose', id, text });
  await attachmentsChangePromise;
  const attachment = chat.attachments.at(-1);
  assert.ok(attachment);
  return attachment;
}

async function sendText({ page, chat }: ChatFixture, text: string): Promise<void> {
  const turnEndPromise = page.waitForMessage('turn-end');
  page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
  await turnEndPromise;
  await chat.session.waitUntilSettled();
}

/** Registers a symbol provider that returns the same symbol for every file. */
function registerOutline(name: string, range: vscode.Range): Disposable {
  const symbol = new vscode.DocumentSymbol(name, '', vscode.SymbolKind.Function, range, range);
  const provider = { provideDocumentSymbols: () => [symbol] };
  const registration = vscode.languages.registerDocumentSymbolProvider(
    { scheme: 'file' },
    provider,
  );
  return { [Symbol.dispose]: () => void registration.dispose() };
}

function addProblem(path: string, message: string): Disposable {
  const problems = vscode.languages.createDiagnosticCollection('chat-context');
  const range = new vscode.Range(0, 4, 0, 5);
  problems.set(vscode.Uri.file(getAbsolutePath(path)), [new vscode.Diagnostic(range, message)]);
  return { [Symbol.dispose]: () => problems.dispose() };
}

const listNotices = ({ page }: ChatFixture): readonly string[] =>
  page.receivedMessages.flatMap((item) => (item.type === 'notice-show' ? [item.text] : []));

/** Returns the body of the last chat request as JSON text. */
async function getLastRequestText(): Promise<string> {
  const requests = await control.getRequests();
  const lastRequest = requests.findLast(({ path }) => path.endsWith('/chat/completions'));
  const body: unknown = lastRequest?.body;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function runGit(folder: string, ...args: readonly string[]): void {
  const identityArgs = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test'];
  execFileSync('git', [...identityArgs, ...args], {
    cwd: getAbsolutePath(folder),
    stdio: 'ignore',
  });
}

interface Repository {
  readonly inputBox: { readonly value: string };
  status(): Promise<void>;
}

async function openRepository(folder: string): Promise<Repository> {
  runGit(folder, 'init');
  runGit(folder, 'add', '-A');
  runGit(folder, 'commit', '-m', 'First');
  const extension = vscode.extensions.getExtension<{
    getAPI(version: 1): {
      openRepository(uri: vscode.Uri): Promise<Repository | null>;
    };
  }>('vscode.git');
  const api = (await extension?.activate())?.getAPI(1);
  const repository = await api?.openRepository(vscode.Uri.file(getAbsolutePath(folder)));
  assert.ok(repository, 'the repository is open');
  return repository;
}

const getTerminalText = (terminalOutput: ReturnType<TerminalWatch['gatherLastCommand']>): string =>
  'text' in terminalOutput ? terminalOutput.text : terminalOutput.refusal;

const toDisposable = <T extends { dispose(): void }>(disposable: T): T & Disposable =>
  Object.assign(disposable, { [Symbol.dispose]: () => disposable.dispose() });

/** Simulates terminals that report every command that they run, as shell integration does. */
class FakeTerminals implements TerminalEvents {
  readonly activeTerminal = undefined;
  readonly #onDidStartEmitter = new vscode.EventEmitter<vscode.TerminalShellExecutionStartEvent>();
  readonly #onDidEndEmitter = new vscode.EventEmitter<vscode.TerminalShellExecutionEndEvent>();
  readonly #onDidCloseEmitter = new vscode.EventEmitter<vscode.Terminal>();
  readonly onDidStartTerminalShellExecution = this.#onDidStartEmitter.event;
  readonly onDidEndTerminalShellExecution = this.#onDidEndEmitter.event;
  readonly onDidCloseTerminal = this.#onDidCloseEmitter.event;
  readonly #terminal = {} as vscode.Terminal;

  runCommand(command: string, outputLines: readonly string[]) {
    const terminal = this.#terminal;
    const execution = {
      commandLine: { value: command },
      async *read() {
        yield* outputLines;
      },
    } as unknown as vscode.TerminalShellExecution;
    const shellIntegration = {} as vscode.TerminalShellIntegration;
    this.#onDidStartEmitter.fire({ terminal, shellIntegration, execution });
    return {
      terminal,
      end: (exitCode: number) =>
        this.#onDidEndEmitter.fire({ terminal, shellIntegration, execution, exitCode }),
    };
  }

  closeTerminal(terminal: vscode.Terminal): void {
    this.#onDidCloseEmitter.fire(terminal);
  }
}
