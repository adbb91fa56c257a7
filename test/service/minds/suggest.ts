import { type Code, type Declaration, sourceOf } from './code-reading.ts';
import { explain, type Reading, tableOf } from './explain.ts';
import { purposeOf } from './purpose.ts';
import { remarksOn } from './remarks.ts';
import { commentLine, fenced, isPython, isScript, nameOf, plural } from './wording.ts';

/** Paragraphs that point at what could be wrong. */
export function review({ code, declarations }: Reading): string[] {
  const found = remarksOn(code);
  const [first] = found;
  const target =
    declarations.findLast(({ kind, line }) => kind === 'function' && line <= (first?.line ?? 0)) ??
    declarations[0];
  if (target === undefined || first === undefined) {
    return [
      `I read ${nameOf(code)} line by line and found **nothing that is wrong**.`,
      tableOf(declarations),
      'What I would still add is a test for empty input; it is the case that is forgotten most often.',
    ];
  }
  return [
    `I found **${plural(found.length, 'point')}** in ${nameOf(code)} worth a look:`,
    found.map(({ line, text }) => `- **Line ${line}**: ${text}`).join('\n'),
    `The first one is in \`${target.name}\`. It is a small change:`,
    fenced(
      code.language,
      `${commentLine(code, `line ${first.line}: ${first.text}`)}\n${sourceOf(code, target)}`,
    ),
    'After that, run the tests once more; the behaviour for valid input stays the same.',
  ];
}

/** Paragraphs with tests for the functions. */
export function writeTests(reading: Reading): string[] {
  const { code, declarations } = reading;
  const functions = declarations.filter(({ kind }) => kind === 'function').slice(0, 3);
  if (functions.length === 0) return explain(reading);
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

/** Paragraphs with comments for what has none. */
export function writeDocs({ code, declarations }: Reading): string[] {
  const bare = declarations.filter(({ comment: written }) => written === '');
  if (bare.length === 0) {
    return [`Everything in ${nameOf(code)} has a comment already:`, tableOf(declarations)];
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

/** The comment that says what a declaration is for, in the form of its language. */
export function docComment(code: Code, declaration: Declaration): string {
  if (!isScript(code)) return commentLine(code, `${purposeOf(declaration)}.`);
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
