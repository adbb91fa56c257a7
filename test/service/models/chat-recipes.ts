import { isRecord, parseJson, readStringOr } from '../../../src/base/json.ts';
import { addPersonaOpening } from '../characters/add-persona-opening.ts';
import { pickRandom } from '../random.ts';
import { hasCommonWords, selectRelevantSentences } from '../web/rank.ts';
import {
  type Declaration,
  findDeclarations,
  formatDocComment,
  isScriptLanguage,
} from './code-reading.ts';
import type { CodeBlock, ModelRequest, Recipe } from './request.ts';

const abilitiesText = [
  '- **Explain** code: select some lines, then choose *Ask About Selection*',
  '- **Review** it, or write **tests** and **comments** for it',
  '- **Work** in your workspace when I get tools: `find where nextHighWaters is defined and rename it to highWaters`',
  '- Count, when you ask for a long answer: `count to 200`',
].join('\n');

/** Rule that answers matching questions with Markdown paragraphs. Empty paragraphs are omitted. */
interface ChatRecipe {
  readonly name: string;
  /** True if the recipe applies only to requests with attached code or text. */
  readonly isAboutCode?: true;
  /** Pattern that the question must match. */
  readonly questionPattern: RegExp;
  readonly createParagraphs: (
    request: ModelRequest,
    code: CodeBlock,
  ) => readonly string[] | undefined;
}

/** Recipes in order of precedence. If the first matching recipe creates no paragraphs, the next one is tried. */
const orderedRecipes: readonly ChatRecipe[] = [
  {
    name: 'missing sections',
    isAboutCode: true,
    questionPattern: /\bmissing\b/i,
    createParagraphs: listMissingSections,
  },
  {
    name: 'attached prose',
    isAboutCode: true,
    questionPattern: /^/,
    createParagraphs: createSummary,
  },
  {
    name: 'package manifest',
    isAboutCode: true,
    questionPattern: /^/,
    createParagraphs: describeManifest,
  },
  {
    name: 'tests',
    isAboutCode: true,
    questionPattern: /\btests?\b|\bspec\b/i,
    createParagraphs: createTests,
  },
  {
    name: 'documentation',
    isAboutCode: true,
    questionPattern: /\bdocument/i,
    createParagraphs: addDocComments,
  },
  {
    name: 'review',
    isAboutCode: true,
    questionPattern: /\b(?:bug|fix|wrong|problem|error|fails?\b|review|improve|refactor|clean)/i,
    createParagraphs: reviewCode,
  },
  { name: 'explanation', isAboutCode: true, questionPattern: /^/, createParagraphs: explainCode },
  {
    name: 'greeting',
    questionPattern: /^(?:hi|hello|hey|good (?:morning|evening)|thanks?)\b.{0,14}$/is,
    createParagraphs: () => [
      'Hello! Ask me about your code: select some lines or attach a file, and I can explain it, review it, or write tests for it.',
    ],
  },
  {
    name: 'abilities',
    questionPattern: /\bwhat can you (?:do|help)\b/i,
    createParagraphs: () => ['I can work with the code that you attach:', abilitiesText],
  },
  {
    name: 'date pattern',
    questionPattern: /\bregular expression\b.*\bISO date\b/i,
    createParagraphs: () => [
      'This expression matches a date such as `2026-11-28`:',
      encloseInFence('js', String.raw`/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/`),
      'It checks the ranges of month and day, but not the length of each month: it also accepts `2026-02-31`.',
    ],
  },
  {
    name: 'service layouts',
    questionPattern: /\bstructure\b.*\bweb service\b/i,
    createParagraphs: () => [
      '| | By layer | By feature |\n| --- | --- | --- |\n| Folders | `routes`, `services`, `data` | `tides`, `stations` |\n| A change touches | one file in each folder | files of one folder |\n| Fits | few features that share much | several features that change separately |',
      'Start **by layer** while the service has one or two features, and move to **by feature** when a change touches every folder.',
    ],
  },
  {
    name: 'long list',
    questionPattern:
      /\b(?:count (?:up )?to|list|write)\s+\d{2,3}\b|\b(?:long|detailed) (?:answer|text|story|list)\b/i,
    createParagraphs: ({ question }) => {
      const count = Math.min(500, Number(/\d{2,3}/.exec(question)?.[0] ?? 120));
      const lineNumbers = Array.from({ length: count }, (_, index) => index + 1);
      return [
        'Here it is, line by line:',
        lineNumbers
          .map((line) => `${line}. This is line ${line} of what you asked for.`)
          .join('\n'),
      ];
    },
  },
  {
    name: 'anything else',
    questionPattern: /^/,
    createParagraphs: ({ question, variant }) => [
      `${pickRandom(() => variant, ['I cannot tell you about that.', 'That is beyond me.', 'I do not know that.'])} I am the local service's stand-in for a model and answer from a table of recipes. You asked: *${question.replaceAll(/\s+/g, ' ').slice(0, 80) || 'nothing'}*.`,
      'What I can do:',
      abilitiesText,
      'With `npm run service -- --upstream URL` a real model answers in my place.',
    ],
  },
];

/** Recipes that answer a question in prose. The answer of a persona starts with its opening message. */
export const chatRecipes: readonly Recipe[] = orderedRecipes.map(
  ({ name, isAboutCode, questionPattern, createParagraphs }): Recipe => {
    const createAnswer = (request: ModelRequest): readonly string[] | undefined =>
      questionPattern.test(request.question) &&
      (isAboutCode === undefined || request.codeBlocks.length > 0)
        ? createParagraphs(request, findMainCode(request))
        : undefined;
    return {
      name,
      matchesRequest: (request) => createAnswer(request) !== undefined,
      createReply: (request) =>
        addPersonaOpening(
          request.call.settings.character_slug,
          (createAnswer(request) ?? []).filter(Boolean).join('\n\n'),
        ),
    };
  },
);

/**
 * Returns the first attachment that contains declarations. If there is none, returns the first attachment. Attachments
 * without declarations can be diagnostics or search results.
 */
const findMainCode = ({ codeBlocks }: ModelRequest): CodeBlock =>
  codeBlocks.find(({ text }) => findDeclarations(text).length > 0) ??
  codeBlocks[0] ?? { text: '', language: 'text' };

const encloseInFence = (language: string, code: string): string =>
  `\`\`\`${language}\n${code}\n\`\`\``;

const formatBlockName = ({ path }: CodeBlock): string =>
  path === undefined ? 'this code' : `\`${path}\``;

const isProse = ({ language, path = '' }: CodeBlock): boolean =>
  /^(?:markdown|md|plaintext|text|restructuredtext)$/i.test(language) && !/\.[jt]sx?$/.test(path);

const maxQuotes = 3;

/** Quotes the sentences in attached texts that share a word with the question. */
function createSummary(
  { codeBlocks, question }: ModelRequest,
  mainBlock: CodeBlock,
): readonly string[] | undefined {
  if (!isProse(mainBlock) || findDeclarations(mainBlock.text).length > 0) return undefined;
  const quotes = codeBlocks
    .filter((attachment) => isProse(attachment) && hasCommonWords(attachment.text, question))
    .map((attachment) => {
      const sentences = selectRelevantSentences(attachment.text, question, maxQuotes);
      return `${formatBlockName(attachment)} says:\n\n${sentences.map((sentence) => `> ${sentence}`).join('\n>\n')}`;
    });
  const headings = [...mainBlock.text.matchAll(/^#{1,3}\s+(.+)$/gm)].map(([, line]) => `- ${line}`);
  const wordCount = mainBlock.text.split(/\s+/).filter(Boolean).length;
  const sentences = mainBlock.text.replaceAll(/^#.*$/gm, '').match(/[^.!?]+[.!?]/g) ?? [];
  return [
    ...quotes,
    `${formatBlockName(mainBlock)} is a text of ${wordCount} words.`,
    sentences.slice(0, maxQuotes).join('').trim(),
    headings.join('\n'),
  ];
}

const usualSections = ['Installation', 'Usage', 'Development', 'License'] as const;

/**
 * Lists usual sections of documentation, such as installation, that are missing in the attached prose. Returns
 * undefined if the attachment is code.
 */
function listMissingSections(_: ModelRequest, mainBlock: CodeBlock): readonly string[] | undefined {
  if (!isProse(mainBlock)) return undefined;
  const headings = [...mainBlock.text.matchAll(/^#{1,6}\s+(.+)$/gm)].map(([, line = '']) => line);
  const missingSections = usualSections.filter(
    (section) => !headings.some((line) => line.toLowerCase().includes(section.toLowerCase())),
  );
  return missingSections.length === 0
    ? [
        `${formatBlockName(mainBlock)} has all the sections that I look for: ${usualSections.join(', ')}.`,
      ]
    : [
        `${formatBlockName(mainBlock)} has no section about:`,
        missingSections.map((section) => `- **${section}**`).join('\n'),
      ];
}

/** Describes an attached package.json by its scripts and dependencies. */
function describeManifest(_: ModelRequest, mainBlock: CodeBlock): readonly string[] | undefined {
  const json = /^jsonc?$/i.test(mainBlock.language) ? parseJson(mainBlock.text) : undefined;
  if (!isRecord(json)) return undefined;
  const formatNames = (field: string): string =>
    isRecord(json[field]) ? Object.keys(json[field]).join('`, `') : '';
  const rows = ['scripts', 'dependencies', 'devDependencies']
    .filter((field) => formatNames(field) !== '')
    .map((field) => `- **${field}**: \`${formatNames(field)}\``);
  const description = readStringOr(json['description'], '');
  return [
    `${formatBlockName(mainBlock)} describes the package \`${readStringOr(json['name'], 'without a name')}\`. ${description}`.trim(),
    rows.join('\n'),
  ];
}

const formatCall = ({ name, parameters }: Declaration): string =>
  `${name}(${parameters.join(', ')})`;

function explainCode({ variant }: ModelRequest, code: CodeBlock): readonly string[] {
  const declarations = findDeclarations(code.text);
  const mainFunction = declarations.find(({ kind }) => kind === 'function');
  const openingWords = pickRandom(
    () => variant,
    ['Here is how', 'In short, this is how', 'This is how'],
  );
  const rows = declarations.slice(0, 10).map(({ name, line, parameters, comment }) => {
    const formattedParameters = parameters.map((parameter) => `\`${parameter}\``).join(', ') || '–';
    return `| \`${name}\` | ${line} | ${formattedParameters} | ${comment.replaceAll('|', '\\|')} |`;
  });
  const tableHeadLines = ['| Name | Line | Parameters | Comment |', '| --- | --: | --- | --- |'];
  const remarks = listReviewComments(code);
  return [
    `${openingWords} ${formatBlockName(code)} works. Lines: ${code.text.split('\n').length}, declarations: ${declarations.length}.`,
    rows.length === 0 ? describeUsedModules(code) : [...tableHeadLines, ...rows].join('\n'),
    remarks.length === 0 ? '' : `### Worth a look\n\n${remarks.join('\n')}`,
    mainFunction === undefined
      ? ''
      : `### Using it\n\n${encloseInFence(code.language, formatCall(mainFunction))}`,
  ];
}

/** Describes code without declarations by the modules that it imports and the first functions that it calls. */
function describeUsedModules({ text }: CodeBlock): string {
  const moduleMatches = [
    ...text.matchAll(/^\s*(?:import\b.*from\s+|from\s+|import\s+)(['"]?)([\w./:@-]+)\1/gm),
  ];
  const calledNames = [...text.matchAll(/^\s*(?:await\s+)?([\w.]+)\(/gm)].map(([, name]) => name);
  return [
    moduleMatches.length === 0
      ? ''
      : `- It uses ${moduleMatches.map(([, , name]) => `\`${name}\``).join(', ')}.`,
    calledNames.length === 0
      ? ''
      : `- It calls ${[...new Set(calledNames)]
          .slice(0, 5)
          .map((name) => `\`${name}\``)
          .join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n');
}

const reviewCommentPatterns: readonly (readonly [pattern: RegExp, remark: string])[] = [
  [/\bTODO\b|\bFIXME\b/, 'an open `TODO` says something is unfinished.'],
  [/:\s*any\b|\bas any\b/, '`any` switches type checking off; a precise type costs one line.'],
  [/catch\s*(?:\(\w*\))?\s*\{\s*\}|except\s*:/, 'errors are swallowed silently here.'],
  [/\bvar\s/, '`var` is function-scoped; `const` or `let` says more.'],
  [/[^=!]==[^=]/, '`==` converts its operands; `===` compares what you wrote.'],
  [/\bawait\b(?!.*catch)/, 'a rejected promise leaves this function; decide who handles it.'],
];

/** Returns review comments on the code as list items, with at most one comment per pattern. */
const listReviewComments = ({ text, language }: CodeBlock): string[] =>
  reviewCommentPatterns.flatMap(([pattern, remark]) => {
    if (remark.includes('===') && !isScriptLanguage(language)) return [];
    const index = text.split('\n').findIndex((line) => pattern.test(line));
    return index < 0 ? [] : [`- **Line ${index + 1}**: ${remark}`];
  });

function reviewCode(_: ModelRequest, code: CodeBlock): readonly string[] {
  const remarks = listReviewComments(code);
  if (remarks.length === 0)
    return [
      `I found **nothing that is wrong** in ${formatBlockName(code)}.`,
      ...findDeclarations(code.text)
        .filter(({ parameters }) => parameters.length > 0)
        .slice(0, 3)
        .map(
          ({ name, parameters }) =>
            `- \`${name}\` does not check its input: try it with an unusual \`${parameters.at(-1)}\`, such as zero or an empty value.`,
        ),
    ];
  const lines = code.text.split('\n').slice(0, 20);
  return [
    `These points in ${formatBlockName(code)} are worth a look:`,
    remarks.join('\n'),
    encloseInFence(code.language, lines.join('\n')),
  ];
}

function createTests(_: ModelRequest, code: CodeBlock): readonly string[] | undefined {
  const functions = findDeclarations(code.text).filter(({ kind }) => kind === 'function');
  if (functions.length === 0) return undefined;
  const testCases = functions
    .slice(0, 3)
    .map((declaration) =>
      isScriptLanguage(code.language)
        ? `test('${declaration.name} handles a usual value', () => {\n  expect(${formatCall(declaration)}).toBeDefined();\n});`
        : `def test_${declaration.name}():\n    assert ${formatCall(declaration)} is not None`,
    );
  return [
    `These are the cases I would begin with for ${formatBlockName(code)}:`,
    encloseInFence(code.language, testCases.join('\n\n')),
    'Put real values in place of the parameter names.',
  ];
}

function addDocComments(_: ModelRequest, code: CodeBlock): readonly string[] | undefined {
  const lines = code.text.split('\n');
  const documentedDeclarations = findDeclarations(code.text)
    .slice(0, 4)
    .map((declaration) =>
      [...formatDocComment(code.language, declaration), lines[declaration.line - 1]].join('\n'),
    );
  return documentedDeclarations.length === 0
    ? undefined
    : [
        `Here are doc comments for ${formatBlockName(code)}:`,
        encloseInFence(code.language, documentedDeclarations.join('\n\n')),
      ];
}
