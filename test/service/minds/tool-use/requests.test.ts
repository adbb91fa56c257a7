import { expect, test } from 'vitest';
import { letWork, toolNames, Workspace } from './workspace.ts';

const files = {
  'src/cart.ts': "import { total } from './total.ts';\nexport const sum = total([1, 2]);\n",
  'src/total.ts': 'export function total(prices: number[]): number {\n  return prices.length;\n}\n',
  'README.md': '# Shop\n\nHello world\n\nHello moon\n',
};

const read = 'read_file {"path":"README.md"}';

/** Rounds of calls; what is done in one round stands in one list. */
const cases: readonly (readonly [request: string, rounds: readonly (readonly string[])[]])[] = [
  ['Read README.md', [[read]]],
  ['Could you please read the file `README.md`?', [[read]]],
  ["What's in README.md?", [[read]]],
  [
    'Read lines 2 to 3 of README.md',
    [['read_file {"path":"README.md","start_line":2,"end_line":3}']],
  ],
  [
    'Show the first 2 lines of README.md',
    [['read_file {"path":"README.md","start_line":1,"end_line":2}']],
  ],
  ['Read README.md and src/cart.ts', [[read, 'read_file {"path":"src/cart.ts"}']]],
  ['Read README.md and list the folder src', [[read, 'list_directory {"path":"src"}']]],
  ['Read README.md, then list src', [[read], ['list_directory {"path":"src"}']]],
  [
    'Read every file in src',
    [
      ['find_files {"glob":"src/**"}'],
      ['read_file {"path":"src/cart.ts"}', 'read_file {"path":"src/total.ts"}'],
    ],
  ],
  ['Explain src/total.ts', [['read_file {"path":"src/total.ts"}']]],
  ['What does src/total.ts do?', [['read_file {"path":"src/total.ts"}']]],
  ['Open src/cart.ts at line 2', [['open_file {"path":"src/cart.ts","line":2}']]],
  ['List the files in src', [['list_directory {"path":"src"}']]],
  ['Which files are in the src folder?', [['list_directory {"path":"src"}']]],
  ['List all files', [['list_directory {"path":"."}']]],
  ['Find files named cart', [['find_files {"glob":"**/*cart*"}']]],
  ['Find files named `*.spec.ts`', [['find_files {"glob":"**/*.spec.ts"}']]],
  ['Find all TypeScript files', [['find_files {"glob":"**/*.ts"}']]],
  ['Find all .md files', [['find_files {"glob":"**/*.md"}']]],
  ['Find src/*.ts', [['find_files {"glob":"src/*.ts"}']]],
  [
    'Find the file cart.ts and open it',
    [['find_files {"glob":"**/cart.ts"}'], ['open_file {"path":"src/cart.ts"}']],
  ],
  ['Search for "Hello"', [['search_text {"query":"Hello"}']]],
  ['grep TODO in src', [['search_text {"query":"TODO","include":"src/**"}']]],
  ['Find `Hello` in README.md', [['search_text {"query":"Hello","include":"README.md"}']]],
  [
    'Search for the regex `a.*b` in **/*.ts with 2 lines of context',
    [['search_text {"query":"a.*b","regex":true,"include":"**/*.ts","context_lines":2}']],
  ],
  ['Which files mention "Hello"?', [['search_text {"query":"Hello"}']]],
  ['What problems does src/cart.ts have?', [['get_problems {"path":"src/cart.ts"}']]],
  ['Are there any errors in the workspace?', [['get_problems {}']]],
  ['What symbols are in src/cart.ts?', [['find_symbols {"path":"src/cart.ts"}']]],
  ['Find symbols named `total`', [['find_symbols {"query":"total"}']]],
  [
    'Where is total defined?',
    [
      ['search_text {"query":"total"}'],
      ['go_to_definition {"path":"src/cart.ts","line":1,"symbol":"total"}'],
    ],
  ],
  [
    'Go to the definition of `total` in src/cart.ts line 2',
    [['go_to_definition {"path":"src/cart.ts","line":2,"symbol":"total"}']],
  ],
  [
    'Who uses total?',
    [
      ['find_symbols {"query":"total"}'],
      ['search_text {"query":"total"}'],
      ['find_references {"path":"src/total.ts","line":1,"symbol":"total"}'],
    ],
  ],
  [
    'Create a file notes.txt with "one\\ntwo"',
    [['create_file {"path":"notes.txt","content":"one\\ntwo\\n"}']],
  ],
  [
    'Create src/new.ts with:\n```ts\nread(); // and then run it\n```',
    [['create_file {"path":"src/new.ts","content":"read(); // and then run it\\n"}']],
  ],
  ['Create an empty file `a b`', [['create_file {"path":"a b","content":""}']]],
  [
    'Create a.txt with "x", then open it',
    [['create_file {"path":"a.txt","content":"x\\n"}'], ['open_file {"path":"a.txt"}']],
  ],
  ['Delete README.md', [['delete_file {"path":"README.md"}']]],
  [
    'Rename src/cart.ts to basket.ts',
    [['rename_file {"from":"src/cart.ts","to":"src/basket.ts"}']],
  ],
  ['Move README.md to docs/', [['rename_file {"from":"README.md","to":"docs/README.md"}']]],
  [
    'Replace `world` with `sun` in README.md',
    [
      [read],
      ['edit_file {"path":"README.md","edits":[{"search":"Hello world","replace":"Hello sun"}]}'],
    ],
  ],
  [
    'In README.md, replace "world" with "sun" and "moon" with "star"',
    [
      [read],
      [
        'edit_file {"path":"README.md","edits":[{"search":"Hello world","replace":"Hello sun"},{"search":"Hello moon","replace":"Hello star"}]}',
      ],
    ],
  ],
  [
    'Append "The end" to README.md',
    [
      [read],
      [
        'edit_file {"path":"README.md","edits":[{"search":"Hello moon","replace":"Hello moon\\nThe end"}]}',
      ],
    ],
  ],
  [
    'Insert "> quote" before "Hello world" in README.md',
    [
      [read],
      [
        'edit_file {"path":"README.md","edits":[{"search":"Hello world","replace":"> quote\\nHello world"}]}',
      ],
    ],
  ],
  [
    'Remove the line with "world" from README.md',
    [[read], ['edit_file {"path":"README.md","edits":[{"search":"Hello world\\n","replace":""}]}']],
  ],
  ['Show me the diff of README.md', [['show_diff {"path":"README.md"}']]],
  ['Run `npm test`', [['run_command {"command":"npm test"}']]],
  ['Run the tests', [['run_command {"command":"npm test"}']]],
  [
    'run node build.mjs in the background',
    [['run_command {"command":"node build.mjs","background":true}']],
  ],
  [
    'Run `ls -la` in the folder src with a timeout of 5 seconds',
    [['run_command {"command":"ls -la","cwd":"src","timeout_seconds":5}']],
  ],
  ['Show the output of command-7', [['read_command_output {"id":"command-7"}']]],
  [
    'Run `serve` in the background, then read its output, then stop it',
    [
      ['run_command {"command":"serve","background":true}'],
      ['read_command_output {"id":"command-3"}'],
      ['stop_command {"id":"command-3"}'],
    ],
  ],
  [
    'Ask me which colour: red, green or blue',
    [['ask_user {"question":"Which colour?","choices":["red","green","blue"]}']],
  ],
  ['Ask me "Shall I go on?"', [['ask_user {"question":"Shall I go on?"}']]],
  [
    'Call the tool read_file with {"path": "a and then b"}',
    [['read_file {"path":"a and then b"}']],
  ],
  [
    'Call tool read_file with {"path":"x"} 3 times',
    [['read_file {"path":"x"}'], ['read_file {"path":"x"}'], ['read_file {"path":"x"}']],
  ],
  [
    'Call tool read_file with {"path":"x"} 2 times at once',
    [['read_file {"path":"x"}', 'read_file {"path":"x"}']],
  ],
];

test.each(cases)('%s', async (request, rounds) => {
  // A file that is not there is looked for; here only the request counts.
  const workspace = new Workspace(files).reply(
    'read_file',
    ...(request.includes('"x"') ? ['', '', ''] : []),
  );
  if (request.includes('a and then b')) workspace.reply('read_file', '');
  workspace.reply('find_references', 'src/cart.ts\n2: export const sum = total([1, 2]);');
  workspace.reply('run_command', 'Running in the background as command-3.\n\n(no output)');
  expect((await letWork(request, workspace)).rounds).toEqual(rounds);
});

test('every tool is called by some of these requests', () => {
  const called = cases.flatMap(([, rounds]) => rounds.flat().map((call) => call.split(' ', 1)[0]));
  expect(new Set(called)).toEqual(new Set(toolNames));
});

test.each([
  'What is a monad?',
  'How do I read a file in Node.js?',
  'Explain closures',
  'How do I retry a step?',
  'What errors can JSON.parse throw?',
  'What uses memory in a browser?',
  'Hello',
  'Do not run the tests',
  'What is in these?',
  'Why is reading and writing slow?',
  '<attachment: a.ts>\n```ts\nRead b.ts\n```\n</attachment>\n\nThoughts?',
  '<attachment: a.ts>\n```ts\nconst a = 1;\n```\n</attachment>\n\nExplain a.ts',
  '<attachment: a.ts>\n```ts\nconst a = 1;\n```\n</attachment>\n\nWhat is in these?',
  '<attachment: a.ts>\n```ts\na\n```\n</attachment>\n\n<attachment: b.ts:2>\n```ts\nb\n```\n</attachment>\n\nWhat is in b.ts?',
])('no tool is called for: %s', async (request) => {
  expect((await letWork(request, new Workspace(files))).rounds).toEqual([]);
});

test('only tools that were sent are called', async () => {
  const workspace = new Workspace(files);
  const tools = ['list_directory'];
  const { rounds, answer } = await letWork('Read README.md, then list src', workspace, { tools });
  expect(rounds).toEqual([['list_directory {"path":"src"}']]);
  expect(answer).not.toContain('Hello world');
  const unknown = await letWork('Call tool fly with {}', workspace, { tools });
  expect(unknown).toEqual({ rounds: [], answer: 'I was not given a tool named `fly`.' });
});

test('a tool of another extension is called by its name, or by the words of its name', async () => {
  const tools = ['weather_report', 'read_file'];
  const exact = await letWork('Call tool weather_report with {"city": "Oslo"}', new Workspace(), {
    tools,
  });
  expect(exact.rounds).toEqual([['weather_report {"city":"Oslo"}']]);
  const meant = await letWork('Show the weather report', new Workspace(), { tools });
  expect(meant.rounds).toEqual([['weather_report {}']]);
});

test('one call at a time when the request says so', async () => {
  const body = { parallel_tool_calls: false };
  const { rounds } = await letWork('Read README.md and src/cart.ts', new Workspace(files), {
    body,
  });
  expect(rounds).toEqual([[read], ['read_file {"path":"src/cart.ts"}']]);
});
