import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './paths.ts';

/** A temporary copy of the sample workspace. Disposal deletes the copy. */
export interface SampleWorkspace extends AsyncDisposable {
  readonly folder: string;
}

export async function copySampleWorkspace(): Promise<SampleWorkspace> {
  const parentFolder = await mkdtemp(join(tmpdir(), 'inference-service-sample-'));
  const folder = join(parentFolder, 'sample-workspace');
  await cp(join(root, 'test', 'support', 'sample-workspace'), folder, { recursive: true });
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(parentFolder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
