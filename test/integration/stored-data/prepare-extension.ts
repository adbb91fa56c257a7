import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type ServiceConnection, createSignedInValues } from '../../support/local-service.ts';
import { root } from '../../support/paths.ts';
import type { ServerOptions } from '../../support/vscode/server.ts';
import { type PlaceholderValues, replacePlaceholders } from './placeholders.ts';
import { preparationFile, type Preparation } from './shared.ts';

/** Path of the fixture with which the suite `stored-data` starts. */
export const firstFixture = join(import.meta.dirname, 'v1');

export const createPlaceholderValues = (service: ServiceConnection): PlaceholderValues => ({
  __BASE_URL__: service.baseUrl,
  __ORIGIN__: new URL(service.baseUrl).origin,
  __API_KEY__: service.apiKey,
  __ADMIN_KEY__: service.adminKey,
});

/**
 * Returns the fixture's settings with the address of `service`, and environment variables without an API key. The
 * extension then uses the API key in the fixture's stored secrets.
 */
export async function createFixtureSignIn(
  fixtureFolder: string,
  service: ServiceConnection,
): Promise<Required<Pick<ServerOptions, 'settings' | 'env'>>> {
  const text = await readFile(join(fixtureFolder, 'settings.json'), 'utf8');
  const settings = JSON.parse(
    replacePlaceholders(text, createPlaceholderValues(service)),
  ) as Record<string, unknown>;
  return {
    settings,
    env: { ...createSignedInValues(service).env, INFERENCE_SERVICE_API_KEY: undefined },
  };
}

/**
 * Copy of the built extension with an entry module that installs stored data before the extension starts. Disposal
 * deletes the copy.
 */
export interface PreparedExtension extends AsyncDisposable {
  readonly path: string;
}

/**
 * Copies the built extension, and builds the entry module into the same folder. VS Code passes the same API object to
 * both modules because they are in the same folder.
 */
export async function prepareExtension(preparation: Preparation): Promise<PreparedExtension> {
  const path = await mkdtemp(join(tmpdir(), 'inference-service-prepared-'));
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(
    join(path, 'package.json'),
    JSON.stringify(Object.assign({}, manifest, { main: './entry.js' })),
  );
  await writeFile(join(path, preparationFile), JSON.stringify(preparation));
  for (const name of ['dist', 'media', 'package.nls.json'])
    await cp(join(root, name), join(path, name), { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'extension-entry.ts')],
    outfile: join(path, 'entry.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: ['vscode'],
    logLevel: 'warning',
  });
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
