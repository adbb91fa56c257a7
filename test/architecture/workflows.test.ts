import type * as Parser from '@actions/workflow-parser';
import { build } from 'esbuild';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/paths.ts';

const folder = join(root, '.github', 'workflows');
const workflowFiles = readdirSync(folder);
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await loadParser();

test.each(workflowFiles)('the workflow %s has no errors', async (name) => {
  const content = readFileSync(join(folder, name), 'utf8');
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
});

test('the check of workflows reports an unknown key', () => {
  const content = 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    step: []\n';
  const { context } = parseWorkflow({ name: 'x.yml', content }, new NoOperationTraceWriter());
  expect(context.errors.getErrors()).not.toEqual([]);
});

test.each(workflowFiles)(
  'each step of %s runs an npm script or an action pinned to a commit',
  (name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    const commands = lines.filter((line) => /^\s*(?:- )?(?:run|uses):/u.test(line));
    const allowedPattern = /: npm (?:test$|run [\w:-]+)|: actions\/[\w-]+@[0-9a-f]{40}$/u;
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.filter((line) => !allowedPattern.test(line))).toEqual([]);
  },
);

test('the workflow that publishes runs only from a tag, and tests the package before it publishes', () => {
  const workflow = readFileSync(join(folder, 'publish.yml'), 'utf8');
  expect(workflow).toContain("\n    if: startsWith(github.ref, 'refs/tags/')\n");
  const scriptMatches = [...workflow.matchAll(/\bnpm (?:run )?(?<script>[\w:-]+)/gu)];
  expect(scriptMatches.map(({ groups }) => groups?.['script'])).toEqual([
    ...['test', 'package', 'publish:open-vsx', 'publish:marketplace'],
  ]);
});

test('the scripts that publish do not publish a version that is already published', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const publishScripts = Object.entries(scripts).filter(([name]) => name.startsWith('publish:'));
  expect(publishScripts).toHaveLength(2);
  for (const [, command] of publishScripts)
    expect(command).toMatch(/ publish --skip-duplicate --packagePath$/u);
});

/**
 * Bundles and loads the parser for GitHub Actions workflows. Node.js cannot load the parser without bundling, because
 * its imports of JSON files lack the attribute `type: 'json'`.
 */
async function loadParser(): Promise<typeof Parser> {
  const { outputFiles } = await build({
    entryPoints: ['@actions/workflow-parser'],
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');",
    },
    write: false,
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)) as typeof Parser;
}
