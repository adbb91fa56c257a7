import { execFileSync } from 'node:child_process';
import { root } from './paths.ts';

/** Builds `dist` in the development variant: readable, with source maps. */
export function buildExtension(): void {
  execFileSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' });
}
