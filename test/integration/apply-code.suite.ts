import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { CodeBlock } from '../../src/agent/answer/apply-block.ts';
import { Grants } from '../../src/agent/permissions/grants.ts';
import { PermissionRules } from '../../src/agent/permissions/permission-rules.ts';
import { createEditTools } from '../../src/agent/tools/vscode/workspace-tools.ts';
import { applyCode, type ApplyFailure, type EditModel } from '../../src/agent/vscode/apply-code.ts';
import type { ChatRequest } from '../../src/service/chat/chat-types.ts';
import { TextDigests } from '../../src/workspace/vscode/file-text.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';
import { ReviewFixture, FakeWarnings } from './review-fixture.ts';

const workspacePaths = new WorkspacePaths({
  folders: () => vscode.workspace.workspaceFolders ?? [],
  isTrusted: () => true,
  forbiddenFolders: [],
});
const failOnUse = (): never => assert.fail('no command is evaluated');
const permissions = new PermissionRules({
  grants: new Grants({ get: () => undefined, set: () => {} }),
  inspectPath: async (path) => (await workspacePaths.resolvePath(path)).facts,
  parser: { parse: failOnUse },
  commandFiles: {
    inspectOperand: failOnUse,
    startSearch: () => failOnUse,
    listChangedFiles: failOnUse,
    isStoredFileName: failOnUse,
    findConfiguredProgram: failOnUse,
    findListedSecretReason: failOnUse,
    findUnprotectedConfiguration: failOnUse,
    readOutput: failOnUse,
  },
  getShell: () => 'bash',
  listUnreviewedEdits: failOnUse,
  confirmedEditStore: { get: () => undefined, set: () => {} },
  isReadOnlyAllowed: () => false,
});

/** Records quick picks, and selects the item at `index` in each of them. */
class FakePicks implements Disposable {
  readonly shownItems: string[][] = [];
  readonly #originalShow = vscode.window.showQuickPick;

  constructor(index: number | undefined) {
    const showQuickPick = async (items: readonly vscode.QuickPickItem[]): Promise<unknown> => {
      this.shownItems.push(
        items.map(({ label, description = '' }) => `${label} ${description}`.trim()),
      );
      return index === undefined ? undefined : items[index];
    };
    Object.assign(vscode.window, { showQuickPick });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { showQuickPick: this.#originalShow });
  }
}

/** Replaces VS Code's open dialog with a function that returns the given files, one per call. */
function stubOpenDialog(...uris: readonly vscode.Uri[]): Disposable {
  const { showOpenDialog } = vscode.window;
  const remainingUris = [...uris];
  Object.assign(vscode.window, {
    showOpenDialog: async () => remainingUris.splice(0, 1),
  });
  return { [Symbol.dispose]: () => void Object.assign(vscode.window, { showOpenDialog }) };
}

/** Model whose requests all fail, as without a network connection. */
const failingModel: EditModel = {
  selectModel: () => Promise.reject(new Error('no model')),
  complete: () => Promise.reject(new Error('no model')),
};

/** Price in USD of a million tokens in answers of {@link createScriptedModel}. */
const outputPrice = 20;

/** Model that replies to every request with `text`. Records the requests. */
function createScriptedModel(
  text: string,
  finishReason: 'stop' | 'length' = 'stop',
): EditModel & { readonly requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  return {
    requests,
    selectModel: async () => ({
      id: 'merger',
      name: 'Merger 7B',
      pricing: { input: { usd: 10 }, output: { usd: outputPrice } },
      capabilities: { supportsReasoning: false },
    }),
    complete: async (request) => {
      requests.push(request);
      const answer = { text, reasoning: '', toolCalls: [], citations: [] };
      return { ...answer, finishReason, info: {} };
    },
  };
}

function applyAndGetFailure(
  fixture: ReviewFixture,
  block: Partial<CodeBlock>,
  model = failingModel,
): Promise<ApplyFailure | undefined> {
  const changes = fixture.changes.turns;
  const [editTool] = createEditTools({
    paths: workspacePaths,
    versions: new TextDigests(),
    changes,
  });
  return applyCode({ code: '', info: 'ts', lineBefore: '', ...block }, 'chat-1', {
    paths: workspacePaths,
    changes,
    permissions,
    editTool,
    log: { info() {} },
    model,
  });
}

/**
 * Applies a code block. Returns the message that explains why the file stays unchanged, or undefined if the file
 * changes.
 */
const applyAndGetMessage = async (
  ...options: Parameters<typeof applyAndGetFailure>
): Promise<string | undefined> => (await applyAndGetFailure(...options))?.message;

const formatLabel = (fixture: ReviewFixture, name: string): string =>
  vscode.workspace.asRelativePath(fixture.getUri(name), false);
const readFixtureFile = (fixture: ReviewFixture, name: string): string =>
  readFileSync(fixture.getUri(name).fsPath, 'utf8');

const tenLinesText = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';

suite('the action Apply on a code block', () => {
  test('opens the file that the code block names, and creates a change whose hunks can be kept or undone separately', async () => {
    await using fixture = await ReviewFixture.create({ 'a.ts': tenLinesText, 'b.ts': 'other\n' });
    await fixture.showFile('b.ts');
    using picks = new FakePicks(0);
    using warnings = new FakeWarnings('Apply');
    const code = tenLinesText.replace('two', 'TWO').replace('nine', 'NINE');
    assert.equal(
      await applyAndGetMessage(fixture, { code, info: `ts ${formatLabel(fixture, 'a.ts')}` }),
      undefined,
    );
    assert.deepEqual(picks.shownItems, [
      [`${formatLabel(fixture, 'a.ts')} +2 −2`, 'Choose a file'],
    ]);
    assert.deepEqual(warnings.shownMessages, []);
    assert.equal(readFixtureFile(fixture, 'a.ts'), code);
    assert.equal(vscode.window.activeTextEditor?.document.fileName, fixture.getUri('a.ts').fsPath);
    const titles = (await fixture.readLenses('a.ts')).map(({ command }) => command?.title);
    assert.equal(titles.filter((title) => title === 'Undo').length, 2, String(titles));
    await fixture.pressCodeLens('a.ts', 1, 'Undo');
    await fixture.pressCodeLens('a.ts', 8, 'Keep');
    assert.equal(readFixtureFile(fixture, 'a.ts'), tenLinesText.replace('nine', 'NINE'));
    assert.deepEqual(await fixture.readLenses('a.ts'), []);
    assert.equal(readFixtureFile(fixture, 'b.ts'), 'other\n');
  });

  test('changes the active file if the code block names no file, and preserves line endings and unsaved text', async () => {
    const text = 'a();\r\nb();\r\nc();\r\n';
    await using fixture = await ReviewFixture.create({ 'a.ts': text });
    await fixture.showFile('a.ts');
    await fixture.type('a.ts', (currentText) => `${currentText}d();\r\n`);
    using picks = new FakePicks(0);
    const code = '@@ -1,3 +1,3 @@\n a();\n-b();\n+B();\n c();\n';
    assert.equal(await applyAndGetMessage(fixture, { code, info: 'diff' }), undefined);
    assert.match(picks.shownItems[0]?.[0] ?? '', /a\.ts \+1 −1/u);
    assert.equal(readFixtureFile(fixture, 'a.ts'), `${text.replace('b', 'B')}d();\r\n`);
  });

  test('finds the file by the name in the line before the code block, and lets the user choose a file if that line names none', async () => {
    await using fixture = await ReviewFixture.create({ 'deep/only-one.ts': 'a\n', 'b.ts': 'b\n' });
    using picks = new FakePicks(0);
    const lineBefore = 'Change only-one.ts like this:';
    const code = '<<<<<<< SEARCH\na\n=======\nc\n>>>>>>> REPLACE\n';
    assert.equal(await applyAndGetMessage(fixture, { code, lineBefore }), undefined);
    assert.equal(readFixtureFile(fixture, 'deep/only-one.ts'), 'c\n');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    using _ = stubOpenDialog(fixture.getUri('b.ts'));
    assert.equal(await applyAndGetMessage(fixture, { code: code.replace('a', 'b') }), undefined);
    assert.equal(readFixtureFile(fixture, 'b.ts'), 'c\n');
    assert.equal(picks.shownItems.length, 1);
  });

  test('changes a file that the user chooses instead of the named file, and changes nothing if the user cancels', async () => {
    await using fixture = await ReviewFixture.create({ 'a.ts': 'a\nb\n', 'b.ts': 'a\nb\n' });
    const block = { code: 'a\nx\nb\n', info: formatLabel(fixture, 'a.ts') };
    using _ = stubOpenDialog(fixture.getUri('b.ts'));
    {
      using picks = new FakePicks(undefined);
      assert.equal(await applyAndGetMessage(fixture, block), undefined);
      assert.equal(picks.shownItems.length, 1);
    }
    using _picks = new FakePicks(1);
    assert.equal(await applyAndGetMessage(fixture, block), undefined);
    assert.equal(readFixtureFile(fixture, 'a.ts'), 'a\nb\n');
    assert.equal(readFixtureFile(fixture, 'b.ts'), 'a\nx\nb\n');
  });

  test('lets the user choose again if the code does not match the chosen file', async () => {
    const names = ['a.ts', 'b.ts', 'c.ts'];
    await using fixture = await ReviewFixture.create({
      'a.ts': 'a\nb\n',
      'b.ts': 'unrelated();\n',
      'c.ts': 'a\nb\n',
    });
    const block = { code: 'a\nx\nb\n', info: formatLabel(fixture, 'a.ts') };
    using _ = stubOpenDialog(fixture.getUri('b.ts'), fixture.getUri('c.ts'));
    using picks = new FakePicks(1);
    using warnings = new FakeWarnings('Choose a file');
    const model = createScriptedModel('unused');
    assert.equal(await applyAndGetMessage(fixture, block, model), undefined);
    assert.equal(picks.shownItems.length, 1);
    assert.match(warnings.shownMessages.join('\n'), /b\.ts was not changed\./u);
    assert.deepEqual(
      names.map((name) => readFixtureFile(fixture, name)),
      ['a\nb\n', 'unrelated();\n', 'a\nx\nb\n'],
    );
    assert.deepEqual(model.requests, []);
  });

  test('creates a missing file that the code block names, with its folders, as a change for review', async () => {
    await using fixture = await ReviewFixture.create({});
    using picks = new FakePicks(0);
    const path = formatLabel(fixture, 'new/made.ts');
    assert.equal(
      await applyAndGetMessage(fixture, { code: 'made();\n', lineBefore: `### ${path}` }),
      undefined,
    );
    assert.deepEqual(picks.shownItems, [[`${path} New file, +1`, 'Choose a file']]);
    assert.equal(readFixtureFile(fixture, 'new/made.ts'), 'made();\n');
    assert.ok((await fixture.readLenses('new/made.ts')).length > 0);
  });

  test('requires one confirmation for a protected file, a secret file or a file outside the workspace', async () => {
    await using fixture = await ReviewFixture.create({
      '.env': 'KEY=1\nNAME=2\n',
      '.vscode/settings.json': '{\n}\n',
    });
    const createOutsidePath = (name: string): string => join(fixture.outsideFolder, name);
    writeFileSync(createOutsidePath('old.ts'), 'a\nb\n');
    const targets: readonly (readonly [string, string])[] = [
      [formatLabel(fixture, '.env'), 'KEY=1\nADDED=3\nNAME=2\n'],
      [formatLabel(fixture, '.vscode/settings.json'), '{\n  "a.b": 1\n}\n'],
      [formatLabel(fixture, '.vscode/tasks.json'), '{}\n'],
      [formatLabel(fixture, 'keys/id_rsa.pem'), 'x\n'],
      [createOutsidePath('old.ts'), 'a\nx\nb\n'],
      [createOutsidePath('new.ts'), 'x\n'],
    ];
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const readContent = (path: string): string | undefined => {
      const file = path.startsWith('/') ? path : join(root, path);
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    };
    using picks = new FakePicks(0);
    for (const [path, code] of targets) {
      const contentBefore = readContent(path);
      const block = { code, info: `txt title="${path}"` };
      {
        using canceledWarnings = new FakeWarnings(undefined);
        assert.equal(await applyAndGetMessage(fixture, block), undefined);
        assert.equal(canceledWarnings.shownMessages.length, 1, path);
        assert.ok(canceledWarnings.shownMessages[0]?.includes(path.split('/').at(-1) ?? ''));
        assert.equal(readContent(path), contentBefore, path);
      }
      using confirmedWarnings = new FakeWarnings('Apply');
      assert.equal(await applyAndGetMessage(fixture, block), undefined);
      assert.equal(confirmedWarnings.shownMessages.length, 1, path);
      assert.equal(readContent(path), code, path);
    }
    assert.deepEqual(picks.shownItems, []);
  });

  test('changes nothing and returns the reason if the code does not match the file', async () => {
    await using fixture = await ReviewFixture.create({ 'a.ts': tenLinesText, 'n.ipynb': '{}' });
    using picks = new FakePicks(0);
    const info = formatLabel(fixture, 'a.ts');
    const diff = '@@ -2,2 +2,2 @@\n missing\n-lines\n+here\n';
    for (const [code, reason] of [
      ['unknown\ncode\n', /was not changed\. The first and the last line/u],
      [diff, /was not changed\. .*match/u],
      [`one\n// ... rest of the code ...\nten\n`, /leaves out lines/u],
      [tenLinesText, /already contains/u],
    ] as const)
      assert.match((await applyAndGetMessage(fixture, { code, info })) ?? '', reason);
    assert.match(
      (await applyAndGetMessage(fixture, { code: 'x', info: formatLabel(fixture, 'n.ipynb') })) ??
        '',
      /notebook/u,
    );
    const folder = formatLabel(fixture, '');
    assert.match(
      (await applyAndGetMessage(fixture, { code: diff, info: `${folder}x.ts` })) ?? '',
      /does not exist/u,
    );
    assert.deepEqual(picks.shownItems, []);
    assert.equal(readFixtureFile(fixture, 'a.ts'), tenLinesText);
    assert.deepEqual(Object.keys(await fixture.readFiles()), ['a.ts', 'n.ipynb']);
  });

  test('shows why SEARCH/REPLACE blocks do not match, with the first different line or all matching lines', async () => {
    const text = 'start();\nfirst();\nsecond();\nfirst();\nend();\n';
    await using fixture = await ReviewFixture.create({ 'a.ts': text });
    const info = formatLabel(fixture, 'a.ts');
    const createBlock = (search: string, replace: string): string =>
      `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
    const cases: readonly (readonly [code: string, message: RegExp, details: string])[] = [
      [
        createBlock('first();\nsecond(1);', 'x();'),
        /changed\. The code does not match the file\./u,
        'Line 2 of change 1 differs from line 3 of the file:\nsecond(1);\nsecond();',
      ],
      [
        `${createBlock('start();', 'begin();\nmore();')}${createBlock('second();\nlast();', 'x();')}`,
        /changed\. The code does not match the file\./u,
        'Line 2 of change 2 differs from line 4 of the file:\nlast();\nfirst();',
      ],
      [
        createBlock('2\tfirst();\n3\tlast();', 'x();'),
        /marks lines, for example with numbers/u,
        '',
      ],
      [
        createBlock('```ts\nfirst();\nlast();\n```', 'x();'),
        /tags or labels around the lines/u,
        '',
      ],
      [createBlock('first();\\nlast();', 'x();'), /escaped text/u, ''],
      [createBlock('first();', 'x();'), /matches several places/u, '2: first();\n4: first();'],
      [createBlock('econd();', 'x();'), /begins or ends inside a word/u, '3: second();'],
      [
        `${createBlock('second();', 'third();')}${createBlock('  second();\n  first();', 'x();')}`,
        /not match|overlap/u,
        '',
      ],
    ];
    for (const [code, message, details] of cases) {
      const failure = await applyAndGetFailure(fixture, { code, info });
      assert.match(failure?.message ?? '', message);
      if (details !== '') assert.equal(failure?.details, details);
    }
    using warnings = new FakeWarnings(undefined);
    for (const [code, message] of cases) {
      assert.equal(
        await applyAndGetMessage(fixture, { code, info }, createScriptedModel('unused')),
        undefined,
      );
      assert.match(warnings.shownMessages.at(-1) ?? '', message);
    }
    assert.match(
      warnings.shownDetails[0] ?? '',
      /^Line 2 of change 1 differs .*\n\nMerger 7B can read/su,
    );
    assert.equal(readFixtureFile(fixture, 'a.ts'), text);
  });

  test('creates no file from a code block with line numbers, and shows the reason', async () => {
    await using fixture = await ReviewFixture.create({});
    const info = formatLabel(fixture, 'new.yaml');
    const code = '1: flood: high\n2: ebb: low\n';
    assert.match((await applyAndGetMessage(fixture, { code, info })) ?? '', /marks lines/u);
    assert.deepEqual(Object.keys(await fixture.readFiles()), []);
  });

  test('rejects code that would delete a method, and shows the first line of the method', async () => {
    const members = ['a', 'b'].map((name) => `  ${name}() {\n    run();\n  }\n`);
    const text = `class A {\n${members.join('')}}\n`;
    await using fixture = await ReviewFixture.create({ 'a.ts': text });
    const block = {
      code: text.replace(members[0] ?? '', ''),
      info: formatLabel(fixture, 'a.ts'),
    };
    const failure = await applyAndGetFailure(fixture, block);
    assert.match(failure?.message ?? '', /would delete other parts of the file/u);
    assert.equal(failure?.details, '2: a() {');
    assert.equal(readFixtureFile(fixture, 'a.ts'), text);
  });

  suite('if a model produces the edits', () => {
    const letModelApplyLabel = 'Let a Model Apply It';
    const code = 'one\n// ... rest of the code ...\nnine();\n// ... rest of the code ...\nten\n';
    const editText = '<<<<<<< SEARCH\neight\nnine\n=======\neight\nnine();\n>>>>>>> REPLACE';

    test('shows the reason, the model and the price before the request, and creates a change for review', async () => {
      await using fixture = await ReviewFixture.create({ 'a.ts': tenLinesText });
      const model = createScriptedModel(`Here are the edits:\n${editText}`);
      using warnings = new FakeWarnings(letModelApplyLabel);
      using picks = new FakePicks(0);
      assert.equal(
        await applyAndGetMessage(fixture, { code, info: formatLabel(fixture, 'a.ts') }, model),
        undefined,
      );
      assert.equal(warnings.shownMessages.length, 1);
      assert.match(
        warnings.shownMessages[0] ?? '',
        /a\.ts was not changed\. The code leaves out lines/u,
      );
      const price = /^Merger 7B can read .* for up to \$(?<usd>\d+\.\d+)\.$/u.exec(
        warnings.shownDetails[0] ?? '',
      )?.groups?.['usd'];
      const limit = model.requests[0]?.max_completion_tokens ?? Infinity;
      assert.ok(Number(price) >= (limit * outputPrice) / 1e6, price);
      assert.deepEqual(picks.shownItems, [
        [`${formatLabel(fixture, 'a.ts')} +1 −1`, 'Choose a file'],
      ]);
      assert.match(JSON.stringify(model.requests), /"model":"merger".*eight\\nnine\\nten/u);
      assert.equal(readFixtureFile(fixture, 'a.ts'), tenLinesText.replace('nine', 'nine();'));
      await fixture.pressCodeLens('a.ts', 8, 'Undo');
      assert.equal(readFixtureFile(fixture, 'a.ts'), tenLinesText);
    });

    test('sends nothing if the user cancels, and no secret file without consent', async () => {
      const secret = 'A=1\nB=2\n';
      await using fixture = await ReviewFixture.create({ 'a.ts': tenLinesText, '.env': secret });
      const model = createScriptedModel(editText);
      {
        using warnings = new FakeWarnings(undefined);
        const info = formatLabel(fixture, 'a.ts');
        assert.equal(await applyAndGetMessage(fixture, { code, info }, model), undefined);
        assert.equal(warnings.shownMessages.length, 1);
      }
      using warnings = new FakeWarnings(letModelApplyLabel);
      const info = `sh ${formatLabel(fixture, '.env')}`;
      assert.equal(await applyAndGetMessage(fixture, { code, info }, model), undefined);
      assert.match(warnings.shownMessages[1] ?? '', /\.env may hold secrets/u);
      assert.deepEqual(model.requests, []);
      assert.deepEqual(
        [readFixtureFile(fixture, 'a.ts'), readFixtureFile(fixture, '.env')],
        [tenLinesText, secret],
      );
    });

    test('requires a confirmation for edits of a protected file, a secret file or a file outside the workspace', async () => {
      const text = 'eight\nnine\nten\n';
      await using fixture = await ReviewFixture.create({
        '.vscode/launch.jsonc': text,
        '.env': text,
      });
      const outsidePath = join(fixture.outsideFolder, 'old.txt');
      writeFileSync(outsidePath, text);
      const files: readonly (readonly [label: string, path: string])[] = [
        [
          formatLabel(fixture, '.vscode/launch.jsonc'),
          fixture.getUri('.vscode/launch.jsonc').fsPath,
        ],
        [formatLabel(fixture, '.env'), fixture.getUri('.env').fsPath],
        [outsidePath, outsidePath],
      ];
      using picks = new FakePicks(undefined);
      for (const [label, path] of files) {
        const block = { code, info: `txt title="${label}"` };
        {
          using canceledWarnings = new FakeWarnings([letModelApplyLabel, 'Send Anyway']);
          assert.equal(
            await applyAndGetMessage(fixture, block, createScriptedModel(editText)),
            undefined,
          );
          assert.match(canceledWarnings.shownMessages.at(-1) ?? '', /^Apply the code to /u);
          assert.match(canceledWarnings.shownDetails.at(-1) ?? '', /\+1 −1$/u);
          assert.equal(readFileSync(path, 'utf8'), text);
        }
        using _ = new FakeWarnings([letModelApplyLabel, 'Send Anyway', 'Apply']);
        assert.equal(
          await applyAndGetMessage(fixture, block, createScriptedModel(editText)),
          undefined,
        );
        assert.equal(readFileSync(path, 'utf8'), text.replace('nine', 'nine();'));
      }
      assert.deepEqual(picks.shownItems, []);
    });

    test('changes nothing if the edits do not match the file, or if the answer is cut off', async () => {
      await using fixture = await ReviewFixture.create({ 'a.ts': tenLinesText });
      const info = formatLabel(fixture, 'a.ts');
      using _ = new FakeWarnings(letModelApplyLabel);
      for (const [model, reason] of [
        [
          createScriptedModel(editText.replaceAll('eight', 'twelve')),
          /The code does not match the file/u,
        ],
        [createScriptedModel('I cannot do that.'), /answered without edits: I cannot do that\./u],
        [createScriptedModel(editText, 'length'), /answer is incomplete/u],
      ] as const)
        assert.match((await applyAndGetMessage(fixture, { code, info }, model)) ?? '', reason);
      assert.equal(readFixtureFile(fixture, 'a.ts'), tenLinesText);
    });
  });

  test('changes nothing if the file changes while the confirmation is open', async () => {
    await using fixture = await ReviewFixture.create({ '.env': 'A=1\nB=2\n' });
    using _ = new FakeWarnings('Apply', () =>
      fixture.typeAndSave('.env', (text) => `C=3\n${text}`),
    );
    const block = { code: 'A=1\nX=1\nB=2\n', info: `sh ${formatLabel(fixture, '.env')}` };
    assert.match((await applyAndGetMessage(fixture, block)) ?? '', /changed/u);
    assert.equal(readFixtureFile(fixture, '.env'), 'C=3\nA=1\nB=2\n');
  });
});
