import { readFileSync } from 'node:fs';
import process from 'node:process';

const mintPermissionVariable = 'INFERENCE_SERVICE_ALLOW_MINT';

/**
 * Checks whether the environment in which VS Code started lets programs mint and receive API keys
 * without a confirmation. On Linux, the operating system's copy of the environment must agree,
 * because another extension can change `process.env`.
 * @param readSystemCopy Returns the system's copy: variables separated by NUL.
 */
export function readMintPermission(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  readSystemCopy: () => string,
): boolean {
  if (environment[mintPermissionVariable] !== '1') return false;
  if (platform !== 'linux') return true;
  try {
    return readSystemCopy().split('\0').includes(`${mintPermissionVariable}=1`);
  } catch {
    return false;
  }
}

/**
 * True if the environment at the start of the extension permits programs to mint API keys without a
 * confirmation. Never changes.
 */
export const isMintPreapproved = readMintPermission(process.env, process.platform, () =>
  readFileSync('/proc/self/environ', 'utf8'),
);

const accountVariables = [
  'INFERENCE_SERVICE_KEYSTORE',
  'INFERENCE_SERVICE_KEYSTORE_PASSWORD_FILE',
  'INFERENCE_SERVICE_PRIVATE_KEY_FILE',
];

/**
 * Environment variables that name the files with the private key (and its password) for minting API keys. Copied when
 * the extension starts; later changes of the environment have no effect.
 */
export const accountEnvironment: NodeJS.ProcessEnv = Object.freeze(
  Object.fromEntries(
    accountVariables.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
);
