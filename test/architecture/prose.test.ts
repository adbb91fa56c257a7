import { describe, expect, test } from 'vitest';
import {
  measureProse,
  measures,
  readProseBelow,
  readProse,
  readSourcesBelow,
  findUnknownNames,
} from './prose.ts';

const folders = ['src', 'webview', 'test'] as const;

describe.each(folders)('comments and test titles in %s', (folder) => {
  const prose = readProseBelow(folder);

  test('include more than a hundred doc comments', () => {
    expect(prose.flatMap(({ docComments }) => docComments).length).toBeGreaterThan(100);
  });

  test.each(measures.map((measure) => [measure.name, measure.reason, measure] as const))(
    'do not exceed the limit of the prose measure "%s": %s',
    (_, __, measure) => {
      expect(measureProse(measure, prose)).toBeLessThanOrEqual(measure.maxValue);
    },
  );
});

describe('names in doc comments', () => {
  test.each(folders)('in %s occur in the documented signature or in the file', (folder) => {
    const unknownNames = [...readSourcesBelow(folder)].flatMap(([path, source]) =>
      findUnknownNames(path, source).map((name) => `${path}: ${name}`),
    );
    expect(unknownNames).toEqual([]);
  });

  test.each([
    ['/** @param url address */\nfunction load(uri: string) {}', ['url']],
    ['interface A {\n  /** @param uri address */\n  load(url: string): void;\n}', ['uri']],
    ['/** Opposite of {@link load}. */\nfunction store() {} // load', ['load']],
  ])('are reported if the documented code does not contain them: %j', (source, names) => {
    expect(findUnknownNames('planted.ts', source)).toEqual(names);
  });

  test.each([
    '/** @param uri address */\nexport const load = async ({ uri }: Options) => {};',
    'class A {\n  /** @param uri address */\n  load(uri: string) {}\n}',
    '/** Opposite of {@link load}. */\nfunction store() { load(); }',
  ])('are not reported if the documented code contains them: %j', (source) => {
    expect(findUnknownNames('planted.ts', source)).toEqual([]);
  });
});

describe('the prose check of a source file', () => {
  test.each([
    ['/** Whether the key may be used. */', 'bare clause'],
    ['/** By the name of the model. */', 'preposition'],
    ['// The text stands here.', 'stand'],
    ['/* The service says so. */', 'say'],
    ["test('the reason is told', () => {});", 'tell'],
    ["test.each([1])('a person asks', () => {});", 'person'],
    ['describe(`nobody waits for ${name}`, () => {});', 'nobody'],
    ['/**\n * Reads the list.\n * It is written anew.\n */', 'anew'],
  ])('detects the style problem in %s', (source, name) => {
    const prose = [readProse('planted.ts', source)];
    const exceededMeasures = measures.filter(
      (measure) => measureProse(measure, prose) > measure.maxValue,
    );
    expect(exceededMeasures.map((measure) => measure.name)).toEqual([name]);
  });

  test('ignores code, strings and lint directives', () => {
    const source = [
      "const text = '// nobody says';",
      '// oxlint-disable-next-line no-console',
      'const stands = /nobody/u;',
    ].join('\n');
    expect(readProse('planted.ts', source)).toEqual({
      docComments: [],
      comments: [],
      testTitles: [],
    });
  });

  test('joins adjacent line comments into one comment', () => {
    expect(
      readProse('planted.ts', '// One sentence\n// in two lines.\n\nrun(); // Last.').comments,
    ).toEqual(['One sentence in two lines.', 'Last.']);
  });
});
