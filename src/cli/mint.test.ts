import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deployment, startDeployment } from '../../test/foreign/strict-deployment.mjs';
import { startChain } from '../../test/service/chain/start-chain.ts';
import { startTestService } from '../../test/service/test-service.ts';
import { root } from '../../test/support/paths.ts';
import { timeLimits } from '../../test/support/time-limits.ts';

const folder = mkdtempSync(join(tmpdir(), 'mint-cli-'));
const programPath = join(folder, 'mint.js');
/**
 * Private key of an account with a stake. The test deployment derives the stake of an account from the last digit of
 * its address.
 */
const stakedKey = `0x${'1'.repeat(64)}`;
const environmentVariables = { INFERENCE_SERVICE_PRIVATE_KEY_FILE: join(folder, 'key') };
let fileCount = 0;

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'key'), `${stakedKey}\n`);
  execFileSync(process.execPath, ['esbuild.mjs', '--production', `--cli-only=${folder}`], {
    cwd: root,
  });
}, timeLimits.start);

afterAll(() => rmSync(folder, { recursive: true }));

interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bundled program as a process whose only environment variables are `env`. */
const runMint = (
  args: readonly string[],
  env: NodeJS.ProcessEnv = environmentVariables,
): Promise<CliResult> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [programPath, ...args],
      { env, cwd: folder },
      (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

/** Stores a private key in a new file. Returns the environment variable that contains the path of the file. */
function writeKeyFile(privateKey = ''): NodeJS.ProcessEnv {
  const path = createPath();
  writeFileSync(path, privateKey, { mode: 0o600 });
  return { INFERENCE_SERVICE_PRIVATE_KEY_FILE: path };
}

const createPath = (): string => join(folder, `minted-${++fileCount}`);

async function withDeployment(
  settings: Parameters<typeof startDeployment>[0],
  use: (ready: Deployment['ready']) => Promise<void>,
): Promise<void> {
  const { ready: deployment, close } = await startDeployment(settings);
  try {
    await use(deployment);
  } finally {
    await close();
  }
}

const fetchModelsStatus = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } })).status;

test.each([
  ['minimal', 'acme'],
  ['minimal', 'zeta'],
  ['full', 'acme'],
  ['full', 'zeta'],
] as const)(
  'the mint command mints a working key at a %s deployment with the vendor prefix "%s"',
  async (shape, word) => {
    await withDeployment({ shape, word }, async ({ baseUrl }) => {
      const path = createPath();
      const periodArgs = shape === 'minimal' ? ['--period', 'none'] : [];
      const { exitCode, stdout, stderr } = await runMint([
        '--url',
        baseUrl,
        '--out',
        path,
        ...periodArgs,
      ]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
      const key = readFileSync(path, 'utf8').trim();
      expect(key).toMatch(new RegExp(`^${word.toUpperCase()}_INFERENCE_KEY_`, 'u'));
      expect(stderr).not.toContain(key);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(await fetchModelsStatus(baseUrl, key)).toBe(200);
    });
  },
);

test(
  'the mint command mints a working key for a published test account at the local service',
  async () => {
    await using chain = await startChain();
    const { baseUrl } = await startTestService({ chain });
    const path = createPath();
    const environment = writeKeyFile(chain.facts.accounts[4]?.privateKey);
    const { exitCode, stderr } = await runMint(['--url', baseUrl, '--out', path], environment);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^Minted a key of type INFERENCE\. Limit: 10 USD, period MONTH\. Expires: \d{4}-\d\d-\d\d\S*\. It is in \S+\n$/u,
      ),
    });
    const key = readFileSync(path, 'utf8').trim();
    expect(await fetchModelsStatus(baseUrl, key)).toBe(200);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const unstakedRun = await runMint(
      ['--url', baseUrl, '--print'],
      writeKeyFile(chain.facts.accounts[5]?.privateKey),
    );
    expect(unstakedRun).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr: 'The wallet has nothing staked. Stake first, then try again.\n',
    });
  },
  timeLimits.start,
);

test('the mint command with `--print` prints only the key', async () => {
  await withDeployment({ shape: 'full' }, async ({ baseUrl }) => {
    const args = ['--url', baseUrl, '--print', '--type', 'ADMIN', '--limit-vcu', '2'];
    const { exitCode, stdout } = await runMint(args);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ACME_ADMIN_KEY_\S+\n$/u);
  });
});

test('the mint command rejects a limit period if the service supports none, and names the option that omits the period', async () => {
  await withDeployment({ shape: 'minimal' }, async ({ baseUrl }) => {
    const path = createPath();
    const { exitCode, stderr } = await runMint(['--url', baseUrl, '--out', path]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('does not support this option: How often the limit resets');
    expect(stderr).toContain('--period none');
    expect(existsSync(path)).toBe(false);
  });
});

test.each([
  ['description', [], '--description ""', ['--description', '']],
  ['expiresAt', [], '--expires never', ['--expires', 'never']],
  ['consumptionLimit', [], '--no-limit', ['--no-limit']],
  ['modelPrivacy', ['--privacy', 'PRIVATE_ONLY'], 'Leave out --privacy', []],
] as const)(
  'the mint command names the flag that omits the rejected option %s',
  async (option, args, hint, otherArgs) => {
    const bodies: object[] = [];
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = request.method === 'POST' ? ((await json(request)) as object) : undefined;
      if (body !== undefined) bodies.push(body);
      const isRefused = body !== undefined && option in body;
      const claims = { iss: 'service', exp: Math.floor(Date.now() / 1_000) + 600 };
      const parts = [{ alg: 'ES256' }, claims, 'signature'].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      const reply = isRefused
        ? { error: `Unrecognized key(s) in object: '${option}'` }
        : { token: parts.join('.'), apiKey: 'ACME_INFERENCE_KEY_0123456789' };
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply));
    };
    const server = createHttpServer((request, response) => void respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const sharedArgs = ['--url', `http://127.0.0.1:${port}/api/v1`, '--print'];
    const rejectedRun = await runMint([...sharedArgs, ...args]);
    expect(rejectedRun).toMatchObject({ exitCode: 1, stdout: '' });
    expect(rejectedRun.stderr).toContain('This service does not support');
    expect(rejectedRun.stderr).toContain(hint);
    expect(await runMint([...sharedArgs, ...otherArgs])).toMatchObject({
      exitCode: 0,
      stdout: 'ACME_INFERENCE_KEY_0123456789\n',
    });
    expect(bodies).toHaveLength(2);
    server.close();
  },
);

test('the mint command does not overwrite an existing file and does not follow a symbolic link', async () => {
  await withDeployment({ shape: 'full' }, async ({ baseUrl }) => {
    const [filePath, linkPath, targetPath] = [createPath(), createPath(), createPath()];
    writeFileSync(filePath, 'precious');
    symlinkSync(targetPath, linkPath);
    for (const path of [filePath, linkPath]) {
      expect((await runMint(['--url', baseUrl, '--out', path])).exitCode).toBe(2);
    }
    expect(readFileSync(filePath, 'utf8')).toBe('precious');
    expect(existsSync(targetPath)).toBe(false);
  });
});

const unwrittenKeyText =
  'A key was created but could not be written. Revoke it in the list of keys.\n';

test('the mint command reports that a key was created if the key cannot be written to the file', async () => {
  await withDeployment({ shape: 'full' }, async ({ baseUrl }) => {
    const path = createPath();
    const command = 'ulimit -f 0; exec "$@"';
    const args = [process.execPath, programPath, '--url', baseUrl, '--out', path];
    const child = spawn('sh', ['-c', command, 'sh', ...args], { env: environmentVariables });
    const whenExited = once(child, 'exit');
    expect(await text(child.stderr)).toBe(unwrittenKeyText);
    expect((await whenExited)[0]).toBe(1);
    expect(existsSync(path)).toBe(false);
  });
});

test('the mint command reports that a key was created if the standard output is closed', async () => {
  await withDeployment({ shape: 'full' }, async ({ baseUrl }) => {
    const args = [programPath, '--url', baseUrl, '--print'];
    const child = spawn(process.execPath, args, { env: environmentVariables });
    const whenExited = once(child, 'exit');
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe(unwrittenKeyText);
    expect((await whenExited)[0]).toBe(1);
  });
});

test('the mint command reports that a wallet has no stake, and shows no secret', async () => {
  await withDeployment({ shape: 'full' }, async ({ baseUrl }) => {
    const path = join(folder, 'unstaked');
    for (const digit of '23456789abcdef') {
      const secret = `0x${digit.repeat(64)}`;
      writeFileSync(path, secret);
      const environment = { INFERENCE_SERVICE_PRIVATE_KEY_FILE: path };
      const { exitCode, stdout, stderr } = await runMint(
        ['--url', baseUrl, '--print'],
        environment,
      );
      if (exitCode === 0) continue;
      expect(stderr).toBe('The wallet has nothing staked. Stake first, then try again.\n');
      expect(stdout + stderr).not.toContain(secret.slice(2));
      return;
    }
    throw new Error('Every wallet has a stake.');
  });
});

test.each([
  ['arguments without a URL', ['--print'], '--url is missing'],
  [
    'arguments without a destination',
    ['--url', 'https://service.example/api/v1'],
    'either --out or --print',
  ],
  ['an unencrypted URL', ['--url', 'http://service.example/api/v1', '--print'], 'https://'],
  ['an unencrypted URL of the network', ['--url', 'http://192.168.1.5/api/v1', '--print'], 'https'],
  ['an unknown option', ['--key', 'abc'], '--key'],
  ...(
    [
      ['--limit-usd', 'ten'],
      ['--limit-usd', '0'],
      ['--limit-diem', '0.00'],
      ['--limit-vcu', '-1'],
      ['--limit-usd', '9999999999.5'],
      ['--type', 'OWNER'],
      ['--expires', 'tomorrow'],
      ['--expires', '2001-01-01'],
      ['--period', 'WEEK'],
      ['--privacy', 'SOME'],
      ['--description', 'x'.repeat(65)],
    ] as const
  ).map(
    ([option, value]) =>
      [
        `the value ${value} of ${option}`,
        ['--url', 'https://service.example/api/v1', '--print', `${option}=${value}`],
        option,
      ] as [string, string[], string],
  ),
  ['an incomplete URL', ['--url', 'service.example', '--print'], '--url'],
  ...[
    ['--limit-usd', '5'],
    ['--limit-diem', '5'],
    ['--limit-vcu', '5'],
    ['--period', 'MONTH'],
  ].map(
    (limitArgs) =>
      [
        `--no-limit together with ${limitArgs[0]}`,
        ['--url', 'https://service.example/api/v1', '--print', '--no-limit', ...limitArgs],
        'Use --no-limit without',
      ] as [string, string[], string],
  ),
])('the mint command rejects %s', async (_case, args, message) => {
  const { exitCode, stderr } = await runMint(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  // Internal codes are not words of a sentence.
  expect(stderr).not.toMatch(/: [a-z]+(?:-[a-z]+)?\.$/mu);
});

const pastedKey = 'a1'.repeat(32);
const urlArgs = ['--url', 'https://service.example/api/v1'];

test.each([
  ['an argument', [...urlArgs, '--print', `0x${pastedKey}`]],
  ['an argument without 0x', [...urlArgs, '--print', pastedKey]],
  ['an option', [...urlArgs, '--print', `--${pastedKey}`]],
  ['a URL', ['--print', '--url', `0x${pastedKey}`]],
  ['a type', [...urlArgs, '--print', '--type', pastedKey]],
  ['an existing path', [...urlArgs, '--out', join(folder, 'missing', pastedKey)]],
])('the mint command never prints a private key that was pasted as %s', async (_place, args) => {
  const { exitCode, stdout, stderr } = await runMint(args);
  expect(exitCode).toBeGreaterThan(0);
  expect(stdout).toBe('');
  expect(stderr).not.toContain(pastedKey);
  expect(stderr).toMatch(/^[^\n]+\.\n$/u);
});

test('the mint command writes no control characters of a path to the terminal', async () => {
  const path = join(folder, 'missing', 'a\u001b]0;title\u0007\u001b[31mb\rc\u009bd\u202e');
  const { exitCode, stderr } = await runMint([...urlArgs, '--out', path]);
  expect(exitCode).toBe(2);
  expect(stderr.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(stderr).toContain('exists already, or cannot be created.');
});

test.each([
  ['minimal', [], /^Requested limit: 10 USD\. Requested expiry: \d{4}-\d\d-\d\d\S*\.$/u],
  [
    'minimal',
    ['--expires', '2099-01-31'],
    /^Requested limit: 10 USD\. Requested expiry: 2099-01-31/u,
  ],
  [
    'minimal',
    ['--no-limit', '--expires', 'never'],
    /^Requested limit: none\. Requested expiry: never\.$/u,
  ],
  ['full', ['--expires', '2099-01-31'], /^Limit: 10 USD, period \w+\. Expires: 2099-01-31\S*\.$/u],
] as const)(
  'the mint command reports the confirmed limit and expiry for a %s deployment and the arguments %j',
  async (shape, args, messagePattern) => {
    await withDeployment({ shape }, async ({ baseUrl }) => {
      const limitArgs = args.some((arg) => arg === '--no-limit') ? [] : ['--period', 'none'];
      const { stderr } = await runMint(['--url', baseUrl, '--print', ...limitArgs, ...args]);
      const prefix = 'Minted a key of type INFERENCE. ';
      expect(stderr.slice(0, prefix.length)).toBe(prefix);
      expect(stderr.slice(prefix.length).trimEnd()).toMatch(messagePattern);
    });
  },
);

test('the usage text names the required version of Node and the exit codes', async () => {
  const versionPath = join(folder, 'old-version.mjs');
  writeFileSync(
    versionPath,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });",
  );
  const environment = { ...environmentVariables, NODE_OPTIONS: `--import=${versionPath}` };
  const args = ['--url', 'https://service.example/api/v1', '--print'];
  expect(await runMint(args, environment)).toEqual({
    ...{ exitCode: 2, stdout: '' },
    stderr: 'Needs Node 22.19 or newer, not 20.19.0.\n',
  });
  const { stdout } = await runMint(['--help']);
  expect(stdout).toContain('Needs Node 22.19 or newer.');
  expect(stdout).toContain('Exit codes: 0');
});

test('the mint command connects through the proxy that the environment names', async () => {
  const requestLines: string[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      requestLines.push(data.toString('latin1').split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const environment = { ...environmentVariables, HTTPS_PROXY: `http://127.0.0.1:${port}` };
  const { exitCode } = await runMint(
    ['--url', 'https://service.test/api/v1', '--print'],
    environment,
  );
  proxy.close();
  expect(exitCode).toBe(1);
  expect(requestLines[0]).toBe('CONNECT service.test:443 HTTP/1.1');
});

test.each([
  ['HTTPS_PROXY', 'socks5h://127.0.0.1:9050'],
  ['https_proxy', 'proxy:port'],
  ['HTTP_PROXY', 'http://user:pa#ss@127.0.0.1:9'],
  ['HTTPS_PROXY', 'http://user:12/ss@127.0.0.1:9'],
])(
  'the mint command names the variable %s of an unusable proxy, without its value',
  async (name, value) => {
    const args = ['--url', 'https://service.test/api/v1', '--print'];
    expect(await runMint(args, { ...environmentVariables, [name]: value })).toEqual({
      ...{ exitCode: 2, stdout: '' },
      stderr: `${name} is no http:// or https:// URL. Encode special characters of its password.\n`,
    });
    const exceptedRun = await runMint(args, {
      ...environmentVariables,
      [name]: value,
      NO_PROXY: '.test',
    });
    expect(exceptedRun.stderr).not.toContain(name);
  },
);

test.each(['user:pass', 'user:p%ss'])(
  'the mint command names the proxy variables if the proxy with the credentials %s cannot be reached',
  async (credentials) => {
    const environment = {
      ...environmentVariables,
      HTTPS_PROXY: `http://${credentials}@127.0.0.1:9`,
    };
    const args = ['--url', 'https://service.test/api/v1', '--print'];
    expect(await runMint(args, environment)).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr:
        'The proxy cannot be reached, or refused the connection. Check HTTPS_PROXY and NO_PROXY.\n',
    });
  },
);

test.each(['INFERENCE_SERVICE_PRIVATE_KEY_FILE', 'INFERENCE_SERVICE_KEYSTORE'])(
  'the mint command names the variable %s if its file cannot be read',
  async (name) => {
    const environment = {
      ...(name === 'INFERENCE_SERVICE_KEYSTORE'
        ? { INFERENCE_SERVICE_KEYSTORE_PASSWORD_FILE: join(folder, 'key') }
        : {}),
      [name]: join(folder, 'missing'),
    };
    const args = ['--url', 'https://service.example/api/v1', '--print'];
    const { exitCode, stderr } = await runMint(args, environment);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`The file of ${name} cannot be read`);
  },
);

test('the mint command names the required environment variable if it is not set', async () => {
  const args = ['--url', 'https://service.example/api/v1', '--print'];
  const { exitCode, stderr } = await runMint(args, {});
  expect(exitCode).toBe(1);
  expect(stderr).toContain('INFERENCE_SERVICE_KEYSTORE');
});
