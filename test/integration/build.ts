import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { artefactsFolder } from '../support/paths.ts';

const outputFolder = join(artefactsFolder, 'integration');

/**
 * Paths of the compiled suites. `entryPath` is the path of the module that VS Code loads. `getSuiteFile(name)` returns
 * the path of the suite `name`.
 */
export interface CompiledSuites {
  readonly names: readonly string[];
  readonly entryPath: string;
  readonly getSuiteFile: (name: string) => string;
}

/**
 * Compiles the suites into the repository's artifacts folder, from which `require` finds the packages of the
 * repository.
 */
export async function buildSuites(): Promise<CompiledSuites> {
  const files = await readdir(import.meta.dirname);
  const names = files.filter((file) => file.endsWith('.suite.ts')).map((file) => file.slice(0, -9));
  await rm(outputFolder, { recursive: true, force: true });
  await mkdir(outputFolder, { recursive: true });
  await build({
    entryPoints: ['entry', ...names.map((name) => `${name}.suite`)].map((name) =>
      join(import.meta.dirname, `${name}.ts`),
    ),
    outdir: outputFolder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    // VS Code selects the API object for `require('vscode')` by the path of the requiring file.
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    logLevel: 'warning',
    // Servers of tests compare it with the started script.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return {
    names,
    entryPath: join(outputFolder, 'entry.cjs'),
    getSuiteFile: (name) => join(outputFolder, `${name}.suite.cjs`),
  };
}
