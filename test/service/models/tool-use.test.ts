import { describe, expect, test } from 'vitest';
import {
  requestAnswer,
  createInMemoryToolRunner,
  workspaceTools,
  runConversation,
} from './workspace.fixture.ts';

/** Requests of a user, each with the expected tool calls of the model, one list per reply. */
const cases: readonly (readonly [request: string, ...rounds: (readonly string[])[]])[] = [
  ['Read README.md', ['read_file {"path":"README.md"}']],
  ['Could you please read the file `README.md`?', ['read_file {"path":"README.md"}']],
  ["What's in README.md?", ['read_file {"path":"README.md"}']],
  ['Read lines 2 to 3 of a.md', ['read_file {"path":"a.md","start_line":2,"end_line":3}']],
  ['Read a.ts and b.ts', ['read_file {"path":"a.ts"}', 'read_file {"path":"b.ts"}']],
  ['Read a.ts, then list src', ['read_file {"path":"a.ts"}'], ['list_directory {"path":"src"}']],
  ['Read a.ts and list src', ['read_file {"path":"a.ts"}'], ['list_directory {"path":"src"}']],
  ['Open src/cart.ts at line 2', ['open_file {"path":"src/cart.ts","line":2}']],
  ['List the files in src', ['list_directory {"path":"src"}']],
  ['Which files are in the src folder?', ['list_directory {"path":"src"}']],
  ['List all files', ['list_directory {"path":"."}']],
  ['Find files named cart', ['find_files {"glob":"**/*cart*"}']],
  ['Find files named `*.spec.ts`', ['find_files {"glob":"**/*.spec.ts"}']],
  ['Search for "Hello"', ['search_text {"query":"Hello"}']],
  ['grep TODO in src', ['search_text {"query":"TODO","include":"src/**"}']],
  ['Find `Hello` in README.md', ['search_text {"query":"Hello","include":"README.md"}']],
  ['Search for the regex `a.*b`', ['search_text {"query":"a.*b","regex":true}']],
  ['What problems does src/cart.ts have?', ['get_problems {"path":"src/cart.ts"}']],
  ['Are there any errors in the workspace?', ['get_problems {}']],
  ['Create a.txt with "one\\ntwo"', ['create_file {"path":"a.txt","content":"one\\ntwo\\n"}']],
  [
    'Create src/new.ts with:\n```ts\nread(); // and then run it\n```',
    ['create_file {"path":"src/new.ts","content":"read(); // and then run it\\n"}'],
  ],
  [
    'Create a.txt with "x", then open it',
    ['create_file {"path":"a.txt","content":"x\\n"}'],
    ['open_file {"path":"a.txt"}'],
  ],
  ['Create an empty file `a b`', ['create_file {"path":"a b","content":""}']],
  ['Delete README.md', ['delete_file {"path":"README.md"}']],
  ['Rename src/a.ts to b.ts', ['rename_file {"from":"src/a.ts","to":"src/b.ts"}']],
  ['Move README.md to docs/', ['rename_file {"from":"README.md","to":"docs/README.md"}']],
  [
    'Replace `world` with `sun` in a.md',
    ['read_file {"path":"a.md"}'],
    ['edit_file {"path":"a.md","edits":[{"search":"Hello world","replace":"Hello sun"}]}'],
  ],
  [
    'Append "The end" to a.md',
    ['read_file {"path":"a.md"}'],
    [
      'edit_file {"path":"a.md","edits":[{"search":"Hello world","replace":"Hello world\\nThe end"}]}',
    ],
  ],
  ['Show me the diff of README.md', ['show_diff {"path":"README.md"}']],
  ['Run `npm test`', ['run_command {"command":"npm test"}']],
  ['Run the tests', ['run_command {"command":"npm test"}']],
  [
    'Run node serve.mjs in the background, then read its output, then stop it',
    ['run_command {"command":"node serve.mjs","background":true}'],
    ['read_command_output {"id":"command-3"}'],
    ['stop_command {"id":"command-3"}'],
  ],
  [
    'Ask me which color: red, green or blue',
    ['ask_user {"question":"Which color?","choices":["red","green","blue"]}'],
  ],
  ['Ask me "Shall I go on?"', ['ask_user {"question":"Shall I go on?"}']],
  ['Call tool read_file with {"path": "a and then b"}', ['read_file {"path":"a and then b"}']],
  [
    'Call tool read_file with {"path":"x"} 2 times',
    ['read_file {"path":"x"}'],
    ['read_file {"path":"x"}'],
  ],
  [
    'Call tool read_file with {"path":"x"} 2 times at once',
    ['read_file {"path":"x"}', 'read_file {"path":"x"}'],
  ],
];

const namedCases = cases.map(([request, ...rounds]) => ({ request, rounds }));

test.each(namedCases)(
  'the scripted model calls the expected tools for the user request "$request"',
  async ({ request, rounds }) => {
    const runTool = createInMemoryToolRunner(new Map([['a.md', 'Hello world\n']]));
    const transcript = await runConversation(request, (name, args) =>
      name === 'run_command' ? 'Running in the background as command-3.' : runTool(name, args),
    );
    expect(transcript.rounds).toEqual(rounds);
  },
);

test('the model calls a tool through the discovery tool if only the discovery tool lists it', async () => {
  const description = 'Calls one of these tools.\nopen_file: shows a file';
  const discoveryTool = {
    type: 'function',
    function: { name: 'more_tools', description },
  } as const;
  const { rounds } = await runConversation('Open a.ts', () => 'ok', { tools: [discoveryTool] });
  expect(rounds).toEqual([['more_tools {"tool":"open_file","arguments":{"path":"a.ts"}}']]);
});

test('the tested user requests include at least one request for each tool', () => {
  const calledNames = cases.flatMap(([, ...rounds]) =>
    rounds.flat().map((call) => call.split(' ')[0]),
  );
  expect(new Set(calledNames)).toEqual(new Set(workspaceTools.map((tool) => tool.function.name)));
});

test.each([
  'What is a monad?',
  'How do I read a file in Node.js?',
  'Explain closures',
  'What errors can JSON.parse throw?',
  'Hello',
  'Do not run the tests',
  'Remove the line with `x` from a.ts',
  'List three reasons',
  'Find bugs to fix in src/a.ts',
  'Write a test for src/a.ts',
  'Search the web tides',
  '<attachment: a.ts>\n```ts\nRead b.ts\n```\n</attachment>\n\nThoughts?',
  '<attachment: a.ts>\n```ts\nconst a = 1;\n```\n</attachment>\n\nExplain a.ts',
])('the model calls no tool for the request "%s"', async (request) => {
  expect((await runConversation(request, () => 'ok')).rounds).toEqual([]);
});

describe('the symbol rename recipe', () => {
  const files = {
    'src/total.ts': 'export function total(prices: number[]) {}\n',
    'src/cart.ts': "import { total } from './total.ts';\n\nconst a = total([1]);\n",
    'src/bill.ts': "import { total } from './total.ts';\nconst subtotal = total([]);\n",
  };
  const request = 'Find where `total` is defined and rename it to `sumOf` in all files';

  test('edits all files in the search results', async () => {
    const fileContents = new Map(Object.entries(files));
    const { rounds, finalAnswer } = await runConversation(
      request,
      createInMemoryToolRunner(fileContents),
    );
    expect(rounds.map((round) => round.map((call) => call.split(' ')[0]))).toEqual([
      ['search_text'],
      ['read_file', 'read_file', 'read_file'],
      ['edit_file', 'edit_file', 'edit_file'],
    ]);
    expect([...fileContents.values()].join()).toBe(
      Object.values(files)
        .join()
        .replaceAll(/\btotal(?!\.ts)/g, 'sumOf'),
    );
    expect(finalAnswer).toContain('`total` was defined in `src/total.ts:1`');
  });

  test('edits only the files for which the user allows the edit', async () => {
    const fileContents = new Map(Object.entries(files));
    const runTool = createInMemoryToolRunner(fileContents);
    const { finalAnswer } = await runConversation(request, (name, args) =>
      name === 'edit_file' && args['path'] === 'src/cart.ts'
        ? 'The user denied this call with this reason: not this one'
        : runTool(name, args),
    );
    expect(fileContents.get('src/cart.ts')).toBe(files['src/cart.ts']);
    expect(finalAnswer).toContain('in 2 files');
    expect(finalAnswer).toContain('`src/cart.ts` as it is: The user denied this call');
  });
});

describe('the run-and-fix recipe', () => {
  const mathSource =
    'export const twice = (a) => a - a;\nexport function add(a, b) {\n  return a - b;\n}\n';
  const files = {
    'check.mjs': "import { add } from './src/math.mjs';\nassert.equal(add(2, 3), 5);\n",
    'src/math.mjs': mathSource,
  };
  const failureText = 'Exit code 1 after 0.1 s.\n\n-1 !== 5\n  at file:///w/check.mjs:2:8';
  const request = 'Run `node check.mjs` and fix what fails';
  const runFixRecipe = (fileContents: Map<string, string>, isFixed: () => boolean) => {
    const runTool = createInMemoryToolRunner(fileContents);
    return (name: string, args: Readonly<Record<string, unknown>>): string => {
      if (name === 'run_command') return isFixed() ? 'Exit code 0 after 0.1 s.' : failureText;
      return runTool(name, { ...args, path: String(args['path']).replace(/^\/w\//, '') });
    };
  };

  test('replaces a wrong operator with the operator that gives the expected result', async () => {
    const fileContents = new Map(Object.entries(files));
    const { rounds, finalAnswer } = await runConversation(
      request,
      runFixRecipe(fileContents, () => fileContents.get('src/math.mjs') !== mathSource),
    );
    expect(fileContents.get('src/math.mjs')).toBe(mathSource.replace('a - b', 'a + b'));
    expect(fileContents.get('check.mjs')).toBe(files['check.mjs']);
    expect(rounds.at(-1)).toEqual(['run_command {"command":"node check.mjs"}']);
    expect(finalAnswer).toContain('`node check.mjs` passes');
  });

  test('ends without a fix if no cause is obvious', async () => {
    const fileContents = new Map([['check.mjs', 'throw new Error("the moon is full");\n']]);
    const { finalAnswer } = await runConversation(
      request,
      runFixRecipe(fileContents, () => false),
    );
    expect(finalAnswer).toContain('no obvious fix');
  });

  test("applies the name proposed by the editor's problem message", async () => {
    const fileContents = new Map([['a.ts', 'const one = 1;\nconst two = onne + 1;\n']]);
    const runTool = createInMemoryToolRunner(fileContents);
    await runConversation('Fix the problems in a.ts', (name, args) => {
      if (name !== 'get_problems') return runTool(name, args);
      return fileContents.get('a.ts')?.includes('onne')
        ? "a.ts:2:13 error (ts 2552): Cannot find name 'onne'. Did you mean 'one'?"
        : 'No problems are known in a.ts.';
    });
    expect(fileContents.get('a.ts')).toBe('const one = 1;\nconst two = one + 1;\n');
  });
});

test('the model makes no further tool calls after the user denied a call', async () => {
  const denialText = 'The user denied this call with this reason: not now';
  const { rounds, finalAnswer } = await runConversation(
    'Delete a.ts, then run `ls`',
    () => denialText,
  );
  expect(rounds).toEqual([['delete_file {"path":"a.ts"}']]);
  expect(finalAnswer).toContain('not now');
});

const createCall = (id: string, name: string, args: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const createToolResult = (id: string, content: string) => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

test.each(['Not run: it was stopped.', '[This output was left out to save room.]'])(
  'the model repeats a tool call if its result is "%s"',
  async (output) => {
    const messages = [
      { role: 'user', content: 'Read a.ts' },
      createCall('c1', 'read_file', { path: 'a.ts' }),
      createToolResult('c1', output),
    ];
    const { toolCalls } = await requestAnswer(messages, { tools: workspaceTools });
    expect(toolCalls).toMatchObject([{ name: 'read_file', arguments: '{"path":"a.ts"}' }]);
  },
);

test('the model resumes the previous request after the message "Continue"', async () => {
  const messages = [
    { role: 'user', content: 'Read a.ts, then read b.ts' },
    createCall('c1', 'read_file', { path: 'a.ts' }),
    createToolResult('c1', '1\ta'),
    { role: 'user', content: 'Continue' },
  ];
  const { toolCalls } = await requestAnswer(messages, { tools: workspaceTools });
  expect(toolCalls).toMatchObject([{ name: 'read_file', arguments: '{"path":"b.ts"}' }]);
});

test('the model resumes the latest request of a summarized conversation', async () => {
  const conversation =
    'User: Read a.ts\n\nAssistant: I read it.\nTool: Read a.ts (done)\n1\ta\n\nUser: Read b.ts';
  const summaryRequest = `Summarize the conversation so far.\n\n<conversation>\n${conversation}\n</conversation>`;
  const { content } = await requestAnswer([{ role: 'user', content: summaryRequest }], {
    tools: workspaceTools,
  });
  expect(content).toBe('Requests so far: 2.\n- Read a.ts (done)\nLatest request: Read b.ts');
  const summaryMessage = { role: 'user', content: `What came before, in a summary:\n\n${content}` };
  const { toolCalls } = await requestAnswer([summaryMessage], { tools: workspaceTools });
  expect(toolCalls).toMatchObject([{ name: 'read_file', arguments: '{"path":"b.ts"}' }]);
});

describe('a tool without a recipe', () => {
  const weatherTool = {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
        required: ['city'],
      },
    },
  };
  const requestCalls = async (content: string, overrides: object = {}): Promise<string[]> => {
    const { toolCalls } = await requestAnswer([{ role: 'user', content }], {
      tools: [weatherTool],
      ...overrides,
    });
    return toolCalls.map((call) => `${call.name} ${call.arguments}`);
  };

  test.each([
    ['What is the weather in Oslo?', ['get_weather {"city":"Oslo"}']],
    ['Get the weather in Oslo in fahrenheit', ['get_weather {"city":"Oslo","unit":"fahrenheit"}']],
    ['Call tool get_weather with {"city":"Rome"}', ['get_weather {"city":"Rome"}']],
  ])(
    'is called if the user message contains all words of the tool name: "%s"',
    async (text, expected) => {
      expect(await requestCalls(text)).toEqual(expected);
    },
  );

  test('is not called if the user message lacks the words of the tool name', async () => {
    expect(await requestCalls('What is a monad?')).toEqual([]);
  });

  test('is called if `tool_choice` requires a tool call', async () => {
    const tool_choice = { type: 'function', function: { name: 'get_weather' } };
    expect(await requestCalls('"Rome"', { tool_choice })).toEqual(['get_weather {"city":"Rome"}']);
    expect(await requestCalls('"Rome"', { tool_choice: 'required' })).toHaveLength(1);
    expect(await requestCalls('What is the weather in Oslo?', { tool_choice: 'none' })).toEqual([]);
  });

  test('is not called if the request does not define the tool', async () => {
    expect(await requestCalls('Call tool fly with {}')).toEqual([]);
    expect(await requestCalls('Read a.ts')).toEqual([]);
  });
});

test('the model calls one tool per request if parallel calls are disabled', async () => {
  const { rounds } = await runConversation('Read a.ts and b.ts', () => 'ok', {
    parallel_tool_calls: false,
  });
  expect(rounds).toEqual([['read_file {"path":"a.ts"}'], ['read_file {"path":"b.ts"}']]);
});
