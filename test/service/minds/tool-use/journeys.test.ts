import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { readCall } from '../../chat/call.ts';
import { Vocabulary } from '../../vocabulary.ts';
import { answer } from '../answer.ts';
import { letWork, toolNamed, Workspace } from './workspace.ts';

const shop = {
  'src/total.ts': 'export function total(prices: number[]): number {\n  return prices.length;\n}\n',
  'src/cart.ts':
    "import { total } from './total.ts';\n\nexport const a = total([1]);\nexport const b = total([1]);\n",
  'src/bill.ts': "import { total } from './total.ts';\nexport const subtotal = total([]);\n",
};

describe('a name is renamed wherever it is', () => {
  const request = 'Find where `total` is defined and rename it to `sumOf` in three files';

  test('after a search, in files that were read, one edit each', async () => {
    const workspace = new Workspace(shop);
    const { rounds, answer: said } = await letWork(request, workspace);
    expect(rounds.map((round) => round.map((call) => call.split(' ', 1)[0]))).toEqual([
      ['search_text'],
      ['read_file', 'read_file', 'read_file'],
      ['edit_file', 'edit_file', 'edit_file'],
    ]);
    expect(Object.fromEntries(workspace.files)).toEqual({
      'src/total.ts': shop['src/total.ts'].replace('total', 'sumOf'),
      'src/cart.ts':
        "import { sumOf } from './total.ts';\n\nexport const a = sumOf([1]);\nexport const b = sumOf([1]);\n",
      'src/bill.ts': "import { sumOf } from './total.ts';\nexport const subtotal = sumOf([]);\n",
    });
    expect(said).toContain('`total` was defined in `src/total.ts:1`');
    expect(said).toContain('in 3 files');
  });

  test('also when the search groups by file and lines are numbered otherwise', async () => {
    const workspace = new Workspace(shop)
      .reply(
        'search_text',
        '2 results for "total"\n\nsrc/total.ts\n  1: export function total(\n\nsrc/bill.ts\n  1: import { total }\n  2: total([])',
      )
      .reply(
        'read_file',
        '  1| export function total(prices: number[]): number {\n  2|   return prices.length;',
      )
      .reply(
        'read_file',
        "1: import { total } from './total.ts';\n2: export const subtotal = total([]);",
      );
    await letWork(request, workspace);
    expect(workspace.files.get('src/total.ts')).toMatch(/^export function sumOf\(/);
    expect(workspace.files.get('src/bill.ts')).toContain('subtotal = sumOf([])');
    expect(workspace.files.get('src/cart.ts')).toBe(shop['src/cart.ts']);
  });

  test('the person is asked for the new name when it is missing', async () => {
    const workspace = new Workspace(shop).reply('ask_user', 'The person answered: "sumOf"');
    const { rounds } = await letWork(
      'Find where total is defined and rename it in three files',
      workspace,
    );
    expect(rounds[1]).toEqual([
      'ask_user {"question":"What should `total` be called?","choices":["newTotal","totalRenamed"]}',
    ]);
    expect(workspace.files.get('src/total.ts')).toContain('sumOf');
  });

  test('a file that changed meanwhile is read again, once', async () => {
    const workspace = new Workspace(shop).reply(
      'edit_file',
      'Nothing was changed: src/total.ts has changed since it was read.',
    );
    const { rounds } = await letWork('Rename total to sumOf in src/total.ts', workspace);
    expect(rounds).toHaveLength(4);
    expect(rounds[2]).toEqual(['read_file {"path":"src/total.ts"}']);
    expect(workspace.files.get('src/total.ts')).toContain('sumOf');
    const stubborn = new Workspace(shop).reply(
      'edit_file',
      ...Array.from({ length: 9 }, () => 'Nothing was changed: it has changed.'),
    );
    const failed = await letWork('Rename total to sumOf in src/total.ts', stubborn);
    expect(failed.rounds.length).toBeLessThan(9);
    expect(failed.answer).toContain('I could not change `src/total.ts`');
  });

  test('a denied file is left, and said to be left', async () => {
    const workspace = new Workspace(shop).reply(
      'edit_file',
      'The person denied this call: not this one',
    );
    const { answer: said } = await letWork(request, workspace);
    expect(said).toContain('You denied the change of `src/total.ts` (not this one)');
    expect(said).toContain('in 2 files');
    expect(workspace.files.get('src/total.ts')).toBe(shop['src/total.ts']);
  });
});

describe('what the person denies', () => {
  test.each([
    'The person denied this call.',
    'Denied by the person.',
    'The user declined to run this.',
    'The person said no, and wrote: not now',
    'Not allowed: a rule forbids it',
  ])('is not done, nor what would follow: %s', async (denial) => {
    const workspace = new Workspace(shop).reply('delete_file', denial);
    const { rounds, answer: said } = await letWork('Delete src/bill.ts, then run `ls`', workspace);
    expect(rounds).toEqual([['delete_file {"path":"src/bill.ts"}']]);
    expect(said).toContain('You denied `delete_file` on `src/bill.ts`');
  });

  test('is done another way when the reason names one', async () => {
    const workspace = new Workspace().reply(
      'run_command',
      'The person denied this call: use `pnpm test`',
    );
    const { rounds } = await letWork('Run the tests', workspace);
    expect(rounds).toEqual([
      ['run_command {"command":"npm test"}'],
      ['run_command {"command":"pnpm test"}'],
    ]);
  });

  test('gives way to what the reason asks for', async () => {
    const workspace = new Workspace(shop).reply(
      'delete_file',
      'The person denied this call. Reason: read src/cart.ts first',
    );
    const { rounds, answer: said } = await letWork('Delete src/bill.ts', workspace);
    expect(rounds[1]).toEqual(['read_file {"path":"src/cart.ts"}']);
    expect(said).toContain('asked for something else');
  });
});

test('a file that is not where it was said to be is looked for', async () => {
  const { rounds, answer: said } = await letWork('Read lib/cart.ts', new Workspace(shop));
  expect(rounds.flat()).toEqual([
    'read_file {"path":"lib/cart.ts"}',
    'find_files {"glob":"**/cart.ts"}',
    'read_file {"path":"src/cart.ts"}',
  ]);
  expect(said).toContain('total([1])');
  const nowhere = await letWork('Read gone.ts', new Workspace(shop));
  expect(nowhere.answer).toContain('`read_file` failed: gone.ts does not exist.');
});

test('what was not run is called again when the work goes on', async () => {
  const workspace = new Workspace(shop).reply('read_file', 'Not run: the turn ended before.');
  const { rounds } = await letWork('Read src/cart.ts', workspace);
  expect(rounds).toEqual([
    ['read_file {"path":"src/cart.ts"}'],
    ['read_file {"path":"src/cart.ts"}'],
  ]);
});

test('what was left out to save room is read again', async () => {
  const leftOut = '[This output was left out to save room. Call the tool again if it is needed.]';
  const workspace = new Workspace(shop).reply('search_text', leftOut);
  const { rounds } = await letWork('Rename total to sumOf', workspace);
  expect(rounds.slice(0, 2)).toEqual([
    ['search_text {"query":"total"}'],
    ['search_text {"query":"total"}'],
  ]);
  expect(workspace.files.get('src/total.ts')).toContain('sumOf');
  const always = Array.from({ length: 99 }, () => leftOut);
  const hopeless = new Workspace(shop).reply('search_text', ...always);
  expect((await letWork('Rename total to sumOf', hopeless)).rounds.length).toBeLessThan(5);
});

test('of a long file the part with the name is read', async () => {
  const lines = Array.from({ length: 4000 }, (_, index) => `line ${index + 1}`);
  lines[2999] = 'const total = 1;';
  const part = lines.slice(2959, 3040).map((text, index) => `${2960 + index}\t${text}`);
  const workspace = new Workspace({ 'long.ts': lines.join('\n') }).reply(
    'read_file',
    part.join('\n'),
  );
  const { rounds } = await letWork('Rename total to sumOf', workspace);
  expect(rounds[1]).toEqual(['read_file {"path":"long.ts","start_line":2960,"end_line":3040}']);
  expect(workspace.files.get('long.ts')?.split('\n')[2999]).toBe('const sumOf = 1;');
});

test('a tool that never gives in does not keep the mind for ever', async () => {
  const never = Array.from({ length: 450 }, () => 'Not run: no.');
  const workspace = new Workspace(shop).reply('read_file', ...never);
  expect((await letWork('Read src/cart.ts', workspace)).answer).toContain('I stop here');
});

describe('what fails is fixed, with real runs', () => {
  const cases: [
    name: string,
    files: Record<string, string>,
    command: string,
    fixed: string,
    text: string,
  ][] = [
    [
      'a wrong sign, found through the test that calls it',
      {
        'math.mjs':
          'export function add(a, b) {\n  return a - b;\n}\n\nexport const twice = (a) => a - a;\n',
        'math.test.mjs':
          "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { add } from './math.mjs';\n\ntest('adds', () => {\n  assert.equal(add(2, 3), 5);\n});\n",
      },
      'node --test math.test.mjs',
      'math.mjs',
      'return a + b;',
    ],
    [
      'a misspelt name',
      { 'run.mjs': 'const greeting = "hello";\nconsole.log(greting.length);\n' },
      'node run.mjs',
      'run.mjs',
      'console.log(greeting.length);',
    ],
    [
      'a wrong word',
      {
        'greet.mjs': 'export const greet = (name) => `Helo, ${name}!`;\n',
        'check.mjs':
          "import { greet } from './greet.mjs';\nconst got = greet('Ada');\nif (got !== 'Hello, Ada!') {\n  throw new Error(`expected 'Hello, Ada!', got '${got}'`);\n}\n",
      },
      'node check.mjs',
      'greet.mjs',
      '`Hello, ${name}!`',
    ],
    [
      'a wrong limit',
      {
        'age.mjs': 'export const isAdult = (age) => age > 18;\n',
        'age.test.mjs':
          "import assert from 'node:assert';\nimport { isAdult } from './age.mjs';\nassert.strictEqual(isAdult(18), true);\n",
      },
      'node age.test.mjs',
      'age.mjs',
      'age >= 18',
    ],
  ];

  test.each(cases)('%s', async (_, files, command, path, text) => {
    const workspace = new Workspace(files);
    const run = runIn(workspace);
    workspace.reply('run_command', ...Array.from({ length: 5 }, () => run));
    const request = `Run \`${command}\` and fix what fails`;
    const { rounds, answer: said } = await letWork(request, workspace);
    expect(workspace.files.get(path)).toContain(text);
    expect(rounds[0]).toEqual([`run_command ${JSON.stringify({ command })}`]);
    expect(rounds.at(-1)).toEqual(rounds[0]);
    expect(said).toContain(`\`${command}\` passes now`);
    for (const [name, before] of Object.entries(files)) {
      if (name !== path) expect(workspace.files.get(name)).toBe(before);
    }
  });

  test('what the editor finds in a file', async () => {
    const workspace = new Workspace({
      'a.ts': 'export const one = 1;\nexport const two = onne + 1;\n',
    });
    workspace.reply(
      'get_problems',
      "a.ts:2:20 error (ts 2552): Cannot find name 'onne'. Did you mean 'one'?",
      'No problems are known in a.ts.',
    );
    const { answer: said } = await letWork('Fix the problems in a.ts', workspace);
    expect(workspace.files.get('a.ts')).toBe(
      'export const one = 1;\nexport const two = one + 1;\n',
    );
    expect(said).toContain('`a.ts` passes now');
  });

  test('a test that expects something else is never changed', async () => {
    const files = {
      'a.test.mjs': 'const got = 4;\n// 4\nthrow new Error(`expected 5, got ${got}`);\n',
    };
    const workspace = new Workspace(files);
    workspace.reply('run_command', runIn(workspace));
    const { answer: said } = await letWork('Run `node a.test.mjs` and fix it', workspace);
    expect(Object.fromEntries(workspace.files)).toEqual(files);
    expect(said).toContain('I changed nothing');
  });

  test('nothing is changed where nothing is obvious', async () => {
    const workspace = new Workspace({ 'a.mjs': 'throw new Error("the moon is full");\n' });
    workspace.reply('run_command', runIn(workspace));
    const { answer: said } = await letWork('Run `node a.mjs` and fix it', workspace);
    expect(said).toContain('Error: the moon is full');
    expect(said).toContain('I changed nothing');
  });

  test('nor where all is well', async () => {
    const workspace = new Workspace({ 'a.mjs': '' });
    workspace.reply('run_command', runIn(workspace));
    const { rounds } = await letWork('Run `node a.mjs`, then fix what fails', workspace);
    expect(rounds).toHaveLength(1);
  });
});

function runIn(workspace: Workspace): (args: Readonly<Record<string, unknown>>) => string {
  return ({ command }) => {
    const root = mkdtempSync(join(tmpdir(), 'mind-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    for (const [path, content] of workspace.files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    const [, ...args] = String(command).split(' ');
    const environment = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '' };
    try {
      const output = execFileSync(process.execPath, args, {
        cwd: root,
        env: environment,
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return `${output}\nExit code: 0`;
    } catch (error) {
      const { stdout, stderr, status } = error as {
        stdout: string;
        stderr: string;
        status: number;
      };
      return `${stdout}${stderr}\nExit code: ${status}`.replaceAll(`${root}/`, '');
    }
  };
}

const world = { words: new Vocabulary('service'), catalogue: new Catalogue(), seed: 1 };
const call = (id: string, name: string, args: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const user = (content: unknown) => ({ role: 'user', content });

test('a picture that a tool read is described', async () => {
  const red = { r: 220, g: 30, b: 30 };
  const image = sharp({ create: { width: 320, height: 200, channels: 3, background: red } });
  const url = `data:image/png;base64,${(await image.png().toBuffer()).toString('base64')}`;
  const picture = [
    { type: 'text', text: 'The picture that was read: logo.png' },
    { type: 'image_url', image_url: { url } },
  ];
  const messages = [
    user('Read logo.png'),
    call('c1', 'read_file', { path: 'logo.png' }),
    result('c1', 'A picture.'),
    user(picture),
  ];
  const { content, toolCalls } = await answer(
    readCall({ model: 'default', tools: [toolNamed('read_file')], messages }, world),
    0,
  );
  expect(toolCalls).toEqual([]);
  expect(content).toContain('**red**');
});

describe('a summary', () => {
  const history = [
    user('Rename `total` to `sumOf`'),
    call('c1', 'search_text', { query: 'total' }),
    result('c1', 'src/total.ts:1: export function total()'),
    call('c2', 'read_file', { path: 'src/total.ts' }),
    result('c2', '1\texport function total() {}'),
    call('c3', 'run_command', { command: 'rm -rf /' }),
    result('c3', 'The person denied this call.'),
  ];
  const summaryOf = async (messages: readonly object[]): Promise<string> => {
    const asked = user('Summarise the conversation so far, so that you can continue without it.');
    const tools = [toolNamed('read_file')];
    const body = { model: 'tools-swift-24b', tools, messages: [...messages, asked] };
    const { content, toolCalls } = await answer(readCall(body, world), 0);
    expect(toolCalls).toEqual([]);
    return content;
  };

  test('says in a few lines what was asked and done', async () => {
    const summary = await summaryOf([
      ...history,
      { role: 'assistant', content: 'I stopped there.' },
    ]);
    expect(summary.split('\n')).toEqual([
      'The person made one request.',
      '- Read: src/total.ts',
      '- Searched for: total',
      '- The person denied `run_command` on rm -rf /',
      '- I said last: I stopped there.',
      'Latest request: Rename `total` to `sumOf`',
    ]);
  });

  test('is made of a conversation that is written out, too', async () => {
    const written = [
      'Before that, in summary:\nThe person made one request.\nLatest request: Read a.ts',
      'Person: Rename `total` to `sumOf`\n\nin all files',
      'Assistant: I look for it.\nTool: Searched for total (done)\nsrc/total.ts\n1: total\nTool: Edited src/total.ts (denied)\nno',
      'Assistant: ',
    ].join('\n\n');
    const asked = user(
      `Summarise the conversation so far. Continue later.\n\n<conversation>\n${written}\n</conversation>`,
    );
    const body = { model: 'tools-swift-24b', messages: [asked] };
    const { content } = await answer(readCall(body, world), 0);
    expect(content.split('\n')).toEqual([
      'The person made 2 requests.',
      '- Asked before: Read a.ts',
      '- Searched for total (done)',
      '- Edited src/total.ts (denied)',
      '- I said last: I look for it.',
      'Latest request: Rename `total` to `sumOf` in all files',
    ]);
  });

  test('is enough to go on with, also when it is summed up again', async () => {
    const summary = await summaryOf(history);
    const told = user(`What came before, in a summary that you wrote yourself:\n\n${summary}`);
    const tools = ['search_text', 'read_file', 'edit_file'].map(toolNamed);
    const messages = [told];
    const { toolCalls } = await answer(
      readCall({ model: 'tools-swift-24b', tools, messages }, world),
      0,
    );
    expect(toolCalls).toMatchObject([{ name: 'search_text', arguments: '{"query":"total"}' }]);
    expect(await summaryOf(messages)).toContain('Latest request: Rename `total` to `sumOf`');
  });
});

test('"continue" goes on with what was asked before', async () => {
  const messages = [
    user('Read a.ts, then read b.ts'),
    call('c1', 'read_file', { path: 'a.ts' }),
    result('c1', '1\ta'),
    user('Continue'),
  ];
  const { toolCalls } = await answer(
    readCall({ model: 'tools-swift-24b', tools: [toolNamed('read_file')], messages }, world),
    0,
  );
  expect(toolCalls).toMatchObject([{ name: 'read_file', arguments: '{"path":"b.ts"}' }]);
});
