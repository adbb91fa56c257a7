import * as vscode from 'vscode';
import type { Tool, ToolContext, ToolResult } from '../../tool.ts';
import { formatCount } from '../../../base/amounts.ts';
import { readOptionalString } from '../../arguments.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import {
  isInWorkspace,
  formatUriLabel,
  listWorkspaceFolderPaths,
} from '../../../workspace/vscode/labels.ts';
import { LanguageServices } from './language-services.ts';
import { createPathNotFoundError, type ReadTools } from './ports.ts';
import { ReadableUris } from '../../../workspace/vscode/text-search.ts';

const maxProblems = 100;
const maxMessageLength = 500;
/** Maximum time in milliseconds to wait until the problems of a newly opened file are reported. */
const firstProblemsTimeoutMs = 4_000;

export function createGetProblemsTool(tools: ReadTools): Tool {
  return {
    name: 'get_problems',
    kind: 'read',
    description:
      'Returns errors and warnings of a file, or of all checked files. Files that were never opened need a build or tests.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File or folder. Default: the workspace.' },
      },
      additionalProperties: false,
    },
    async plan(args) {
      const path = readOptionalString(args, 'path');
      const paths = path === undefined ? listWorkspaceFolderPaths() : [path];
      const [resolvedPath] = await tools.checkedPaths.resolvePaths(args, paths);
      return {
        verb: vscode.l10n.t('Check problems'),
        target: path === undefined ? '' : (resolvedPath?.label ?? path),
        ...(resolvedPath?.facts.kind === 'file' && { uri: resolvedPath.uri.toString() }),
        resources: paths.map((path) => ({ type: 'path', path, access: 'read' })),
      };
    },
    async run(args, context) {
      const path = readOptionalString(args, 'path');
      const resolvedPaths = await tools.checkedPaths.recheck(
        args,
        path === undefined ? listWorkspaceFolderPaths() : [path],
      );
      const [resolvedPath] = resolvedPaths;
      if (path === undefined || resolvedPath === undefined)
        return formatResult(await findWorkspaceProblems(undefined, tools), '');
      if (resolvedPath.facts.kind === 'missing') throw createPathNotFoundError(resolvedPath.label);
      if (resolvedPath.facts.kind === 'directory')
        return formatResult(
          await findWorkspaceProblems(resolvedPath.uri, tools),
          resolvedPath.label,
        );
      return formatResult(await findFileProblems(resolvedPath, tools, context), resolvedPath.label);
    },
  };
}

type FileDiagnostic = readonly [vscode.Uri, vscode.Diagnostic];

async function findFileProblems(
  resolvedPath: ResolvedPath,
  tools: ReadTools,
  context: ToolContext,
): Promise<readonly FileDiagnostic[]> {
  using changes = new ProblemChanges(resolvedPath.uri);
  const { document, isNew } = await new LanguageServices(tools, context).open(resolvedPath);
  if (isNew) await changes.waitForFirstChange(tools, context.signal);
  return vscode.languages
    .getDiagnostics(document.uri)
    .map((problem): FileDiagnostic => [document.uri, problem]);
}

/** Detects the first change of a file's problems after the object is created. */
class ProblemChanges {
  readonly #subscription: vscode.Disposable;
  readonly #diagnosticsChanged: Promise<void>;

  constructor(uri: vscode.Uri) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#diagnosticsChanged = promise;
    this.#subscription = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some((changedUri) => changedUri.toString() === uri.toString())) resolve();
    });
  }

  /** Waits until problems of the file are first reported, or the time limit has passed. */
  async waitForFirstChange({ clock }: ReadTools, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(firstProblemsTimeoutMs, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([this.#diagnosticsChanged, promise]);
    cancel();
  }

  [Symbol.dispose](): void {
    this.#subscription.dispose();
  }
}

/**
 * Returns the problems of files that tools may read without approval. Omits the problems of other files, because
 * problem messages quote file content.
 */
async function findWorkspaceProblems(
  folder: vscode.Uri | undefined,
  { paths }: ReadTools,
): Promise<readonly FileDiagnostic[]> {
  const uriPrefix = folder === undefined ? undefined : `${folder.toString().replace(/\/$/u, '')}/`;
  const readableUris = new ReadableUris(paths);
  const problems: FileDiagnostic[] = [];
  for (const [uri, diagnostics] of vscode.languages.getDiagnostics()) {
    if (diagnostics.length === 0 || !isInWorkspace(uri)) continue;
    if (uriPrefix !== undefined && !uri.toString().startsWith(uriPrefix)) continue;
    if (!(await readableUris.isReadable(uri))) continue;
    for (const problem of diagnostics) problems.push([uri, problem]);
  }
  return problems;
}

function formatResult(problems: readonly FileDiagnostic[], label: string): ToolResult {
  const sortedProblems = problems
    .map(([uri, problem]) => ({ label: formatUriLabel(uri), problem }))
    .toSorted(
      (a, b) =>
        a.problem.severity - b.problem.severity ||
        a.label.localeCompare(b.label) ||
        a.problem.range.start.line - b.problem.range.start.line,
    );
  const target = formatRowTarget(sortedProblems.length, label);
  if (sortedProblems.length === 0)
    return { output: `No problems are known${label === '' ? '' : ` in ${label}`}.`, target };
  const remainingCount = sortedProblems.length - maxProblems;
  const lines = sortedProblems
    .slice(0, maxProblems)
    .map(({ label, problem }) => formatProblem(label, problem));
  return {
    output: [
      ...lines,
      ...(remainingCount > 0 ? [`[${remainingCount.toLocaleString('en-US')} more]`] : []),
    ].join('\n'),
    target,
  };
}

function formatRowTarget(problemCount: number, label: string): string {
  if (label === '') {
    return formatCount(problemCount);
  }
  return `${label} (${formatCount(problemCount)})`;
}

const severities = ['error', 'warning', 'information', 'hint'];

function formatProblem(
  label: string,
  { range, severity, source, code, message }: vscode.Diagnostic,
): string {
  const id = typeof code === 'object' ? code.value : code;
  const origin = [source, id].filter((part) => part !== undefined && part !== '').join(' ');
  const text = message.slice(0, maxMessageLength).replaceAll(/\s*\n\s*/gu, '\n    ');
  const location = `${label}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${location} ${severities[severity] ?? 'problem'}${origin === '' ? '' : ` (${origin})`}: ${text}`;
}
