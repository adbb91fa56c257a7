/**
 * Runs this version of the extension, and creates the fixture NAME, such as `v2`, from the data that the extension
 * stores: `node test/integration/stored-data/record.ts NAME`.
 */
import { existsSync } from 'node:fs';
import {
  access,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createHash } from 'node:crypto';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { launchBrowser } from '../../support/browser.ts';
import { buildExtension } from '../../support/build-extension.ts';
import { eventually } from '../../support/eventually.ts';
import {
  runService,
  type ServiceConnection,
  createSignedInValues,
} from '../../support/local-service.ts';
import { artefactsFolder, root } from '../../support/paths.ts';
import { endTreesOnSignals } from '../../support/process.ts';
import { copySampleWorkspace } from '../../support/sample.ts';
import { timeLimits } from '../../support/time-limits.ts';
import { startServer } from '../../support/vscode/server.ts';
import { createSuiteVariables } from '../environment.ts';
import {
  canHavePlaceholders,
  type RunValues,
  insertPlaceholders,
  replacePlaceholders,
} from './placeholders.ts';
import { firstFixture, prepareExtension, createPlaceholderValues } from './prepare-extension.ts';

const [name = ''] = process.argv.slice(2);
if (!/^v\d+$/u.test(name)) throw new Error('Name the fixture, for example v2.');
const targetFolder = join(import.meta.dirname, name);
if (existsSync(targetFolder))
  throw new Error(`${targetFolder} exists. Stored data of a version never changes.`);

endTreesOnSignals();
buildExtension();
const recordStepsPath = await bundleRecordSteps();
await using service = await runService('record');
await using sample = await copySampleWorkspace();
await recordWorkspace(service, sample.folder);

async function bundleRecordSteps(): Promise<string> {
  const outfile = join(artefactsFolder, 'record', 'record-steps.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'record-steps.ts')],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

async function recordWorkspace(connection: ServiceConnection, workspace: string): Promise<void> {
  const values = createPlaceholderValues(connection);
  await using extension = await prepareExtension({
    fixtureFolder: null,
    placeholderValues: values,
  });
  const workFolder = await mkdtemp(join(tmpdir(), 'inference-service-record-'));
  const resultsFile = join(workFolder, 'state.json');
  const settings = JSON.parse(
    replacePlaceholders(await readFile(join(firstFixture, 'settings.json'), 'utf8'), values),
  ) as Record<string, unknown>;
  await using server = await startServer({
    name: 'record',
    extension: { kind: 'folder', path: extension.path },
    // The recorded conversations use models of every kind.
    settings: { ...settings, 'inferenceService.privateModelsOnly': false },
    env: {
      ...createSignedInValues(connection).env,
      INFERENCE_SERVICE_API_KEY: undefined,
      ...createSuiteVariables({ service: connection, suiteFiles: [], resultsFile }),
    },
  });
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  const failure = Promise.withResolvers<never>();
  await page.exposeFunction('codeAutomationExit', (code: number) =>
    failure.reject(new Error(`The recording ended with ${code}; see ${server.logFile}`)),
  );
  await page.exposeFunction('codeAutomationLog', (level: string, lines: unknown[]) =>
    console.log(`[${level}] ${lines.map(String).join(' ')}`),
  );
  await page.goto(server.createUrl({ folder: workspace, suitePath: recordStepsPath }));
  const resultsPromise = eventually(() => access(resultsFile), timeLimits.test);
  await Promise.race([failure.promise, resultsPromise]);
  server.killExtensionHosts();
  await page.close();
  const storage = join(server.dataFolder, 'User', 'globalStorage');
  const [id = ''] = (await readdir(storage)).filter((item) => item.startsWith('inference-service'));
  await storeFixture(
    { storageFolder: join(storage, id), workspaceFolder: workspace, resultsFile },
    values,
  );
  await rm(workFolder, { recursive: true });
}

interface Recording {
  readonly storageFolder: string;
  readonly workspaceFolder: string;
  readonly resultsFile: string;
}

async function storeFixture(
  { storageFolder, workspaceFolder, resultsFile }: Recording,
  servicePlaceholders: ReturnType<typeof createPlaceholderValues>,
): Promise<void> {
  const uri = pathToFileURL(workspaceFolder).href;
  const now = new Date();
  const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  const values: RunValues = {
    ...servicePlaceholders,
    __WORKSPACE_URI__: uri,
    __WORKSPACE_PATH__: workspaceFolder,
    __WORKSPACE_NAME__: createHash('sha256').update(uri).digest('hex').slice(0, 32),
    __STORAGE_PATH__: storageFolder,
    __API_KEY_END__: servicePlaceholders.__API_KEY__.slice(-6),
    __ADMIN_KEY_END__: servicePlaceholders.__ADMIN_KEY__.slice(-6),
    __TODAY__: today,
  };
  for (const folder of ['storage', 'workspace'])
    await rm(join(targetFolder, folder), { recursive: true, force: true });
  await copyFolderWithPlaceholders(storageFolder, join(targetFolder, 'storage'), values);
  await copyFolderWithPlaceholders(workspaceFolder, join(targetFolder, 'workspace'), values);
  await storeWorkspaceChanges();
  await deleteAllButFirstFile(join(targetFolder, 'storage', 'persona-pictures'));
  const stateText = insertPlaceholders(await readFile(resultsFile, 'utf8'), values);
  await writeFile(
    join(targetFolder, 'state.json'),
    `${JSON.stringify(JSON.parse(stateText) as unknown, null, 2)}\n`,
  );
  if (basename(firstFixture) !== name)
    await cp(join(firstFixture, 'settings.json'), join(targetFolder, 'settings.json'));
}

/** Stores the changed files of the workspace, and a file with the names of the removed files. */
async function storeWorkspaceChanges(): Promise<void> {
  const originalFolder = join(root, 'test', 'support', 'sample-workspace');
  const removedFiles: string[] = [];
  for (const entry of await readdir(originalFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(originalFolder, join(entry.parentPath, entry.name));
    const copyPath = join(targetFolder, 'workspace', path);
    if (!existsSync(copyPath)) removedFiles.push(path);
    else if ((await readFile(copyPath)).equals(await readFile(join(originalFolder, path))))
      await rm(copyPath);
  }
  await writeFile(
    join(targetFolder, 'workspace-removed.json'),
    `${JSON.stringify(removedFiles)}\n`,
  );
}

/** Deletes all files of a cache folder except the first, which remains as an example. */
async function deleteAllButFirstFile(folder: string): Promise<void> {
  const [, ...otherFiles] = (await readdir(folder)).toSorted();
  for (const fileName of otherFiles) await rm(join(folder, fileName));
}

async function copyFolderWithPlaceholders(
  from: string,
  to: string,
  values: RunValues,
  subfolder = '',
): Promise<void> {
  for (const name of await readdir(join(from, subfolder))) {
    const path = subfolder === '' ? name : `${subfolder}/${name}`;
    const source = join(from, path);
    const copyPath = join(to, insertPlaceholders(path, values));
    if ((await stat(source)).isDirectory())
      await copyFolderWithPlaceholders(from, to, values, path);
    else {
      await mkdir(dirname(copyPath), { recursive: true });
      if (canHavePlaceholders(path))
        await writeFile(copyPath, insertPlaceholders(await readFile(source, 'utf8'), values));
      else await cp(source, copyPath);
    }
  }
}
