import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Launches a headless Chromium without background requests. On Debian, installs Chromium if it is missing and the user
 * is root.
 */
export async function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: installBrowser(),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...flags,
    ],
  });
}

/**
 * Returns browser flags for a simulated microphone that plays a WAV file in a loop. All pages have permission to use
 * the microphone.
 */
export const createFakeMicrophoneFlags = (file: string): readonly string[] => [
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  `--use-file-for-fake-audio-capture=${file}`,
];

/**
 * Returns the path of Chromium or Chrome, and installs Chromium if possible. If neither is available, prints
 * instructions and ends the process.
 */
export function installBrowser(): string {
  const installedPath = findBrowser();
  if (installedPath) return installedPath;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium with apt-get…');
    const options = {
      stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    execFileSync('apt-get', ['update', '-qq'], options);
    const installArguments = ['install', '-y', '-qq', 'procps', 'fonts-dejavu-core'];
    try {
      execFileSync('apt-get', [...installArguments, 'chromium-headless-shell'], options);
    } catch {
      execFileSync('apt-get', [...installArguments, 'chromium'], options);
    }
    const installedBrowser = findBrowser();
    if (installedBrowser) return installedBrowser;
  }
  console.error(
    'The tests need Chromium or Google Chrome. Install one (Debian and Ubuntu: sudo apt-get install chromium; ' +
      'macOS: brew install --cask google-chrome) or set CHROME_PATH to its executable, then run this again.',
  );
  process.exit(1);
}

/**
 * Returns the path of an installed browser. Prefers the headless shell, which needs less than half of the CPU time
 * because it draws no window.
 */
function findBrowser(): string | undefined {
  const paths = [
    process.env['CHROME_PATH'],
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/snap/bin/chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ];
  return paths.find((path) => path !== undefined && existsSync(path));
}
