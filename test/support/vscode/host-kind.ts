import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * `desktop`: installed VS Code. `server`: the same workbench and extension host, in a browser page.
 */
export type HostKind = 'desktop' | 'server';

const updateServer = 'https://update.code.visualstudio.com/api/releases/stable';

/**
 * Detects which host this machine can run, and reports it as one line.
 * `INFERENCE_SERVICE_TEST_HOST` overrides the detection.
 */
export async function chooseHost(): Promise<HostKind> {
  const forced = process.env['INFERENCE_SERVICE_TEST_HOST'];
  if (forced === 'desktop' || forced === 'server') return said(forced, 'as told');
  if (forced) throw new Error('INFERENCE_SERVICE_TEST_HOST is neither "desktop" nor "server".');
  if (!hasDisplay()) return said('server', 'no display');
  if (!(await canDownload())) return said('server', 'the desktop cannot be downloaded');
  return said('desktop', 'from the download server');
}

/** Returns the `code` command of this machine, or undefined without the command or a display. */
export function installedEditor(): string | undefined {
  if (process.env['INFERENCE_SERVICE_TEST_HOST'] === 'server' || !hasDisplay()) return undefined;
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function said(kind: HostKind, why: string): HostKind {
  console.log(`VS Code host: ${kind} (${why})`);
  return kind;
}

function hasDisplay(): boolean {
  const { platform, env } = process;
  return platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']);
}

async function canDownload(): Promise<boolean> {
  try {
    const reply = await fetch(updateServer, { method: 'HEAD', signal: AbortSignal.timeout(5_000) });
    return reply.ok;
  } catch {
    return false;
  }
}
