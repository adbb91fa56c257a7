import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { setup, suite, suiteSetup, suiteTeardown, test } from 'mocha';
import * as vscode from 'vscode';
import { type CommandContext, commands as table } from '../../src/commands.ts';
import { InlineProvider } from '../../src/completion/vscode/inline-provider.ts';
import { takeSnapshotForEditor } from '../../src/completion/vscode/take-snapshot.ts';
import {
  createCompletionLinks,
  createCompletionRows,
  getCompletionIcon,
} from '../../src/completion/vscode/status-rows.ts';
import {
  getSetting,
  setChoice,
  setSetting,
  setVsCodeSetting,
} from '../../src/platform/settings.ts';
import { Control } from '../service/control.ts';
import type { RecordedRequest } from '../service/control/request-log.ts';
import { Dialogs, withSettings } from './account-fixture.ts';
import {
  requestFromProvider,
  type CompletionFixture,
  createCompletionFixture,
  type CursorPosition,
} from './completion-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';
import { eventually } from '../support/eventually.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signedInOptions = { environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } };
const enabledSettings = { 'inferenceService.completion.enabled': true };
const commandPrefix = 'inferenceService.completion';
const sumCode = 'function sum(a: number, b: number): number {\n  |\n}\n';

suite('inline completion', () => {
  // The setting also enables the installed extension, which VS Code must not query.
  suiteSetup(() => setVsCodeSetting('editor.inlineSuggest.enabled', false));
  suiteTeardown(() => setVsCodeSetting('editor.inlineSuggest.enabled', undefined));
  setup(() => control.reset());

  test('registers no provider and sends no request until the user consents', async () => {
    using fixture = await createCompletionFixture(signedInOptions);
    const cursor = await fixture.openAtCursor('sum.ts', sumCode);
    assert.equal(fixture.suggestions.state, 'off');
    assert.equal(fixture.providers.registrations.size, 0);
    assert.deepEqual(await fixture.requestSuggestions(cursor), []);
    assert.deepEqual(await control.getRequests(), []);
  });

  test('suggests the model’s continuation in a file, with one request per cursor position', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(createAnswerScript('return a + b;'));
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      const [item, ...otherItems] = await fixture.requestSuggestions(cursor);
      assert.deepEqual([getInsertedText(item), otherItems], ['return a + b;', []]);
      assert.ok(item?.range?.isEqual(new vscode.Range(cursor.position, cursor.position)));
      await fixture.requestSuggestions(cursor);
      const [request, ...otherRequests] = await listSuggestionRequests();
      assert.deepEqual(otherRequests, [], 'the second time without a request');
      assert.equal(getRequestedModel(request), 'coder-inline-7b');
    }));

  test('suggests only the lines before a placeholder for omitted code', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(createAnswerScript('const sum = a + b;\n  // ... rest of code'));
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      assert.deepEqual(await requestTexts(fixture, cursor), ['const sum = a + b;']);
    }));

  test('suggests a continuation that the scripted model copies from code after the cursor', () =>
    withSuggestions(async (fixture) => {
      const suffix = 'const total = prices.reduce((sum, price) => sum + price, 0);';
      const prefix = 'const cost = prices.reduce((s|';
      const cursor = await fixture.openAtCursor(
        'prices.ts',
        `${prefix}\n\nlet rest = 0;\n${suffix}\n`,
      );
      const [item] = await fixture.requestSuggestions(cursor);
      assert.ok(item, JSON.stringify(fixture.suggestions.runtime?.getLastAttempt(cursor.document)));
      assert.match(getInsertedText(item), /^um, price\) => sum \+ price, 0\);/);
    }));

  test('suggests in a new document and in a notebook cell', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(createAnswerScript('return a + b;', 2));
      const content = 'def total(a, b):\n    ';
      const untitledDocument = await vscode.workspace.openTextDocument({
        language: 'python',
        content,
      });
      assert.deepEqual(await requestTexts(fixture, createCursorAtEnd(untitledDocument)), [
        'return a + b;',
      ]);
      const { Code } = vscode.NotebookCellKind;
      const cells = [new vscode.NotebookCellData(Code, content.replace('total', 'sum'), 'python')];
      const data = new vscode.NotebookData(cells);
      const notebook = await vscode.workspace.openNotebookDocument('jupyter-notebook', data);
      assert.deepEqual(
        await requestTexts(fixture, createCursorAtEnd(notebook.cellAt(0).document)),
        ['return a + b;'],
      );
    }));

  test('registers for files, untitled documents and notebooks, and for no other URI scheme', () =>
    withSuggestions(async (fixture) => {
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      assert.ok(fixture.providers.findProvider(cursor.document));
      for (const scheme of ['output', 'git', 'comment', 'vscode-scm', 'vscode-userdata']) {
        const document = await createDocument(scheme);
        assert.equal(fixture.providers.findProvider(document), undefined, scheme);
      }
      const plainDocument = await vscode.workspace.openTextDocument({
        language: 'plaintext',
        content: '',
      });
      assert.equal(
        fixture.providers.findProvider(plainDocument),
        undefined,
        'plain text is off by default',
      );
    }));

  test('returns several suggestions when the user requests them', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(
        createAnswerScript('return a + b;'),
        createAnswerScript('return b + a;'),
        createAnswerScript('const c = a + b;'),
      );
      const items = await fixture.requestSuggestions(
        await fixture.openAtCursor('sum.ts', sumCode),
        {
          isExplicit: true,
        },
      );
      const expectedSuggestions = ['const c = a + b;', 'return a + b;', 'return b + a;'];
      assert.deepEqual(items.map(getInsertedText).toSorted(), expectedSuggestions);
      assert.equal((await listSuggestionRequests()).length, 3);
    }));

  test('shows the reason in the status bar when a manual request returns no suggestion', () =>
    withSuggestions(async (fixture) => {
      let cursor = await fixture.openAtCursor('sum.ts', sumCode);
      await vscode.window.showTextDocument(cursor.document);
      const statusTexts: string[] = [];
      const { executeCommand } = vscode.commands;
      const { setStatusBarMessage } = vscode.window;
      Object.assign(vscode.commands, {
        executeCommand: () => fixture.requestSuggestions(cursor, { isExplicit: true }),
      });
      Object.assign(vscode.window, {
        setStatusBarMessage: (text: string) => statusTexts.push(text),
      });
      try {
        await control.addScripts(createAnswerScript('return a + b;', 3));
        await runCommand(fixture, 'trigger');
        assert.deepEqual(statusTexts, [], 'there is a suggestion');
        cursor = await fixture.openAtCursor('other.ts', sumCode);
        await vscode.window.showTextDocument(cursor.document);
        await control.addScripts(createAnswerScript('   \n', 3));
        await runCommand(fixture, 'trigger');
        assert.deepEqual(statusTexts, ['The model had nothing to add here.']);
      } finally {
        Object.assign(vscode.commands, { executeCommand });
        Object.assign(vscode.window, { setStatusBarMessage });
      }
    }));

  test('continues the item selected in the suggestion list', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(createAnswerScript('(a + b);'));
      const { document, position } = await fixture.openAtCursor(
        'log.ts',
        'const a = 1;\nconsole.l|\n',
      );
      const range = new vscode.Range(position.translate(0, -1), position);
      const items = await fixture.requestSuggestions(
        { document, position },
        { selectedCompletion: { range, text: 'log' } },
      );
      assert.deepEqual(items.map(getInsertedText), ['log(a + b);']);
      assert.ok(items[0]?.range?.isEqual(range));
      assert.match(JSON.stringify((await listSuggestionRequests())[0]?.body), /console\.log/);
      const selectedLines = { range, text: 'log(\n)' };
      assert.deepEqual(
        await fixture.requestSuggestions(
          { document, position },
          { selectedCompletion: selectedLines },
        ),
        [],
      );
    }));

  test('replaces as much text after the cursor as the suggestion specifies, within one line', async () => {
    using fixture = await createCompletionFixture();
    const cursor = await fixture.openAtCursor('call.ts', 'function f() {\n  sum(|)\n}\n');
    const suggestions = [{ id: 7, text: 'a, b);', replaceLength: 1 }];
    const provider = new InlineProvider({
      pipeline: { provide: async () => ({ suggestions, source: 'cached' }) },
      nextEdits: emptyNextEdits,
      getBlockingCause: async () => undefined,
      getSnapshotAt: takeSnapshotForEditor,
      onAttempt: () => {},
      onSuggest: () => {},
    });
    const { line, character } = cursor.position;
    const [item] = await requestFromProvider(provider, cursor);
    assert.ok(item?.range?.isEqual(new vscode.Range(line, character, line, character + 1)));
    const range = new vscode.Range(line, character - 4, line, character);
    const [longerItem] = await requestFromProvider(provider, cursor, {
      selectedCompletion: { range, text: 'sum(' },
    });
    assert.equal(getInsertedText(longerItem), 'sum(a, b);');
    assert.ok(longerItem?.range?.isEqual(new vscode.Range(range.start, range.end.translate(0, 1))));
  });

  test('shows a predicted next edit instead of sending a request', async () => {
    using fixture = await createCompletionFixture();
    const cursor = await fixture.openAtCursor('call.ts', sumCode);
    const edit = new vscode.InlineCompletionItem('renamed');
    let [requestCount, isOwnCall] = [0, false];
    const provider = new InlineProvider({
      pipeline: {
        provide: async () => {
          requestCount += 1;
          return {
            suggestions: [{ id: 1, text: 'return 1;', replaceLength: 0 }],
            source: 'requested',
          };
        },
      },
      nextEdits: {
        createItem: () => (requestCount > 0 ? undefined : edit),
        consumeOwnTrigger: () => isOwnCall,
        jump: hiddenJump,
      },
      getBlockingCause: async () => undefined,
      getSnapshotAt: takeSnapshotForEditor,
      onAttempt: () => {},
      onSuggest: () => {},
    });
    assert.deepEqual([await requestFromProvider(provider, cursor), requestCount], [[edit], 0]);
    const items = await requestFromProvider(provider, cursor, { isExplicit: true });
    assert.deepEqual(items.map(getInsertedText), ['renamed', 'return 1;']);
    isOwnCall = true;
    assert.deepEqual([await requestFromProvider(provider, cursor), requestCount], [[], 1]);
  });

  test('requests a next edit from the model only if the settings for model edits and for suggestions while typing are on', () =>
    withSuggestions(async (fixture) => {
      const { globalState } = fixture.context;
      const readState = globalState.get.bind(globalState);
      let readCount = 0;
      const get = (key: string): unknown => {
        if (key === 'choice.completion.modelNextEdit') readCount += 1;
        return readState(key);
      };
      Object.assign(globalState, { get });
      const text = 'type Tide = { level: number };\n\nlog(tide.level);\n';
      const { document } = await fixture.openAtCursor('tide.ts', text);
      const editor = await vscode.window.showTextDocument(document);
      for (const [isModelOn, isAutomatic] of [
        [false, true],
        [true, false],
        [true, true],
      ] as const) {
        await setChoice('inferenceService.completion.modelNextEdit', isModelOn);
        await setChoice('inferenceService.completion.automatic', isAutomatic);
        readCount = 0;
        const field = isModelOn && isAutomatic ? 'requested' : 'unit';
        const end = document.lineAt(0).range.end.translate(0, -2);
        await editor.edit((builder) => builder.insert(end, `; ${field}: string`));
        await eventually(() => assert.equal(readCount, 1));
      }
      await control.waitForRequest(isSuggestionRequest);
      const [request, ...otherRequests] = await listSuggestionRequests();
      assert.deepEqual(otherRequests, []);
      assert.match(JSON.stringify(request?.body), /\+type Tide = .*requested: string/u);
    }));

  test('never reads the whole document', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(createAnswerScript('return 1;', 2));
      const longFileCursor = await fixture.openAtCursor(
        'long.ts',
        `${'const a = 1;\n'.repeat(20_000)}|`,
      );
      const longLineCursor = await fixture.openAtCursor(
        'wide.ts',
        `const a = '${'x'.repeat(1_000_000)}';\n|\n`,
      );
      for (const cursor of [longFileCursor, longLineCursor]) {
        const readRanges: (vscode.Range | undefined)[] = [];
        const document = watchDocument(cursor.document, (range) => readRanges.push(range));
        await fixture.requestSuggestions({ ...cursor, document });
        assert.ok(!readRanges.includes(undefined), `${readRanges.length} readings`);
      }
    }));

  test('cancels the service request when VS Code cancels the suggestion request', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts({ steps: [{ content: 'ret' }, { hold: 'rest' }] });
      const source = new vscode.CancellationTokenSource();
      const itemsPromise = fixture.requestSuggestions(
        await fixture.openAtCursor('sum.ts', sumCode),
        {
          token: source.token,
        },
      );
      await control.waitForRequest(isSuggestionRequest);
      source.cancel();
      assert.deepEqual(await itemsPromise, []);
      const closedRequest = await control.waitForRequest(
        (request) => isSuggestionRequest(request) && request.closedAt !== undefined,
      );
      assert.equal(closedRequest.abortedByClient, true);
      assert.equal(fixture.suggestions.ledger.session.requests, 1, 'it is paid for');
    }));

  test('is off in Restricted Mode', () =>
    withSuggestions(async (fixture) => {
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      using _ = simulateUntrustedWorkspace();
      await fixture.suggestions.updateRuntime();
      assert.equal(fixture.suggestions.state, 'untrusted');
      assert.equal(fixture.providers.registrations.size, 0);
      assert.deepEqual(await fixture.requestSuggestions(cursor), []);
      assert.deepEqual(await listSuggestionRequests(), []);
    }));

  test('is off without an API key', () =>
    withSettings(enabledSettings, async () => {
      using fixture = await createCompletionFixture();
      assert.equal(fixture.suggestions.state, 'signed-out');
      assert.equal(fixture.providers.registrations.size, 0);
      await fixture.account.storeKey(fixture.account.profile, service.apiKey);
      await giveConsent(fixture);
      assert.equal(fixture.suggestions.state, 'on');
    }));

  test('registers no provider for a disabled language, so that other extensions can suggest', () =>
    withSuggestions(async (fixture) => {
      const { document } = await fixture.openAtCursor('sum.ts', sumCode);
      const pythonCursor = await fixture.openAtCursor('sum.py', 'def total():\n    |');
      assert.ok(fixture.providers.findProvider(document));
      await withSettings({ [`${commandPrefix}.languages`]: { typescript: false } }, async () => {
        assert.equal(fixture.providers.findProvider(document), undefined);
        assert.ok(fixture.providers.findProvider(pythonCursor.document));
      });
      assert.ok(fixture.providers.findProvider(document));
      await withSettings(
        { [`${commandPrefix}.languages`]: { '*': false, python: true } },
        async () => {
          assert.equal(fixture.providers.findProvider(document), undefined);
          assert.ok(fixture.providers.findProvider(pythonCursor.document));
        },
      );
    }));

  test('is turned off and on by command for the language of the active editor', () =>
    withSuggestions(async (fixture) => {
      const { document } = await fixture.openAtCursor('sum.ts', sumCode);
      await vscode.window.showTextDocument(document);
      await withSettings({ [`${commandPrefix}.languages`]: {} }, async () => {
        await runCommand(fixture, 'toggleLanguage');
        assert.equal(fixture.suggestions.isLanguageOn, false);
        assert.equal(getCompletionIcon(fixture.suggestions), 'circle-slash');
        assert.ok(
          listLabels(fixture).includes('Turn on for TypeScript'),
          listLabels(fixture).join(),
        );
        await runCommand(fixture, 'toggleLanguage');
        assert.equal(fixture.suggestions.isLanguageOn, true);
      });
    }));

  test('unregisters the provider while suggestions are snoozed, and registers it again afterwards', () =>
    withSuggestions(async (fixture) => {
      const { document } = await fixture.openAtCursor('sum.ts', sumCode);
      using contextKeys = recordContextKeys();
      const startedAt = Date.now();
      await runCommand(fixture, 'snooze', 5);
      const endedAt = Date.now();
      await fixture.suggestions.updateRuntime();
      assert.equal(fixture.suggestions.state, 'snoozed');
      assert.equal(fixture.providers.findProvider(document), undefined);
      const snoozeStart = Number(fixture.suggestions.snoozedUntil) - 5 * 60_000;
      assert.ok(
        startedAt <= snoozeStart && snoozeStart <= endedAt,
        `${startedAt} ${snoozeStart} ${endedAt}`,
      );
      await runCommand(fixture, 'resume');
      await fixture.suggestions.updateRuntime();
      assert.ok(fixture.providers.findProvider(document));
      const isSnoozed = `${commandPrefix}.isSnoozed`;
      assert.deepEqual(contextKeys.values, [
        [isSnoozed, true],
        [isSnoozed, false],
      ]);
    }));

  for (const [name, text] of [
    ['.env', 'API_TOKEN=canary-1\nSECOND=|'],
    ['id_rsa', 'canary-1\n|'],
  ] as const) {
    test(`sends nothing from ${name}, and shows the reason`, () =>
      withSuggestions(async (fixture) => {
        const { document, position } = await fixture.openAtCursor(name, text);
        const shellDocument = await vscode.languages.setTextDocumentLanguage(
          document,
          'shellscript',
        );
        assert.deepEqual(
          await fixture.requestSuggestions({ document: shellDocument, position }),
          [],
        );
        assert.deepEqual(await listSuggestionRequests(), []);
        await vscode.window.showTextDocument(shellDocument);
        assert.match(await readExplanation(fixture), /may hold secrets/);
      }));
  }

  test('reports a rejected API key only in the status bar', () =>
    withSuggestions(async (fixture) => {
      using dialogs = new Dialogs();
      await control.injectFault({
        match: requestFilter,
        times: 5,
        fault: { kind: 'status', status: 401 },
      });
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      assert.deepEqual(await fixture.requestSuggestions(cursor), []);
      assert.equal(fixture.account.view.status, 'needs-attention');
      assert.deepEqual(await fixture.requestSuggestions(cursor), []);
      assert.equal((await listSuggestionRequests()).length, 1, 'and asks no more');
      assert.equal(getCompletionIcon(fixture.suggestions), 'warning');
      assert.deepEqual([dialogs.shownMessages, dialogs.executedCommands], [[], []]);
    }));

  test('shows nothing when the service is unreachable', () =>
    withSettings(
      { 'inferenceService.baseUrl': 'http://127.0.0.1:9/api/v1', ...enabledSettings },
      async () => {
        using fixture = await createCompletionFixture();
        await fixture.account.storeKey(fixture.account.profile, service.apiKey);
        await giveConsent(fixture);
        using dialogs = new Dialogs();
        const cursor = await fixture.openAtCursor('sum.ts', sumCode);
        assert.deepEqual(await fixture.requestSuggestions(cursor), []);
        assert.deepEqual(dialogs.shownMessages, []);
        await vscode.window.showTextDocument(cursor.document);
        assert.match(await readExplanation(fixture, dialogs), /models are not known/);
      },
    ));

  test('limits the number of retries while every request fails', () =>
    withSuggestions(async (fixture) => {
      await control.injectFault({
        match: requestFilter,
        times: 30,
        fault: { kind: 'status', status: 500 },
      });
      using dialogs = new Dialogs();
      const { document } = await fixture.openAtCursor('many.ts', 'const a = 1;\n'.repeat(40));
      for (let line = 0; line < 30; line++) {
        const position = document.lineAt(line).range.end;
        assert.deepEqual(await fixture.requestSuggestions({ document, position }), []);
      }
      assert.ok((await listSuggestionRequests()).length <= 3);
      assert.equal(getCompletionIcon(fixture.suggestions), 'warning');
      assert.deepEqual(dialogs.shownMessages, []);
    }));

  test('explains a missing suggestion without sending a request', () =>
    withSuggestions(async (fixture) => {
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      const editor = await vscode.window.showTextDocument(cursor.document);
      editor.selection = new vscode.Selection(cursor.position, cursor.position);
      assert.match(await readExplanation(fixture), /^No suggestion was requested yet/);
      await withSettings({ [`${commandPrefix}.languages`]: { typescript: false } }, async () =>
        assert.match(await readExplanation(fixture), /off for this language/),
      );
      const wordPosition = cursor.document.positionAt(3);
      editor.selection = new vscode.Selection(wordPosition, wordPosition);
      assert.match(await readExplanation(fixture), /^There is code after the cursor/);
      editor.selection = new vscode.Selection(cursor.position, cursor.position);
      await withSettings({ [`${commandPrefix}.model`]: 'no-such-model' }, async () =>
        assert.match(await readExplanation(fixture), /does not offer the chosen model/),
      );
      fixture.suggestions.snooze(5);
      assert.match(await readExplanation(fixture), /snoozed/);
      fixture.suggestions.resume();
      await fixture.suggestions.updateRuntime();
      await setChoice('inferenceService.completion.automatic', false);
      assert.deepEqual(await fixture.requestSuggestions(cursor), []);
      assert.match(await readExplanation(fixture), /only on request/);
      await setChoice('inferenceService.completion.automatic', true);
      assert.deepEqual(await listSuggestionRequests(), []);
      await control.addScripts(createAnswerScript('   \n'));
      assert.deepEqual(await fixture.requestSuggestions(cursor), []);
      assert.match(await readExplanation(fixture), /nothing to add/);
      editor.selection = new vscode.Selection(wordPosition, wordPosition);
      assert.match(
        await readExplanation(fixture),
        /^There is code after the cursor/,
        'of this place',
      );
      editor.selection = new vscode.Selection(cursor.position, cursor.position);
      const loggedLines = fixture.logLines.filter((line) => line.startsWith('Inline suggestion'));
      assert.equal(loggedLines.length, 1);
      assert.doesNotMatch(loggedLines.join(), /sum|completion-/, 'no code and no path');
    }));

  test('explains the data use when it requests consent, and stores the consent for the service address', () =>
    withSettings({ 'inferenceService.completion.enabled': undefined }, async () => {
      using fixture = await createCompletionFixture(signedInOptions);
      const details: string[] = [];
      using dialogs = new Dialogs();
      using _ = recordDialogDetails(details);
      await runCommand(fixture, 'turnOn');
      assert.deepEqual(
        [getSetting('inferenceService.completion.enabled'), fixture.suggestions.state],
        [false, 'off'],
      );
      const hostName = new URL(service.baseUrl).host;
      for (const word of [hostName, 'code around the cursor', 'Secret', '100 suggestions'])
        assert.ok(details[0]?.includes(word), `${word} in ${details[0]}`);
      const words = `${dialogs.shownMessages[0]} ${details[0]}`.split(/\s+/u);
      assert.ok(words.length <= 40, `${words.length} words`);
      dialogs.buttonsToPress.push('Turn On');
      await runCommand(fixture, 'turnOn');
      assert.deepEqual(
        [getSetting('inferenceService.completion.enabled'), fixture.suggestions.state],
        [true, 'on'],
      );
      await runCommand(fixture, 'turnOn');
      assert.equal(dialogs.shownMessages.at(-1), 'Inline suggestions are on already.');
      assert.equal(getSetting('inferenceService.completion.enabled'), true);
      const profiles = { other: { baseUrl: 'https://other.test/api/v1' } };
      const otherService = {
        'inferenceService.profiles': profiles,
        'inferenceService.profile': 'other',
      };
      await withSettings(otherService, async () => {
        await fixture.account.storeKey(fixture.account.profile, 'a-key-for-another-service');
        await fixture.suggestions.updateRuntime();
        assert.equal(fixture.suggestions.state, 'other-service');
        assert.equal(fixture.providers.registrations.size, 0);
        const { document } = await fixture.openAtCursor('sum.ts', sumCode);
        await vscode.window.showTextDocument(document);
        assert.match(await readExplanation(fixture), /off for other\.test: .* not agreed/);
      });
      await fixture.suggestions.updateRuntime();
      assert.equal(fixture.suggestions.state, 'on');
      await runCommand(fixture, 'turnOff');
      assert.equal(getSetting('inferenceService.completion.enabled'), false);
      await setSetting('inferenceService.completion.enabled', true);
      await fixture.suggestions.updateRuntime();
      assert.equal(fixture.suggestions.state, 'on', 'who sets it by hand has said yes');
      await withSettings(otherService, async () => {
        await fixture.suggestions.updateRuntime();
        assert.equal(fixture.suggestions.state, 'other-service', 'to the address in use alone');
      });
    }));

  test('sends nothing if the setting was synced from another machine, but the user has not consented on this machine', () =>
    withSettings(enabledSettings, async () => {
      using fixture = await createCompletionFixture(signedInOptions);
      await fixture.host.models.refresh();
      using dialogs = new Dialogs();
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      assert.deepEqual(await fixture.requestSuggestions(cursor), []);
      assert.deepEqual(
        [fixture.suggestions.state, await listSuggestionRequests()],
        ['other-service', []],
      );
      const rows = new Map(createCompletionRows(fixture));
      assert.equal(rows.get('Inline suggestions'), 'Off');
      dialogs.buttonsToPress.push('Turn On');
      await runCommand(fixture, 'turnOn');
      assert.equal(dialogs.shownMessages.length, 1);
      assert.equal(fixture.suggestions.state, 'on');
    }));

  test('pauses when the best model becomes much more expensive, until the user consents again', () =>
    withSuggestions(async (fixture) => {
      const { account, suggestions } = fixture;
      const cursor = await fixture.openAtCursor('sum.ts', sumCode);
      await suggestions.consent.add({ ...account.profile, price: 1e-9 });
      await suggestions.updateRuntime();
      assert.deepEqual(
        [suggestions.state, fixture.providers.registrations.size],
        ['too-expensive', 0],
      );
      assert.deepEqual(
        [await fixture.requestSuggestions(cursor), await listSuggestionRequests()],
        [[], []],
      );
      await vscode.window.showTextDocument(cursor.document);
      assert.match(await readExplanation(fixture), /more than twice/);
      await withSettings({ [`${commandPrefix}.model`]: 'frontier-pro-1t' }, async () => {
        await suggestions.updateRuntime();
        assert.equal(suggestions.state, 'on', 'who chooses a model agrees to its price');
      });
      await suggestions.consent.add({ ...account.profile, price: 1e-9 });
      using dialogs = new Dialogs();
      dialogs.buttonsToPress.push('Turn On');
      await runCommand(fixture, 'turnOn');
      assert.deepEqual([dialogs.shownMessages.length, suggestions.state], [1, 'on']);
    }));

  test('is advertised by a hint in the chat after the first answer, without a notification, until the user closes the hint', () =>
    withSettings({ 'inferenceService.completion.enabled': undefined }, async () => {
      using fixture = await createCompletionFixture(signedInOptions);
      const { suggestions } = fixture;
      using dialogs = new Dialogs();
      {
        using _ = simulateUntrustedWorkspace();
        assert.equal(suggestions.isOffered, false, 'not in Restricted Mode');
      }
      suggestions.reportAnswer();
      assert.equal(suggestions.isOffered, true);
      await suggestions.closeSuggestionsOffer();
      assert.equal(suggestions.isOffered, false);
      assert.deepEqual(dialogs.shownMessages, []);
      assert.equal(getSetting('inferenceService.completion.enabled'), false);
    }));

  test('cannot be enabled by workspace settings', async () => {
    using fixture = await createCompletionFixture(signedInOptions);
    const [root] = vscode.workspace.workspaceFolders ?? [];
    const file = vscode.Uri.joinPath(root?.uri ?? fixture.folder, '.vscode', 'settings.json');
    const { promise, resolve } = Promise.withResolvers<void>();
    using _ = toDisposable(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('editor.rulers')) resolve();
      }),
    );
    const bytesBefore = await vscode.workspace.fs.readFile(file).then(
      (bytes) => bytes,
      () => undefined,
    );
    const settings = {
      'editor.rulers': [77],
      'inferenceService.completion.enabled': true,
      'inferenceService.completion.model': 'frontier-pro-1t',
    };
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(settings)));
    try {
      await promise;
      assert.equal(fixture.suggestions.state, 'off');
      assert.equal(fixture.providers.registrations.size, 0);
    } finally {
      if (bytesBefore === undefined) rmSync(file.fsPath);
      else writeFileSync(file.fsPath, bytesBefore);
    }
  });

  test('records the requests and costs of this window, and those of this day in all windows', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(createAnswerScript('return a + b;'));
      const { host, suggestions } = fixture;
      const { ledger } = suggestions;
      await fixture.requestSuggestions(await fixture.openAtCursor('sum.ts', sumCode));
      assert.equal(ledger.session.requests, 1);
      assert.ok(ledger.session.usd + ledger.session.diem > 0);
      assert.deepEqual(ledger.today, ledger.session);
      await ledger.flush();
      const nextFixture = await createCompletionFixture({
        ...signedInOptions,
        globalState: fixture.context.globalState,
      });
      assert.equal(nextFixture.suggestions.ledger.session.requests, 0);
      assert.equal(nextFixture.suggestions.ledger.today.requests, 1);
      nextFixture[Symbol.dispose]();
      const rows = new Map(createCompletionRows({ host, suggestions }));
      assert.match(rows.get('Today') ?? '', /^1 request · (?:about )?(?:\$|[\d.]+ DIEM)/);
      assert.match(rows.get('Last answer') ?? '', /^\d+ ms/);
      assert.match(rows.get('Model for suggestions') ?? '', /\/ 1M\)$/);
    }));

  test('records an accepted suggestion only if it came from the extension', () =>
    withSuggestions(async (fixture) => {
      await control.addScripts(createAnswerScript('return a + b;'));
      const [item] = await fixture.requestSuggestions(
        await fixture.openAtCursor('sum.ts', sumCode),
      );
      const { runtime } = fixture.suggestions;
      const hostileValues = [
        undefined,
        null,
        '1',
        -1,
        1e9,
        Number.NaN,
        {},
        [1],
        { valueOf: () => 1 },
      ] as const;
      const requestCountBefore = (await listSuggestionRequests()).length;
      for (const id of hostileValues) runtime?.handleAcceptance(id);
      assert.equal((await listSuggestionRequests()).length, requestCountBefore);
      assert.equal(item?.command?.command, 'inferenceService.completion.accepted');
      assert.deepEqual(
        item.command.arguments?.map((argument: unknown) => typeof argument),
        ['number'],
      );
      for (const args of [[], ['x'], [{ id: 1 }]])
        await vscode.commands.executeCommand('inferenceService.completion.accepted', ...args);
    }));
});

/** Records the arguments of all `setContext` commands. These commands set context keys for `when` clauses. */
function recordContextKeys(): Disposable & { readonly values: readonly unknown[] } {
  const originalExecute = vscode.commands.executeCommand;
  const values: unknown[] = [];
  const executeCommand = async (command: string, ...args: unknown[]): Promise<unknown> => {
    if (command === 'setContext') values.push(args);
    return originalExecute(command, ...args);
  };
  Object.assign(vscode.commands, { executeCommand });
  return {
    values,
    [Symbol.dispose]: () => Object.assign(vscode.commands, { executeCommand: originalExecute }),
  };
}

const requestFilter = { path: '/chat/completions' };

/**
 * Calls `run` with an account that has not sent a completion request. The user has already agreed to suggestions. Turns
 * off prefetching, because the number of prefetch requests depends on timing.
 */
async function withSuggestions(run: (fixture: CompletionFixture) => Promise<void>): Promise<void> {
  await withSettings(enabledSettings, async () => {
    using fixture = await createCompletionFixture(signedInOptions);
    await setChoice('inferenceService.completion.prefetch', false);
    await fixture.host.models.refresh();
    await giveConsent(fixture);
    await run(fixture);
  });
}

async function giveConsent({ account, suggestions }: CompletionFixture): Promise<void> {
  await suggestions.consent.add(account.profile);
  await suggestions.updateRuntime();
}

const hiddenJump = {
  state: 'hidden',
  onDidShow: () => new vscode.Disposable(() => {}),
  reset: () => {},
} as const;

const emptyNextEdits = {
  createItem: () => undefined,
  consumeOwnTrigger: () => false,
  jump: hiddenJump,
};

const createAnswerScript = (content: string, count = 1) => ({ steps: [{ content }], times: count });

const isSuggestionRequest = ({ path }: RecordedRequest): boolean =>
  path.endsWith('/chat/completions');

const listSuggestionRequests = async (): Promise<readonly RecordedRequest[]> =>
  (await control.getRequests()).filter(isSuggestionRequest);

const getRequestedModel = (request: RecordedRequest | undefined): unknown =>
  (request?.body as { model?: unknown } | undefined)?.model;

const getInsertedText = (item: vscode.InlineCompletionItem | undefined): string =>
  typeof item?.insertText === 'string' ? item.insertText : '';

const requestTexts = async (
  fixture: CompletionFixture,
  cursor: CursorPosition,
): Promise<string[]> => (await fixture.requestSuggestions(cursor)).map(getInsertedText);

const createCursorAtEnd = (document: vscode.TextDocument): CursorPosition => ({
  document,
  position: document.lineAt(document.lineCount - 1).range.end,
});

/** Creates a document with this URI scheme that has only the properties that document selectors read. */
async function createDocument(scheme: string): Promise<vscode.TextDocument> {
  const uri = vscode.Uri.from({ scheme, path: '/some/file.ts' });
  return { uri, languageId: 'typescript' } as vscode.TextDocument;
}

/** Returns a wrapper of the document that calls `onRead` before each access to the text. */
const watchDocument = (
  document: vscode.TextDocument,
  onRead: (range: vscode.Range | undefined) => void,
): vscode.TextDocument =>
  Object.create(document, {
    getText: {
      value: (range?: vscode.Range) => {
        onRead(range);
        return document.getText(range);
      },
    },
  }) as vscode.TextDocument;

const listLabels = ({ suggestions }: CompletionFixture): string[] =>
  createCompletionLinks(suggestions).map(({ label }) => label);

type CommandName = NameOf<keyof typeof table>;
type NameOf<Id> = Id extends `${string}.completion.${infer Name}` ? Name : never;

const runCommand = async (
  fixture: CompletionFixture,
  name: CommandName,
  ...args: unknown[]
): Promise<unknown> =>
  table[`inferenceService.completion.${name}`].run(
    fixture as CompletionFixture & CommandContext,
    ...args,
  );

/** Runs the command that explains why no suggestion is visible. Returns the message that it shows. */
async function readExplanation(fixture: CompletionFixture, dialogs?: Dialogs): Promise<string> {
  if (dialogs !== undefined) {
    await runCommand(fixture, 'explain');
    return dialogs.shownMessages.at(-1) ?? '';
  }
  using ownDialogs = new Dialogs();
  await runCommand(fixture, 'explain');
  return ownDialogs.shownMessages.at(-1) ?? '';
}

/** Appends the detail text of each modal dialog to `details`, because `Dialogs` does not record it. */
function recordDialogDetails(details: string[]): Disposable {
  const originalShow = vscode.window.showInformationMessage;
  const recordMessage = async (message: string, ...rest: unknown[]): Promise<unknown> => {
    const [options] = rest as [{ detail?: string } | undefined];
    if (options?.detail !== undefined) details.push(options.detail);
    return (originalShow as (...args: unknown[]) => Thenable<unknown>)(message, ...rest);
  };
  Object.assign(vscode.window, { showInformationMessage: recordMessage });
  return {
    [Symbol.dispose]: () => {
      Object.assign(vscode.window, { showInformationMessage: originalShow });
    },
  };
}

const toDisposable = (target: vscode.Disposable): Disposable => ({
  [Symbol.dispose]: () => {
    target.dispose();
  },
});
