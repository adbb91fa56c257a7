import {
  createDeclarationPattern,
  createEdit,
  parseSearchHits,
  type LineChange,
  readLines,
  createWordPattern,
} from './file-edits.ts';
import { createFix, type Fix, type SourceFile } from './fixes.ts';
import type { PlannedCall } from './request.ts';
import { getFirstLine, performStep, type ToolStep, type ToolSteps } from './tool-steps.ts';

/** Tools that the steps can call. */
export interface AvailableTools {
  readonly hasTools: (...names: readonly string[]) => boolean;
  /** Creates a call of the tool `name`. Omits arguments that the tool's schema does not define. */
  readonly createCall: (name: string, args: Readonly<Record<string, unknown>>) => PlannedCall;
}

/** Formats paths as a Markdown list. */
export const formatPathList = (paths: readonly string[]): string =>
  paths.map((path) => `\`${path}\``).join(', ');

const formatFileCount = (files: readonly unknown[]): string =>
  files.length === 1 ? 'one file' : `${files.length} files`;

interface FileChangeResult {
  readonly changedFiles: readonly string[];
  /** One sentence for each file that could not be changed. */
  readonly problems: readonly string[];
}

/** Reads and edits the files. If the edit of a file is denied or fails, continues with the next file. */
export function* changeFiles(
  { createCall }: AvailableTools,
  job: {
    readonly paths: readonly string[];
    readonly change: LineChange;
    readonly introduction?: string;
  },
): ToolSteps<FileChangeResult> {
  const { paths, change, introduction = '' } = job;
  const readOutcomes = yield* performStep({
    introduction,
    calls: paths.map((path) => createCall('read_file', { path })),
  });
  const editCalls = readOutcomes.flatMap(({ kind, text }, index): PlannedCall[] => {
    const edit = kind === 'done' ? createEdit(readLines(text), change) : undefined;
    return edit === undefined
      ? []
      : [createCall('edit_file', { path: paths[index], edits: [edit] })];
  });
  const editOutcomes = editCalls.length === 0 ? [] : yield { calls: editCalls };
  const changedPaths = editOutcomes.flatMap(({ kind, args }) =>
    kind === 'done' ? String(args['path']) : [],
  );
  const unchangedPaths = paths.filter((path) => !changedPaths.includes(path));
  const problems = unchangedPaths.map((path) => {
    const [outcome] = [...editOutcomes, ...readOutcomes].filter(
      ({ args }) => args['path'] === path,
    );
    const reason = outcome?.kind === 'done' ? 'it has no such text.' : getFirstLine(outcome?.text);
    return `I left \`${path}\` as it is: ${reason}`;
  });
  return { changedFiles: changedPaths, problems };
}

/** Renames a symbol in the given files. If no files are given, renames it in all files in which a search finds it. */
export function* renameEverywhere(
  tools: AvailableTools,
  {
    from: oldName,
    to: newName,
    paths: requestedPaths,
  }: { from: string; to: string; paths: readonly string[] },
): ToolSteps {
  const step: ToolStep = {
    introduction: `I look for \`${oldName}\` first.`,
    calls: [tools.createCall('search_text', { query: oldName })],
  };
  const [searchOutcome] = requestedPaths.length > 0 ? [] : yield* performStep(step);
  const matches = parseSearchHits(searchOutcome?.text ?? '').filter(({ text }) =>
    createWordPattern(oldName).test(text),
  );
  const declaration = matches.find(({ text }) => createDeclarationPattern(oldName).test(text));
  const orderedPaths = [declaration, ...matches].flatMap((match) => match?.path ?? []);
  const paths = requestedPaths.length > 0 ? requestedPaths : [...new Set(orderedPaths)];
  if (paths.length === 0) return { text: `I did not find \`${oldName}\` anywhere.` };
  const { changedFiles, problems } = yield* changeFiles(tools, {
    paths,
    change: (line) => line.replaceAll(createWordPattern(oldName), newName),
    introduction: `\`${oldName}\` is in ${formatFileCount(paths)}; I read them before I change anything.`,
  });
  const definitionSentence =
    declaration && `\`${oldName}\` was defined in \`${declaration.path}:${declaration.line}\`.`;
  const renameSentence =
    changedFiles.length === 0
      ? 'Nothing was renamed.'
      : `I renamed \`${oldName}\` to \`${newName}\` in ${formatFileCount(changedFiles)}: ${formatPathList(changedFiles)}.`;
  return {
    text: [definitionSentence, renameSentence, ...problems].filter(Boolean).join('\n\n'),
    paths: changedFiles,
  };
}

const maxFixes = 3;
const maxSources = 4;

/**
 * Runs a check, reads the files that its output names, fixes an obvious cause, and runs the check again.
 * @param name command or file that the check runs
 */
export function* fixFailures(
  tools: AvailableTools,
  checkCall: PlannedCall,
  name: string,
): ToolSteps {
  const fixes: Fix[] = [];
  for (;;) {
    const introduction =
      fixes.length === 0 ? `I check \`${name}\` to see what fails.` : 'I check again.';
    const [checkOutcome] = yield* performStep({ introduction, calls: [checkCall] });
    const output = checkOutcome?.text ?? '';
    if (!hasFailed(output))
      return { text: [`\`${name}\` passes.`, ...fixes.map(formatFix)].join('\n') };
    const fix = fixes.length < maxFixes ? yield* findFix(tools, output) : undefined;
    const { changedFiles } =
      fix === undefined
        ? { changedFiles: [] }
        : yield* changeFiles(tools, {
            paths: [fix.path],
            change: (text, line) => (line === fix.lineIndex + 1 ? fix.line : text),
            introduction: `${fix.reason} in line ${fix.lineIndex + 1} of \`${fix.path}\`. I change that line.`,
          });
    if (fix === undefined || changedFiles.length === 0) {
      const message = /^.*(?:Error\b|\bexpected\b|error TS).*$/im.exec(output)?.[0];
      const text = `\`${name}\` still fails: ${message ?? getFirstLine(output)}\n\nI see no obvious fix for that.`;
      return { text: [text, ...fixes.map(formatFix)].join('\n') };
    }
    fixes.push(fix);
  }
}

const formatFix = ({ path, lineIndex, reason }: Fix): string =>
  `- \`${path}:${lineIndex + 1}\`: ${reason}.`;

function hasFailed(output: string): boolean {
  const code = /\bexit(?:ed)?(?: with)?(?: code)?\s*:?\s*(-?\d+)/i.exec(output)?.[1];
  if (code !== undefined) return code !== '0';
  return /^(?:ended by|not started|stopped|timed out)\b|:\d+ (?:error|warning)\b/im.test(output);
}

const sourceLocationPattern =
  /(?:file:\/\/)?((?:(?<!\w)[A-Za-z]:)?[\w@~.+\\/-]*[\w-]\.[A-Za-z]\w{0,4})(?::|\()\d+|File "([^"]+)", line \d+/g;

/**
 * Reads the files named in the output of a failed check, and the files that they import, because these files contain
 * most causes. Returns a fix, or undefined if none is found.
 */
function* findFix({ createCall }: AvailableTools, output: string): ToolSteps<Fix | undefined> {
  const namedPaths = [...output.matchAll(sourceLocationPattern)]
    .map(([, path, pythonPath]) => path ?? pythonPath ?? '')
    .filter((path) => !/node_modules|^node:|site-packages|^internal\//.test(path));
  const sources: SourceFile[] = [];
  let paths = [...new Set(namedPaths)].slice(0, maxSources);
  for (let depth = 0; depth < 2 && paths.length > 0; depth++) {
    const readOutcomes = yield* performStep({
      calls: paths.map((path) => createCall('read_file', { path })),
    });
    const foundSources = readOutcomes.flatMap(({ kind, text }, index): SourceFile[] =>
      kind === 'done' ? [{ path: paths[index]!, lines: [...readLines(text).values()] }] : [],
    );
    sources.unshift(...foundSources);
    const sourcePaths = new Set(sources.map(({ path }) => path));
    paths = foundSources
      .flatMap(findImports)
      .filter((path) => !sourcePaths.has(path))
      .slice(0, maxSources);
  }
  return createFix(output, sources);
}

/** Returns the paths of relative imports that have a file extension. */
const findImports = ({ path, lines }: SourceFile): string[] =>
  [...lines.join('\n').matchAll(/(?:from|import)\s*\(?['"](\.{1,2}\/[^'"]+\.\w+)['"]/g)].map(
    ([, target = '']) => {
      const pathname = new URL(target, `file:///${path}`).pathname;
      return path.startsWith('/') ? pathname.replace(/^\/+/, '/') : pathname.slice(1);
    },
  );
