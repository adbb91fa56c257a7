/** A kind of file that is commonly one of keys or passwords. */
export interface SecretKind {
  /** Of its name; of a place, of its path. */
  readonly pattern: RegExp;
  /** In small letters, with `*` and `[._]` alone: one of them fits the name of every such file, and of others too. */
  readonly globs: readonly string[];
}

const endings = (...all: readonly string[]): string[] => all.map((ending) => `*.${ending}`);

export const secretNames: readonly SecretKind[] = [
  { pattern: /^\.env/iu, globs: ['.env*'] },
  { pattern: /\.env$/iu, globs: ['*.env'] },
  { pattern: /^id_[\w-]+$/iu, globs: ['id_*'] },
  {
    pattern:
      /\.(pem|key|p12|pfx|kdbx?|keystore|jks|ppk|tfvars|tfstate|ovpn|keychain(-db)?|agekey)$/iu,
    globs: [
      ...endings('pem', 'key', 'p12', 'pfx', 'kdb', 'kdbx', 'keystore', 'jks', 'ppk'),
      ...endings('tfvars', 'tfstate', 'ovpn', 'keychain', 'keychain-db', 'agekey'),
    ],
  },
  {
    pattern: /^[._](npmrc|netrc|pypirc|pgpass|git-credentials|yarnrc\.yml)$/iu,
    globs: ['npmrc', 'netrc', 'pypirc', 'pgpass', 'git-credentials', 'yarnrc.yml'].map(
      (name) => `[._]${name}`,
    ),
  },
  {
    pattern:
      /^\.(htpasswd|vault-token|vault_pass|dockercfg|terraformrc|s3cfg|boto|my\.cnf|mylogin\.cnf)$/iu,
    globs: [
      ...['.htpasswd', '.vault-token', '.vault_pass', '.dockercfg', '.terraformrc'],
      ...['.s3cfg', '.boto', '.my.cnf', '.mylogin.cnf'],
    ],
  },
  { pattern: /^\.[a-z]+_history$/iu, globs: ['.*_history'] },
  {
    pattern: /^(wallet\.dat|key[34]\.db|logins\.json|local\.settings\.json|master\.key)$/iu,
    globs: ['wallet.dat', 'key*.db', 'logins.json', 'local.settings.json', 'master.key'],
  },
  { pattern: /^utc--.*--[0-9a-f]{40}$/iu, globs: ['utc--*'] },
  {
    pattern: /^(credentials|secrets|service-account.*)(\.(json|ya?ml|toml|env))?$/iu,
    globs: ['credentials*', 'secrets*', 'service-account*'],
  },
];

/** Single files by their folder. */
export const secretPlaces: readonly SecretKind[] = [
  {
    pattern: /(^|\/)\.(cargo\/credentials\.toml|gem\/credentials|composer\/auth\.json)$/iu,
    globs: ['credentials*', 'auth.json'],
  },
  { pattern: /(^|\/)\.kube\/config$/iu, globs: ['config'] },
  { pattern: /(^|\/)\.docker\/config\.json$/iu, globs: ['config.json'] },
  { pattern: /(^|\/)\.config\/gh\/hosts\.yml$/iu, globs: ['hosts.yml'] },
  { pattern: /(^|\/)\.git\/config$/iu, globs: ['config'] },
];

/** All that is in them, whatever its name: no glob of names finds that. */
const folders = [
  /(^|\/)\.(aws|ssh|gnupg|azure|password-store)\//iu,
  /(^|\/)\.config\/(gcloud|op|sops)\//iu,
];

const patterns = [...secretPlaces.map(({ pattern }) => pattern), ...folders];

/**
 * Globs of names that every file has which looks secret, but for those in folders that are secret as a whole. A list
 * of all files need not be read for them.
 */
export const secretNameGlobs: readonly string[] = [
  ...new Set([...secretNames, ...secretPlaces].flatMap(({ globs }) => globs)),
];

/** Whether a file of this name is commonly one of keys or passwords. `path` has forward slashes. */
export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    secretNames.some(({ pattern }) => pattern.test(name)) ||
    patterns.some((pattern) => pattern.test(path))
  );
}
