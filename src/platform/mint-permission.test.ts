import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMintPermission } from './mint-permission.ts';

const variableName = 'INFERENCE_SERVICE_ALLOW_MINT';

test.each([
  ['permits', 'darwin', 'the variable is 1', '1', '', true],
  ['permits', 'win32', 'the variable is 1', '1', '', true],
  [
    'permits',
    'linux',
    'the variable is 1 in both environments',
    '1',
    `A=b\0${variableName}=1\0`,
    true,
  ],
  ['rejects', 'linux', 'the system’s copy has no such variable', '1', 'A=b\0', false],
  ['rejects', 'linux', 'the system’s copy has the value 10', '1', `${variableName}=10\0`, false],
  [
    'rejects',
    'linux',
    'the system’s copy has only a variable with a longer name',
    '1',
    `X${variableName}=1\0`,
    false,
  ],
  ['rejects', 'darwin', 'the variable is "true"', 'true', '', false],
  [
    'rejects',
    'linux',
    'only the system’s copy has the variable',
    undefined,
    `${variableName}=1\0`,
    false,
  ],
] as const)(
  'readMintPermission %s mints without confirmation on %s if %s',
  (_result, platform, _condition, value, systemCopy, isAllowed) => {
    expect(readMintPermission({ [variableName]: value }, platform, () => systemCopy)).toBe(
      isAllowed,
    );
  },
);

test("mints without confirmation are not allowed if the system's copy of the environment is unreadable", () => {
  const fail = (): never => {
    throw new Error('No access.');
  };
  expect(readMintPermission({ [variableName]: '1' }, 'linux', fail)).toBe(false);
});

const keyFiles = {
  INFERENCE_SERVICE_KEYSTORE: '/run/wallet.json',
  INFERENCE_SERVICE_KEYSTORE_PASSWORD_FILE: '/run/password',
};

/**
 * Script of a child process. Prints the permission before and after the script changes the environment variable that
 * grants the permission.
 */
const childScript = `
  const { isMintPreapproved } = await import('./mint-permission.ts');
  process.env.${variableName} = process.argv[1];
  const again = await import('./mint-permission.ts');
  console.log(isMintPreapproved, again.isMintPreapproved);
  console.log((await import('./mint-permission.ts?copy')).isMintPreapproved);
`;

function runScript(initialValue: string | undefined, changedValue: string): string[] {
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--no-warnings',
      '--experimental-strip-types',
      '--input-type=module',
      '-e',
      childScript,
      changedValue,
    ],
    {
      cwd: join(import.meta.dirname),
      encoding: 'utf8',
      env: {
        ...process.env,
        ...(initialValue === undefined ? {} : { [variableName]: initialValue }),
      },
    },
  );
  return stdout.trim().split('\n');
}

test('a change of INFERENCE_SERVICE_ALLOW_MINT after the start does not change the permission to mint without a confirmation', () => {
  expect(runScript('1', '0')[0]).toBe('true true');
  expect(runScript(undefined, '1')[0]).toBe('false false');
});

test('a change of the environment variables with key file paths after the start does not change the minting account', () => {
  const { stdout } = spawnSync(
    process.execPath,
    [
      ...['--no-warnings', '--experimental-strip-types', '--input-type=module', '-e'],
      `const { accountEnvironment } = await import('./mint-permission.ts');
       process.env.INFERENCE_SERVICE_KEYSTORE = '/tmp/other';
       process.env.INFERENCE_SERVICE_PRIVATE_KEY_FILE = '/tmp/other';
       console.log(JSON.stringify(accountEnvironment), Object.isFrozen(accountEnvironment));`,
    ],
    { cwd: import.meta.dirname, encoding: 'utf8', env: { ...process.env, ...keyFiles } },
  );
  expect(stdout).toBe(`${JSON.stringify(keyFiles)} true\n`);
});

test.runIf(process.platform === 'linux')(
  'on Linux, mints without confirmation are not allowed if the process itself set INFERENCE_SERVICE_ALLOW_MINT',
  () => {
    expect(runScript(undefined, '1')[1]).toBe('false');
  },
);
