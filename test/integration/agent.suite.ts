import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { GrantScope } from '../../src/agent/permissions/grants.ts';
import type { Conversation } from '../../src/conversation/conversation.ts';
import { discoveryToolName } from '../../src/conversation/wrapped-call.ts';
import type { Json } from '../../src/base/json.ts';
import { estimateTokens } from '../../src/base/token-estimate.ts';
import { AgentRuntime } from '../../src/agent/vscode/agent-runtime.ts';
import { Agents } from '../../src/agent/vscode/agents.ts';
import { readAgentFiles, type AgentFiles } from '../../src/agent/vscode/read-agent-files.ts';
import { Chats } from '../../src/chat/vscode/chats.ts';
import { selectMode } from '../../src/chat/vscode/agent-messages.ts';
import { restoreToMessage, undoLastTurn } from '../../src/chat/vscode/decide-turn.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import type { ToolDefinition } from '../../src/service/chat/chat-types.ts';
import type { Script as ChatScript, ScriptStep } from '../service/chat/script.ts';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { Dialogs, withSettings } from './account-fixture.ts';
import { type ChatFixture, createChatFixture, createToolFactoryLoaders } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const modelId = 'assistant-large-480b';

suite('agent', () => {
  test('does not open the file of a tool call if the file is outside the workspace, and notifies the user', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    const calls = [
      { id: 't1', type: 'function', function: { name: 'read_file', arguments: '{}' } },
    ];
    await control.addScripts({ steps: [{ content: 'Hi.' }] });
    const turnEndPromise = page.waitForMessage('turn-end');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'Hello' });
    await turnEndPromise;
    const answer = chat.session.conversation.head;
    assert.ok(answer?.role === 'assistant');
    Object.assign(answer.result, { toolCalls: calls });
    const run = { callId: 't1', status: 'done', verb: 'Read', target: 'x', output: '' } as const;
    chat.session.conversation.applyRecord({
      type: 'tool-run',
      id: answer.id,
      run: { ...run, uri: 'file:///etc/hostname', readOnly: true, startedAt: 0 },
    });
    const noticePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'tool-open', messageId: answer.id, callId: 't1' });
    assert.match(JSON.stringify(await noticePromise), /outside the workspace/);
  });
});

suite('agent with tools', () => {
  for (const mode of ['agent', 'ask'] as const) {
    test(`lists the tools of ${mode} mode with the token cost of the sent definitions`, async () => {
      using fixture = await openChat();
      await selectMode({ agents: fixture.agents, session: fixture.chat.session }, mode);
      const sentTools = await sendAndListTools(fixture);
      using picker = new PickerProbe();
      const runtime = await fixture.agents.getRuntime();
      const configurationPromise = runtime.configureTools();
      await picker.waitForLabel(/read_file/u);
      const tokenCounts = sentTools.map((tool) => estimateTokens(JSON.stringify(tool)));
      for (const [index, tool] of sentTools.entries()) {
        // The discovery tool has no item. Its deferred tools have items, with the cost of their lines.
        if (tool.function.name === discoveryToolName) continue;
        const { description } = picker.findItem(tool.function.name);
        const costText = `${tokenCounts[index]?.toLocaleString()} tokens per request`;
        assert.equal(description, costText, tool.function.name);
      }
      const sumText = tokenCounts
        .reduce((total, tokenCount) => total + tokenCount, 0)
        .toLocaleString();
      const { title, selectedItems, items } = picker.quickPick;
      // The description of the discovery tool has a line for each deferred tool, after its first line.
      const discoveryTool = sentTools.find((tool) => tool.function.name === discoveryToolName);
      const deferredToolCount = (discoveryTool?.function.description?.split('\n').length ?? 1) - 1;
      const count = sentTools.length - 1 + deferredToolCount;
      assert.equal(title, `${count} tools, about ${sumText} tokens in each request`);
      const names = sentTools
        .map((tool) => tool.function.name)
        .filter((name) => name !== discoveryToolName);
      const selectedLabels = selectedItems.map(({ label }) => label);
      assert.deepEqual(
        names.filter((name) => !selectedLabels.includes(name)),
        [],
      );
      // Both modes let the user choose from all tools.
      assert.ok(items.some(({ label }) => label === 'run_command'));
      assert.equal(names.includes('run_command'), mode === 'agent');
      picker.quickPick.hide();
      await configurationPromise;
    });
  }

  for (const mode of ['agent', 'ask'] as const) {
    test(`counts the tools of ${mode} mode in the token estimate before the first message`, async () => {
      using fixture = await openChat();
      const { page, chat, agents } = fixture;
      await selectMode({ agents, session: chat.session }, mode);
      assert.equal(fixture.agents.getConversationAgent(chat.id).usage, undefined);
      const baseTokens = await getBaseTokenCount(fixture);
      await sendAndListTools(fixture);
      const answer = chat.session.conversation.head;
      assert.ok(answer?.role === 'assistant');
      const promptTokens = answer.result.usage?.promptTokens ?? 0;
      assert.ok(
        baseTokens > 1_000 && promptTokens < baseTokens * 1.5 && baseTokens < promptTokens * 1.5,
        `${baseTokens} ${promptTokens}`,
      );
      const contextChangePromise = page.waitForMessage(
        'context-change',
        (message) => message.type === 'context-change' && message.baseTokens !== baseTokens,
      );
      await selectMode({ agents, session: chat.session }, mode === 'ask' ? 'agent' : 'ask');
      await contextChangePromise;
    });
  }

  test('shows no token estimate if the tools cannot be loaded', async () => {
    using fixture = await openChat();
    Object.assign(fixture.agents.getConversationAgent(fixture.chat.id), {
      loadAgent: () => Promise.reject(new Error('No tools today')),
    });
    assert.equal(await getBaseTokenCount(fixture), 0);
  });

  test('counts no tools in the token estimate if a persona answers', async () => {
    using fixture = await openChat();
    const base = await getBaseTokenCount(fixture);
    const contextChangePromise = fixture.page.waitForMessage(
      'context-change',
      (message) => message.type === 'context-change' && (message.baseTokens ?? base) < base / 2,
    );
    await fixture.chat.session.setOptions({ character: { slug: 'a', name: 'A' } });
    await contextChangePromise;
  });

  test('applies the user’s tool selection from the next request on', async () => {
    using fixture = await openChat();
    const namesBefore = (await sendAndListTools(fixture)).map((tool) => tool.function.name);
    assert.ok(namesBefore.includes('read_file'));
    const runtime = await fixture.agents.getRuntime();
    await chooseTools(runtime, (labels) => labels.filter((label) => label !== 'read_file'));
    const remainingNames = (await sendAndListTools(fixture)).map((tool) => tool.function.name);
    assert.deepEqual(
      remainingNames,
      namesBefore.filter((name) => name !== 'read_file'),
    );
    await chooseTools(runtime, () => []);
    assert.deepEqual(await sendAndListTools(fixture), []);
    await chooseTools(runtime, (labels) => [...labels, 'read_file']);
    const sentNames = (await sendAndListTools(fixture)).map((tool) => tool.function.name);
    assert.deepEqual(sentNames, ['read_file']);
  });

  test('keeps the tool selection when the user dismisses the tool list', async () => {
    using fixture = await openChat();
    const toolsBefore = await sendAndListTools(fixture);
    using picker = new PickerProbe();
    const configurationPromise = (await fixture.agents.getRuntime()).configureTools();
    await picker.waitForLabel(/read_file/u);
    picker.selectItems([]);
    assert.equal(picker.quickPick.title, '0 tools, about 0 tokens in each request');
    picker.quickPick.hide();
    await configurationPromise;
    assert.deepEqual(await sendAndListTools(fixture), toolsBefore);
  });

  test('lists always-allowed tools, and requests approval again after the permission is revoked', async () => {
    using fixture = await openChat();
    using file = reserveFile();
    await createFileAndAnswer(fixture, file.path, 'always');
    assert.ok(existsSync(file.path));
    using picker = new PickerProbe();
    const configurationPromise = (await fixture.agents.getRuntime()).configureTools();
    await picker.waitForLabel(/read_file/u);
    assert.match(picker.findItem('create_file').description ?? '', /· always allowed$/);
    assert.deepEqual(picker.findItem('edit_file').buttons, []);
    picker.selectItems(picker.quickPick.items.slice(0, 3));
    await picker.pressItemButton(picker.findItem('create_file'), /Ask before each call again/);
    assert.doesNotMatch(picker.findItem('create_file').description ?? '', /allowed/);
    assert.equal(picker.quickPick.selectedItems.length, 3, 'what was ticked meanwhile stays');
    picker.quickPick.hide();
    await configurationPromise;
    rmSync(file.path);
    await createFileAndAnswer(fixture, file.path, 'deny');
    assert.equal(existsSync(file.path), false);
  });
});

suite('agent with instruction files', () => {
  test('reads the instruction files of the root folder, and the AGENTS.md file nearest to the visible file', async () => {
    using workspaceFolders = new WorkspaceFolders({
      'AGENTS.md': 'root',
      '.github/copilot-instructions.md': 'other',
      'a/AGENTS.md': 'a',
      'a/b/AGENTS.md': 'b',
      'a/b/c/x.ts': '',
      'd/AGENTS.md': ' \n',
      'a/.github/copilot-instructions.md': 'not at a root',
    });
    const rootInstructions = ['AGENTS.md: root', '.github/copilot-instructions.md: other'];
    for (const [visiblePath, expectedFiles] of [
      ['a/b/c/x.ts', ['a/b/AGENTS.md: b']],
      ['a/x.ts', ['a/AGENTS.md: a']],
      ['a/AGENTS.md', ['a/AGENTS.md: a']],
      ['d/x.ts', []],
      ['x.ts', []],
      ['../x.ts', []],
    ] as const) {
      assert.deepEqual(
        await workspaceFolders.readInstructions(['.'], visiblePath),
        [...rootInstructions, ...expectedFiles],
        visiblePath,
      );
    }
    assert.deepEqual(await workspaceFolders.readInstructions(['.'], undefined), rootInstructions);
    assert.deepEqual(await workspaceFolders.readInstructions(['.'], 'a/x.ts', false), []);
  });

  test('does not read instruction files through symbolic links, unless the workspace folder is such a link', async () => {
    using workspaceFolders = new WorkspaceFolders({
      'outside/AGENTS.md': 'outside',
      'outside/copilot-instructions.md': 'outside',
      'in/x.ts': '',
      'in/a/x.ts': '',
      'whole/AGENTS.md': 'whole',
    });
    workspaceFolders.createLink('outside/AGENTS.md', 'in/AGENTS.md');
    workspaceFolders.createLink('outside', 'in/.github');
    workspaceFolders.createLink('outside', 'in/linked');
    workspaceFolders.createLink('outside/AGENTS.md', 'in/a/AGENTS.md');
    workspaceFolders.createLink('whole', 'opened');
    for (const visiblePath of ['in/x.ts', 'in/linked/x.ts', 'in/a/x.ts']) {
      assert.deepEqual(
        await workspaceFolders.readInstructions(['in'], visiblePath),
        [],
        visiblePath,
      );
    }
    assert.deepEqual(await workspaceFolders.readInstructions(['opened'], 'opened/x.ts'), [
      'AGENTS.md: whole',
    ]);
  });

  test('labels the instruction files of several workspace folders with their folder names, without duplicates', async () => {
    using workspaceFolders = new WorkspaceFolders({
      'one/AGENTS.md': 'one',
      'one/a/AGENTS.md': 'a',
      'two/AGENTS.md': 'two',
      'one/inner/AGENTS.md': 'inner',
      'one/inner/b/AGENTS.md': 'b',
    });
    const rootInstructions = ['one/AGENTS.md: one', 'two/AGENTS.md: two'];
    assert.deepEqual(
      await workspaceFolders.readInstructions(['one', 'two'], 'two/x.ts'),
      rootInstructions,
    );
    assert.deepEqual(await workspaceFolders.readInstructions(['one', 'two'], 'one/a/x.ts'), [
      ...rootInstructions,
      'one/a/AGENTS.md: a',
    ]);
    // A workspace folder inside another workspace folder has separate instruction files.
    const nestedInstructions = ['one/AGENTS.md: one', 'inner/AGENTS.md: inner'];
    assert.deepEqual(
      await workspaceFolders.readInstructions(['one', 'one/inner'], 'one/inner/x.ts'),
      nestedInstructions,
    );
    assert.deepEqual(
      await workspaceFolders.readInstructions(['one', 'one/inner'], 'one/inner/b/x.ts'),
      [...nestedInstructions, 'inner/b/AGENTS.md: b'],
    );
  });
});

suite('agent with skills, custom agents and scoped instructions', () => {
  test('reads instructions, skills and agents from the workspace and the home folder, and reports malformed files with the line', async () => {
    using folders = new WorkspaceFolders({
      'app/AGENTS.md': 'shared',
      'app/CLAUDE.md': '@AGENTS.md',
      'app/.github/instructions/all.instructions.md': "---\napplyTo: '**'\n---\nall files",
      'app/.github/instructions/ts.instructions.md':
        '---\napplyTo: "src/**/*.ts,*.mts"\n---\ntyped',
      'app/.github/instructions/broken.instructions.md': '---\napplyTo: **\ndescription "x"\n---\n',
      'app/.github/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Fills forms\n---\nSteps',
      'app/.agents/skills/zip/SKILL.md': '---\nname: zip\ndescription: Packs files\n---\nSteps',
      'app/.claude/skills/bad/SKILL.md': '---\nname: bad\n---\nNo description',
      'app/.github/agents/reviewer.agent.md':
        "---\ndescription: Reviews\ntools: ['read', search]\nmodel: GPT-5\n---\nReview only.",
      'app/.claude/agents/tester.md': '---\nname: tester\ntools: Read, Bash\n---\nTest.',
      'app/.claude/agents/broken.md': '---\nname: "broken\n---\nTest.',
      'home/.agents/AGENTS.md': 'mine',
      'home/.claude/CLAUDE.md': 'also mine',
      'home/.claude/skills/mail/SKILL.md': '---\ndescription: >\n  Writes\n  mails\n---\nSteps',
      'outside/SKILL.md': '---\nname: leak\ndescription: outside\n---\n',
    });
    folders.createLink('outside', 'app/.github/skills/leak');
    folders.createLink('app/.agents/skills/zip', 'app/.claude/skills/zip');
    const agentFiles = await folders.readAllAgentFiles(['app'], {
      visiblePath: 'app/src/a/b.ts',
      home: 'home',
    });
    assert.deepEqual(
      agentFiles.instructions.map(({ label, text }) => `${label}: ${text}`),
      [
        '~/.agents/AGENTS.md: mine',
        '~/.claude/CLAUDE.md: also mine',
        'AGENTS.md: shared',
        '.github/instructions/all.instructions.md: all files',
        '.github/instructions/ts.instructions.md: typed',
      ],
    );
    assert.deepEqual(
      agentFiles.skills.map(({ name, description, path }) => [name, description, path]),
      [
        ['mail', 'Writes mails', folders.getAbsolutePath('home/.claude/skills/mail/SKILL.md')],
        ['pdf', 'Fills forms', '.github/skills/pdf/SKILL.md'],
        ['zip', 'Packs files', '.agents/skills/zip/SKILL.md'],
      ],
    );
    assert.deepEqual(
      agentFiles.agents.map(({ name, tools, models, instructions }) => [
        name,
        tools,
        models,
        instructions,
      ]),
      [
        ['reviewer', ['read', 'search'], ['GPT-5'], 'Review only.'],
        ['tester', ['Read', 'Bash'], [], 'Test.'],
      ],
    );
    assert.deepEqual(
      agentFiles.skippedFiles.map(({ label, line }) => `${label}:${line}`),
      [
        '.github/instructions/broken.instructions.md:3',
        '.claude/skills/bad/SKILL.md:1',
        '.claude/agents/broken.md:2',
      ],
    );
    const filesForOtherPath = await folders.readAllAgentFiles(['app'], {
      visiblePath: 'app/readme.txt',
    });
    assert.ok(!filesForOtherPath.instructions.some(({ text }) => text === 'typed'));
    assert.deepEqual(
      filesForOtherPath.skills.find(({ name }) => name === 'ts')?.description,
      'read it before you change src/**/*.ts,*.mts.',
    );
    assert.deepEqual(await folders.readAllAgentFiles(['app'], { isTrusted: false, home: 'home' }), {
      instructions: [],
      skills: [],
      agents: [],
      skippedFiles: [],
    });
  });
});

suite('chat with skills and custom agents', () => {
  test('loads a skill that the model requests, and sends only the tools of the chosen agent, or no tools if that agent is deleted', async () => {
    using files = new WorkspaceFiles({
      '.github/skills/tides/SKILL.md':
        '---\nname: tides\ndescription: Predicts tides\n---\nUse the harmonic method.',
      '.github/agents/reader.agent.md':
        '---\nname: reader\ntools: [read]\n---\nOnly read, and cite lines.',
    });
    using fixture = await openChat();
    const { chat } = fixture;
    const loadSkillTool = (await sendAndListTools(fixture)).find(
      (tool) => tool.function.name === 'load_skill',
    );
    assert.match(loadSkillTool?.function.description ?? '', /^tides: Predicts tides$/mu);
    const call = { name: 'load_skill', arguments: { name: 'tides' } };
    await control.addScripts({ steps: [{ call }] }, { steps: [{ content: 'Done.' }] });
    await chat.session.send('When is high tide?', []);
    const requests = await listChatRequests();
    assert.match(JSON.stringify(requests.at(-1)?.body), /Use the harmonic method/u);
    await chat.session.setOptions({ agent: 'reader' });
    const readerTools = (await sendAndListTools(fixture)).map((tool) => tool.function.name);
    assert.deepEqual(readerTools.toSorted(), [
      'get_problems',
      'list_directory',
      'load_skill',
      'read_file',
    ]);
    const [request] = await listChatRequests();
    assert.match(JSON.stringify(request?.body), /Only read, and cite lines/u);
    files.removeFile('.github/agents/reader.agent.md');
    // Must not depend on events of the file watcher, which misses some changes in new folders.
    assert.deepEqual(await sendAndListTools(fixture), []);
  });
});

suite('agent with recorded changes', () => {
  test('undoes a turn only after the turn has ended', async () => {
    using fixture = await openChat();
    using file = reserveFile();
    const { page, chat, agents } = fixture;
    const changesMessagePromise = page.waitForMessage('changes-put');
    const turnPromise = createFileAndAnswer(fixture, file.path, 'once', [{ hold: 'the rest' }]);
    await changesMessagePromise;
    const turnId = chat.session.conversation.listPath()[0]?.id ?? '';
    for (const decision of ['undo', 'reject', 'accept'] as const) {
      const noticePromise = page.waitForMessage('notice-show');
      page.sendToHost({ type: 'changes-decide', turnId, decision });
      assert.match(JSON.stringify(await noticePromise), /Wait for the answer, or stop it first/);
    }
    const decisionContext = { agents, session: chat.session };
    assert.match(
      (await undoLastTurn(decisionContext)) ?? '',
      /Wait for the answer, or stop it first/,
    );
    assert.ok(existsSync(file.path));
    await control.releasePause('the rest');
    await turnPromise;
    assert.equal(await undoLastTurn(decisionContext), undefined);
    assert.equal(existsSync(file.path), false);
  });
});

suite('restore to a message', () => {
  const create = (path: string, content: string): ScriptStep => ({
    call: { name: 'create_file', arguments: { path, content } },
  });
  const createEditStep = (path: string, search: string, replace: string): ScriptStep => ({
    call: { name: 'edit_file', arguments: { path, edits: [{ search, replace }] } },
  });

  /**
   * Runs three turns: the first creates a file, the second edits this file, and the third creates
   * another file.
   */
  async function runTurns(
    { chat }: ChatFixture,
    firstText: string,
    secondText: string,
  ): Promise<string[]> {
    chat.session.conversation.applyRecord({ type: 'permissions-set', level: 'applyEdits' });
    for (const [text, step] of [
      ['Make it', create(firstText, 'one\n')],
      ['Change it', createEditStep(firstText, 'one', 'two')],
      ['Make another', create(secondText, 'three\n')],
    ] as const) {
      await control.addScripts({ steps: [step] }, { steps: [{ content: 'Done.' }] });
      await chat.session.send(text, []);
    }
    return chat.session.conversation
      .listPath()
      .filter(({ role }) => role === 'user')
      .map(({ id }) => id);
  }

  const read = (path: string): string | undefined =>
    existsSync(path) ? readFileSync(path, 'utf8') : undefined;

  test('lists the files, restores the files and the chat in one action, and moves the message text into the composer', async () => {
    using fixture = await openChat();
    using firstFile = reserveFile();
    using secondFile = reserveFile();
    const { page, chat } = fixture;
    const ids = await runTurns(fixture, firstFile.path, secondFile.path);
    assert.deepEqual([read(firstFile.path), read(secondFile.path)], ['two\n', 'three\n']);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Restore');
    const draftPromise = page.waitForMessage('draft-set');
    const focusPromise = page.waitForMessage('composer-focus');
    page.sendToHost({ type: 'message-restore', messageId: ids[1] });
    assert.deepEqual(await draftPromise, { type: 'draft-set', text: 'Change it', replace: false });
    await focusPromise;
    assert.deepEqual([read(firstFile.path), read(secondFile.path)], ['one\n', undefined]);
    assert.deepEqual(
      chat.session.conversation.listPath().map(({ text }) => text),
      ['Make it', '', 'Done.'],
    );
    assert.match(dialogs.shownMessages.join(), /Restore the chat and its files .* Files: 2/);
    // The later messages remain as a branch of the next message.
    await control.addScripts({ steps: [{ content: 'Differently.' }] });
    await chat.session.send('Change it differently', []);
    const { conversation } = chat.session;
    const nextMessage = conversation.listPath()[3];
    assert.ok(nextMessage);
    assert.equal(conversation.listSiblingIds(nextMessage).length, 2);
  });

  test('empties the chat if the message is the first one, and the chat stays empty after a restart', async () => {
    using fixture = await openChat();
    using firstFile = reserveFile();
    using secondFile = reserveFile();
    const [id] = await runTurns(fixture, firstFile.path, secondFile.path);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Restore');
    const context = { agents: fixture.agents, session: fixture.chat.session };
    assert.deepEqual(await restoreToMessage(context, id ?? ''), {
      isRestored: true,
      notice: undefined,
    });
    assert.deepEqual([read(firstFile.path), read(secondFile.path)], [undefined, undefined]);
    await fixture.chat.session.waitUntilSettled();
    const storedConversation = await fixture.chats.files.load(fixture.chat.id);
    assert.deepEqual(storedConversation?.listPath(), []);
    assert.equal([...(storedConversation?.messages ?? [])].length, 9);
  });

  test('changes nothing if the user cancels, and shows a comparison of the files on request', async () => {
    using fixture = await openChat();
    using firstFile = reserveFile();
    using secondFile = reserveFile();
    const [id] = await runTurns(fixture, firstFile.path, secondFile.path);
    const context = { agents: fixture.agents, session: fixture.chat.session };
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Compare');
    assert.deepEqual(await restoreToMessage(context, id ?? ''), { isRestored: false });
    assert.ok(dialogs.executedCommands.includes('vscode.changes'));
    assert.deepEqual(await restoreToMessage(context, id ?? ''), { isRestored: false });
    assert.deepEqual([read(firstFile.path), read(secondFile.path)], ['two\n', 'three\n']);
    assert.equal(context.session.conversation.listPath().length, 9);
  });

  test('is rejected while a turn runs', async () => {
    using fixture = await openChat();
    const { chat, agents } = fixture;
    await control.addScripts({ steps: [{ hold: 'the rest' }, { content: 'Done.' }] });
    const turnPromise = chat.session.send('Wait', []);
    const context = { agents, session: chat.session };
    const outcome = await restoreToMessage(
      context,
      chat.session.conversation.listPath()[0]?.id ?? '',
    );
    assert.match(outcome.notice ?? '', /Wait for the answer, or stop it first/);
    await control.releasePause('the rest');
    await turnPromise;
  });
});

suite('agent module that is loaded on demand', () => {
  test('fails only the current answer if the tools cannot be loaded, and loads them again for the next answer', async () => {
    using fixture = await openChat();
    let shouldFail = true;
    using agents = toDisposable(
      new Agents(
        fixture.host,
        createToolFactoryLoaders(fixture.host, fixture.images),
        async (host, options) => {
          if (shouldFail) throw new Error('There is no such module.');
          return new AgentRuntime(host, options);
        },
      ),
    );
    using chats = toDisposable(new Chats(fixture.host, agents.value, fixture.images));
    const { session } = chats.value.create();
    await session.send('Hello', []);
    const { head } = session.conversation;
    assert.ok(head?.role === 'assistant');
    assert.equal(head.status, 'failed');
    assert.equal(head.result.failure?.code, 'internal-error');
    assert.match(fixture.logLines.join(), /There is no such module/);
    assert.deepEqual(await listChatRequests(), []);
    // Removing a conversation without tool calls does not load the agent.
    await agents.value.removeConversationData('another');
    shouldFail = false;
    await control.addScripts({ steps: [{ content: 'Hi.' }] });
    await session.retry(head.id);
    assert.equal(session.conversation.head?.text, 'Hi.');
  });

  for (const isLoaded of [false, true]) {
    test(`deletes the recorded changes of a removed conversation while the agent is ${isLoaded ? 'loaded' : 'not loaded'}`, async () => {
      using fixture = await openChat();
      const { agents, context } = fixture;
      const folder = join(context.globalStorageUri.fsPath, 'checkpoints');
      mkdirSync(join(folder, 'c1'), { recursive: true });
      if (isLoaded) await agents.getRuntime();
      const agentBefore = agents.getConversationAgent('c1');
      await agents.removeConversationData('c1');
      assert.deepEqual(
        ['c1', 'c1.deleted'].map((name) => existsSync(join(folder, name))),
        [false, true],
      );
      assert.notEqual(agents.getConversationAgent('c1'), agentBefore);
      await agents.restoreConversationData('c1');
      assert.ok(existsSync(join(folder, 'c1')));
    });
  }

  test('deletes the grants of a removed conversation', async () => {
    using fixture = await openChat();
    using file = reserveFile();
    await createFileAndAnswer(fixture, file.path, 'conversation');
    rmSync(file.path);
    const { agents, chats } = fixture;
    await chats.remove(fixture.chat.id);
    const chat = await chats.restore(fixture.chat.id);
    assert.ok(chat);
    await createFileAndAnswer({ agents, chat }, file.path, 'deny');
    assert.equal(existsSync(file.path), false);
  });
});

suite('a long turn of the agent', () => {
  const callsPerAnswer = 10;
  const getFileText = (answerNumber: number, index: number): string =>
    `${answerNumber}-${index} ${'ebb and flow '.repeat(20)}`;
  const listTodos = ({ todoList }: Conversation): readonly string[] =>
    todoList.items.map(({ text, status }) => `${text} ${status}`);
  const createTodos = (doneCount: number): readonly string[] =>
    Array.from({ length: 20 }, (_, part) => `Part ${part} ${part < doneCount ? 'done' : 'open'}`);

  /**
   * Returns a scripted answer that creates files with `answerNumber` in their names, and marks the first `doneCount`
   * items of the todo list as done.
   */
  const createAnswerScript = (answerNumber: number, doneCount: number): ChatScript => ({
    withTools: true,
    steps: [
      ...Array.from({ length: callsPerAnswer - 1 }, (_, index) => ({
        call: {
          name: 'create_file',
          arguments: {
            path: `long-run/${answerNumber}-${index}.txt`,
            content: getFileText(answerNumber, index),
          },
        },
      })),
      {
        call: {
          name: 'update_todos',
          arguments: {
            todos: Array.from({ length: 20 }, (_, index) => ({
              text: `Part ${index}`,
              status: index < doneCount ? 'done' : 'open',
            })),
          },
        },
      },
    ],
  });

  test('ends with the expected todo list, files and costs after 200 calls, summaries, a restart and two queued messages', async () => {
    using fixture = await openChat();
    const { chat, page, host, images } = fixture;
    const [root] = vscode.workspace.workspaceFolders ?? [];
    const folder = join(root?.uri.fsPath ?? '', 'long-run');
    using _files = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
    await control.changeModel({ model: modelId, contextTokens: 16_000 });
    await host.models.refreshForUser();
    await chat.session.setPermissionLevel('applyEdits');
    const parts = Array.from({ length: 20 }, (_, part) => createAnswerScript(part, part + 1));
    const question = { call: { name: 'ask_user', arguments: { question: 'Which coast?' } } };
    const createEndScript = (content: string): ChatScript => ({
      withTools: true,
      steps: [{ content }],
    });
    await control.addScripts(
      { withTools: true, steps: [{ content: 'I begin.' }, { hold: 'queued' }] },
      ...parts.slice(0, 8),
      { withTools: true, steps: [question] },
      ...parts.slice(8, 14),
      createEndScript('Second is done.'),
      ...parts.slice(14),
      createEndScript('Third is done.'),
    );
    let totalCost = 0;
    const sumCosts = (agents: Agents): void => {
      const agent = agents.getConversationAgent(chat.id);
      let turn = { requests: 0, cost: 0 };
      agent.onDidChangeUsage(() => {
        if (agent.usage === undefined) return;
        const { requests, usd, diem } = agent.usage;
        const isNewTurn = requests <= turn.requests;
        totalCost += usd + diem - (isNewTurn ? 0 : turn.cost);
        turn = { requests, cost: usd + diem };
      });
    };
    sumCosts(fixture.agents);

    const answerStartPromise = page.waitForMessage('text-delta');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'First' });
    await answerStartPromise;
    for (const text of ['Second', 'Third'])
      page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
    await eventually(async () => assert.equal(chat.queue.messages.length, 2));
    await control.releasePause('queued');
    await eventually(async () => {
      const [pendingRequest] = fixture.agents.getConversationAgent(chat.id).pendingRequests.items;
      assert.equal(pendingRequest?.kind, 'question');
    });
    await fixture.chats.close();

    using agents = toDisposable(new Agents(host, createToolFactoryLoaders(host, images)));
    using chats = toDisposable(new Chats(host, agents.value, images));
    sumCosts(agents.value);
    const reopenedChat = await chats.value.open(chat.id);
    assert.ok(reopenedChat);
    assert.deepEqual(
      reopenedChat.queue.messages.map(({ text }) => text),
      ['Third'],
    );
    const { session } = reopenedChat;
    assert.deepEqual(listTodos(session.conversation), createTodos(8));
    await session.continue(session.conversation.head?.id ?? '');
    await eventually(async () =>
      assert.equal(getLastText(session.conversation), 'Second is done.'),
    );
    await session.waitUntilSettled();
    // After a restart, a queued message waits for the user.
    const [thirdMessage] = reopenedChat.queue.messages;
    await chats.value.sendQueued(reopenedChat, thirdMessage?.id ?? '');
    await eventually(async () => assert.equal(getLastText(session.conversation), 'Third is done.'));
    await session.waitUntilSettled();

    assert.deepEqual(listTodos(session.conversation), createTodos(20));
    const files = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    );
    const expectedFiles = parts.flatMap((_, part) =>
      Array.from({ length: callsPerAnswer - 1 }, (_item, index) => [
        `${part}-${index}.txt`,
        getFileText(part, index),
      ]),
    );
    assert.deepEqual(files, Object.fromEntries(expectedFiles));
    const messages = session.conversation.listPath();
    const runs = messages.flatMap((item) => (item.role === 'assistant' ? item.toolRuns : []));
    assert.equal(runs.filter(({ status }) => status === 'done').length, 200);
    assert.ok(messages.some(({ id }) => session.conversation.findSummaryBefore(id) !== undefined));
    const questions = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    assert.deepEqual(questions, ['First', 'Second', 'Third']);
    const { charges } = await control.getAccounts();
    const chargedUsd = charges
      .filter((charge) => charge.modelId === modelId)
      .reduce((sum, { usd, diem, bundled }) => sum + usd + diem + bundled, 0);
    assert.ok(Math.abs(totalCost * 1e6 - chargedUsd) < 1_000, `${totalCost} ${chargedUsd}`);
  });
});

suite('delegated tasks', () => {
  const explorerModel = 'tools-swift-24b';

  /**
   * Scripts a turn in which the chat's model delegates a task to a second model. The second model reads the file at
   * `path`.
   */
  const addSearchScripts = (path: string): Promise<void> =>
    control.addScripts(
      {
        model: modelId,
        userMessage: 'Find it',
        steps: [{ call: { name: 'delegate', arguments: { task: 'Which words?' } } }],
      },
      {
        userMessage: 'Which words?',
        steps: [{ call: { name: 'read_file', arguments: { path } } }],
      },
      { afterResultOf: 'read_file', steps: [{ content: 'It reads "ebb".' }] },
      { model: modelId, afterResultOf: 'delegate', steps: [{ content: 'Ebb.' }] },
    );

  const findFirstRun = ({ session }: ChatFixture['chat']) =>
    session.conversation
      .listPath()
      .flatMap((message) => (message.role === 'assistant' ? message.toolRuns : []))
      .at(0);

  const listRequestedModels = async () =>
    (await listChatRequests()).map(({ body }) => (body as { model?: string }).model);

  test('run with the configured model, add their costs to the turn, and are restored after a restart', async () => {
    using fixture = await openChat();
    const { chat, page, agents } = fixture;
    const [root] = vscode.workspace.workspaceFolders ?? [];
    const file = join(root?.uri.fsPath ?? '', 'delegated.txt');
    writeFileSync(file, 'ebb\n');
    using _file = { [Symbol.dispose]: () => rmSync(file, { force: true }) };
    await addSearchScripts('delegated.txt');
    const settings = { 'inferenceService.agent.delegateModel': explorerModel };
    await withSettings(settings, () => chat.session.send('Find it', []));
    assert.deepEqual(await listRequestedModels(), [modelId, explorerModel, explorerModel, modelId]);
    assert.equal(getLastText(chat.session.conversation), 'Ebb.');
    const { usage } = agents.getConversationAgent(chat.id);
    assert.deepEqual([usage?.requests, usage?.calls], [4, 2]);
    const { charges } = await control.getAccounts();
    const chargedUsd = charges.reduce(
      (sum, { usd, diem, bundled }) => sum + usd + diem + bundled,
      0,
    );
    const countedCost = (usage?.usd ?? 0) + (usage?.diem ?? 0);
    assert.ok(Math.abs(countedCost * 1e6 - chargedUsd) < 100, `${countedCost} ${chargedUsd}`);
    const toolCallMessage = page.receivedMessages.findLast(
      (message) => message.type === 'tool-call-put',
    );
    assert.ok(toolCallMessage?.type === 'tool-call-put');
    assert.equal(toolCallMessage.call.delegated?.model, 'Tools Swift 24B');
    assert.deepEqual(
      toolCallMessage.call.delegated.steps.map(({ name, status }) => [name, status]),
      [['read_file', 'done']],
    );
    await fixture.chats.close();

    using chats = toDisposable(new Chats(fixture.host, agents, fixture.images));
    const reopenedChat = await chats.value.open(chat.id);
    assert.ok(reopenedChat);
    const run = findFirstRun(reopenedChat);
    assert.deepEqual(
      [run?.status, run?.output, run?.delegated?.steps.map(({ target }) => target)],
      ['done', 'It reads "ebb".', ['delegated.txt:1-1']],
    );
  });

  for (const [title, id] of [
    ['offers less privacy', 'reasoner-deep-235b'],
    ['does not exist', 'no-such-model'],
  ] as const) {
    test(`run with the model of the chat if the configured model ${title}`, async () => {
      using fixture = await openChat();
      await addSearchScripts('package.json');
      const settings = { 'inferenceService.agent.delegateModel': id };
      await withSettings(settings, () => fixture.chat.session.send('Find it', []));
      assert.deepEqual(await listRequestedModels(), [modelId, modelId, modelId, modelId]);
      assert.equal(findFirstRun(fixture.chat)?.delegated?.model, 'Assistant Large');
    });
  }

  test('show an approval for a secret file in the row of the task, and end when the user clicks Stop', async () => {
    using fixture = await openChat();
    const { chat, agents } = fixture;
    await addSearchScripts('.env');
    const { pendingRequests } = agents.getConversationAgent(chat.id);
    const turnPromise = chat.session.send('Find it', []);
    await eventually(async () => assert.equal(pendingRequests.items.length, 1));
    const [request] = pendingRequests.items;
    const { head } = chat.session.conversation;
    assert.deepEqual(
      [request?.kind, request?.messageId, request?.callId],
      ['approval', head?.id, findFirstRun(chat)?.callId],
    );
    await chat.session.stop();
    await turnPromise;
    assert.equal(pendingRequests.items.length, 0);
    assert.equal(findFirstRun(chat)?.status, 'cancelled');
    assert.equal((await listChatRequests()).length, 2);
  });

  test('do not continue after the connection changes', async () => {
    using fixture = await openChat();
    const { chat, host } = fixture;
    await addSearchScripts('.env');
    const { pendingRequests } = fixture.agents.getConversationAgent(chat.id);
    const delegateModel = { 'inferenceService.agent.delegateModel': explorerModel };
    const { sent: sendPromise } = await withSettings(delegateModel, async () => {
      const turnPromise = chat.session.send('Find it', []);
      await eventually(async () => assert.equal(pendingRequests.items.length, 1));
      return { sent: turnPromise };
    });
    const otherUrl = `${service.baseUrl.replace(/\/$/u, '')}/other`;
    // The model of the chat may continue with the new connection, but not the model of the task.
    await withSettings({ 'inferenceService.baseUrl': otherUrl }, async () => {
      await eventually(async () => assert.equal(host.account.profile.baseUrl, otherUrl));
      const [request] = pendingRequests.items;
      pendingRequests.answerApproval(request?.id ?? '', { answer: 'deny', reason: '' });
      await eventually(async () => assert.equal(findFirstRun(chat)?.status, 'failed'));
      await chat.session.stop();
      await sendPromise;
    });
    // The reason depends on whether the model list of the new address was requested before.
    assert.match(
      findFirstRun(chat)?.output ?? '',
      /The address of the service changed|has nothing at this address/u,
    );
    const requests = await control.getRequests();
    const sentToOtherService = requests
      .filter(({ body }) => (body as { model?: string } | undefined)?.model === explorerModel)
      .map(({ path }) => path.includes('/other/'));
    assert.deepEqual(sentToOtherService, [false]);
  });
});

suite('a fallback model', () => {
  const replacementModel = 'vision-plain-32b';
  const listRequestedModels = async () =>
    (await listChatRequests()).map(({ body }) => (body as { model?: string }).model);
  const injectModelFault = (status: number, body: Json) =>
    control.injectFault({
      match: { path: '/chat/completions', model: modelId },
      times: 10,
      fault: { kind: 'status', status, body, headers: { 'retry-after': '0.01' } },
    });

  test('is offered below a failed answer, and answers after a click', async () => {
    using fixture = await openChat();
    const { chat, page } = fixture;
    await injectModelFault(503, { error: 'The model is overloaded.' });
    await control.addScripts({ model: replacementModel, steps: [{ content: 'Here I am.' }] });
    const turnEndPromise = page.waitForMessage('turn-end');
    page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'Hello' });
    const turnEndMessage = await turnEndPromise;
    assert.ok(turnEndMessage.type === 'turn-end');
    assert.equal(turnEndMessage.failure?.code, 'overloaded');
    assert.deepEqual(turnEndMessage.failure.fallback, {
      id: replacementModel,
      name: 'Vision Plain 32B',
    });
    const retryEndPromise = page.waitForMessage('turn-end');
    const { messageId } = turnEndMessage;
    page.sendToHost({ type: 'turn-retry', messageId, model: turnEndMessage.failure.fallback?.id });
    await retryEndPromise;
    await chat.session.waitUntilSettled();
    assert.equal(getLastText(chat.session.conversation), 'Here I am.');
    assert.equal((await listRequestedModels()).at(-1), replacementModel);
  });

  test('answers without a click if the automatic fallback is on, with a notice that names both models', async () => {
    using fixture = await openChat();
    const { chat, page } = fixture;
    await injectModelFault(404, { error: { message: 'Specified model not found' } });
    await control.addScripts({ model: replacementModel, steps: [{ content: 'Here I am.' }] });
    await withSettings({ 'inferenceService.chat.automaticFallback': true }, () =>
      chat.session.send('Hello', []),
    );
    assert.deepEqual(await listRequestedModels(), [modelId, replacementModel]);
    assert.equal(getLastText(chat.session.conversation), 'Here I am.');
    const spliceMessage = page.receivedMessages.findLast(
      (message) => message.type === 'transcript-splice',
    );
    assert.ok(spliceMessage?.type === 'transcript-splice');
    assert.deepEqual(spliceMessage.messages.at(-1)?.notices, [
      'Vision Plain 32B answers instead of Assistant Large.',
    ]);
  });

  test('is not offered if it is more expensive than the failed model', async () => {
    using fixture = await openChat();
    await fixture.host.models.selectChatModel('coder-inline-7b');
    await control.injectFault({
      match: { path: '/chat/completions', model: 'coder-inline-7b' },
      times: 10,
      fault: { kind: 'status', status: 404, body: { error: 'Specified model not found' } },
    });
    await fixture.chat.session.send('Hello', []);
    const { head } = fixture.chat.session.conversation;
    assert.ok(head?.role === 'assistant');
    assert.equal(head.result.failure?.code, 'model-not-found');
    assert.equal(head.result.fallback, undefined);
  });
});

const getLastText = ({ head }: Conversation): string | undefined => head?.text;

async function openChat(): Promise<ChatFixture> {
  await control.reset();
  await control.setResponsePace('instant');
  const fixture = createChatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
  fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  await fixture.host.models.selectChatModel(modelId);
  return fixture;
}

/** Returns the estimated number of tokens in the next request, without those of the user's draft. */
async function getBaseTokenCount({ page, chat }: ChatFixture): Promise<number> {
  const countMessagePromise = page.waitForMessage(
    'context-change',
    (message) => message.type === 'context-change' && message.baseTokens !== null,
  );
  page.sendToHost({ type: 'draft-change', conversationId: chat.id, text: 'Hello' });
  const change = await countMessagePromise;
  assert.ok(change.type === 'context-change');
  return change.baseTokens ?? 0;
}

/** Sends a message. Returns the tool definitions in the request. Returns an empty array if it contains none. */
async function sendAndListTools({ page, chat }: ChatFixture): Promise<readonly ToolDefinition[]> {
  await control.reset();
  await control.addScripts({ steps: [{ content: 'Hi.' }] });
  const turnEndPromise = page.waitForMessage('turn-end');
  page.sendToHost({ type: 'message-send', conversationId: chat.id, text: 'Hello' });
  await turnEndPromise;
  await chat.session.waitUntilSettled();
  const [request] = await listChatRequests();
  const body = request?.body as { tools?: readonly ToolDefinition[] } | undefined;
  return body?.tools ?? [];
}

const listChatRequests = async () =>
  (await control.getRequests()).filter(({ path }) => path.endsWith('/chat/completions'));

/**
 * Opens the tool picker, and calls `change` with the names of the selected tools. Then selects exactly the tools that
 * `change` returns, and accepts the selection.
 */
async function chooseTools(
  runtime: AgentRuntime,
  change: (labels: readonly string[]) => readonly string[],
): Promise<void> {
  using picker = new PickerProbe();
  const configurationPromise = runtime.configureTools();
  await picker.waitForLabel(/read_file/u);
  const { items, selectedItems } = picker.quickPick;
  const labels = change(selectedItems.map(({ label }) => label));
  picker.selectItems(items.filter(({ label }) => labels.includes(label)));
  picker.acceptItems();
  await configurationPromise;
}

/**
 * Makes the model create a file in a chat whose permission level requires approval of changes. Answers the approval
 * prompt, and waits for the end of the turn.
 */
async function createFileAndAnswer(
  { chat, agents }: Pick<ChatFixture, 'chat' | 'agents'>,
  path: string,
  answer: 'once' | GrantScope | 'deny',
  remainingSteps: readonly ScriptStep[] = [],
): Promise<void> {
  const call = { name: 'create_file', arguments: { path, content: 'new\n' } };
  await control.addScripts(
    { steps: [{ call }] },
    { steps: [...remainingSteps, { content: 'Done.' }] },
  );
  chat.session.conversation.applyRecord({ type: 'permissions-set', level: 'ask' });
  const { pendingRequests } = agents.getConversationAgent(chat.id);
  const approvalRequestPromise = new Promise<string>((resolve) => {
    const subscription = pendingRequests.onDidChange(() => {
      const [first] = pendingRequests.items;
      if (first === undefined) return;
      subscription.dispose();
      resolve(first.id);
    });
  });
  const turnPromise = chat.session.send('Make it', []);
  pendingRequests.answerApproval(
    await approvalRequestPromise,
    answer === 'deny' ? { answer, reason: '' } : { answer },
  );
  await turnPromise;
}

/** Returns a path in the workspace at which no file exists. Disposal deletes the file at this path. */
function reserveFile(): Disposable & { readonly path: string } {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  const path = join(folder.uri.fsPath, `made-${fileCount++}.txt`);
  return { path, [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

let fileCount = 0;

const toDisposable = <T extends { dispose(): void }>(
  value: T,
): Disposable & { readonly value: T } => ({
  value,
  [Symbol.dispose]: () => value.dispose(),
});

/** Files in the open workspace folder, which disposal deletes. Dispose with `using`. */
class WorkspaceFiles implements Disposable {
  readonly #paths: readonly string[];

  constructor(files: Readonly<Record<string, string>>) {
    this.#paths = Object.keys(files);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(this.#getAbsolutePath(path)), { recursive: true });
      writeFileSync(this.#getAbsolutePath(path), text);
    }
  }

  removeFile(path: string): void {
    rmSync(this.#getAbsolutePath(path));
  }

  #getAbsolutePath(path: string): string {
    return join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', path);
  }

  [Symbol.dispose](): void {
    for (const path of this.#paths) rmSync(this.#getAbsolutePath(path), { force: true });
  }
}

/** Folder whose subfolders the tests use as workspace folders. Dispose with `using`. */
class WorkspaceFolders implements Disposable {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'inference-service-instructions-')));

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.#root, path)), { recursive: true });
      writeFileSync(join(this.#root, path), text);
    }
  }

  createLink(target: string, path: string): void {
    symlinkSync(join(this.#root, target), join(this.#root, path));
  }

  /**
   * Returns the instruction files that apply to requests while the file at `visiblePath` is open, each as `label:
   * text`.
   */
  async readInstructions(
    folders: readonly string[],
    visiblePath: string | undefined,
    isTrusted = true,
  ): Promise<string[]> {
    const { instructions } = await this.readAllAgentFiles(folders, { visiblePath, isTrusted });
    return instructions.map(({ label, text }) => `${label}: ${text}`);
  }

  /** Reads all instruction, skill and agent files. `home` replaces the user's home folder. */
  readAllAgentFiles(
    folders: readonly string[],
    options: { visiblePath?: string | undefined; isTrusted?: boolean; home?: string } = {},
  ): Promise<AgentFiles> {
    const { visiblePath, isTrusted = true, home } = options;
    const createFileUri = (path: string): vscode.Uri => vscode.Uri.file(join(this.#root, path));
    return readAgentFiles({
      folders: folders.map((path) => ({ uri: createFileUri(path), name: basename(path) })),
      isTrusted,
      visibleFile: visiblePath === undefined ? undefined : createFileUri(visiblePath),
      homeFolder: home === undefined ? undefined : createFileUri(home),
    });
  }

  getAbsolutePath(name: string): string {
    return join(this.#root, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true });
  }
}
