import type { ChatBody } from '../chat/body.ts';
import { pick } from '../random.ts';
import {
  attachedCode,
  type Code,
  type Declaration,
  declarationsIn,
  sourceOf,
} from './code-reading.ts';
import { knowHow } from './know-how.ts';
import { purposeOf } from './purpose.ts';
import { questionOf } from './question.ts';
import { remarksOn } from './review.ts';

/** A Markdown answer about the code that was attached, or to the question alone. */
export function converse(body: ChatBody, random: () => number): string {
  const question = questionOf(body);
  const attached = attachedCode(body);
  // Other material may be attached too, such as the problems of a file.
  const code = attached.find((each) => declarationsIn(each).length > 0) ?? attached[0];
  if (code === undefined) return withoutCode(question, random);
  const reading = { code, declarations: declarationsIn(code), random };
  const write = intents.find(({ pattern }) => pattern.test(question))?.write ?? explain;
  return write(reading).filter(Boolean).join('\n\n');
}

interface Reading {
  readonly code: Code;
  readonly declarations: readonly Declaration[];
  readonly random: () => number;
}

const intents: readonly {
  readonly pattern: RegExp;
  readonly write: (reading: Reading) => string[];
}[] = [
  { pattern: /\btests?\b|\bspec\b/i, write: writeTests },
  {
    pattern: /\b(?:bug|fix|wrong|problem|error|fail|review|improve|refactor|clean)/i,
    write: review,
  },
  { pattern: /\b(?:document|comment|docstring|jsdoc)/i, write: writeDocs },
];

function explain({ code, declarations, random }: Reading): string[] {
  const lines = code.text.split('\n').length;
  const opening = pick(random, ['Here is how', 'In short, this is how', 'This is how']);
  return [
    `${opening} ${nameOf(code)} works. It has ${plural(lines, 'line')} and declares ${counted(declarations)}.`,
    table(declarations),
    flow(code, declarations),
    remarks(code),
    example(code, declarations),
  ];
}

function review({ code, declarations }: Reading): string[] {
  const found = remarksOn(code);
  const [first] = found;
  const target =
    declarations.findLast(({ kind, line }) => kind === 'function' && line <= (first?.line ?? 0)) ??
    declarations[0];
  if (target === undefined || first === undefined) {
    return [
      `I read ${nameOf(code)} line by line and found **nothing that is wrong**.`,
      table(declarations),
      'What I would still add is a test for empty input; it is the case that is forgotten most often.',
    ];
  }
  return [
    `I found **${plural(found.length, 'point')}** in ${nameOf(code)} worth a look:`,
    found.map(({ line, text }) => `- **Line ${line}**: ${text}`).join('\n'),
    `The first one is in \`${target.name}\`. It is a small change:`,
    fenced(
      code.language,
      `${comment(code, `line ${first.line}: ${first.text}`)}\n${sourceOf(code, target)}`,
    ),
    'After that, run the tests once more; the behaviour for valid input stays the same.',
  ];
}

function writeTests({ code, declarations }: Reading): string[] {
  const functions = declarations.filter(({ kind }) => kind === 'function').slice(0, 3);
  if (functions.length === 0) return explain({ code, declarations, random: () => 0 });
  const cases = functions.flatMap(({ name }) => [
    `| \`${name}\` | a usual value | the documented result |`,
    `| \`${name}\` | empty input | no exception |`,
  ]);
  return [
    `These tests cover ${functions.map(({ name }) => `\`${name}\``).join(', ')}:`,
    fenced(code.language, testSource(code, functions)),
    ['| Function | Case | Expectation |', '| --- | --- | --- |', ...cases].join('\n'),
    'Fill in the expected values you want to promise, then run them.',
  ];
}

function writeDocs({ code, declarations }: Reading): string[] {
  const bare = declarations.filter(({ comment: written }) => written === '');
  if (bare.length === 0) {
    return [`Everything in ${nameOf(code)} has a comment already:`, table(declarations)];
  }
  const documented = bare.slice(0, 4).map((declaration) => {
    const [signature = ''] = sourceOf(code, declaration).split('\n');
    return `${docComment(code, declaration)}\n${signature}`;
  });
  return [
    `Here are doc comments for ${nameOf(code)}. They say what each part is for, not how it works:`,
    fenced(code.language, documented.join('\n\n')),
    'I left the bodies out; only the comments are new.',
  ];
}

function withoutCode(question: string, random: () => number): string {
  if (
    question.length < 20 &&
    /^(?:hi|hello|hey|good (?:morning|evening)|thanks?)\b/i.test(question)
  ) {
    return 'Hello! Ask me about your code: select some lines or attach a file, and I can explain it, review it, or write tests for it.';
  }
  const { advice, source } = knowHow(question);
  const opening = pick(random, [
    'Good question.',
    'Happy to help.',
    'Let us take it step by step.',
  ]);
  return [
    `${opening} ${advice}`,
    fenced('ts', source),
    [
      '1. **Pin down the behaviour.** Write one sentence that says what should happen, and one example.',
      '2. **Find the place.** Search for where the value enters the program, not for where it looks wrong.',
      '3. **Make it small.** Change one thing, run the tests, then look again.',
    ].join('\n'),
    '| Approach | Good for | Costs |\n| --- | --- | --- |\n| Small change | bugs with a clear cause | little |\n| Rewrite of one function | unclear control flow | an hour of tests |\n| New module | a new responsibility | a decision about names |',
    'Attach the file or select the lines you mean, and I will be more specific.',
  ].join('\n\n');
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const nameOf = ({ path }: Code): string => (path === undefined ? 'this code' : `\`${path}\``);

function counted(declarations: readonly Declaration[]): string {
  const functions = declarations.filter(({ kind }) => kind === 'function').length;
  const types = declarations.length - functions;
  if (declarations.length === 0) return 'nothing by name, so it runs from top to bottom';
  return [functions && plural(functions, 'function'), types && plural(types, 'type')]
    .filter(Boolean)
    .join(' and ');
}

function table(declarations: readonly Declaration[]): string {
  if (declarations.length === 0) return '';
  const rows = declarations.slice(0, 10).map((declaration) => {
    const { name, line, parameters } = declaration;
    const list = parameters.map((parameter) => `\`${parameter}\``).join(', ') || '–';
    const purpose = purposeOf(declaration).replaceAll('|', '\\|');
    return `| \`${name}\` | ${line} | ${list} | ${purpose} |`;
  });
  return ['| Name | Line | Parameters | What it does |', '| --- | --: | --- | --- |', ...rows].join(
    '\n',
  );
}

function flow(code: Code, declarations: readonly Declaration[]): string {
  const functions = declarations.filter(({ kind }) => kind === 'function');
  const items = functions.flatMap((caller) => {
    const [, ...body] = sourceOf(code, caller).split('\n');
    const called = functions.filter(
      ({ name }) => name !== caller.name && body.join('\n').includes(`${name}(`),
    );
    const names = called.map(({ name }) => `\`${name}\``);
    return names.length > 0 ? [`- \`${caller.name}\` calls ${names.join(', ')}.`] : [];
  });
  return items.length > 0 ? `### How it fits together\n\n${items.slice(0, 6).join('\n')}` : '';
}

function remarks(code: Code): string {
  const found = remarksOn(code).slice(0, 4);
  if (found.length === 0) return '';
  const items = found.map(({ line, text }) => `- **Line ${line}**: ${text}`);
  return `### Worth a look\n\n${items.join('\n')}`;
}

function example(code: Code, declarations: readonly Declaration[]): string {
  const main = declarations.find(({ kind }) => kind === 'function');
  if (main === undefined) return '';
  const call = `${main.name}(${main.parameters.join(', ')})`;
  const usage = isScript(code) ? `const result = ${call};` : `result = ${call}`;
  return `### Using it\n\n${fenced(code.language, usage)}`;
}

const isScript = ({ language }: Code): boolean =>
  /^(?:ts|js|tsx|jsx|mjs|typescript|javascript|typescriptreact|javascriptreact)$/.test(language);

const isPython = ({ language }: Code): boolean => language.startsWith('py');

const comment = (code: Code, text: string): string => `${isPython(code) ? '#' : '//'} ${text}`;

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

function docComment(code: Code, declaration: Declaration): string {
  if (!isScript(code)) return comment(code, `${purposeOf(declaration)}.`);
  const parameters = declaration.parameters.map(
    (name) => ` * @param ${name} The ${spaced(name)} to work on.`,
  );
  return ['/**', ` * ${purposeOf(declaration)}.`, ...parameters, ' */'].join('\n');
}

const spaced = (name: string): string => name.replace(/([A-Z])/g, ' $1').toLowerCase();

function testSource(code: Code, functions: readonly Declaration[]): string {
  if (isPython(code)) {
    return functions
      .map(
        ({ name, parameters }) =>
          `def test_${name}():\n    assert ${name}(${parameters.join(', ')}) is not None`,
      )
      .join('\n\n\n');
  }
  const tests = functions.map(
    ({ name, parameters }) =>
      `test('${name} handles a usual value', () => {\n  expect(${name}(${parameters.join(', ')})).toBeDefined();\n});`,
  );
  return [`import { expect, test } from 'vitest';`, '', tests.join('\n\n')].join('\n');
}
