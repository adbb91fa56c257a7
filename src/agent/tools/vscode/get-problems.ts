import * as vscode from 'vscode';
import type { Tool, ToolContext, ToolResult } from '../../tool.ts';
import { formatCount } from '../../../base/amounts.ts';
import { optionalText } from '../../arguments.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { isInWorkspace, labelOf, workspacePaths } from '../../../workspace/vscode/labels.ts';
import { LanguageServices } from './language-services.ts';
import { noSuchPath, type ReadTools } from './ports.ts';
import { ReadableUris } from '../../../workspace/vscode/text-search.ts';

const mostProblems = 100;
const longestMessage = 500;
/** Milliseconds in which the problems of a file that was only just opened are expected. */
const firstProblems = 4_000;

export function getProblemsTool(tools: ReadTools): Tool {
  return {
    name: 'get_problems',
    kind: 'read',
    description:
      'The errors and warnings that the editor shows: of one file, or of all files that language services have looked at. Ask for a file after editing it. Files that were never opened may have problems that are not known; a build or a test run with run_command finds those.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'A file, or a folder. Default: the workspace.' },
      },
      additionalProperties: false,
    },
    async plan(args) {
      const path = optionalText(args, 'path');
      const paths = path === undefined ? workspacePaths() : [path];
      const [place] = await tools.judged.resolve(args, paths);
      return {
        verb: vscode.l10n.t('Check problems'),
        done: vscode.l10n.t('Checked problems'),
        target: path === undefined ? '' : (place?.label ?? path),
        ...(place?.facts.kind === 'file' && { uri: place.uri.toString() }),
        resources: paths.map((each) => ({ type: 'path', path: each, access: 'read' })),
      };
    },
    async run(args, context) {
      const path = optionalText(args, 'path');
      const places = await tools.judged.recheck(
        args,
        path === undefined ? workspacePaths() : [path],
      );
      const [place] = places;
      if (path === undefined || place === undefined)
        return told(await problemsBelow(undefined, tools), '');
      if (place.facts.kind === 'missing') throw noSuchPath(place.label);
      if (place.facts.kind === 'directory')
        return told(await problemsBelow(place.uri, tools), place.label);
      return told(await problemsOf(place, tools, context), place.label);
    },
  };
}

type Problem = readonly [vscode.Uri, vscode.Diagnostic];

async function problemsOf(
  place: ResolvedPath,
  tools: ReadTools,
  context: ToolContext,
): Promise<readonly Problem[]> {
  using changes = new ProblemChanges(place.uri);
  const { document, fresh } = await new LanguageServices(tools, context).open(place);
  if (fresh) await changes.first(tools, context.signal);
  return vscode.languages
    .getDiagnostics(document.uri)
    .map((problem): Problem => [document.uri, problem]);
}

/** Hears of new problems of one file. */
class ProblemChanges {
  readonly #listening: vscode.Disposable;
  readonly #changed: Promise<void>;

  constructor(uri: vscode.Uri) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changed = promise;
    this.#listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some((each) => each.toString() === uri.toString())) resolve();
    });
  }

  /** Resolves with the first ones, or when none are to be expected any more. */
  async first({ clock }: ReadTools, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(firstProblems, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([this.#changed, promise]);
    cancel();
  }

  [Symbol.dispose](): void {
    this.#listening.dispose();
  }
}

/** Messages repeat what is in a file: those of files that may not be read are left out. */
async function problemsBelow(
  folder: vscode.Uri | undefined,
  { paths }: ReadTools,
): Promise<readonly Problem[]> {
  const start = folder === undefined ? undefined : `${folder.toString().replace(/\/$/u, '')}/`;
  const readable = new ReadableUris(paths);
  const problems: Problem[] = [];
  for (const [uri, own] of vscode.languages.getDiagnostics()) {
    if (own.length === 0 || !isInWorkspace(uri)) continue;
    if (start !== undefined && !uri.toString().startsWith(start)) continue;
    if (!(await readable.has(uri))) continue;
    for (const problem of own) problems.push([uri, problem]);
  }
  return problems;
}

function told(problems: readonly Problem[], where: string): ToolResult {
  const sorted = problems
    .map(([uri, problem]) => ({ label: labelOf(uri), problem }))
    .toSorted(
      (a, b) =>
        a.problem.severity - b.problem.severity ||
        a.label.localeCompare(b.label) ||
        a.problem.range.start.line - b.problem.range.start.line,
    );
  const target = rowText(sorted.length, where);
  if (sorted.length === 0)
    return { output: `No problems are known${where === '' ? '' : ` in ${where}`}.`, target };
  const more = sorted.length - mostProblems;
  const lines = sorted.slice(0, mostProblems).map(({ label, problem }) => line(label, problem));
  return {
    output: [...lines, ...(more > 0 ? [`[${more.toLocaleString('en-US')} more]`] : [])].join('\n'),
    target,
  };
}

function rowText(problems: number, where: string): string {
  if (where === '') {
    return problems === 1
      ? vscode.l10n.t('1 problem')
      : vscode.l10n.t('{0} problems', formatCount(problems));
  }
  return problems === 1
    ? vscode.l10n.t('1 problem in {0}', where)
    : vscode.l10n.t('{0} problems in {1}', formatCount(problems), where);
}

const severities = ['error', 'warning', 'information', 'hint'];

function line(
  label: string,
  { range, severity, source, code, message }: vscode.Diagnostic,
): string {
  const id = typeof code === 'object' ? code.value : code;
  const origin = [source, id].filter((part) => part !== undefined && part !== '').join(' ');
  const text = message.slice(0, longestMessage).replaceAll(/\s*\n\s*/gu, '\n    ');
  const where = `${label}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${where} ${severities[severity] ?? 'problem'}${origin === '' ? '' : ` (${origin})`}: ${text}`;
}
