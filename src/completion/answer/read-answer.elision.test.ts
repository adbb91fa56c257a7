import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chooseCompletionScope } from './scope.ts';
import { createAnswerReader } from './read-answer.ts';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { isAddedElision } from '../../agent/edit/new-text-elision.ts';
import { refineText } from '../filter/refine.ts';

function readCompletion(text: string, answer: string, languageId = 'typescript'): string {
  const snapshot = createSnapshotOf(text, languageId);
  const reader = createAnswerReader(snapshot, chooseCompletionScope(snapshot), {
    isElision: isAddedElision,
  });
  for (const character of answer) reader.push(character);
  reader.end();
  const result = refineText(reader.text, { snapshot, isWhole: true });
  return 'text' in result ? result.text : '';
}

const functionWithCursor = 'function f(a: number) {\n  |\n}\n';

test.each([
  ['typescript', functionWithCursor, 'log(a);\n  // ... rest of code', 'log(a);'],
  ['typescript', functionWithCursor, 'log(a);\n  // ...\n  return a;', 'log(a);'],
  ['typescript', functionWithCursor, 'log(a);\n  /* existing code */\n  return a;', 'log(a);'],
  ['typescript', functionWithCursor, 'log(a);\n  // rest of the function unchanged', 'log(a);'],
  ['typescript', functionWithCursor, 'log(a);\n  // … remaining logic …\n  end();', 'log(a);'],
  ['typescript', functionWithCursor, '// ... existing code ...\n  return a;', ''],
  ['typescript', functionWithCursor, 'if (a > 1) {\n    // ... existing code\n  }', ''],
  [
    'typescript',
    functionWithCursor,
    'log(a);\n  if (a > 1) {\n    // ... rest of code\n  }',
    'log(a);',
  ],
  ['python', 'def f(a):\n    |\n', 'log(a)\n    # existing code', 'log(a)'],
  ['python', 'def f(a):\n    |\n', 'if a:\n        # ... rest of code\n', ''],
  ['typescript', functionWithCursor, 'log(a);\n  ...\n  return a;', 'log(a);'],
  ['python', 'def f(a):\n    |\n', 'log(a)\n    …\n', 'log(a)'],
  ['html', '<ul>\n  |\n</ul>\n', '<li>a</li>\n  <!-- ... other items ... -->', '<li>a</li>'],
  ['css', 'a {\n  |\n}\n', 'color: red;\n  /* ... other styles ... */', 'color: red;'],
  ['lua', 'function f()\n  |\nend\n', 'log()\n  -- ... rest of function', 'log()'],
  ['markdown', '# A\n\n|', 'One.\n[rest of the document unchanged]', 'One.'],
])(
  'an inline suggestion in a %s document with the text %j ends before the placeholder in the answer %j',
  (language, text, answer, expected) => {
    expect(readCompletion(text, answer, language)).toBe(expected);
  },
);

test('an inline suggestion for the rest of a line keeps the line if a placeholder follows', () => {
  expect(readCompletion('const f = (a|', ': number) => {\n  // ... rest of code\n};')).toBe(
    ': number) => {',
  );
});

test.each([
  ['typescript', functionWithCursor, '// Waits...\n  return a;'],
  ['typescript', functionWithCursor, '// Later calls reuse the rest of the buffer.\n  return a;'],
  ['python', 'class A:\n    def f(self):\n        |\n', '...'],
  ['cpp', 'int print(\n  |\n);\n', 'const char* text,\n  ...'],
  ['typescript', functionWithCursor, 'call(...rest);\n  return a;'],
  ['typescript', 'const a = {\n  |\n};\n', '...existing,\n  b,'],
  ['python', 'class A:\n    |\n', 'def f(self) -> int: ...'],
  ['typescript', '// ... rest of code\n|', 'start();\n// ... rest of code'],
  ['typescript', '/**\n |\n */', '* Example:\n *     ...\n * unchanged'],
  ['markdown', '# A\n\n|', '```ts\n// ...\n```'],
])(
  'an inline suggestion in a %s document with the text %j keeps the answer %j, which omits no code',
  (language, text, answer) => {
    expect(readCompletion(text, answer, language)).toBe(answer);
  },
);

const folders = ['highlight.js/lib', 'katex/src', 'undici/lib', 'vitest/dist'];

test('inline suggestions keep comments that contain words and an ellipsis, as in published packages', () => {
  const lines = new Set(
    folders
      .flatMap((name) => readSources(`node_modules/${name}`))
      .flatMap((text) => text.split('\n'))
      .filter(
        (line) =>
          /^\s*(?:\/\/|\/\*).*(?:\.{3}|…)/u.test(line) && /\p{L}/u.test(line) && line.length < 200,
      )
      .map((line) => line.trim()),
  );
  expect(lines.size).toBeGreaterThan(80);
  const cutLines = [...lines].filter(
    (line) => readCompletion(functionWithCursor, `a();\n  ${line}\n  b();`) === 'a();',
  );
  expect(cutLines).toEqual([]);
});

const readSources = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?js|ts)$/u.test(entry.name))
    .map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, 'utf8'));
