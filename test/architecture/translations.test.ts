import { createRequire } from 'node:module';
import * as l10n from '@vscode/l10n';
import { afterEach, describe, expect, test } from 'vitest';
import { readProductSources } from './sources.ts';
import { modelTextFiles, untranslatedTexts } from './untranslated.ts';
import {
  findTranslationGaps,
  languages,
  findTextProblems,
  readTexts,
  areTranslationsRequired,
  readSourcesWithTexts,
  textSets,
  collectTexts,
} from './translations.ts';

const sources = readProductSources();

describe.each(textSets)('the translation of the $name', ({ collectEnglishTexts, getPath }) => {
  test.each(languages)(
    'has no blank or broken text in %s, and no missing text if translations are required',
    async (language) => {
      const englishTexts = await collectEnglishTexts();
      expect(Object.keys(englishTexts).length).toBeGreaterThan(100);
      expect(
        findTextProblems(englishTexts, readTexts(getPath(language)), {
          mustBeComplete: areTranslationsRequired,
        }),
      ).toEqual([]);
    },
  );
});

test.each(textSets)(
  'the French texts of the $name have a non-breaking space between a word and double punctuation',
  ({ getPath }) => {
    const texts = Object.values(readTexts(getPath('fr'))).map((text) =>
      text.replaceAll(/`[^`]*`/gu, ''),
    );
    expect(texts.filter((text) => / [?:;!»]|« /u.test(text))).toEqual([]);
  },
);

describe('the English texts', () => {
  const readAllTexts = async (): Promise<string[]> => {
    const sets = await Promise.all(
      textSets.map(({ collectEnglishTexts }) => collectEnglishTexts()),
    );
    return sets.flatMap((texts) => Object.values(texts));
  };

  test('use the word "connection" instead of "profile", except in setting ids', async () => {
    const texts = (await readAllTexts()).map((text) =>
      text.replaceAll(/inferenceService\.\w+/gu, ''),
    );
    expect(texts.filter((text) => /\bprofiles?\b/iu.test(text))).toEqual([]);
  });
});

describe('the reader of translatable texts', () => {
  test.each([
    ['host', 'src/'],
    ['pages', 'webview/'],
  ])('finds every translatable text of the %s', async (setName, folder) => {
    const callPattern =
      /(?<![\w.])(?:vscode\.)?l10n\.t\(\s*(?:\{\s*message:\s*)?(?<literal>'(?:[^'\\\n]|\\.)*')/gu;
    const foundLiterals = readSourcesWithTexts(folder).flatMap((source) =>
      [...removeComments(source).matchAll(callPattern)].map(
        ({ groups }) => groups?.['literal'] ?? '',
      ),
    );
    const texts = await textSets.find(({ name }) => name === setName)?.collectEnglishTexts();
    const foundTexts = new Set(Object.values(texts ?? {}));
    expect(foundLiterals.length).toBeGreaterThan(100);
    expect(foundLiterals.filter((literal) => !foundTexts.has(evaluateLiteral(literal)))).toEqual(
      [],
    );
  });

  test('lists the texts in source order, and lists a text again if its translator comment differs', async () => {
    const sources = [
      `import * as vscode from 'vscode';
      export async function* read() {
        await using file = open();
        yield vscode.l10n.t('Read');
        yield vscode.l10n.t({ message: 'Read', comment: ['past'] });
      }`,
      "import * as l10n from '@vscode/l10n';\nconst text = l10n.t('Open {0}', name);",
      "import * as l10n from '@vscode/l10n';\nconst text = l10n.t('It\\'s done');",
    ];
    expect(Object.entries(await collectTexts(sources))).toEqual([
      ['Read', 'Read'],
      ['Read/past', 'Read'],
      ['Open {0}', 'Open {0}'],
      ["It's done", "It's done"],
    ]);
  });
});

describe('problems of a translation', () => {
  const englishTexts = { 'Open {0}': 'Open {0}', '$(key) Sign in': '$(key) Sign in', Stop: 'Stop' };
  const germanTexts = { 'Open {0}': 'Öffnen', '$(key) Sign in': '$(key) Anmelden', Go: 'Los' };

  test('always include missing placeholders and blank texts', () => {
    expect(findTextProblems(englishTexts, germanTexts, { mustBeComplete: false })).toEqual([
      'placeholders differ: Open {0}',
    ]);
    expect(findTextProblems(englishTexts, { Stop: ' ' }, { mustBeComplete: false })).toEqual([
      'blank: Stop',
    ]);
    expect(
      findTextProblems(englishTexts, { '$(key) Sign in': '' }, { mustBeComplete: false }),
    ).toEqual(['blank: $(key) Sign in']);
  });

  test('also include missing and unused texts if the translation must be complete', () => {
    expect(findTextProblems(englishTexts, germanTexts, { mustBeComplete: true })).toEqual([
      'missing: Stop',
      'not used: Go',
      'placeholders differ: Open {0}',
    ]);
    expect(
      findTextProblems(
        englishTexts,
        { ...englishTexts, Stop: 'Anhalten' },
        { mustBeComplete: true },
      ),
    ).toEqual([]);
  });

  test('are reported by findTranslationGaps as missing or outdated texts', () => {
    expect(findTranslationGaps(englishTexts, germanTexts)).toEqual({
      missingTexts: { Stop: 'Stop' },
      staleTexts: { Go: 'Los' },
    });
    expect(findTranslationGaps(englishTexts, englishTexts)).toEqual({
      missingTexts: {},
      staleTexts: {},
    });
  });
});

/** The variant of `@vscode/l10n` that esbuild.mjs puts into all bundles. */
const bundledLibrary = createRequire(import.meta.url)(
  '@vscode/l10n/dist/browser.js',
) as typeof l10n;

const libraries = [
  ['bundles', bundledLibrary],
  ['unit tests', l10n],
] as const;

describe.each(libraries)('a text in the %s', (_name, { config, t }) => {
  afterEach(() => config({ contents: {} }));

  test('is displayed in English if no translation exists', () => {
    config({ contents: { 'Open {0}': '{0} öffnen' } });
    expect(t('Open {0}', 'a.ts')).toBe('a.ts öffnen');
    expect(t('Close {0}', 'a.ts')).toBe('Close a.ts');
    expect(t({ message: 'Open {0}', args: ['a.ts'], comment: ['past'] })).toBe('Open a.ts');
  });

  test('has a separate translation for each meaning', () => {
    config({ contents: { Read: 'Lesen', 'Read/past': 'Gelesen' } });
    expect([t('Read'), t({ message: 'Read', comment: ['past'] })]).toEqual(['Lesen', 'Gelesen']);
  });
});

describe('hard-coded UI text', () => {
  test('is absent from pages', () => {
    const foundTexts = [...sources]
      .filter(([path]) => path.startsWith('webview/'))
      .flatMap(([path, text]) =>
        findPageTexts(text).map((untranslatedText) => `${path}: ${untranslatedText}`),
      );
    expect(foundTexts).toEqual([]);
  });

  test('is absent from files that use the VS Code API', () => {
    const foundTexts = [...sources]
      .filter(([path]) => mayUseVscodeApi(path))
      .flatMap(([path, text]) =>
        findHostTexts(text).map((untranslatedText) => `${path}: ${untranslatedText}`),
      );
    expect(foundTexts).toEqual([]);
  });

  test('occurs in files without the VS Code API, and in tool and failure labels, only if listed as invisible to users', () => {
    const otherSources = [...sources].filter(([path]) => !modelTextFiles.includes(path));
    const foundTexts = otherSources.flatMap(([path, text]) => {
      const texts = !path.startsWith('src/')
        ? []
        : mayUseVscodeApi(path)
          ? findLabelTexts(text)
          : findDisplayedTexts(text);
      return texts.length > 0 ? [[path, texts.toSorted()]] : [];
    });
    expect(Object.fromEntries(foundTexts)).toEqual(untranslatedTexts);
  });

  test.each(modelTextFiles)('occurs in %s, which is listed as text for models', (path) => {
    expect(findDisplayedTexts(sources.get(path) ?? '')).not.toEqual([]);
  });

  test.each([
    ['html`<p class="note">Nothing here</p>`', ['Nothing here']],
    ['html`<a aria-label="Close it" href="#">${text}</a>`', ['aria-label="Close it"']],
    ["html`<p>${l10n.t('Nothing here')} · ${html`<b>Very</b>`}</p>`", ['Very']],
    ["area.placeholder = 'Ask about'", ["placeholder = 'Ask about"]],
    ['mark.title = `Hidden: ${what}`', ['title = `Hidden: ${what}']],
    ["renderIconButton({ label: 'Send', run })", ["label: 'Send"]],
    ["const note = '1 file was removed'", ['1 file was removed']],
    ['const note = `${count} files were removed`', ['${count} files were removed']],
  ])('is detected in the page source %j', (source, expected) => {
    expect(findPageTexts(source)).toEqual(expected);
  });

  test('is not detected in a page source whose text is translated', () => {
    expect(findPageTexts("html`<p>${l10n.t('Nothing here')}</p>`")).toEqual([]);
  });

  test.each([
    ["showInputBox({ title: 'Rename', value })", ["title: 'Rename"]],
    ["showError('It failed.')", ["showError('It failed."]],
    [
      "showWithActions(showWarning, 'It failed.', [])",
      ["showWithActions(showWarning, 'It failed."],
    ],
    ["confirm({ question: 'Really?' }, yes)", ["question: 'Really?"]],
  ])('is detected in the host source %j', (source, expected) => {
    expect(findHostTexts(source)).toEqual(expected);
  });

  test('is not detected in a host source whose text is translated', () => {
    expect(findHostTexts("confirm({ question: vscode.l10n.t('Really?') })")).toEqual([]);
  });

  test('is detected in calls of all functions that show a notification', () => {
    const source = sources.get('src/platform/notifications.ts') ?? '';
    const exportMatches = source.matchAll(
      /^export (?:async )?(?:function|const) (?<name>(?:show|confirm)\w*)/gmu,
    );
    expect([...exportMatches].map(({ groups }) => groups?.['name'])).toEqual(notifications);
  });

  test.each([
    ["fail('The chain is not there.')", ['The chain is not there.']],
    ["const plan = { verb: 'Ask', target: question }", ['Ask']],
  ])('is detected in a file without the VS Code API, in the source %j', (source, expected) => {
    expect(findDisplayedTexts(source)).toEqual(expected);
  });

  test.each([
    "fail(l10n.t('The chain is not there.'))",
    "throw new RangeError('Zero is not allowed here')",
    "const plan = { verb: l10n.t('Ask') }",
  ])('is not detected in the source %j, whose text is translated or internal', (source) => {
    expect(findDisplayedTexts(source)).toEqual([]);
  });
});

/**
 * Checks whether a file may use the VS Code API. API calls can display a text, so the check for untranslated texts is
 * stricter in such files.
 */
const mayUseVscodeApi = (path: string): boolean =>
  /^src\/(?:extension\.ts|host\.ts|(?:platform|language-model|api)\/|.*\/vscode\/)/u.test(path);

/**
 * Returns the untranslated texts of a page source: texts in templates and displayed properties, and string literals of
 * at least three words.
 */
function findPageTexts(source: string): string[] {
  const code = removeComments(source);
  const parts = readMarkupTexts(code).flatMap((html) => [
    ...(html.match(/\b(?:aria-label|title|placeholder|alt)="[^"]*[A-Za-z]{2,}[^"]*"/gu) ?? []),
    ...[...html.matchAll(/>(?<text>[^<>]*[A-Za-z]{2,}[^<>]*)</gu)].map(
      ({ groups }) => groups?.['text']?.trim() ?? '',
    ),
  ]);
  return [
    ...parts,
    ...findLongLiterals(code),
    ...listLiterals(
      code,
      /\b(?:label|ariaLabel|title|placeholder)(?::| =) ['`][A-Z][a-z]+[^'`]*/gu,
    ),
  ];
}

/** Functions of `src/platform/notifications.ts` that display a text. */
const notifications = [
  'showInformation',
  'showWarning',
  'showError',
  'showStatusMessage',
  'confirm',
  'confirmConsent',
  'showProgress',
  'showCancellable',
  'showWithActions',
];

const hostTextPattern = new RegExp(
  [
    '(?:',
    String.raw`\b(?:title|label|placeHolder|placeholder|prompt|tooltip|question): |`,
    String.raw`\b(?:${notifications.join('|')})\(\s*(?:\w+,\s*)?`,
    ')',
    "['`](?!Markdown')[A-Z][a-z]+[^'`]*",
  ].join(''),
  'gu',
);

const findHostTexts = (source: string): string[] =>
  listLiterals(removeComments(source), hostTextPattern);

/** Returns the untranslated string literals of a source that users could see, without duplicates. */
const findDisplayedTexts = (source: string): string[] => [
  ...new Set([...findLongLiterals(source), ...findLabelTexts(source)]),
];

/** Returns the untranslated string literals of at least three words. Excludes messages of internal errors. */
const findLongLiterals = (source: string): string[] =>
  listLiterals(
    removeComments(source),
    /(?<=(?<!l10n\.t\(\s*(?:\{\s*message: )?|Error\(\s*|\w)['"`])(?:[A-Z][a-z]+ [^'"`\n]+|(?:\d+|\$\{\w+\}) [a-z]+ [a-z]+) [^'"`\n]*[a-z}][.:]?(?=['"`])/gu,
  );

/** Returns the untranslated string literals in labels of tools, approvals and failures. */
const findLabelTexts = (source: string): string[] =>
  listLiterals(
    removeComments(source),
    /(?<=(?<!l10n\.t\(\s*\{\s*)\b(?:verb|target|message|detail)(?::| =) ['"`])[A-Z][a-z]+[^'"`\n]*/gu,
  );

/**
 * Returns the value of a string literal in single quotes. Handles only the escape sequences that occur in the product's
 * texts.
 */
const evaluateLiteral = (literal: string): string =>
  literal
    .slice(1, -1)
    .replaceAll('\\n', '\n')
    .replaceAll(/\\(?<character>.)/gu, '$<character>');

const listLiterals = (code: string, pattern: RegExp): string[] => code.match(pattern) ?? [];

const removeComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/gu, '');

/** Returns the text of each `html` template literal in the source code, without the `${…}` expressions. */
function readMarkupTexts(source: string): string[] {
  const foundTexts: string[] = [];
  for (
    let index = source.indexOf('html`');
    index !== -1;
    index = source.indexOf('html`', index + 1)
  ) {
    foundTexts.push(readTemplate(source, index + 'html`'.length));
  }
  return foundTexts;
}

function readTemplate(source: string, startIndex: number): string {
  let text = '';
  for (let index = startIndex; index < source.length && source[index] !== '`';) {
    if (source.startsWith('${', index)) index = findExpressionEnd(source, index + 2);
    else text += source[index++];
  }
  return text;
}

/**
 * Returns the offset after the brace that closes a `${…}` expression. The expression may contain braces and templates.
 * @param startIndex offset after the brace that opens the expression
 */
function findExpressionEnd(source: string, startIndex: number): number {
  let depth = 1;
  let index = startIndex;
  for (; index < source.length && depth > 0; index += 1) {
    const character = source[index];
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (character === '`') index = findTemplateEnd(source, index + 1);
  }
  return index;
}

function findTemplateEnd(source: string, startIndex: number): number {
  let index = startIndex;
  while (index < source.length && source[index] !== '`') {
    index = source.startsWith('${', index) ? findExpressionEnd(source, index + 2) : index + 1;
  }
  return index;
}
