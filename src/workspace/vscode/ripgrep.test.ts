import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRipgrep } from './ripgrep.ts';

const platformFolder = `${process.platform}-${process.arch}`;
const programName = process.platform === 'win32' ? 'rg.exe' : 'rg';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ripgrep-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function createExecutable(path: string, mode = 0o755): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '');
  await chmod(file, mode);
  return file;
}

const findProgram = (path = '', folders: readonly string[] = []): Promise<string | undefined> =>
  findRipgrep({ appRoot: join(folder, 'app'), path, folders });

test.each([
  `node_modules/@vscode/ripgrep/bin/${programName}`,
  `node_modules.asar.unpacked/@vscode/ripgrep/bin/${programName}`,
  `node_modules/@vscode/ripgrep-universal/bin/${platformFolder}/${programName}`,
  `node_modules/@vscode/ripgrep-${platformFolder}/bin/${programName}`,
  `node_modules.asar.unpacked/@vscode/ripgrep-universal/bin/${platformFolder}/${programName}`,
])("findRipgrep prefers VS Code's copy at %s to an executable on PATH", async (path) => {
  const bundledPath = await createExecutable(`app/${path}`);
  await createExecutable(`bin/${programName}`);
  expect(await findProgram(join(folder, 'bin'))).toBe(bundledPath);
});

test("findRipgrep searches PATH if VS Code's copy is missing, but skips relative folders and workspace folders", async () => {
  const expected = await createExecutable(`bin/${programName}`);
  await createExecutable(`workspace/tools/${programName}`);
  const path = ['.', 'tools', '', join(folder, 'workspace', 'tools'), join(folder, 'bin')];
  expect(await findProgram(path.join(delimiter), [join(folder, 'workspace')])).toBe(expected);
});

test('findRipgrep returns undefined if no ripgrep executable exists', async () => {
  expect(await findProgram()).toBeUndefined();
  await mkdir(join(folder, 'bin', programName), { recursive: true });
  expect(await findProgram(join(folder, 'bin'))).toBeUndefined();
});
