import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Kind of VS Code for tests. `desktop` is the desktop application. `server` has the same workbench and extension host,
 * but its workbench runs in a browser page.
 */
export type HostKind = 'desktop' | 'server';

const updateServerUrl = 'https://update.code.visualstudio.com/api/releases/stable';

/**
 * Returns the kind of VS Code that this machine can run, and prints it. The environment variable
 * `INFERENCE_SERVICE_TEST_HOST` overrides the detection.
 */
export async function chooseHost(): Promise<HostKind> {
  const requestedHost = process.env['INFERENCE_SERVICE_TEST_HOST'];
  if (requestedHost === 'desktop' || requestedHost === 'server')
    return reportHost(requestedHost, 'as told');
  if (requestedHost)
    throw new Error('INFERENCE_SERVICE_TEST_HOST is neither "desktop" nor "server".');
  if (!hasDisplay()) return reportHost('server', 'no display');
  if (!(await canDownload())) return reportHost('server', 'the desktop cannot be downloaded');
  return reportHost('desktop', 'from the download server');
}

/** Returns the path of the `code` command. Returns undefined if the machine has no such command or no display. */
export function findInstalledEditor(): string | undefined {
  if (process.env['INFERENCE_SERVICE_TEST_HOST'] === 'server' || !hasDisplay()) return undefined;
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function reportHost(kind: HostKind, reason: string): HostKind {
  console.log(`VS Code host: ${kind} (${reason})`);
  return kind;
}

function hasDisplay(): boolean {
  const { platform, env } = process;
  return platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']);
}

async function canDownload(): Promise<boolean> {
  try {
    const reply = await fetch(updateServerUrl, {
      method: 'HEAD',
      signal: AbortSignal.timeout(5_000),
    });
    return reply.ok;
  } catch {
    return false;
  }
}
